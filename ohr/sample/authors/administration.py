"""Yearly reports of a municipality: people, budget, tenders, fees, schools, energy."""

from __future__ import annotations

import numpy as np

from ohr.sample.authors.money import cents, plain, tenths
from ohr.sample.authors.naming import Naming
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.questions.asks import differing, listed, numeric, reasoned, reasoning_over, string
from ohr.sample.template import ChartDraft, Draft, Merged, Numbered, TableDraft

DEPARTMENTS = ("Schools", "Roads", "Culture", "Parks", "Youth", "Water", "Housing", "Markets")
STREETS = ("Quarry", "Chapel", "River", "Linden", "Brewery", "Tower", "Meadow", "Ropemaker")
MONTHS = ("March", "April", "May", "June", "September", "October")
SCHOOLS = ("Castle School", "River School", "Meadow School", "Tower School")
BUILDINGS = ("Town hall", "Schools", "Swimming hall", "Street lamps", "Fire station")
REPORT = "in the report of <town> for <year>"


class YearlyReport:
    """The report of the administration of a company's home town."""

    domain = "administration"

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None:
        company = world.company(index)

        def integer(low: int, high: int) -> int:
            return int(rng.integers(low, high + 1))

        town = company.town
        year = world.year(index)
        people = [world.person(-5501 - 9 * index - i) for i in range(7)]
        places = [world.place(-1301 - 3 * index - i) for i in range(2)]
        streets = [STREETS[int(i)] for i in rng.permutation(len(STREETS))[:3]]
        departments = [DEPARTMENTS[int(i)] for i in rng.permutation(len(DEPARTMENTS))[:4]]
        inhabitants, grown = integer(14_000, 98_000), integer(40, 990)
        posts, vacant = integer(110, 480), integer(4, 29)
        metres, per_metre = 100 * integer(21, 98), integer(110, 690)
        base_fee, area_fee = 10 * integer(21, 89), integer(105, 980)  # EUR; cents
        self.name = f"{town.lower().replace(' ', '-')}-report-of-the-administration-{year}"
        self.title = f"Municipality of {town}: Report of the Administration for {year}"
        self.layout = PageLayout(
            header=f"Municipality of {town}", footer=f"Report for {year}, page {{page}}"
        )
        self.naming = Naming(
            town,
            f"the yearly report for {year}",
            f"the yearly report of {town} for {year}",
            ("report", str(year)),
        )
        self.slots = {
            "town": town,
            "company": company.name,
            "loser": world.company(-3 - 2 * index).name,
            "year": str(year),
            "next": str(year + 1),
            "neighbour": places[0],
            "partner": places[1],
            "people": f"{inhabitants:,}",
            "people_before": f"{inhabitants - grown:,}",
            "grown": str(grown),
            "meetings": str(integer(9, 16)),
            "mayor_year": str(year - integer(1, 14)),
            "resolutions": str(integer(61, 240)),
            "posts": str(posts),
            "vacant": str(vacant),
            "filled": str(posts - vacant),
            "trade_tax": tenths(integer(21, 98)),
            "dept0": departments[0],
            "reserves": tenths(integer(61, 390)),
            "tied": tenths(integer(11, 59)),
            "road_km": plain(metres // 100),
            "road_m": str(metres),
            "road_cost": str(metres * per_metre),
            "metre_cost": str(per_metre),
            "bids": str(integer(3, 9)),
            "contract": tenths(integer(12, 98)),
            "award_day": str(integer(2, 28)),
            "award_month": MONTHS[integer(0, 3)],
            "cheaper": str(integer(3, 19)),
            "finish_month": MONTHS[integer(0, len(MONTHS) - 1)],
            "late_fee": f"{500 * integer(3, 15):,}",
            "reduction": str(5 * integer(2, 9)),
            "base_fee": str(base_fee),
            "area_fee": f"{area_fee / 100:.2f}",
            "fee_hundred": f"{base_fee + area_fee:,}",
            "fee_days": str(integer(14, 45)),
            "hearing_week": ("first", "second", "third", "last")[integer(0, 3)],
            "pupils": "",
            "places_free": str(integer(3, 28)),
            "month": MONTHS[integer(0, len(MONTHS) - 1)],
            "bus_runs": str(integer(4, 11)),
            "bus_children": str(integer(21, 88)),
            "solar": f"{10 * integer(31, 99)}",
            "lamp_year": str(year + integer(2, 6)),
            "pump_save": str(integer(12, 97)),
            "graves": str(10 * integer(4, 19)),
            "lease": str(integer(12, 25)),
            "dog_hour": str(integer(6, 9)),
            "next_day": str(integer(7, 27)),
            "next_month": ("January", "February")[integer(0, 1)],
            **{f"street{i}": street for i, street in enumerate(streets)},
            **dict(
                zip(
                    "clerk mayor engineer objections school_head partner_head".split(),
                    people,
                    strict=False,
                )
            ),
        }
        pupils = [int(v) for v in rng.choice(np.arange(95, 640), len(SCHOOLS), replace=False)]
        self.slots["pupils"] = f"{sum(pupils):,}"
        self.tables: dict[str, Draft] = {
            "population": _population(inhabitants - grown, inhabitants, year, rng),
            "budget": _budget(departments, rng),
            "tenders": _tenders(departments, rng),
            "fees": _fees(rng),
            "schools": _schools(pupils, rng),
            "power": _power(rng),
        }


def _population(before: int, now: int, year: int, rng: np.random.Generator) -> ChartDraft:
    earlier = before - int(rng.integers(30, 900))
    first = earlier + int(rng.integers(-400, 400))
    values = [f"{value:,}" for value in (first, earlier, before, now)]
    years = tuple(str(year - 3 + i) for i in range(4))
    of = "the number of inhabitants of <town> in {}"
    asks: list[Numbered] = [
        (row, numeric(f"What was {of.format(label)}, as drawn {REPORT}?", value))
        for row, (label, value) in enumerate(zip(years[:2], values[:2], strict=True))
    ]
    asks += reasoning_over(
        years,
        values,
        of="the number of inhabitants in {}",
        where=REPORT,
        which="In which of the four years drawn was the number of inhabitants {}",
    )
    return ChartDraft(
        "bar",
        "<town>, year",
        years,
        {"Inhabitants": values},
        asks,
        caption="Inhabitants of <town> at the end of each year.",
    )


def _budget(departments: list[str], rng: np.random.Generator) -> TableDraft:
    income = [int(v) for v in rng.choice(np.arange(12, 190), len(departments), replace=False)]
    spent = [int(v) for v in rng.choice(np.arange(200, 690), len(departments), replace=False)]
    rows = [
        (name, tenths(got), tenths(out), tenths(out - got))
        for name, got, out in zip(departments, income, spent, strict=True)
    ]
    total = (sum(income), sum(spent))
    rows.append(("Total", tenths(total[0]), tenths(total[1]), tenths(total[1] - total[0])))
    asks: list[Numbered] = []
    for row, name in enumerate(departments):
        of = f"of the department of {name} {REPORT}"
        _, got, out, gap = rows[row]
        both, together = f"of income and expenditure {of}", tenths(income[row] + spent[row])
        asks += [
            (row, numeric(f"What is the income, in EUR million, {of}?", got)),
            (row, numeric(f"What is the expenditure, in EUR million, {of}?", out)),
            (
                row,
                numeric(
                    f"What is the difference, in EUR million, between expenditure and income {of}?",
                    gap,
                ),
            ),
            (
                row,
                reasoned(differing(f"Is {{}} the sum, in EUR million, {both}?", together)),
            ),
        ]
    asks += reasoning_over(
        departments,
        [row[2] for row in rows[:-1]],
        of="the expenditure of the department of {}",
        where=REPORT,
        unit="EUR million",
        which="Which department has the {} expenditure",
        several="Which departments have an expenditure of more than EUR {} million",
    )
    asks.append((3, listed(f"Which departments does the budget list {REPORT}?", departments)))
    asks.append(
        (4, numeric(f"What is the total expenditure, in EUR million, {REPORT}?", rows[-1][2]))
    )
    return TableDraft(
        (Merged("<town>", rowspan=2), Merged("EUR million in <year>", colspan=3)),
        rows,
        asks,
        "lrrr",
        grid=True,
        subheader=("Income", "Expenditure", "Difference"),
    )


def _tenders(departments: list[str], rng: np.random.Generator) -> TableDraft:
    """Two tenders a department; the department's cell covers both rows."""
    kinds = [("Building", "Supplies") for _ in departments[:2]]
    offers = [int(v) for v in rng.choice(np.arange(3, 30), 4, replace=False)]
    values = [int(v) for v in rng.choice(np.arange(11, 240), 4, replace=False)]
    rows: list[tuple[str | Merged, ...]] = []
    asks: list[Numbered] = []
    for row, (count, value) in enumerate(zip(offers, values, strict=True)):
        department, kind = departments[row // 2], kinds[row // 2][row % 2]
        cells = (kind, str(count), tenths(value))
        rows.append((Merged(department, rowspan=2), *cells) if row % 2 == 0 else cells)
        of = f"{kind.lower()} tenders of the department of {department} {REPORT}"
        asks += [
            (row, numeric(f"How many offers were made for the {of}?", str(count))),
            (row, numeric(f"What was the value, in EUR million, of the {of}?", tenths(value))),
        ]
    for first in (0, 2):
        name = departments[first // 2]
        total = tenths(values[first] + values[first + 1])
        tenders = f"the tenders of the department of {name} {REPORT}"
        question = f"What was the total value, in EUR million, of {tenders}?"
        asks.append((first + 1, reasoned(numeric(question, total))))
        more = "Building" if offers[first] > offers[first + 1] else "Supplies"
        which = f"For which kind of tenders did the department of {name} get more offers {REPORT}?"
        asks.append((first + 1, reasoned(string(which, more))))
    header = ("Department of <town>", "Tenders", "Offers", "EUR million")
    return TableDraft(header, rows, asks, "llrr", grid=True)


def _fees(rng: np.random.Generator) -> TableDraft:
    names = ("Passport", "Market stall, a day", "Dog, a year", "Library card", "Swimming hall")
    values = [int(v) * 10 for v in rng.choice(np.arange(25, 900), len(names), replace=False)]
    written = [cents(value) for value in values]
    rows = list(zip(names, written, strict=True))
    asks: list[Numbered] = []
    for row, (name, fee) in enumerate(rows):
        of = f"the fee for '{name}' {REPORT}"
        asks.append((row, numeric(f"What is {of}, in EUR?", fee)))
    chosen = [0, 3, 4]
    compared = reasoning_over(
        [names[i] for i in chosen],
        [written[i] for i in chosen],
        of="the fee for '{}'",
        where=REPORT,
        unit="EUR",
    )
    asks += [(chosen[row], ask) for row, ask in compared]
    return TableDraft(("Fee of <town>", "EUR"), rows, asks, "lr")


def _schools(pupils: list[int], rng: np.random.Generator) -> TableDraft:
    teachers = [max(4, int(count / rng.uniform(12, 19))) for count in pupils]
    rows = [
        (name, str(count), str(staff))
        for name, count, staff in zip(SCHOOLS, pupils, teachers, strict=True)
    ]
    rows.append(("Total", f"{sum(pupils):,}", str(sum(teachers))))
    asks: list[Numbered] = []
    for row, (name, count, staff) in enumerate(rows[:-1]):
        asks += [
            (row, numeric(f"How many pupils attended the {name} of <town> in <year>?", count)),
            (row, numeric(f"How many teachers worked at the {name} of <town> in <year>?", staff)),
        ]
    asks += reasoning_over(
        SCHOOLS,
        [row[1] for row in rows[:-1]],
        of="the number of pupils of the {}",
        where="in <town> in <year>",
        which="Which school has the {} number of pupils",
        several="Which schools have more than {} pupils",
    )
    asks.append(
        (4, numeric("How many teachers worked at the schools of <town> in <year>?", rows[-1][2]))
    )
    return TableDraft(("School of <town>", "Pupils", "Teachers"), rows, asks, "lrr")


def _power(rng: np.random.Generator) -> ChartDraft:
    values = [str(int(v)) for v in rng.choice(np.arange(45, 690), len(BUILDINGS), replace=False)]
    of = "the power, in megawatt hours, used by '{}' of the municipality of <town> in <year>"
    asks: list[Numbered] = [
        (row, numeric(f"What was {of.format(name)}?", value))
        for row, (name, value) in enumerate(zip(BUILDINGS, values, strict=True))
    ]
    asks += reasoning_over(
        BUILDINGS,
        values,
        of="the use of power of '{}'",
        where="by the municipality of <town> in <year>",
        unit="megawatt hours",
        which="Which public building or service had the {} use of power",
        several="Which public buildings or services used more than {} megawatt hours",
    )
    return ChartDraft(
        "bar",
        "<town>, <year>",
        BUILDINGS,
        {"Power": values},
        asks,
        unit="MWh",
        caption="Power used by the municipality of <town> in <year>.",
    )
