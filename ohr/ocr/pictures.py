"""What the pictures of pages show, stored so that no picture is drawn twice for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from ohr.errors import OhrError
from ohr.ocr.worker import PageTask, draw_image
from ohr.quality.page_kind import Picture, picture_of
from ohr.store.artefacts import ArtefactStore
from ohr.types import PageRef

FORM = 1
"""Counts up when pictures are measured otherwise."""


def page_pictures(tasks: Iterable[PageTask], store: ArtefactStore) -> dict[PageRef, Picture]:
    """The picture of each page that engines get as an image, drawn as for them.

    A page whose image cannot be drawn has none: that engines failed on it is told elsewhere.
    """
    pictures: dict[PageRef, Picture] = {}
    for task in tasks:
        if task.as_pdf or task.ref in pictures:
            continue
        key = {"page": task.key, "form": FORM}
        match store.get("picture", key):
            case {"paper": int() | float() as paper, "shade": int() | float() as shade}:
                pictures[task.ref] = Picture(float(paper), float(shade))
                continue
        try:
            picture = picture_of(draw_image(task)[0])
        except (OhrError, OSError, ValueError):
            continue
        store.put("picture", key, asdict(picture))
        pictures[task.ref] = picture
    return pictures
