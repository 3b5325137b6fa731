"""Finds the pages in PDFs, images and folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr.errors import ConfigError
from ohr.file_names import is_hidden, readable, safe_path
from ohr.opening import FileFacts, file_facts

IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})


@dataclass(frozen=True)
class PageSource:
    """A page of a PDF, or an image file."""

    path: Path
    name: str
    """The document, as its folder in the output is called."""
    page_no: int | None
    """0-based page of a PDF; None for an image."""
    dpi: int
    drawn_by: str | None
    """What makes the page's image of the file, as :func:`ohr.pdf.drawn_by` says."""
    file_name: str
    """Path of the file within the folder that was searched."""

    def file(self, suffix: str) -> str:
        """The output file, within the folder of a noise."""
        name = safe_path(self.name)
        if self.page_no is None:
            return f"{name}{suffix}"
        return f"{name}/page_{self.page_no + 1:04d}{suffix}"


def find_pages(inputs: Sequence[Path], dpi: int) -> Iterator[PageSource]:
    """Pages of PDFs and images, folders searched through, in order. Raises ConfigError.

    What is hidden within a folder is passed over.
    A file that cannot be opened yields one page, which then fails with the reason.
    """
    searched = [_page_files(given) for given in inputs]
    facts = file_facts(path for _, files in searched for path in files)
    for root, files in searched:
        yield from _pages_in(root, files, facts, dpi)


def _page_files(given: Path) -> tuple[Path, list[Path]]:
    """The folder that is searched, and the PDFs and images that the path names."""
    if not given.exists():
        raise ConfigError(f"no file or folder {given}")
    inside = [given]
    if given.is_dir():
        inside = [p for p in sorted(given.rglob("*")) if not is_hidden(p.relative_to(given))]
    files = [path for path in inside if path.is_file() and _is_page_file(path)]
    if not files:
        raise ConfigError(f"no PDF or image in {given}")
    return (given if given.is_dir() else given.parent), files


def _pages_in(
    root: Path, files: Sequence[Path], facts: Mapping[Path, FileFacts], dpi: int
) -> Iterator[PageSource]:
    names = [readable(path.relative_to(root).as_posix()) for path in files]
    stems = [name[: -len(path.suffix)] for name, path in zip(names, files, strict=True)]
    counts = Counter(stems)
    pdfs: set[str] = set()
    for path, name, stem in zip(files, names, stems, strict=True):
        # Of a.pdf and a.png, each needs a name of its own; the PDF's is that which
        # dataset.kind=folder gives it.
        own = facts[path]
        if path.suffix.lower() != ".pdf":
            document = stem if counts[stem] == 1 else name
            yield PageSource(path, document, None, own.dpi or dpi, own.drawn_by, name)
            continue
        document = name if stem in pdfs else stem
        pdfs.add(stem)
        for number in range(own.pages):
            yield PageSource(path, document, number, dpi, own.drawn_by, name)


def _is_page_file(path: Path) -> bool:
    return path.suffix.lower() in IMAGE_SUFFIXES | {".pdf"}
