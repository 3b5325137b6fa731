"""The invented world of a seed: companies, people and places that recur across documents."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

from ohr.plugins.randomness import generator_for
from ohr.types import PageRef


@dataclass(frozen=True, slots=True)
class Company:
    """A company; neighbours (0 and 1, 2 and 3, …) are rivals in one sector."""

    name: str
    short: str
    sector: dict[str, Any]
    town: str
    chief: str
    finance_director: str
    product: str


LATEST_YEAR = 2023
FEWEST_YEARS = 5
"""Documents are of so many years at least, even if every company has one only."""


class World:
    """Names drawn once from a seed; entity ``i`` is the same however many are used.

    A company has documents of several years: ``editions`` of them of each domain. Two rivals take
    turns, so that the documents of index 0 and 1 are the rivals' latest ones, those of index 2
    and 3 what the same two wrote a year before, and so on until ``editions`` are reached.
    """

    def __init__(self, seed: int, editions: int = 1) -> None:
        self.seed = seed
        self.editions = editions

    def entity(self, index: int) -> int:
        """The number of the company that document ``index`` is about; negative ones as they are."""
        if index < 0:
            return index
        block, within = divmod(index, 2 * self.editions)
        return 2 * block + within % 2

    def year(self, index: int) -> int:
        """The year of document ``index``: another one for each edition of one company."""
        return LATEST_YEAR - index // 2 % max(FEWEST_YEARS, self.editions)

    @cached_property
    def words(self) -> dict[str, Any]:
        """Word lists, sectors and topics (``words.json``)."""
        source = files("ohr.sample").joinpath("words.json")
        words: dict[str, Any] = json.loads(source.read_text("utf-8"))
        return words

    def company(self, index: int) -> Company:
        """The company of document ``index``; negative ones count from the end, far from the others.

        Its chief and its finance director change from one edition to the next.
        """
        number = self.entity(index)
        short = self._company_names[number % len(self._company_names)]
        kinds = self.words["company_kinds"]
        sectors = self.words["sectors"]
        sector = sectors[(number // 2 + self._offset) % len(sectors)]
        # Rivals may share the letters of a product code, never the whole name.
        model = 100 + 20 * ((number * 7 + self._offset) % 40)
        return Company(
            name=f"{short} {kinds[(number * 5 + self._offset) % len(kinds)]}",
            short=short,
            sector=sector,
            town=self.place(number),
            chief=self.person(2 * index),
            finance_director=self.person(2 * index + 1),
            product=f"{short} {sector['device']['code']}-{model}",
        )

    def person(self, index: int) -> str:
        """Full name of a person; another one for each index from -7,000 to 7,000."""
        turn, number = divmod(index, len(self._people))
        firsts = self.words["first_names"]
        first, surname = self._people[number]
        # The surnames come round again, each time with another first name.
        return f"{firsts[(first + 7 * turn) % len(firsts)]} {surname}"

    def place(self, index: int) -> str:
        """Name of a town; another one for each index from -1,900 to 1,900."""
        turn, number = divmod(index, len(self._places))
        prefixes = self.words["place_prefixes"]
        return f"{prefixes[turn % len(prefixes)]} {self._places[number]}".strip()

    def _shuffled(self, what: str, *lists: str, space: str = "") -> list[str]:
        first, second = (self.words[name] for name in lists)
        names = [f"{a}{space}{b}" for a in first for b in second]
        rng = generator_for(self.seed, f"sample.{what}", PageRef("", 0))
        return [names[int(i)] for i in rng.permutation(len(names))]

    @cached_property
    def _company_names(self) -> list[str]:
        return self._shuffled("companies", "company_starts", "company_ends")

    @cached_property
    def _places(self) -> list[str]:
        return self._shuffled("places", "place_starts", "place_ends")

    @cached_property
    def _people(self) -> list[tuple[int, str]]:
        surnames = self._shuffled("surnames", "surname_starts", "surname_ends")
        firsts = len(self.words["first_names"])
        rng = generator_for(self.seed, "sample.first_names", PageRef("", 0))
        return [(int(rng.integers(firsts)), surname) for surname in surnames]

    @cached_property
    def _offset(self) -> int:
        return int(generator_for(self.seed, "sample.offset", PageRef("", 0)).integers(1000))
