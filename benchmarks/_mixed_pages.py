"""PDFs of mixed pages with their truth: a third as they were made, a third scanned, a third
distorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image

from ohr import registry
from ohr.documents.pdf import render
from ohr.documents.verifying import verified_layers
from ohr.ocr.distort import distort_image
from ohr.registry import PluginSpec
from ohr.types import PageRef

DPI = 150
DIGITAL, SCANNED, DISTORTED = "digital", "scanned", "distorted"
STRONG = PluginSpec(name="semantic", params={"draw": "strong", "dpi": DPI})
"""The semantic noise of the moderate level: one strong distortion for each page."""
OF_FILING = 3


def sample_pages(folder: Path, cache: Path, count: int) -> dict[PageRef, tuple[str, str]]:
    """Write the sample's documents as mixed PDFs; returns each page's kind and truth."""
    params = {"cache": cache, "n_pages": count, "n_questions": count}
    dataset = registry.create("dataset", PluginSpec(name="sample", params=params)).load()
    kinds = (DIGITAL, SCANNED, DISTORTED)
    pages: dict[PageRef, tuple[str, str]] = {}
    for number, document in enumerate(dataset.documents.values()):
        own = [kinds[(page.ref.page_no + number) % len(kinds)] for page in document.pages]
        refs = [page.ref for page in document.pages]
        assert document.source is not None  # the sample has a PDF of every document
        write_mixed(document.source, refs, own, folder / f"{document.doc_id}.pdf")
        for page, kind in zip(document.pages, own, strict=True):
            pages[page.ref] = kind, page.text
    return pages


def filing_pages(folder: Path, filings: Sequence[Path]) -> dict[PageRef, tuple[str, str]]:
    """Write scanned and distorted pages of filings; returns each page's kind and text layer.

    They are spread evenly over the pages with a usable layer, :data:`OF_FILING` of each filing.
    """
    pages: dict[PageRef, tuple[str, str]] = {}
    for number, (path, verdicts) in enumerate(zip(filings, verified_layers(filings), strict=True)):
        texts = {
            page_no: verdict.text
            for page_no, verdict in enumerate(verdicts.value or ())
            if not verdict.gap
        }
        chosen = list(texts)[len(texts) // (2 * OF_FILING) :: max(1, len(texts) // OF_FILING)]
        doc_id = f"filings/{path.stem}"
        refs = [PageRef(doc_id, page_no) for page_no in chosen[:OF_FILING]]
        own = [(SCANNED, DISTORTED)[(place + number) % 2] for place in range(len(refs))]
        write_mixed(path, refs, own, folder / f"{doc_id}.pdf")
        for place, (ref, kind) in enumerate(zip(refs, own, strict=True)):
            pages[PageRef(doc_id, place)] = kind, texts[ref.page_no]
    return pages


def write_mixed(source: Path, refs: Sequence[PageRef], kinds: Sequence[str], out: Path) -> None:
    """Write pages of a PDF, each as it is, as an image, or as a distorted image."""
    out.parent.mkdir(parents=True, exist_ok=True)
    result = pypdfium2.PdfDocument.new()
    original = pypdfium2.PdfDocument(source)
    for ref, kind in zip(refs, kinds, strict=True):
        if kind == DIGITAL:
            result.import_pages(original, [ref.page_no])
            continue
        image = render(source, ref.page_no, DPI)
        if kind == DISTORTED:
            image = _distorted(image, ref)
        part = out.with_suffix(".scan.pdf")
        Image.fromarray(image).save(part, resolution=DPI, quality=85)
        result.import_pages(pypdfium2.PdfDocument(part), [0])
        part.unlink()
    result.save(out)


def _distorted(image: np.ndarray, ref: PageRef) -> np.ndarray:
    operator = registry.image_perturbation(STRONG)
    return distort_image(operator, image, intensity=1.0, seed=0, ref=ref).value
