"""The ground truth itself as a knowledge base: the engine that makes no error."""

from __future__ import annotations

from ohr.datasets.dataset import Dataset
from ohr.plugins import KnowledgeBaseSource
from ohr.types import KnowledgeBase, Outcome


class GroundTruth(KnowledgeBaseSource):
    """The dataset's own text."""

    name = "gt"

    def knowledge_base(self, dataset: Dataset) -> KnowledgeBase:
        """Every ground-truth page, in index order; a page without text is ``empty``."""
        return KnowledgeBase(
            {ref: Outcome.of_text(page.text) for ref, page in dataset.pages.items()},
            {"engine": self.identity()},
        )
