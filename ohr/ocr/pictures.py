"""What the pictures of pages show, stored so that no picture is drawn twice for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from ohr.documents.osd import detect_orientation
from ohr.errors import EngineError, MissingDependencyError, OhrError
from ohr.ocr.worker import PageTask, draw_image
from ohr.quality.page_kind import Picture, picture_of
from ohr.store.artefacts import ArtefactStore
from ohr.types import PageRef

FORM = 1
"""Counts up when pictures are measured otherwise."""
SCRIPT_FORM = 2
"""Counts up when writing systems are detected otherwise."""


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


def pictured_scripts(tasks: Iterable[PageTask], store: ArtefactStore) -> dict[PageRef, str]:
    """The writing system that the picture of each page shows, by the shapes of its letters.

    A page has none where it is not sure or may be Latin (:attr:`ohr.documents.osd.Orientation.
    writing_system`), and no page has one without Tesseract's ``osd.traineddata``.
    """
    scripts: dict[PageRef, str] = {}
    for task in tasks:
        if task.as_pdf or task.ref in scripts:
            continue
        key = {"page": task.key, "form": SCRIPT_FORM}
        match store.get("picture_script", key):
            case {"script": str() as script}:
                scripts[task.ref] = script
                continue
        try:
            orientation = detect_orientation(draw_image(task)[0])
        except MissingDependencyError:
            return {}
        except EngineError:
            orientation = None
        except (OhrError, OSError, ValueError):  # the image cannot be drawn, which engines say
            continue
        script = "" if orientation is None else orientation.writing_system
        store.put("picture_script", key, {"script": script})
        scripts[task.ref] = script
    return {ref: script for ref, script in scripts.items() if script}
