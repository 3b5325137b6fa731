"""The page images that a reader is shown, and what its prompt says about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from ohr.errors import EngineError
from ohr.models.pictures import shrink
from ohr.types import Hit, PageImage, ShownHit, load_images

SHOWN = "(the pages are the images above)"
"""Stands in for the passages when their pages are shown instead."""


@dataclass(frozen=True)
class ShownPages:
    """The pages shown with a question; ``note`` says how many were left out."""

    pages: tuple[PageImage, ...] = ()
    note: str = ""

    @property
    def sort_key(self) -> tuple[str, ...]:
        """The same for all questions over the same pages."""
        return tuple(page.digest for page in self.pages)

    def pictures(self, side: int | None) -> list[Image.Image]:
        """The pages as RGB pictures. Raises EngineError for one that cannot be drawn."""
        pictures = []
        for outcome in load_images(self.pages):
            if outcome.value is None:
                raise EngineError(f"a page that cannot be shown: {outcome.detail}")
            pictures.append(Image.fromarray(shrink(outcome.value, side)))
        return pictures


def pages_to_show(context: Sequence[Hit], most: int) -> ShownPages:
    """The first ``most`` pages of a context, best first, each once."""
    images = [hit.image for hit in context if isinstance(hit, ShownHit) and hit.image is not None]
    first: dict[str, PageImage] = {}
    for image in images:
        first.setdefault(image.digest, image)
    pages = list(first.values())
    note = f"images cut to {most} of {len(pages)}" if len(pages) > most else ""
    return ShownPages(tuple(pages[:most]), note)
