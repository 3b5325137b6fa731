"""The ground truth itself as a knowledge base: the engine that makes no error."""

from __future__ import annotations

from typing import Literal

from ohr import plugins
from ohr.collection import Dataset
from ohr.markup.tables import convert_tables
from ohr.plugins import KnowledgeBaseSource
from ohr.types import KnowledgeBase, Outcome


class GroundTruthParams(plugins.Params):
    """``tables``: the format that every table is written in; ``as_is`` leaves the pages alone."""

    tables: Literal["as_is", "markdown", "latex", "html"] = "as_is"


class GroundTruth(KnowledgeBaseSource[GroundTruthParams]):
    """The dataset's own text."""

    name = "gt"

    def knowledge_base(self, dataset: Dataset) -> KnowledgeBase:
        """Every ground-truth page, in index order; a page without text is ``empty``."""
        return KnowledgeBase(
            {ref: Outcome.of_text(self.text(page.text)) for ref, page in dataset.pages.items()},
            {"engine": self.identity()},
        )

    def text(self, page: str) -> str:
        """A page with its tables in the configured format."""
        if self.params.tables == "as_is":
            return page
        return convert_tables(page, self.params.tables)[0]
