"""The key that a page's reading is stored under: the one place where it is made."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from ohr.ocr.noise import Noise
from ohr.store.identity import file_digest
from ohr.types import PageRef

DRAWN_BY = {name: version(name) for name in ("numpy", "opencv-python-headless")}
"""Packages whose versions can change a distorted page's pixels."""


def source_digest(path: Path) -> str:
    """Digest of the file that pages are read from.

    Of one that cannot be opened, why stands for it: reading a page of it fails with the reason.
    """
    try:
        return file_digest(path)
    except OSError as error:
        return f"unreadable: {error.strerror}"


def pdf_page_key(digest: str, page_no: int, engine: dict[str, Any]) -> dict[str, Any]:
    """Of a page of a PDF that the engine is handed as it is."""
    return {"source": digest, "engine": engine, "pdf_page": page_no}


def image_key(
    digest: str,
    rendered: tuple[int, int] | None,
    drawn_by: str | None,
    noise: list[object] | None = None,
) -> dict[str, Any]:
    """What a page image is made of.

    ``digest`` is the file's, ``rendered`` the page number and dots per inch of a PDF's page (None
    for an image file), ``drawn_by`` what makes the image of the file, ``noise`` a recipe of
    :func:`recipe`.
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
    """Of what an engine of that identity reads in the image of :func:`image_key`."""
    return image_key(digest, rendered, drawn_by, noise) | {"engine": engine}


def recipe(identity: dict[str, object], noise: Noise, seed: int, ref: PageRef) -> list[object]:
    """What a distorted page is made by: enough to make it again, to the pixel."""
    return [identity, noise.intensity, seed, ref, DRAWN_BY]
