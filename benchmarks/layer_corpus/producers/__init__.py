"""The programs that set the pages; each makes one PDF a page, with a text layer that is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.layer_corpus.fonts import Family, family
from benchmarks.layer_corpus.page import Page
from benchmarks.layer_corpus.producers import html, shaped, typst_pages

Setter = Callable[[Sequence[tuple[Page, Family]]], list[bytes]]

PRODUCERS: dict[str, Setter] = {
    "chromium": html.chromium,
    "typst": typst_pages.typst,
    "weasyprint": html.weasyprint,
    "fpdf2": shaped.fpdf2,
}


def families(producer: str, pages: Sequence[Page]) -> list[Family]:
    """The family each page is set in by a producer."""
    return [family(page, list(PRODUCERS).index(producer)) for page in pages]


def set_pages(producer: str, pages: Sequence[Page], folder: Path) -> list[Path]:
    """Set every page, a PDF each, under its key."""
    paths = []
    outputs = PRODUCERS[producer](list(zip(pages, families(producer, pages), strict=True)))
    for page, data in zip(pages, outputs, strict=True):
        fault = f"-{page.fault}-{page.variant}" if page.fault else ""
        path = folder / f"{page.key}-{producer}{fault}.pdf"
        path.write_bytes(data)
        paths.append(path)
    return paths
