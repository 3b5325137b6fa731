"""The text layer of a PDF, by PDFium: what the file itself says, not what the page shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ocr_backends.normalise import Normalise, finished
from ohr import plugins
from ohr.errors import ConfigError
from ohr.pdf import RENDERER, page_text
from ohr.plugins import OcrBackend
from ohr.plugins.engine import failed_page
from ohr.types import Outcome


class PdfTextParams(plugins.Params):
    """``normalise``: the steps of the normaliser."""

    normalise: Normalise = Normalise()


class PdfText(OcrBackend[PdfTextParams]):
    """PDFium's text in the order of the file. A scanned page is empty."""

    name = "pdf_text"
    accepts = frozenset({"pdf"})
    license = "Apache-2.0 or BSD-3-Clause"
    returns = "text"
    install = "pip install pypdfium2"

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read pages of a PDF. Raises ConfigError for page images."""
        if not isinstance(source, Path):
            raise ConfigError("pdf_text reads the text layer of PDFs, not page images")
        for page_no in page_nos:
            try:
                outcome = finished(page_text(source, page_no), self.params.normalise)
            except Exception as error:
                outcome = failed_page(self.name, error)
            yield page_no, outcome

    def engine_version(self) -> str:
        """Versions of pypdfium2 and PDFium."""
        return f"pypdfium2 {version('pypdfium2')}, {RENDERER}"
