"""Engines of whole documents for tests, named by their dotted path."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ohr.plugins import OcrBackend
from ohr.types import Outcome
from tests.fakes import LOG, MENDED


class PdfEngine(OcrBackend):
    """Reads PDFs only, and logs the pages that it is handed together."""

    name = "pdf"
    accepts = frozenset({"pdf"})

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        assert isinstance(source, Path)
        if LOG in os.environ:
            with open(os.environ[LOG], "a") as log:
                log.write(f"{source.name} {list(page_nos)}\n")
        for page_no in page_nos:
            yield page_no, self.read(source, page_no)

    def read(self, source: Path, page_no: int) -> Outcome[str]:
        return Outcome.of_text(f"{source.name} page {page_no}")


class TroubledPdfEngine(PdfEngine):
    """Page 1 fails, page 2 kills the process, page 3 is empty."""

    name = "troubled_pdf"

    def read(self, source: Path, page_no: int) -> Outcome[str]:
        if page_no == 1:
            return Outcome.error("page 1 is torn")
        if page_no == 2:
            os._exit(13)
        return Outcome.of_text("" if page_no == 3 else f"page {page_no}")


class MendablePdfEngine(PdfEngine):
    """Fails until it is mended."""

    name = "mendable_pdf"

    def read(self, source: Path, page_no: int) -> Outcome[str]:
        if MENDED not in os.environ:
            return Outcome.error("out of order")
        return super().read(source, page_no)


class HungPdfEngine(PdfEngine):
    """Never answers for page 1."""

    name = "hung_pdf"

    def read(self, source: Path, page_no: int) -> Outcome[str]:
        if page_no == 1:
            time.sleep(1000)
        return super().read(source, page_no)
