"""Supply agreements between two companies: term, prices, payment, warranty, liability."""

from __future__ import annotations

import numpy as np

from ohr.sample.authors.money import cents as money
from ohr.sample.authors.naming import Naming
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.questions.asks import Ask, numeric, reasoning_over, string
from ohr.sample.template import Draft, TableDraft

MONTHS = ("January", "February", "April", "May", "July", "August", "October", "November")


class SupplyAgreement:
    """An agreement by which one company supplies another, of another sector, with parts."""

    domain = "law"

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None:
        supplier, customer = world.company(index), world.company(index + 2 * world.editions)

        def integer(low: int, high: int) -> int:
            return int(rng.integers(low, high + 1))

        goods = [supplier.sector["goods"][int(i)] for i in rng.permutation(8)]
        quantities = [50 * integer(4, 60) for _ in range(5)]
        prices = [integer(115, 8990) for _ in range(5)]
        refuse, cure, deliver = integer(3, 7), integer(20, 45), integer(14, 50)
        interest, warranty = integer(60, 118), 6 * integer(2, 6)
        year = world.year(index)
        pair = f"{supplier.name} and {customer.name}"
        self.name = f"{supplier.short.lower()}-{customer.short.lower()}-supply-agreement-{year}"
        self.title = f"Supply Agreement of {year} between {supplier.name} and {customer.name}"
        self.layout = PageLayout(
            header=f"{pair}, Supply Agreement of {year}",
            footer="Page {page}",
        )
        self.naming = Naming(
            pair,
            f"the supply agreement of {year}",
            f"the supply agreement of {year} between {pair}",
            ("agreement", str(year)),
        )
        self.slots = {
            "supplier": supplier.name,
            "customer": customer.name,
            "supplier_town": supplier.town,
            "customer_town": customer.town,
            "supplier_person": supplier.chief,
            "customer_person": customer.finance_director,
            "sector": supplier.sector["name"],
            "plant": world.place(-1 - 3 * (index + 1)),
            "bank_town": world.place(-2 - 3 * (index + 2)),
            "seat": world.place(-3 - 3 * (index + 3)),
            "chamber": world.place(-1 - 3 * (index + 4)),
            "day": str(integer(2, 28)),
            "month": MONTHS[integer(0, len(MONTHS) - 1)],
            "year": str(year),
            "since": str(integer(1991, 2014)),
            "start_month": MONTHS[integer(0, len(MONTHS) - 1)],
            "refuse": str(refuse),
            "forecast": str(integer(4, 14)),
            "quality_person": world.person(-4 - 3 * (index + 1)),
            "term": str(integer(3, 9)),
            "object": str(integer(3, 11)),
            "cure": str(cure),
            "deliver": str(deliver),
            "penalty": f"{integer(4, 19) / 10:.1f}",
            "inspect": str(integer(5, 16)),
            "raise": f"{integer(15, 49) / 10:.1f}",
            "pay": str(integer(20, 60)),
            "interest": f"{interest / 10:.1f}",
            "basis": str((360, 365)[integer(0, 1)]),
            "hold": str(integer(10, 30)),
            "warranty": str(warranty),
            "wrong_warranty": str(warranty + 6 * (1 if warranty % 12 else -1)),
            "factor": f"{integer(11, 29) / 10:.1f}",
            "base": str(10_000 * integer(4, 60)),
            "insurance": f"{100_000 * integer(11, 79):,}",
            "loss": f"{integer(5, 24) / 10:.1f}",
            "secret": str(integer(2, 10)),
            "agree": str(integer(10, 40)),
        }
        self.tables: dict[str, Draft] = {
            "prices": self._prices(goods[:5], quantities, prices),
            "reserve": self._reserve(goods[:4], [integer(20, 240) for _ in range(4)], rng),
        }

    @staticmethod
    def _prices(goods: list[str], quantities: list[int], cents: list[int]) -> TableDraft:
        values = [q * price for q, price in zip(quantities, cents, strict=True)]
        rows = [
            (name.capitalize(), f"{q:,}", money(price), money(value))
            for name, q, price, value in zip(goods, quantities, cents, values, strict=True)
        ]
        rows.append(("Total", f"{sum(quantities):,}", "", money(sum(values))))
        under = "under the supply agreement of <year> between <supplier> and <customer>"
        asks: list[tuple[int, Ask]] = []
        for row, name in enumerate(goods):
            _, quantity, price, value = rows[row]
            asks += [
                (row, numeric(f"What is the unit price of {name} in EUR {under}?", price)),
                (row, numeric(f"How many {name} a Year shall be ordered {under}?", quantity)),
                (row, numeric(f"What is the annual value of {name} in EUR {under}?", value)),
            ]
        asks += reasoning_over(
            goods,
            [row[3] for row in rows[:-1]],
            of="the annual value of {}",
            where=under,
            unit="EUR",
            which="Which goods have the {} annual value",
            several="Which goods have an annual value of more than EUR {}",
        )
        total = f"What is the total annual value of all goods in EUR {under}?"
        asks.append((len(goods), numeric(total, rows[-1][3])))
        header = ("Goods of <supplier> for <customer>", "Quantity", "Unit price", "Annual value")
        return TableDraft(header, rows, asks, "lrrr", grid=True)

    @staticmethod
    def _reserve(goods: list[str], pieces: list[int], rng: np.random.Generator) -> TableDraft:
        bays = [f"{letter}{int(rng.integers(10, 99))}" for letter in "ABCD"]
        rows = [
            (name.capitalize(), bay, str(count))
            for name, bay, count in zip(goods, bays, pieces, strict=True)
        ]
        rows.append(("Total", "", str(sum(pieces))))
        where = "at the plant of <customer>"
        asks: list[tuple[int, Ask]] = []
        for row, name in enumerate(goods):
            count = f"How many {name} does <supplier> keep in reserve {where}?"
            bay = f"In which bay does <supplier> keep its reserve of {name} {where}?"
            asks += [(row, numeric(count, str(pieces[row]))), (row, string(bay, bays[row]))]
        asks += reasoning_over(
            goods,
            [str(count) for count in pieces],
            of="the number of {}",
            where=f"that <supplier> keeps in reserve {where}",
            which="Which goods have the {} number of pieces",
        )
        total = f"How many pieces does <supplier> keep in reserve {where} in total?"
        asks.append((len(goods), numeric(total, str(sum(pieces)))))
        header = ("Reserve of <supplier> for <customer>", "Bay", "Pieces")
        return TableDraft(header, rows, asks, "lcr", grid=True)
