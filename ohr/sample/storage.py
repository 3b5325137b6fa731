"""The corpus on disk, in the layout of OHR-Bench, whole or not at all.

::

    pdfs/<domain>/<doc>.pdf
    images/<domain>/<doc>/<page>.png
    retrieval_base/gt/<domain>/<doc>.json     [{"page_idx": 0, "text": "…"}, …]
    boxes/<domain>/<doc>.json                 where each block stands on its page
    documents.json                            title and challenging attributes of each document
    qas.json                                  questions in the schema of OHR-Bench's second release
    complete.json                             every file with its size
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ohr.errors import StoreError
from ohr.sample.attributes import attributes_of_pages
from ohr.sample.corpus import Written, apply_breaks
from ohr.sample.markdown import page_text
from ohr.sample.questions.qas import record
from ohr.sample.questions.questions import GoldQuestion
from ohr.sample.typesetting.printing import print_document

MANIFEST = "complete.json"
_STALE_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Stored:
    """A document that is written: what may be asked of it, its entry in ``documents.json``."""

    written: Written
    about: dict[str, object]


def ensure(folder: Path, write: Callable[[Path], None]) -> None:
    """Make ``folder`` hold what ``write`` puts into the empty folder it is given.

    A complete folder is left alone; one that lacks a file is replaced. Several processes may
    do this at once: each writes a folder of its own beside, and the first to finish wins.
    Raises StoreError if the folder cannot be written.
    """
    if is_complete(folder):
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".part"))
        try:
            write(part)
            _seal(part)
            _replace(part, folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise StoreError(f"cannot write the sample to {folder}: {error}") from error


def is_complete(folder: Path) -> bool:
    """Whether every file of the manifest is there with its size."""
    try:
        sizes: dict[str, int] = json.loads((folder / MANIFEST).read_text("utf-8"))
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def write_document(folder: Path, written: Written, *, images: bool) -> Stored:
    """Render a document and write its files: PDF, ground truth, boxes and, if wanted, images."""
    rendered = print_document(written, images=images)
    doc_id = written.doc_id
    _write(folder / "pdfs" / f"{doc_id}.pdf", rendered.pdf)
    for page_no, image in enumerate(rendered.images):
        _write(folder / "images" / doc_id / f"{page_no}.png", image)
    texts = [
        page_text(page.blocks, written.layout, page_no)
        for page_no, page in enumerate(written.pages)
    ]
    pages = [{"page_idx": page_no, "text": text} for page_no, text in enumerate(texts)]
    _write(folder / "retrieval_base" / "gt" / f"{doc_id}.json", _json(pages))
    arrangement = rendered.arrangement
    _write(folder / "boxes" / f"{doc_id}.json", _lines(arrangement.record(len(texts))))
    page_attributes = attributes_of_pages(
        written.layout, texts, arrangement.boxes, [page.blocks for page in written.pages]
    )
    about = {
        "doc_name": doc_id,
        "doc_type": written.domain,
        "title": written.title,
        "pages": len(texts),
        "attributes": list(written.attributes),
        "page_attributes": page_attributes,
    }
    return Stored(apply_breaks(written, arrangement.continuations), about)


def write_lists(
    folder: Path, documents: Sequence[dict[str, object]], questions: Sequence[GoldQuestion]
) -> None:
    """Write ``documents.json`` and ``qas.json`` of a whole corpus."""
    with listing(folder / "documents.json") as add:
        for about in documents:
            add(about)
    with listing(folder / "qas.json") as add:
        for serial, question in enumerate(questions, start=1):
            add(record(question_id(serial), question))


def question_id(serial: int) -> str:
    """``sample-0001`` for the first question."""
    return f"sample-{serial:04d}"


@contextmanager
def listing(path: Path) -> Iterator[Callable[[dict[str, object]], None]]:
    """Write a JSON list entry by entry; the file has its name only when the list is whole."""
    part = path.with_name(f".{path.name}.part")
    between = "[\n"
    with part.open("w", encoding="utf-8", newline="\n") as stream:

        def add(entry: dict[str, object]) -> None:
            nonlocal between
            stream.write(between + json.dumps(entry, ensure_ascii=False))
            between = ",\n"

        yield add
        stream.write("[]\n" if between == "[\n" else "\n]\n")
    os.replace(part, path)


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _lines(values: Sequence[object]) -> bytes:
    """A JSON list with a line for each of its values."""
    body = ",\n".join(json.dumps(value, ensure_ascii=False) for value in values)
    return f"[\n{body}\n]\n".encode()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _seal(part: Path) -> None:
    sizes = {
        path.relative_to(part).as_posix(): path.stat().st_size
        for path in sorted(part.rglob("*"))
        if path.is_file()
    }
    _write(part / MANIFEST, _json(sizes))
    part.chmod(0o755)  # mkdtemp makes folders that only their owner can read


def _replace(part: Path, folder: Path) -> None:
    """Rename ``part`` to ``folder``; what stands there unfinished goes away first."""
    while not is_complete(folder):
        try:
            os.rename(part, folder)
            return
        except OSError as error:
            # The folder itself may be gone again by now: another process has moved it aside.
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        # A non-empty folder cannot be renamed over. Moving it aside is atomic too, so another
        # process that is at this very point fails here and looks again.
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".", suffix=".part"))
        try:
            if not is_complete(folder):
                os.rename(folder, aside / "old")
        except FileNotFoundError:
            pass
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove what a process that was killed long ago left behind."""
    for part in folder.parent.glob(".*.part"):
        try:
            if time.time() - _last_written(part) > _STALE_SECONDS:
                shutil.rmtree(part, ignore_errors=True)
        except FileNotFoundError:
            continue


def _last_written(part: Path) -> float:
    """When a folder, or anything in it, was written last: its own time says nothing of the rest."""
    return max(path.stat().st_mtime for path in (part, *part.rglob("*")))
