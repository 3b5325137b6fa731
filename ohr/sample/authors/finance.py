"""Annual reports: revenue and profit by segment, the balance sheet, what is to come."""

from __future__ import annotations

import numpy as np

from ohr.sample.authors.money import plain, shares_of, tenths
from ohr.sample.authors.naming import Naming
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.questions.asks import differing, listed, numeric, reasoned, reasoning_over
from ohr.sample.template import ChartDraft, Draft, Merged, Numbered, TableDraft

MONTHS = ("March", "April", "May", "June", "September", "October", "November")
ASSETS = ("Land and buildings", "Machinery", "Inventories", "Receivables", "Cash and deposits")


class AnnualReport:
    """The annual report of one company for one year: letter, result, financial position."""

    domain = "finance"

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None:
        company = world.company(index)
        year = world.year(index)
        names = company.sector["segments"]
        segments = [names[int(i)] for i in rng.permutation(len(names))[:4]]
        # Money is exact: whole tenths of a million, so that totals add up to the last digit.
        revenue = [int(value) for value in rng.integers(900, 5200, 4)]
        profit = [int(r * rng.uniform(0.05, 0.19)) for r in revenue]
        assets = [int(value) for value in rng.integers(500, 4200, len(ASSETS))]

        def integer(low: int, high: int) -> int:
            return int(rng.integers(low, high + 1))

        staff, growth, foreign = integer(1200, 9800), integer(20, 95), integer(18, 64)
        wages = int(sum(revenue) * rng.uniform(0.2, 0.34))
        debt, equity = integer(900, 4800), integer(5000, 9900)
        margin = f"{100 * sum(profit) / sum(revenue):.1f}"
        month, wrong_month = (int(i) for i in rng.permutation(len(MONTHS))[:2])
        self.name = f"{company.short.lower()}-annual-report-{year}"
        self.title = f"{company.name}: Annual Report {year}"
        self.layout = PageLayout(header=f"{company.name}, Annual Report {year}", footer="{page}")
        self.naming = Naming(
            company.name,
            f"the annual report for {year}",
            f"the annual report of {company.name} for {year}",
            ("report", str(year)),
        )
        self.slots = {
            "company": company.name,
            "sector": company.sector["name"],
            "product": company.product,
            "town": company.town,
            "ceo": company.chief,
            "cfo": company.finance_director,
            "year": str(year),
            "prior": str(year - 1),
            "next": str(year + 1),
            "rival": world.company(index ^ 1).name,
            "acquired": world.company(-1 - 2 * index).name,
            "claimant": world.company(-2 - 2 * index).name,
            "place": world.place(-1 - 3 * index),
            "site": world.place(-2 - 3 * index),
            "meeting_town": world.place(-3 - 3 * index),
            "auditor": world.person(-1 - 3 * index),
            "chair": world.person(-2 - 3 * index),
            "lead": world.person(-3 - 3 * index),
            "month": MONTHS[month],
            "wrong_month": MONTHS[wrong_month],
            "move_month": MONTHS[integer(0, len(MONTHS) - 1)],
            "staff": f"{staff:,}",
            "stake": str(integer(51, 92)),
            "price": tenths(integer(140, 980)),
            "invest": tenths(integer(200, 1400)),
            "dividend": f"{integer(40, 260) / 100:.2f}",
            "subsidiary_staff": str(integer(12, 98)),
            "material_rise": tenths(integer(21, 79)),
            "insurance": tenths(integer(9, 88)),
            "press_year": str(integer(1961, 1994)),
            "patents": str(integer(12, 88)),
            "wages": tenths(wages),
            "wage_share": f"{100 * wages / sum(revenue):.1f}",
            "units": f"{integer(2100, 9900):,}",
            "profit_total": plain(sum(profit)),
            "revenue_total": plain(sum(revenue)),
            "margin": margin,
            "growth": tenths(growth),
            "energy": tenths(integer(15, 99)),
            "research": tenths(integer(90, 700)),
            "lead_year": str(year - integer(2, 14)),
            "debt": plain(debt),
            "equity": plain(equity),
            "gearing": f"{debt / equity:.2f}",
            "limit": f"{1.2 + integer(0, 6) / 10:.1f}",
            "credit": str(10 * integer(12, 48)),
            "credit_year": str(year + integer(3, 8)),
            "foreign": str(foreign),
            "claim": tenths(integer(20, 190)),
            "chair_year": str(year - integer(2, 12)),
            "meetings": str(integer(5, 11)),
            "meeting_day": str(integer(3, 28)),
            **{f"seg{i}": name for i, name in enumerate(segments)},
        }
        earned = self._yearly("revenue", segments, revenue, rng)
        history = [str(cell) for cell in earned.rows[-1][:0:-1]]
        self.tables: dict[str, Draft] = {
            "revenue": earned,
            "history": self._history(history, year, rng),
            "profit": self._yearly("operating profit", segments, profit, rng),
            "assets": self._assets(assets),
        }

    @staticmethod
    def _yearly(
        what: str, segments: list[str], values: list[int], rng: np.random.Generator
    ) -> TableDraft:
        prior = [int(value * rng.uniform(0.8, 1.15)) + 1 for value in values]
        names = [*segments, f"Total {what}"]
        this, last = [*values, sum(values)], [*prior, sum(prior)]
        year, before = "<year>", "<prior>"
        rows = [
            (name, tenths(new), tenths(old))
            for name, new, old in zip(names, this, last, strict=True)
        ]
        asks: list[Numbered] = []
        for row, name in enumerate(segments):
            of = f"the {what} of the {name} segment of <company>"
            asks.append((row, numeric(f"What was {of} in EUR million in {year}?", rows[row][1])))
            asks.append((row, numeric(f"What was {of} in EUR million in {before}?", rows[row][2])))
            if this[row] != last[row]:
                change = tenths(abs(this[row] - last[row]))
                by = "rise" if this[row] > last[row] else "fall"
                did = f"Did {of} {by} by EUR {{}} million from {before} to {year}?"
                asks.append((row, reasoned(differing(did, change))))
                how = f"By how many EUR million did {of} {by} from {before} to {year}?"
                asks.append((row, reasoned(numeric(how, change))))
        total = f"What was the total {what} of <company> in EUR million in {year}?"
        asks.append((len(segments), numeric(total, rows[-1][1])))
        asks += reasoning_over(
            segments,
            [row[1] for row in rows[:-1]],
            of=f"the {what} of the {{}} segment",
            where=f"at <company> in {year}",
            unit="EUR million",
            which=f"Which segment had the {{}} {what}",
            several=f"Which segments had {what} of more than EUR {{}} million",
        )
        asks.append((3, listed(f"By which segments does <company> report {what}?", segments)))
        header = (
            Merged("<company>, segment", rowspan=2),
            Merged(f"{what.capitalize()} in EUR million", colspan=2),
        )
        return TableDraft(header, rows, asks, "lrr", subheader=(year, before))

    @staticmethod
    def _history(last_two: list[str], year: int, rng: np.random.Generator) -> ChartDraft:
        """Revenue of five years; the last two are the totals of the table."""
        first = int(float(last_two[0].replace(",", "")) * 10)
        earlier = [tenths(int(first * rng.uniform(0.72, 0.98))) for _ in range(3)]
        values = [*earlier, *last_two]
        years = tuple(str(year - 4 + i) for i in range(5))
        of = "the total revenue of <company>, in EUR million, in {}"
        asks: list[Numbered] = [
            (row, numeric(f"What was {of.format(years[row])}?", values[row])) for row in range(3)
        ]
        asks += reasoning_over(
            years,
            values,
            of="the total revenue in {}",
            where="at <company>",
            unit="EUR million",
            which="In which of the last five years, up to <year>, was the total revenue {}",
        )
        return ChartDraft(
            "bar",
            "<company>, year",
            years,
            {"Revenue": values},
            asks,
            unit="EUR million",
            caption="Revenue of <company> over five years.",
        )

    @staticmethod
    def _assets(values: list[int]) -> TableDraft:
        total = sum(values)
        shares = shares_of(values, 1000)
        rows = [
            (name, tenths(value), tenths(share))
            for name, value, share in zip(ASSETS, values, shares, strict=True)
        ]
        rows.append(("Total assets", tenths(total), "100.0"))
        asks: list[Numbered] = []
        for row, (name, value, share) in enumerate(rows[:-1]):
            of = f"{name.lower()} of <company> at the end of <year>"
            asks.append((row, numeric(f"What was the value of {of} in EUR million?", value)))
            asks.append(
                (row, numeric(f"What share of all assets, in per cent, did {of} make up?", share))
            )
        total_ask = "What were the total assets of <company> in EUR million at the end of <year>?"
        asks.append((len(ASSETS), numeric(total_ask, rows[-1][1])))
        asks += reasoning_over(
            [name.lower() for name in ASSETS],
            [row[1] for row in rows[:-1]],
            of="the value of {}",
            where="of <company> at the end of <year>",
            unit="EUR million",
        )
        header = ("<company>, assets at the end of <year>", "EUR million", "Share in %")
        return TableDraft(header, rows, asks, "lrr")
