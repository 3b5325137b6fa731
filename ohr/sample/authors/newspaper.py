"""Local newspapers: what the company of the town plans, and what else there is to report."""

from __future__ import annotations

import numpy as np

from ohr.sample.authors.money import tenths
from ohr.sample.authors.naming import Naming
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.questions.asks import Ask, listed, numeric, reasoned, reasoning_over, string
from ohr.sample.template import ChartDraft, Draft, FigureDraft, Merged, Numbered, TableDraft

TITLES = ("Courier", "Gazette", "Messenger", "Observer", "Chronicle", "Herald", "Mercury")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September")
MARKET = ("Apples", "Potatoes", "Onions", "Carrots", "Leeks", "Eggs", "Honey", "Walnuts")
TEAMS = ("Rovers", "United", "Athletic", "Wanderers", "Rangers", "Town")
PEOPLE = (
    "council_head farmer boss engineer mayor librarian clockmaker scorer doyen reporter writer0 "
    "writer1 writer2 writer3 writer4 villager fire_chief hatter grower director "
    "canoeist innkeeper surveyor novelist coach"
).split()
VOICES = ("sopranos", "altos", "tenors", "basses", "baritones")


class Newspaper:
    """One issue of the newspaper of a company's home town."""

    domain = "newspaper"

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None:
        company = world.company(index)

        def integer(low: int, high: int) -> int:
            return int(rng.integers(low, high + 1))

        title = TITLES[world.entity(index) % len(TITLES)]
        month = integer(5, len(MONTHS) - 1)
        day, year = integer(2, 28), world.year(index)
        town = company.town
        date = f"{day} {MONTHS[month]} {year}"
        people = [world.person(-9001 - 20 * index - i) for i in range(len(PEOPLE))]
        places = [world.place(-1001 - 9 * index - i) for i in range(9)]
        goods = [company.sector["goods"][int(i)] for i in rng.permutation(8)]
        unemployed, fewer = integer(1200, 8900), integer(60, 800)
        ladders, drills, branches, machines = (
            integer(5, 30),
            integer(31, 70),
            integer(6, 12),
            integer(2, 5),
        )
        minutes, saved = integer(24, 70), integer(4, 15)
        weddings, births_more = integer(9, 30), integer(4, 25)
        voices = [VOICES[int(i)] for i in rng.permutation(len(VOICES))[:3]]
        team, loser = (f"{town} {TEAMS[int(i)]}" for i in rng.permutation(len(TEAMS))[:2])
        loser = f"{places[2]} {loser.rsplit(' ', 1)[1]}"
        self.name = (
            f"{town.lower().replace(' ', '-')}-{title.lower()}-{year}-{month + 1:02d}-{day:02d}"
        )
        self.title = f"The {town} {title}, {date}"
        self.layout = PageLayout(
            columns=3,
            header=f"The {town} {title}, {date}",
            footer="Page {page}",
        )
        self.naming = Naming(
            town, f"the {title} of {date}", f"the {town} {title} of {date}", (date,)
        )
        self.slots = {
            "company": company.name,
            "product": company.product,
            "sector": company.sector["name"],
            "town": town,
            "ceo": company.chief,
            "cfo": company.finance_director,
            "rival": world.company(index ^ 1).name,
            "year": str(year),
            "month": MONTHS[month - 1],
            "date": date,
            "weekday": WEEKDAYS[integer(0, 5)],
            "vote_month": MONTHS[(month + 1) % len(MONTHS)],
            "price_month": MONTHS[integer(0, len(MONTHS) - 1)],
            "invest": tenths(integer(210, 1900)),
            "done_year": str(year + integer(2, 4)),
            "jobs": f"{10 * integer(12, 98)}",
            "rival_town": places[0],
            "council_years": str(integer(3, 21)),
            "pasture": f"{10 * integer(31, 95)}",
            "unemployed": f"{unemployed:,}",
            "unemployed_before": f"{unemployed + fewer:,}",
            "fewer": str(fewer),
            "apprentices": str(integer(20, 190)),
            "bridge": ("Mill", "Castle", "Chain", "Weir", "Abbey", "Ferry")[integer(0, 5)],
            "close_day": str(integer(2, 27)),
            "cables": str(integer(3, 18)),
            "detour": places[1],
            "bridge_cost": tenths(integer(12, 89)),
            "rent_holiday": str(integer(3, 12)),
            "sales": tenths(integer(2100, 9900)),
            "sales_growth": tenths(integer(11, 79)),
            "late": str(integer(4, 19)),
            "rival_loss": tenths(integer(31, 390)),
            "branches": str(branches),
            "machines": str(machines),
            "branch_gap": str(branches - machines),
            "bank_year": str(integer(1821, 1899)),
            "pool_street": ("Garden", "Station", "Tanner", "Orchard", "Canal")[integer(0, 4)],
            "pool_months": str(integer(7, 33)),
            "trees": str(integer(12, 60)),
            "ladders": str(ladders),
            "drills": str(drills),
            "tools": str(ladders + drills),
            "library_year": str(integer(1996, 2016)),
            "museum_town": places[3],
            "prize": f"{500 * integer(3, 19):,}",
            "entries": str(integer(21, 88)),
            "prize_year": str(integer(1998, 2015)),
            "team": team,
            "loser": loser,
            "goals": ("two", "three", "four", "five")[integer(0, 3)],
            "crowd": f"{10 * integer(41, 99)}",
            "row_minutes": str(integer(6, 8)),
            "row_seconds": str(integer(11, 58)),
            "boat_years": str(integer(9, 30)),
            "age": str(integer(100, 108)),
            "voices": voices[0],
            "voices1": voices[1],
            "voices2": voices[2],
            "sandbags": f"{100 * integer(11, 69):,}",
            "lark_hectares": str(integer(4, 19)),
            "airfield_year": str(integer(1971, 2009)),
            "lorries": str(10 * integer(4, 19)),
            "train_minutes": str(minutes),
            "train_saved": str(saved),
            "train_now": str(minutes + saved),
            "signatures": str(integer(110, 980)),
            "guests": str(integer(5, 19)),
            "fire_street": ("Dyer", "Harbour", "Cooper", "Barrack", "Glazier")[integer(0, 4)],
            "fire_hours": str(integer(2, 9)),
            "fire_tonnes": str(integer(40, 390)),
            "ferrymen": str(integer(3, 11)),
            "hat_years": str(integer(31, 52)),
            "hats": f"{1000 * integer(8, 29):,}",
            "apples": f"{100 * integer(21, 98):,}",
            "apples_less": str(integer(8, 35)),
            "juice": str(integer(9, 24)),
            "site_hectares": str(integer(5, 24)),
            "sites": ("two", "four", "six", "eight")[integer(0, 3)],
            "seasons": str(integer(4, 22)),
            "seats": str(10 * integer(9, 29)),
            "ticket": str(integer(7, 19)),
            "births": str(weddings + births_more),
            "weddings": str(weddings),
            "births_more": str(births_more),
            "berths": str(integer(12, 48)),
            "dig_weekends": str(integer(5, 29)),
            "canoe_cost": f"{100 * integer(12, 98):,}",
            "conditions": str(integer(4, 17)),
            "dumplings": f"{integer(65, 139) / 10:.2f}",
            "festival_guests": f"{100 * integer(11, 88):,}",
            "boundary": str(integer(4, 39)),
            "strip_houses": str(integer(3, 19)),
            "meeting_day": str(integer(3, 27)),
            "salt_pages": str(integer(310, 890)),
            "dredger_years": str(integer(3, 21)),
            "unbeaten": str(integer(1988, 2013)),
            "bells": str(integer(5, 30)),
            **{f"good{i}": good for i, good in enumerate(goods)},
            **dict(zip(PEOPLE, people, strict=True)),
        }
        last_months = [MONTHS[month - 5 + i] for i in range(4)]
        self.tables: dict[str, Draft] = {
            "station": FigureDraft("photo", "The platform of <detour>."),
            "airfield": FigureDraft("photo", "The old airfield north of <town>."),
            "reading_room": FigureDraft("photo", "The reading room of the library of <town>."),
            "unemployment": _unemployment([*last_months, MONTHS[month - 1]], unemployed, rng),
            "prices": _prices(rng),
            "weather": _weather(rng),
            "loans": _loans(rng),
            "league": _league(
                [team, loser, *(f"{place} {TEAMS[i]}" for i, place in enumerate(places[4:7]))], rng
            ),
        }


