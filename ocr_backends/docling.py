"""Docling, by command line, in an environment of its own; its JSON gives the page of each item."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from ocr_backends._documents import DocumentEngine, DocumentParams
from ocr_backends._process import program_version, run
from ocr_backends.formats.docling import docling_pages
from ohr.errors import EngineError
from ohr.files.decoding import decoded
from ohr.markup.blocks import write_markdown

INSTALL = (
    "python -m venv docling && docling/bin/pip install docling, then name "
    "executable: docling/bin/docling"
)
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


class DoclingParams(DocumentParams):
    """``executable``: ``docling``, a name or a path. ``options``: further arguments, such as
    ``--artifacts-path DIR``. ``offline``: it must not fetch its models.
    """

    executable: str = Field("docling", min_length=1)
    options: tuple[str, ...] = ()
    offline: bool = True


class Docling(DocumentEngine[DoclingParams]):
    """Docling's document, written in Markdown: tables in HTML, formulas in LaTeX if enriched."""

    name = "docling"
    version = "6"
    accepts = frozenset({"image", "pdf"})
    license = "MIT"
    install = INSTALL

    def __init__(self, params: DoclingParams | None = None) -> None:
        super().__init__(params)
        self.generative = "vlm" in self.params.options

    def convert(self, file: Path, count: int, folder: Path) -> Sequence[str]:
        arguments = ["--to", "json", "--image-export-mode", "placeholder", "--output", str(folder)]
        run(
            [self.params.executable, str(file), *arguments, *self.params.options],
            timeout_s=self.params.timeout_s,
            install=INSTALL,
            folder=folder,
            environment=OFFLINE if self.params.offline else None,
        )
        files = sorted(folder.rglob("*.json"))
        if len(files) != 1:
            raise EngineError(f"Docling wrote {len(files)} JSON files, 1 expected")
        try:
            document = json.loads(decoded(files[0].read_bytes()))
            pages = docling_pages(document)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise EngineError(f"Docling's JSON cannot be read: {error!r}") from error
        furniture = not self.params.normalise.furniture
        return [write_markdown(pages.get(no, []), furniture=furniture) for no in range(count)]

    def engine_version(self) -> str:
        """Version of docling. Raises MissingDependencyError."""
        return program_version(self.params.executable, "docling", INSTALL)
