"""The corpus on disk, in the layout of OHR-Bench, whole or not at all.

::

    pdfs/<domain>/<doc>.pdf
    images/<domain>/<doc>/<page>.png
    retrieval_base/gt/<domain>/<doc>.json     [{"page_idx": 0, "text": "…"}, …]
    qas.json                                  a list of questions in OHR-Bench's schema
    complete.json                             every file with its size
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ohr.datasets.sample.corpus import AskedOf, Written
from ohr.datasets.sample.markdown import page_text
from ohr.datasets.sample.render import render
from ohr.errors import StoreError

MANIFEST = "complete.json"
_STALE_SECONDS = 3600


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


def write_corpus(folder: Path, corpus: list[Written], questions: list[AskedOf]) -> None:
    """Render every document and write all files but the manifest."""
    for document in corpus:
        rendered = render(document.title, document.domain, [page.blocks for page in document.pages])
        _write(folder / "pdfs" / f"{document.doc_id}.pdf", rendered.pdf)
        for page_no, image in enumerate(rendered.images):
            _write(folder / "images" / document.doc_id / f"{page_no}.png", image)
        pages = [
            {"page_idx": page_no, "text": page_text(page.blocks)}
            for page_no, page in enumerate(document.pages)
        ]
        _write(folder / "retrieval_base" / "gt" / f"{document.doc_id}.json", _json(pages))
    _write(folder / "qas.json", _json([_record(i, q) for i, q in enumerate(questions, start=1)]))


def _record(number: int, question: AskedOf) -> dict[str, object]:
    doc_id, page_no = question.ref.doc_id, question.ref.page_no
    return {
        "doc_name": doc_id,
        "ID": f"sample-{number:04d}",
        "questions": question.asked.question,
        "answers": question.asked.answer,
        "doc_type": doc_id.split("/")[0],
        "answer_form": question.asked.form,
        "evidence_source": question.asked.source,
        "evidence_context": question.asked.evidence,
        "evidence_page_no": page_no,
    }


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


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
        except OSError:
            if not folder.exists():
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
            if time.time() - part.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(part, ignore_errors=True)
        except FileNotFoundError:
            continue
