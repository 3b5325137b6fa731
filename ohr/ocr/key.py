"""Makes the keys under which OCR output is stored: the only place that does."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from ohr.ocr.noise import Noise
from ohr.store.identity import file_digest
from ohr.types import PageRef

DRAWN_BY = {name: version(name) for name in ("numpy", "opencv-python-headless")}
"""Packages whose versions can change the pixels of a distorted page."""


def source_digest(path: Path) -> str:
    """Digest of the file of a page.

    For a file that cannot be opened, the reason: reading its pages fails with that reason.
    """
    try:
        return file_digest(path)
    except OSError as error:
        return f"unreadable: {error.strerror}"


def pdf_page_key(digest: str, page_no: int, engine: dict[str, Any]) -> dict[str, Any]:
    """The key of a page of a PDF that the engine gets itself."""
    return {"source": digest, "engine": engine, "pdf_page": page_no}


def image_key(
    digest: str,
    rendered: tuple[int, int] | None,
    drawn_by: str | None,
    noise: list[object] | None = None,
) -> dict[str, Any]:
    """The key of a page image.

    ``digest`` is that of the file, ``rendered`` the page number and dots per inch of a PDF's page
    (None for an image file), ``drawn_by`` what renders the file, ``noise`` a :func:`recipe`.
    """
    render = drawn_by if rendered is None else [*rendered, drawn_by]
    return {"source": digest, "render": render, "noise": noise}


def page_key(
    digest: str,
    rendered: tuple[int, int] | None,
    drawn_by: str | None,
    engine: dict[str, Any],
    noise: list[object] | None = None,
) -> dict[str, Any]:
    """The key of an engine's output of the image of :func:`image_key`."""
    return image_key(digest, rendered, drawn_by, noise) | {"engine": engine}


def recipe(identity: dict[str, object], noise: Noise, seed: int, ref: PageRef) -> list[object]:
    """The recipe of a distorted page: enough to make it again, to the pixel."""
    return [identity, noise.intensity, seed, ref, DRAWN_BY]
