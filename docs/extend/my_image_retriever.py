"""A retriever of page images: pages with the most ink first."""

from collections.abc import Mapping, Sequence

import ohr


class Ink(ohr.plugins.ImageRetriever):
    """Ranks pages by their share of dark pixels, whatever the question."""

    name = "ink"

    def index_images(self, pages: Sequence[ohr.plugins.PageImage]) -> Mapping[ohr.PageRef, str]:
        self._ink: dict[ohr.PageRef, float] = {}
        failed = {}
        for page, outcome in zip(pages, ohr.plugins.load_images(pages), strict=True):
            if outcome.value is None:
                failed[page.ref] = outcome.detail
            else:
                self._ink[page.ref] = float((outcome.value < 128).mean())
        return failed

    def search(self, query: str, k: int) -> list[ohr.Hit]:
        best = sorted(self._ink, key=lambda ref: -self._ink[ref])[:k]  # ties in index order
        return [ohr.Hit(ref, "", self._ink[ref], rank) for rank, ref in enumerate(best)]
