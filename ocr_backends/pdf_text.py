"""The text layer of a PDF: what the file itself says, not what the page shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np

from ocr_backends import _pdfminer
from ocr_backends._layer_fault import add_fault, add_layer_fault
from ocr_backends.normalise import Normalise, finished
from ohr import plugins
from ohr.documents.pdf import RENDERER, page_text
from ohr.documents.verifying import verified_page
from ohr.errors import ConfigError, EngineError
from ohr.plugins import OcrBackend
from ohr.plugins.engine import failed_page
from ohr.types import Outcome


class PdfTextParams(plugins.Params):
    """``library``: ``layout``, which makes words and lines from the places of the glyphs and leaves
    out what the page does not show; ``pdfium``, whose text is in the order of the file; or
    ``pdfminer``, whose high-level extractor puts lines into the order of their columns.
    ``normalise``: the steps of the normaliser.
    """

    library: Literal["layout", "pdfium", "pdfminer"] = "layout"
    normalise: Normalise = Normalise()


class PdfText(OcrBackend[PdfTextParams]):
    """The text layer in reading order, or PDFium's or pdfminer.six's. A scanned page is empty.

    If the layer cannot be trusted, its text is the output all the same, and PDFium's where most of
    it is hidden; the outcome's detail says why (:mod:`ohr.documents.layers.verdict`).
    """

    name = "pdf_text"
    version = "4"
    accepts = frozenset({"pdf"})
    license = "Apache-2.0 or BSD-3-Clause"
    returns = "text"
    install = f"pip install pypdfium2; for library=pdfminer: {_pdfminer.INSTALL}"
    self_contained = True

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read pages of a PDF. Raises ConfigError for page images, MissingDependencyError."""
        if not isinstance(source, Path):
            raise ConfigError("pdf_text reads the text layer of PDFs, not page images")
        for page_no in page_nos:
            try:
                outcome = self._page(source, page_no)
            except EngineError as error:
                outcome = failed_page(self.name, error)
            yield page_no, outcome

    def _page(self, path: Path, page_no: int) -> Outcome[str]:
        if self.params.library == "layout":
            verdict = verified_page(path, page_no)
            # Not by the verdict, which depends on the fonts and engines of the machine.
            text = page_text(path, page_no) if verdict.is_hidden else verdict.text
            outcome = finished(text, self.params.normalise)
            return add_fault(outcome, verdict.gap) if outcome.value else outcome
        text_of = page_text if self.params.library == "pdfium" else _pdfminer.page_text
        outcome = finished(text_of(path, page_no), self.params.normalise)
        return add_layer_fault(outcome, path, page_no)

    def engine_version(self) -> str:
        """Versions of pypdfium2 and PDFium, or of pdfminer.six. Raises MissingDependencyError."""
        if self.params.library == "pdfminer":
            return _pdfminer.package_version()
        return f"pypdfium2 {version('pypdfium2')}, {RENDERER}"
