"""Marker, by command line, in an environment of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from ocr_backends._documents import DocumentEngine, DocumentParams
from ocr_backends._process import program_version, run
from ocr_backends.formats.marker import marked_pages
from ocr_backends.normalise import line_feeds
from ohr.errors import EngineError
from ohr.files.decoding import UndecodableError, decoded

INSTALL = (
    "python -m venv marker && marker/bin/pip install marker-pdf, then name "
    "executable: marker/bin/marker_single"
)
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


class MarkerParams(DocumentParams):
    """``executable``: ``marker_single``, a name or a path. ``options``: further arguments, such
    as ``--force_ocr``. ``offline``: it must not fetch its models.
    """

    executable: str = Field("marker_single", min_length=1)
    options: tuple[str, ...] = ()
    offline: bool = True


class Marker(DocumentEngine[MarkerParams]):
    """Marker in Markdown: tables in pipes, formulas in LaTeX, headers and footers left out."""

    name = "marker"
    accepts = frozenset({"image", "pdf"})
    generative = True
    license = "GPL-3.0-or-later (code), modified AI Pubs Open RAIL-M (models)"
    install = INSTALL

    def convert(self, file: Path, count: int, folder: Path) -> Sequence[str | None]:
        arguments = ["--output_format", "markdown", "--output_dir", str(folder)]
        arguments += ["--paginate_output", "--disable_image_extraction", *self.params.options]
        run(
            [self.params.executable, str(file), *arguments],
            timeout_s=self.params.timeout_s,
            install=INSTALL,
            folder=folder,
            environment=OFFLINE if self.params.offline else None,
        )
        files = sorted(folder.rglob("*.md"))
        if len(files) != 1:
            raise EngineError(f"Marker wrote {len(files)} Markdown files, 1 expected")
        try:
            return split_pages(line_feeds(decoded(files[0].read_bytes())), count)
        except UndecodableError as error:
            raise EngineError(f"Marker's {files[0].name} is {error}") from error

    def engine_version(self) -> str:
        """Version of marker-pdf. Raises MissingDependencyError."""
        return program_version(self.params.executable, "marker-pdf", INSTALL)


def split_pages(text: str, count: int) -> list[str | None]:
    """The Markdown of each page; None for pages that have no mark."""
    pages = marked_pages(text)
    return [pages.get(number) for number in range(count)]
