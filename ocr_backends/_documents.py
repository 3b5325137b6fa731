"""Shared by engines of whole documents: they read a PDF in batches of pages, and single page
images."""

from __future__ import annotations

import tempfile
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from pydantic import Field
from typing_extensions import TypeVar

from ocr_backends.normalise import Normalise, finished
from ohr import plugins
from ohr.documents.pdf import extract_pages, page_count
from ohr.errors import ConfigError, EngineError, MissingDependencyError, StoreError
from ohr.plugins import OcrBackend
from ohr.plugins.engine import failed_page
from ohr.types import Outcome


class DocumentParams(plugins.Params):
    """``batch``: how many pages of a PDF one run of the program reads.

    ``timeout_s``: seconds that one run of the program may take.
    """

    batch: int = Field(16, ge=1)
    timeout_s: float = Field(600.0, gt=0)
    normalise: Normalise = Normalise()


Converted = str | Outcome[str] | None
"""An engine's result for a page: its text, an outcome, or None."""
P = TypeVar("P", bound=DocumentParams, covariant=True, default=DocumentParams)


class DocumentEngine(OcrBackend[P], abstract=True):
    """An engine whose input is a file: a PDF and some of its pages, or the image of one page.

    A page of a PDF is read with its whole batch, whose outcomes are kept, so pages that are
    requested one after another cost one run per batch.
    """

    version = "4"
    returns = "markdown"

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._file: object = None
        self._outcomes: dict[int, Outcome[str]] = {}
        self._batch_failed = False

    @abstractmethod
    def convert(self, file: Path, count: int, folder: Path) -> Sequence[Converted]:
        """Read a PDF of ``count`` pages, or a PNG of one; write into ``folder`` only.

        Returns the text of each page, or its outcome; None for a page that is missing from the
        engine's output, which counts as failed. Raises EngineError, MissingDependencyError.
        """

    def identity(self) -> dict[str, object]:
        params = self.params.model_dump(mode="json", exclude={"timeout_s"})
        return super().identity() | {"params": params}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_file": None, "_outcomes": {}}

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read pages. Raises ConfigError for a source that the engine does not accept, ValueError
        unless there is one number per image, and MissingDependencyError."""
        kind = "pdf" if isinstance(source, Path) else "image"
        if kind not in self.accepts:
            other = "PDFs, not page images" if kind == "image" else "page images, not PDFs"
            raise ConfigError(f"{self.name} with these parameters reads {other}")
        if not isinstance(source, Path):
            yield from super().transcribe(source, page_nos)
            return
        for page_no in page_nos:
            yield page_no, self._page(source, page_no, page_nos)

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Read a page image. Raises EngineError, MissingDependencyError."""
        with _folder() as folder:
            file = folder / "page.png"
            Image.fromarray(image).save(file, compress_level=1)
            [text] = self._converted(file, 1, folder)
        if text is None:
            raise EngineError("nothing about the page in what it wrote")
        return self._finished(text)

    def _finished(self, converted: str | Outcome[str]) -> Outcome[str]:
        page = converted if isinstance(converted, Outcome) else Outcome(converted)
        steps: Normalise = self.params.normalise
        outcome = finished(page.value or "", steps, generative=self.generative)
        return replace(outcome, detail="; ".join(filter(None, [page.detail, outcome.detail])))

    def _page(self, source: Path, page_no: int, page_nos: Sequence[int]) -> Outcome[str]:
        try:
            status = source.stat()
            file = (source.resolve(), status.st_mtime_ns, status.st_size)
            if self._file != file:
                self._file, self._outcomes, self._batch_failed = file, {}, False
            if page_no not in self._outcomes:
                self._read_batch(source, self._batch(source, page_no, page_nos), page_no)
            return self._outcomes[page_no]
        except (ConfigError, MissingDependencyError, StoreError):
            raise
        except Exception as error:  # any failure of a program is the outcome of one page
            return failed_page(self.name, error)

    def _batch(self, source: Path, page_no: int, page_nos: Sequence[int]) -> list[int]:
        """The page's batch: with the requested pages that follow it or, for a single page, its
        neighbours."""
        count = page_count(source)
        if not 0 <= page_no < count:
            raise EngineError(f"{source.name} has {count} pages, no page {page_no + 1}")
        size: int = self.params.batch
        if self._batch_failed:
            return [page_no]
        if len(page_nos) == 1:
            start = page_no // size * size
            return list(range(start, min(start + size, count)))
        unread = [
            no for no in dict.fromkeys(page_nos) if 0 <= no < count and no not in self._outcomes
        ]
        start = unread.index(page_no)
        return sorted(unread[start : start + size])

    def _read_batch(self, source: Path, batch: list[int], page_no: int) -> None:
        try:
            texts = self._read_pdf(source, batch)
        except (ConfigError, MissingDependencyError, StoreError):
            raise
        except Exception:  # a program's output may break the parser in any way
            if len(batch) == 1:
                raise
            # One page of the batch may be at fault: from now on, each is read alone.
            self._batch_failed = True
            batch = [page_no]
            texts = self._read_pdf(source, batch)
        for no, text in zip(batch, texts, strict=True):
            self._outcomes[no] = (
                Outcome.error(f"{self.name}: nothing about the page in what it wrote")
                if text is None
                else self._finished(text)
            )

    def _read_pdf(self, source: Path, page_nos: Sequence[int]) -> Sequence[Converted]:
        """Cut the pages out first: programs differ in how they number and select pages."""
        with _folder() as folder:
            file = folder / "pages.pdf"
            extract_pages(source, page_nos, file)
            return self._converted(file, len(page_nos), folder)

    def _converted(self, file: Path, count: int, folder: Path) -> Sequence[Converted]:
        output = folder / "output"
        output.mkdir()
        return self.convert(file, count, output)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ohr-engine-", ignore_cleanup_errors=True) as name:
        yield Path(name)
