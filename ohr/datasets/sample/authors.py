"""The kinds of documents: one author a domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from ohr.datasets.sample.academic import Paper
from ohr.datasets.sample.administration import YearlyReport
from ohr.datasets.sample.blocks import PageLayout
from ohr.datasets.sample.finance import AnnualReport
from ohr.datasets.sample.law import SupplyAgreement
from ohr.datasets.sample.manual import OperatingManual
from ohr.datasets.sample.naming import Naming
from ohr.datasets.sample.newspaper import Newspaper
from ohr.datasets.sample.template import Draft
from ohr.datasets.sample.textbook import Chapter
from ohr.datasets.sample.world import World


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
