"""The kinds of documents: one author a domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from ohr.sample.authors.academic import Paper
from ohr.sample.authors.administration import YearlyReport
from ohr.sample.authors.finance import AnnualReport
from ohr.sample.authors.law import SupplyAgreement
from ohr.sample.authors.manual import OperatingManual
from ohr.sample.authors.naming import Naming
from ohr.sample.authors.newspaper import Newspaper
from ohr.sample.authors.textbook import Chapter
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.template import Draft


class Author(Protocol):
    """A kind of document: the values, tables, charts and figures that its page templates name."""

    domain: str
    name: str
    title: str
    layout: PageLayout
    slots: dict[str, str]
    tables: dict[str, Draft]
    naming: Naming

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None: ...


AUTHORS: Mapping[str, type[Author]] = {
    author.domain: author
    for author in (
        AnnualReport,
        SupplyAgreement,
        OperatingManual,
        Chapter,
        Newspaper,
        Paper,
        YearlyReport,
    )
}
"""Domain -> its kind of document."""
