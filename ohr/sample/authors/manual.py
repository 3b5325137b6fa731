"""Operating manuals: what is in the box, installation, operation, maintenance, faults."""

from __future__ import annotations

import numpy as np

from ohr.sample.authors.naming import Naming
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.questions.asks import Ask, differing, listed, numeric, reasoning_over, string
from ohr.sample.template import ChartDraft, Draft, Numbered, TableDraft

COLOURS = ("green", "blue", "white", "amber")


class OperatingManual:
    """The manual of one company's product."""

    domain = "manual"

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None:
        company = world.company(index)
        device = company.sector["device"]

        def integer(low: int, high: int) -> int:
            return int(rng.integers(low, high + 1))

        parts = [device["parts"][int(i)] for i in rng.permutation(len(device["parts"]))]
        code, number = company.product.rsplit("-", 1)
        high, wait, fuse = integer(30, 42), integer(3, 9), (6, 10, 16)[integer(0, 2)]
        delay, clean, warranty = integer(12, 48), 50 * integer(3, 14), 6 * integer(4, 10)
        year = world.year(index)
        self.name = f"{company.product.lower().replace(' ', '-')}-operating-manual-{year}"
        self.title = f"{company.product} Operating Manual, {year}"
        self.layout = PageLayout(header=f"{company.product}, manual of {year}", footer="{page}")
        self.naming = Naming(
            company.product,
            f"the manual of {year}",
            f"the {year} manual of the {company.product}",
            ("manual", str(year)),
        )
        self.slots = {
            "year": str(year),
            "product": company.product,
            "sister": f"{code}-{int(number) - 10}",
            "company": company.name,
            "town": company.town,
            "device": device["kind"],
            "medium": device["medium"],
            "output": device["output"],
            "output_title": device["output"].capitalize(),
            "unit": device["output_unit"],
            "filling": device["filling"],
            "depot": world.place(-2 - 3 * index),
            "service_head": world.person(-4 - 3 * (index + 1)),
            "serial": str(integer(20000, 98999)),
            "room_low": str(integer(3, 12)),
            "room_high": str(high),
            "wait": str(wait),
            "weight": f"{integer(210, 680) / 10:.1f}",
            "clearance": str(integer(12, 60)),
            "report": str(integer(5, 20)),
            "fuse": str(fuse),
            "wrong_fuse": {6: "10", 10: "16", 16: "6"}[fuse],
            "screws": str(integer(4, 12)),
            "torque": f"{integer(22, 98) / 10:.1f}",
            "lamp": COLOURS[integer(0, len(COLOURS) - 1)],
            "idle": str(integer(4, 25)),
            "night": str(integer(25, 65)),
            "rate_factor": f"{integer(12, 59) / 10:.1f}",
            "rate_delay": f"{delay / 10:.1f}",
            "longest": str(integer(3, 14)),
            "menu": str(5 * integer(3, 12)),
            "code": str(integer(1100, 9899)),
            "clean": str(clean),
            "wrong_clean": str(clean + 50 * (1 if clean % 100 else -1)),
            "grease": str(integer(6, 40)),
            "grease_type": f"{'KLMNR'[integer(0, 4)]}{integer(11, 98)}",
            "service": str(integer(120, 420)),
            "service_base": f"{integer(11, 48) / 10:.1f}",
            "error": f"E{integer(10, 89)}",
            "rest": str(integer(2, 6)),
            "warranty": str(warranty),
            "wrong_warranty": str(warranty + 6 * (1 if warranty % 12 else -1)),
            **{role: names[integer(0, len(names) - 1)] for role, names in device["roles"].items()},
        }
        rates = sorted(rng.choice(np.arange(20, 190), 3, replace=False).tolist())
        powers = sorted(rng.choice(np.arange(40, 480), 3, replace=False).tolist())
        noise = sorted(rng.choice(np.arange(31, 59), 3, replace=False).tolist())
        faults = [device["faults"][int(i)] for i in rng.permutation(len(device["faults"]))]
        self.tables: dict[str, Draft] = {
            "parts": self._parts(parts[:6], rng),
            "levels": self._levels(rates, powers, noise),
            "decline": self._decline(rates[-1], clean, rng),
            "faults": self._faults(faults[:4], [integer(2, 45) for _ in range(4)]),
        }

    @staticmethod
    def _parts(parts: list[str], rng: np.random.Generator) -> TableDraft:
        counts = [int(value) for value in rng.integers(1, 5, len(parts))]
        grams = [int(value) for value in rng.integers(6, 240, len(parts)) * 10]
        rows = [
            (name.capitalize(), f"{int(rng.integers(1000, 9999))}", str(count), f"{mass:,}")
            for name, count, mass in zip(parts, counts, grams, strict=True)
        ]
        rows.append(("Total", "", str(sum(counts)), f"{sum(grams):,}"))
        asks: list[tuple[int, Ask]] = []
        for row, name in enumerate(parts):
            _, order, count, mass = rows[row]
            of = f"the item '{name}' in the box of the <product>"
            asks += [
                (row, numeric(f"What is the order number of {of}?", order)),
                (row, numeric(f"How many pieces of {of} are delivered?", count)),
                (row, numeric(f"What is the mass, in grams, of {of}?", mass)),
            ]
        asks += reasoning_over(
            parts,
            [row[3] for row in rows[:-1]],
            of="the mass of the item '{}'",
            where="in the box of the <product>",
            unit="grams",
            which="Which item has the {} mass",
            several="Which items have a mass of more than {} grams",
        )
        every = "Which items are in the box of the <product>?"
        asks.append((len(parts) - 1, listed(every, parts)))
        total = "What is the total mass, in grams, of all items in the box of the <product>?"
        asks.append((len(parts), numeric(total, rows[-1][3])))
        header = ("<product>, items in the box", "Order number", "Pieces", "Mass in g")
        return TableDraft(header, rows, asks, "lrrr", grid=True)

    @staticmethod
    def _levels(rates: list[int], powers: list[int], noise: list[int]) -> TableDraft:
        rows = [
            (f"Level {level}", str(rate), str(power), str(sound))
            for level, (rate, power, sound) in enumerate(
                zip(rates, powers, noise, strict=True), start=1
            )
        ]
        asks: list[tuple[int, Ask]] = []
        for row, (level, rate, power, sound) in enumerate(rows):
            position = f"of the <product> at {level.lower()}"
            asks += [
                (row, numeric(f"What is the <output>, in <unit>, {position}?", rate)),
                (row, numeric(f"What is the power, in watts, {position}?", power)),
                (row, numeric(f"What is the noise, in decibels, {position}?", sound)),
            ]
            asks.append((row, differing(f"Is the power {position} equal to {{}} watts?", power)))
        header = ("<product>", "<output_title>, <unit>", "Power, watts", "Noise, decibels")
        return TableDraft(header, rows, asks, "lrrr", (2, 3, 2, 2), grid=True)

    @staticmethod
    def _decline(rate: int, clean: int, rng: np.random.Generator) -> ChartDraft:
        """The output at the highest level, from clean to due for cleaning."""
        hours = [str(clean * quarter // 4) for quarter in range(5)]
        losses = np.cumsum(rng.integers(1, 5, 4))
        values = [str(rate), *(str(max(1, rate - int(loss))) for loss in losses)]
        of = "the <output> of the <product>, in <unit>, {} hours after a cleaning"
        asks: list[Numbered] = [
            (row, numeric(f"What is {of.format(hour)}?", value))
            for row, (hour, value) in enumerate(zip(hours, values, strict=True))
        ]
        asks += reasoning_over(
            hours,
            values,
            of="the <output> {} hours after a cleaning",
            where="of the <product>",
            unit="<unit>",
        )
        return ChartDraft(
            "line",
            "<product>, hours",
            tuple(hours),
            {"<output_title>": values},
            asks,
            unit="<unit>",
            caption="The <product> between two cleanings.",
        )

    @staticmethod
    def _faults(faults: list[list[str]], minutes: list[int]) -> TableDraft:
        rows = [(*fault, str(minute)) for fault, minute in zip(faults, minutes, strict=True)]
        asks: list[tuple[int, Ask]] = []
        for row, (fault, cause, remedy, minute) in enumerate(rows):
            when = f"if the <product> shows the fault '{fault}'"
            asks += [
                (row, string(f"What is the cause {when}?", cause)),
                (row, string(f"What is the remedy {when}?", remedy)),
                (row, numeric(f"How many minutes does the remedy take {when}?", minute)),
            ]
        header = ("<product>, fault", "Cause", "Remedy", "Minutes")
        return TableDraft(header, rows, asks, "lllr", (4, 4, 4, 2), grid=True)
