"""Plug-ins that look at page images, named by their dotted path; they log what they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from ohr.plugins import ImageRetriever, Reader
from ohr.store.identity import pixel_digest
from ohr.types import Hit, Outcome, PageImage, PageRef, ShownHit, load_images


class Darkest(ImageRetriever):
    """The pages with the most dark pixels, whatever is asked."""

    name = "darkest"
    seen: ClassVar[list[tuple[PageRef, str, str]]] = []
    """Page, digest of its recipe, digest of its pixels, of each page that was drawn."""

    def index_images(self, pages: Sequence[PageImage]) -> Mapping[PageRef, str]:
        self.dark: dict[PageRef, int] = {}
        failed = {}
        for page, outcome in zip(pages, load_images(pages), strict=True):
            if outcome.value is None:
                failed[page.ref] = outcome.detail
                continue
            self.note(page, outcome.value)
            self.dark[page.ref] = int((outcome.value < 128).sum())
        return failed

    def note(self, page: PageImage, image: np.ndarray) -> None:
        assert image.dtype == np.uint8
        assert image.ndim == 3
        self.seen.append((page.ref, page.digest, pixel_digest(image)))

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        order = sorted(self.dark, key=lambda ref: -self.dark[ref])[:k]
        hits = [Hit(ref, "", self.dark[ref], rank) for rank, ref in enumerate(order)]
        return [hits for _ in queries]


class Elsewhere(Darkest):
    """Finds a page that nobody showed it."""

    name = "elsewhere"

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [[Hit(PageRef("law/none", 0), "", 1.0, 0)] for _ in queries]


class PixelReader(Reader):
    """Says how dark the pages are that it is shown."""

    name = "pixels"
    reads_text = False
    reads_images = True
    asked: ClassVar[list[str]] = []

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        self.asked.append(question)
        images = [hit.image for hit in context if isinstance(hit, ShownHit) and hit.image]
        dark = [int((image.load() < 128).sum()) for image in images]
        return Outcome.of_text(f"answer {sum(dark)} of {len(dark)} pages")
