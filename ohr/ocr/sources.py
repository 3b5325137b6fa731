"""Finds the pages in PDFs, images and folders."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr.documents.images import IMAGE_SUFFIXES, image_suffixes
from ohr.documents.opening import FileFacts, file_facts
from ohr.errors import ConfigError
from ohr.files.safe_text import is_hidden, readable, safe_path

_OFFICE = frozenset(
    {
        *(".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods"),
        *(".epub", ".djvu", ".xps", ".ps", ".eps", ".html", ".htm"),
    }
)
_SHOWN = 3
_TO_NOTHING, _TO_FOLDER, _NO_FILE = "broken link", "linked folder", "special file"
_LOCKED = "unreadable folder"
_MEANINGS = {
    _LOCKED: "a folder whose permissions do not allow reading it",
    _TO_NOTHING: "a link to nothing",
    _TO_FOLDER: "a link to a folder, which is not followed",
    _NO_FILE: "no file",
}


@dataclass(frozen=True)
class PageSource:
    """A page of a PDF, a page of a TIFF of several pages, or another image file."""

    path: Path
    name: str
    """Name of the document and of its folder in the output."""
    page_no: int | None
    """0-based page of a PDF, or of a TIFF of several pages; None for another image."""
    dpi: int
    drawn_by: str | None
    """What renders the page image, from :func:`ohr.documents.pdf.drawn_by`."""
    file_name: str
    """Path of the file in the folder that was searched."""
    fault: str = ""
    """Why the file cannot be opened; empty if it can."""

    @property
    def is_pdf(self) -> bool:
        """Whether the page is of a PDF."""
        return self.path.suffix.lower() == ".pdf"

    @property
    def frame(self) -> int | None:
        """The page of a TIFF of several pages; None for other files."""
        return None if self.is_pdf else self.page_no

    def file(self, suffix: str) -> str:
        """The output file in the folder of a noise."""
        name = safe_path(self.name)
        if self.page_no is None:
            return f"{name}{suffix}"
        return f"{name}/page_{self.page_no + 1:04d}{suffix}"


def find_pages(inputs: Sequence[Path], dpi: int) -> Iterator[PageSource]:
    """The pages of PDFs and images, also in folders, in order. Raises ConfigError.

    Hidden files in folders are skipped. A file that cannot be opened yields one page, which then
    fails with the reason.
    """
    searched = [_page_files(named) for named in inputs]
    facts = file_facts(path for _, files in searched for path in files)
    for root, files in searched:
        yield from _pages_in(root, files, facts, dpi)


def skipped_files(inputs: Sequence[Path]) -> list[str]:
    """A line for each kind of file in the folders that :func:`find_pages` skips, with the reason.

    Hidden files are not reported.
    """
    rest: dict[str, list[str]] = {}
    for folder in filter(Path.is_dir, inputs):
        for path in _contents(folder):
            if no_file := _no_file(path):
                kind = _MEANINGS[no_file]
            elif path.is_dir() or _is_page_file(path):
                continue
            else:
                kind = _kind_of(path.suffix.lower())
            rest.setdefault(kind, []).append(readable(path.relative_to(folder).as_posix()))
    lines = []
    for kind, names in rest.items():
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        lines.append(f"{', '.join(names[:_SHOWN])}{more}: {kind}")
    return lines


def other_kinds(inputs: Sequence[Path]) -> Counter[str]:
    """The number of files by suffix that :func:`find_pages` skips, the most frequent first.

    Hidden files are not counted; a file without a suffix counts under the empty text, and what is
    no file as that, such as a broken link.
    """
    suffixes: Counter[str] = Counter()
    for path in inputs:
        files = _contents(path) if path.is_dir() else [path]
        rest = (each for each in files if each.is_file() and not _is_page_file(each))
        suffixes.update(readable(each.suffix.lower()) for each in rest)
        suffixes.update(no_file for each in files if (no_file := _no_file(each)))
    return Counter(dict(sorted(suffixes.items(), key=lambda item: (-item[1], item[0]))))


def other_kinds_line(suffixes: Mapping[str, int]) -> str:
    """``12 files of other kinds were not read: 8 .docx, 4 .xlsx``; empty without such files."""
    if not suffixes:
        return ""
    total = sum(suffixes.values())
    files = "file of another kind was" if total == 1 else "files of other kinds were"
    return f"{total} {files} not read: {', '.join(kind_counts(suffixes))}"


def kind_counts(suffixes: Mapping[str, int]) -> list[str]:
    """``8 .docx``, ``2 without a suffix``, ``2 broken links``: the number of each kind."""
    return [
        f"{count} {kind}{'s' * (count != 1)}"
        if kind in _MEANINGS
        else f"{count} {kind or 'without a suffix'}"
        for kind, count in suffixes.items()
    ]


def _contents(folder: Path) -> list[Path]:
    """What is in a folder and in those inside, in order, but for what is hidden, or in a folder
    that may not be read."""
    paths: list[Path] = []
    locked: set[Path] = set()
    for path in sorted(folder.rglob("*")):
        if path.parent in locked or is_hidden(path.relative_to(folder)):
            continue
        if path.is_dir() and not _is_open(path):
            locked.add(path)
        paths.append(path)
    return paths


def _is_open(folder: Path) -> bool:
    """Whether a folder may be listed and what is in it may be opened."""
    return os.access(folder, os.R_OK | os.X_OK)


def _no_file(path: Path) -> str:
    """What a path is that is neither a file nor a folder that is searched; empty for these."""
    if not path.exists():
        return _TO_NOTHING
    if path.is_dir():
        if path.is_symlink():
            return _TO_FOLDER
        return "" if _is_open(path) else _LOCKED
    return "" if path.is_file() else _NO_FILE


def _kind_of(suffix: str) -> str:
    if suffix in IMAGE_SUFFIXES:
        return f"Pillow does not read {suffix} here: convert it to PNG or JPEG"
    if suffix in _OFFICE:
        return f"{suffix} is not read: save it as PDF"
    return f"{suffix} is not read, only PDFs and images are" if suffix else "without a suffix"


def _page_files(named: Path) -> tuple[Path, list[Path]]:
    """The folder that is searched, and the PDFs and images that the path names."""
    if not named.exists():
        raise ConfigError(f"no file or folder {named}")
    if named.is_dir() and not _is_open(named):
        raise ConfigError(f"{named}: its permissions do not allow reading it")
    inside = _contents(named) if named.is_dir() else [named]
    files = [path for path in inside if path.is_file() and _is_page_file(path)]
    if not files:
        rest = other_kinds_line(other_kinds([named]))
        raise ConfigError(f"no PDF or image in {named}" + (f": {rest}" if rest else ""))
    return (named if named.is_dir() else named.parent), files


def _pages_in(
    root: Path, files: Sequence[Path], facts: Mapping[Path, FileFacts], dpi: int
) -> Iterator[PageSource]:
    names = [readable(path.relative_to(root).as_posix()) for path in files]
    stems = [name[: -len(path.suffix)] for name, path in zip(names, files, strict=True)]
    counts = Counter(stems)
    pdfs: set[str] = set()
    for path, name, stem in zip(files, names, stems, strict=True):
        # a.pdf and a.png need different names; the PDF gets the name that dataset.kind=folder uses.
        own = facts[path]
        numbers: Iterable[int | None] = range(own.pages)
        if path.suffix.lower() != ".pdf":
            document = stem if counts[stem] == 1 else name
            for number in numbers if own.pages > 1 else [None]:
                own_dpi = own.dpi or dpi
                yield PageSource(path, document, number, own_dpi, own.drawn_by, name, own.fault)
            continue
        document = name if stem in pdfs else stem
        pdfs.add(stem)
        for number in numbers:
            yield PageSource(path, document, number, dpi, own.drawn_by, name, own.fault)


def _is_page_file(path: Path) -> bool:
    return path.suffix.lower() in image_suffixes() | {".pdf"}
