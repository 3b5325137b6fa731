"""Textbook chapters on linear transport laws: the law, its measurement, an example, problems."""

from __future__ import annotations

import numpy as np

from ohr.sample.authors.naming import Naming
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.questions.asks import Ask, listed, numeric, reasoning_over
from ohr.sample.template import Draft, TableDraft


class Chapter:
    """A chapter of an invented textbook; different books treat like laws in like words."""

    domain = "textbook"

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None:
        topics, subjects = world.words["topics"], world.words["subjects"]
        entity, year = world.entity(index), world.year(index)
        topic = topics[entity % len(topics)]
        company = world.company(index)
        materials = [topic["materials"][int(i)] for i in rng.permutation(6)]

        def integer(low: int, high: int) -> int:
            return int(rng.integers(low, high + 1))

        # Two authors may write books of one title, so a book is named with its author.
        author = world.person(-200 - entity)
        subject = subjects[(entity + entity // len(subjects)) % len(subjects)]
        book = f"the {year} edition of {subject} by {author}"
        low, high = topic["coefficient_low"], topic["coefficient_high"]
        coefficients = [v / 100 for v in rng.choice(np.arange(low, high), 5, False).tolist()]
        difference, thickness = integer(8, 60), integer(5, 40) / 100
        flux = coefficients[0] * difference / thickness
        disc, film, hours = integer(60, 180), integer(4, 19), integer(6, 40)
        second_year = integer(1885, 1935)
        self.name = (
            f"{author.lower().replace(' ', '-')}-{topic['process'].replace(' ', '-')}-{year}"
        )
        self.title = f"{topic['title']}, from {book}"
        self.layout = PageLayout(header=f"{topic['title']}, {year} edition", footer="{page}")
        self.naming = Naming(author, f"the {year} edition", book, (f"{year} edition",))
        self.slots = {
            "book": book,
            "author": author,
            "chapter": str(integer(2, 14)),
            "title": topic["title"],
            "process": topic["process"],
            "quantity": topic["quantity"],
            "flux": topic["flux"],
            "flux_symbol": topic["symbol"],
            "flux_unit": topic["flux_unit"],
            "coefficient": topic["coefficient"],
            "coefficient_title": topic["coefficient"].capitalize(),
            "coef": topic["coefficient_symbol"],
            "barrier": topic["barrier"],
            "setting": topic["setting"],
            "driver": topic["driver"],
            "driver_symbol": topic["driver_symbol"],
            "company": company.name,
            "town": company.town,
            "example_town": world.place(-1 - 3 * index),
            "college": world.place(-2 - 3 * (index + 1)),
            "discovery_place": world.place(-3 - 3 * (index + 2)),
            "discoverer": world.person(-201 - 4 * index - 100),
            "second": world.person(-202 - 4 * index - 100),
            "measurer": world.person(-203 - 4 * index - 100),
            "deviser": world.person(-204 - 4 * index - 100),
            "setter": company.chief,
            "law_year": str(second_year - integer(8, 40)),
            "second_year": str(second_year),
            "wrong_second": str(second_year + (3 if second_year % 2 else -3)),
            "disc": str(disc),
            "ring": ("brass", "copper", "glass", "ceramic")[integer(0, 3)],
            "settle": str(integer(20, 95)),
            "k": f"{coefficients[0]:.2f}",
            "diff": str(difference),
            "thick": f"{thickness:.2f}",
            "flux_value": f"{flux:.1f}",
            "film": ("s", "f", "a")[integer(0, 2)],
            "film_value": f"{film / 100:.2f}",
            "rebuild": str(integer(1988, 2019)),
            "saved": f"{10 * integer(45, 480):,}",
            "thin": f"{integer(8, 49) / 10:.1f}",
            "deviation": f"{integer(11, 69) / 10:.1f}",
            "push": ("three", "four", "five", "six")[integer(0, 3)],
            "deviator": world.person(-205 - 4 * index - 100),
            "rule": str(integer(2, 9)),
            "hours": str(hours),
            "classes": str(integer(12, 90)),
            "error": f"{integer(15, 79) / 10:.1f}",
            "answer": str(integer(11, 98)),
            **{f"mat{i}": name for i, name in enumerate(materials)},
        }
        layers = [integer(2, 30) for _ in range(3)]
        self.tables: dict[str, Draft] = {
            "coefficients": self._coefficients(materials[:5], coefficients, topic),
            "stack": self._stack(materials[:3], layers, [integer(11, 240) for _ in range(3)]),
            "readings": self._readings([integer(200, 900) for _ in range(5)]),
        }

    @staticmethod
    def _coefficients(
        materials: list[str], values: list[float], topic: dict[str, str]
    ) -> TableDraft:
        rows = [
            (name.capitalize(), f"{value:.2f}")
            for name, value in zip(materials, values, strict=True)
        ]
        asks: list[tuple[int, Ask]] = []
        for row, name in enumerate(materials):
            question = f"What <coefficient>, in {topic['coefficient_unit']}, does <book> give for"
            asks.append((row, numeric(f"{question} {name}?", rows[row][1])))
        asks += reasoning_over(
            materials,
            [row[1] for row in rows],
            of="the <coefficient> of {}",
            where="in the table of <book>",
            unit=topic["coefficient_unit"],
            which="Which material has the {} <coefficient>",
            several="Which materials have a <coefficient> of more than {}",
        )
        every = "For which materials does the table of <book> give the <coefficient>?"
        asks.append((len(rows) - 1, listed(every, materials)))
        header = ("Material (<author>)", f"<coefficient_title> in {topic['coefficient_unit']}")
        return TableDraft(header, rows, asks, "lr")

    @staticmethod
    def _stack(materials: list[str], layers: list[int], resistances: list[int]) -> TableDraft:
        rows = [
            (name.capitalize(), str(thick), f"{value / 100:.2f}")
            for name, thick, value in zip(materials, layers, resistances, strict=True)
        ]
        rows.append(("Whole stack", str(sum(layers)), f"{sum(resistances) / 100:.2f}"))
        asks: list[tuple[int, Ask]] = []
        for row, name in enumerate(materials):
            of = f"of the layer of {name} in the stack of <book>"
            asks += [
                (row, numeric(f"What is the thickness, in centimetres, {of}?", rows[row][1])),
                (row, numeric(f"What is the resistance {of}?", rows[row][2])),
            ]
        total = "What is the resistance of the whole stack in <book>?"
        asks.append((len(materials), numeric(total, rows[-1][2])))
        return TableDraft(("Layer (<author>)", "Thickness in cm", "Resistance"), rows, asks, "lrr")

    @staticmethod
    def _readings(values: list[int]) -> TableDraft:
        rows = [(str(number), str(v)) for number, v in enumerate(values, start=1)]
        rows.append(("Sum", f"{sum(values):,}"))
        asks: list[tuple[int, Ask]] = []
        for row, value in enumerate(values):
            of = f"reading {row + 1} in the laboratory exercise of <book>"
            asks.append((row, numeric(f"What is the value of {of}?", str(value))))
        asks += reasoning_over(
            [str(number) for number in range(1, len(values) + 1)],
            [str(value) for value in values],
            of="reading {}",
            where="in the laboratory exercise of <book>",
        )
        total = "What is the sum of the readings in the laboratory exercise of <book>?"
        asks.append((len(values), numeric(total, f"{sum(values):,}")))
        return TableDraft(("Reading (<author>)", "Value in divisions"), rows, asks, "rr")