def _unemployment(months: list[str], last: int, rng: np.random.Generator) -> ChartDraft:

    values = [last + int(gap) for gap in np.sort(rng.choice(900, len(months) - 1, False))[::-1] + 9]
    written = [f"{value:,}" for value in (*values, last)]
    of = "the number of people without work in <town> in {} <year>"
    asks: list[Numbered] = [
        (row, numeric(f"What was {of.format(month)}?", value))
        for row, (month, value) in enumerate(zip(months, written, strict=True))
    ]
    asks += reasoning_over(
        months,
        written,
        of="the number of people without work in {}",
        where="in <town> in <year>",
        which="In which month was the number of people without work {}",
    )
    return ChartDraft(
        "line",
        "<town>, <year>",
        tuple(months),
        {"People without work": written},
        asks,
        caption="People without work in <town>, <year>.",
    )


def _prices(rng: np.random.Generator) -> TableDraft:
    goods = [MARKET[int(i)] for i in rng.permutation(len(MARKET))[:5]]
    now = [int(cents) for cents in rng.integers(80, 690, 5)]
    before = [
        cents + int(change) for cents, change in zip(now, rng.integers(-60, 70, 5), strict=True)
    ]
    written = [(f"{a / 100:.2f}", f"{b / 100:.2f}") for a, b in zip(now, before, strict=True)]
    asks: list[Numbered] = []
    for row, (name, (this, last)) in enumerate(zip(goods, written, strict=True)):
        of = f"{name.lower()} at the market of <town>"
        asks += [
            (row, numeric(f"What was the price, in EUR, of {of} in the week of <date>?", this)),
            (row, numeric(f"What was the price, in EUR, of {of} in the week before <date>?", last)),
        ]
    asks += reasoning_over(
        [name.lower() for name in goods],
        [this for this, _ in written],
        of="the price of {}",
        where="at the market of <town> in the week of <date>",
        unit="EUR",
        which="Which goods had the {} price",
        several="Which goods cost more than EUR {}",
    )
    return TableDraft(
        (Merged("Market of <town>", rowspan=2), Merged("EUR a kilogram", colspan=2)),
        [(name, *prices) for name, prices in zip(goods, written, strict=True)],
        asks,
        "lrr",
        subheader=("This week", "Week before"),
    )


def _weather(rng: np.random.Generator) -> TableDraft:
    days = ("Sunday", "Monday", "Tuesday", "Wednesday")
    low = [int(value) for value in rng.integers(-4, 12, len(days))]
    high = [
        value + int(more) for value, more in zip(low, rng.integers(3, 12, len(days)), strict=True)
    ]
    rain = [int(value) for value in rng.choice(np.arange(1, 24), len(days), replace=False)]
    rows = [
        (day, str(a), str(b), str(c)) for day, a, b, c in zip(days, low, high, rain, strict=True)
    ]
    asks: list[Numbered] = []
    for row, (day, cold, warm, wet) in enumerate(rows):
        on = f"forecast for {day} by the newspaper of <town> of <date>"
        asks += [
            (row, numeric(f"What is the lowest temperature {on}?", cold)),
            (row, numeric(f"What is the highest temperature {on}?", warm)),
            (row, numeric(f"How many millimetres of rain are {on}?", wet)),
        ]
    asks += reasoning_over(
        days,
        [str(value) for value in rain],
        of="the rainfall forecast for {}",
        where="in the newspaper of <town> of <date>",
        unit="millimetres",
        which="For which day is the {} rainfall forecast",
    )
    return TableDraft(
        (
            Merged("<town>", rowspan=2),
            Merged("Degrees Celsius", colspan=2),
            Merged("Rain, mm", rowspan=2),
        ),
        rows,
        asks,
        "lrrr",
        subheader=("Lowest", "Highest"),
        grid=True,
    )


def _loans(rng: np.random.Generator) -> ChartDraft:
    kinds = ("Novels", "Children", "Music", "Tools")
    values = [str(int(value)) for value in rng.choice(np.arange(11, 99), len(kinds), replace=False)]
    of = "the number of loans, in thousands, of the section {} of the library of <town>"
    asks: list[Numbered] = [
        (row, numeric(f"What was {of.format(name)}?", value))
        for row, (name, value) in enumerate(zip(kinds, values, strict=True))
    ]
    asks += reasoning_over(
        kinds,
        values,
        of="the loans of the section {}",
        where="of the library of <town>",
        unit="thousands",
        which="Which section had the {} number of loans",
        several="Which sections had more than {} thousand loans",
    )
    return ChartDraft(
        "bar",
        "Library of <town>",
        kinds,
        {"Loans": values},
        asks,
        unit="thousand",
        caption="Loans of the library of <town> by section.",
    )


def _league(teams: list[str], rng: np.random.Generator) -> TableDraft:
    points = sorted(
        (int(v) for v in rng.choice(np.arange(12, 52), len(teams), False)), reverse=True
    )
    played = int(rng.integers(16, 20))
    rows = [
        (str(place), team, str(played), str(score))
        for place, (team, score) in enumerate(zip(teams, points, strict=True), start=1)
    ]
    league = "in the district league of <town>"
    asks: list[Numbered] = []
    for row, (place, team, _, score) in enumerate(rows):
        asks.append((row, numeric(f"How many points does {team} have {league}?", score)))
        asks.append((row, string(f"Which team is in place {place} {league}?", team)))
    order: list[Ask] = [
        reasoned(listed(f"Which two teams lead {league}?", teams[:2])),
        reasoned(
            numeric(
                f"By how many points is {teams[0]} ahead of {teams[1]} {league}?",
                str(points[0] - points[1]),
            )
        ),
    ]
    asks += [(1, ask) for ask in order]
    asks += [(4, listed(f"Which five teams stand {league}?", teams))]
    header = ("Place", "District league of <town>", "Games", "Points")
    return TableDraft(header, rows, asks, "rlrr")
