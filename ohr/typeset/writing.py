"""A dataset typeset as PDFs, in the layout of OHR-Bench, document by document.

::

    pdfs/<domain>/<doc>.pdf                   one page of the PDF per page of the dataset
    retrieval_base/gt/<domain>/<doc>.json     their texts, as the dataset has them
    boxes/<domain>/<doc>.json                 where each block of a page is
    qas.json                                  the dataset's questions
    typeset.json                              looks, counts, and everything that was printed as text

A document that is finished leaves a note under ``.parts``. When all are there, the notes are joined
and go away; a command that was killed continues with the documents that have none.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from ohr.collection import Dataset
from ohr.datasets.question_entries import entry_of
from ohr.errors import ConfigError, DatasetError, OhrError, StoreError
from ohr.files.safe_text import safe_path
from ohr.sample.origin import generator
from ohr.sample.storage import listing
from ohr.store.atomic import write_bytes, write_text
from ohr.types import Document, PageRef, Question, Status
from ohr.typeset.formulas import pandoc_version
from ohr.typeset.looks import LookName, look_of
from ohr.typeset.render import typeset
from ohr.workers import WorkerPool

RECORD = "typeset.json"
PARTS = ".parts"
IN_PROCESS = 2
"""So few documents are written by this process."""
_RENEW = 30  # documents after which a worker is replaced
_LONGEST_DETAIL = 200


@dataclass
class Written:
    """What was typeset. ``fallbacks``: document, page, kind and detail of each."""

    pages: int = 0
    documents: int = 0
    questions: int = 0
    looks: dict[str, int] = field(default_factory=dict)
    fallbacks: list[tuple[str, int, str, str]] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    """Document -> its id in the folder, where the layout cannot hold the dataset's own."""

    def pages_with(self, *kinds: str) -> int:
        """Number of pages with a fallback of one of these kinds."""
        return len({(doc, page) for doc, page, kind, _ in self.fallbacks if kind in kinds})


@dataclass(frozen=True, slots=True)
class _Task:
    """A document to write: its texts by page number."""

    out: str
    doc_id: str
    texts: dict[int, str]
    look: LookName


@cache
def maker() -> dict[str, str]:
    """Digest of this folder's files, and the versions of what converts and typesets.

    Raises MissingDependencyError.
    """
    state = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*")):
        if path.suffix in (".py", ".typ"):
            state.update(path.name.encode() + path.read_bytes())
    return {
        "typesetter": state.hexdigest(),
        "pandoc": pandoc_version(),
        "typst": generator()["typst"],
    }


def write_typeset(
    dataset: Dataset,
    out: Path,
    *,
    look: LookName | None = None,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Written, bool]:
    """Typeset a dataset to ``out``, or the part of it that is missing.

    Without ``look`` each document draws one, from ``seed`` and its id. Returns what is there, and
    whether anything was written now. ``progress`` is called with the pages done and all. Raises
    ConfigError for a folder with other things in it or without a font for Chinese,
    MissingDependencyError, DatasetError, and StoreError if files cannot be written.
    """
    identity = {
        "corpus": "typeset",
        "dataset": dataset.digest(),
        "look": look or "",
        "seed": 0 if look else seed,
        **maker(),
    }
    if _claim(out, identity):
        stored = json.loads((out / RECORD).read_text("utf-8"))["typeset"]
        stored["fallbacks"] = [tuple(entry) for entry in stored["fallbacks"]]
        return Written(**stored), False
    names = layout_names(dataset.documents.values())
    tasks = [
        _Task(
            str(out),
            names[document.doc_id],
            {page.ref.page_no: page.text for page in document.pages},
            look or look_of(document.doc_id, seed),
        )
        for document in dataset.documents.values()
    ]
    try:
        remaining = [task for task in tasks if not _part(out, task.doc_id).exists()]
        total = sum(len(task.texts) for task in tasks)
        done = total - sum(len(task.texts) for task in remaining)
        progress(done, total)
        for task in _run(remaining, workers):
            done += len(task.texts)
            progress(done, total)
        written = _assemble(out, identity, dataset, tasks, names)
    except OSError as error:
        raise StoreError(f"cannot write to {out}: {error}") from error
    return written, True


def layout_names(documents: Iterable[Document]) -> dict[str, str]:
    """Document -> ``<domain>/<name>``, its own id if that has this form and is a safe path."""
    names: dict[str, str] = {}
    # Own ids first: a document that is renamed never takes another one's id.
    listed = sorted(documents, key=lambda document: not _fits(document))
    taken: set[str] = set()
    for document in listed:
        name = document.doc_id
        if not _fits(document):
            domain = safe_path(document.domain).replace("/", "_") or "documents"
            inside = document.doc_id.removeprefix(f"{document.domain}/")
            name = f"{domain}/{safe_path(inside.strip('/')).replace('/', '_') or 'document'}"
        free, number = name, 2
        while free in taken:
            free, number = f"{name}-{number}", number + 1
        taken.add(free)
        names[document.doc_id] = free
    return names


def _fits(document: Document) -> bool:
    doc_id, domain = document.doc_id, document.domain
    return (
        safe_path(doc_id) == doc_id
        and doc_id.startswith(f"{domain}/")
        and "/" not in domain
        and not domain.startswith(".")
        and all(part and not part.startswith(".") for part in doc_id.split("/"))
    )


def _run(tasks: list[_Task], workers: int) -> Iterator[_Task]:
    """The documents as they are finished. Raises what hinders one."""
    if len(tasks) <= IN_PROCESS:
        for task in tasks:
            write_document(task)
            yield task
        return
    with WorkerPool(write_document_guarded, workers=workers, max_tasks=_RENEW) as pool:
        for index, outcome in pool.run(iter(tasks)):
            if outcome.value:
                kind, message = outcome.value
                raise _ERRORS.get(kind, DatasetError)(message)
            if outcome.status not in (Status.OK, Status.EMPTY):
                raise DatasetError(f"{tasks[index].doc_id}: {outcome.detail}")
            yield tasks[index]


_ERRORS: dict[str, type[OhrError]] = {"ConfigError": ConfigError, "StoreError": StoreError}


def write_document_guarded(task: _Task) -> tuple[str, str] | None:
    """:func:`write_document` in a worker; an error is returned as its name and what it says."""
    try:
        write_document(task)
    except OSError as error:
        return "StoreError", f"cannot write to {task.out}: {error}"
    except OhrError as error:
        return type(error).__name__, str(error)
    return None


def write_document(task: _Task) -> None:
    """Write the files of one document, its note last."""
    count = max(task.texts, default=-1) + 1
    texts = [task.texts.get(number, "") for number in range(count)]
    try:
        result = typeset(texts, task.look)
    except DatasetError as error:
        raise DatasetError(f"{task.doc_id}: {error}") from error
    out = Path(task.out)
    write_bytes(out / "pdfs" / f"{task.doc_id}.pdf", result.pdf)
    body = ",\n".join(json.dumps(page, ensure_ascii=False) for page in result.boxes)
    write_text(out / "boxes" / f"{task.doc_id}.json", f"[\n{body}\n]\n")
    pages = [{"page_idx": number, "text": task.texts[number]} for number in task.texts]
    content = json.dumps(pages, ensure_ascii=False, indent=1) + "\n"
    write_text(out / "retrieval_base" / "gt" / f"{task.doc_id}.json", content)
    fallbacks = [
        (task.doc_id, fallback.page, fallback.kind, fallback.detail[:_LONGEST_DETAIL])
        for fallback in result.fallbacks
    ]
    note = {"look": task.look, "fallbacks": fallbacks}
    write_text(_part(out, task.doc_id), json.dumps(note, ensure_ascii=False))


def _part(out: Path, doc_id: str) -> Path:
    name = hashlib.blake2b(doc_id.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return out / PARTS / f"{name}.json"


def _claim(out: Path, identity: Mapping[str, Any]) -> bool:
    """Make the folder ours; whether everything is there already."""
    try:
        if out.is_dir() and any(out.iterdir()):
            record = _read(out / RECORD).get("identity")
            if (record or _read(out / PARTS / RECORD).get("identity")) != identity:
                raise ConfigError(
                    f"{out} is not empty and holds no typeset pages of this dataset with these "
                    "options: choose another folder, or remove what is in it"
                )
            return record is not None
        write_text(out / PARTS / RECORD, json.dumps({"identity": identity}))
    except OSError as error:
        raise StoreError(f"cannot write to {out}: {error}") from error
    return False


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _assemble(
    out: Path,
    identity: Mapping[str, Any],
    dataset: Dataset,
    tasks: list[_Task],
    names: Mapping[str, str],
) -> Written:
    """Join the notes, and write the questions and the record."""
    written = Written(
        pages=sum(len(task.texts) for task in tasks),
        documents=len(tasks),
        questions=len(dataset.questions),
        renamed={old: new for old, new in names.items() if old != new},
    )
    looks: Counter[str] = Counter()
    for task in tasks:
        note = json.loads(_part(out, task.doc_id).read_text("utf-8"))
        looks[note["look"]] += 1
        written.fallbacks += [tuple(entry) for entry in note["fallbacks"]]
    written.looks = dict(sorted(looks.items()))
    with listing(out / "qas.json") as add:
        for question in dataset.questions:
            add(entry_of(_moved(question, names)))
    record = {
        "identity": identity,
        "typeset": asdict(written),
        "documents": {task.doc_id: task.look for task in tasks},
    }
    write_text(out / RECORD, json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    shutil.rmtree(out / PARTS, ignore_errors=True)
    return written


def _moved(question: Question, names: Mapping[str, str]) -> Question:
    """The question about the document's name in the folder."""
    doc_id = names[question.doc_id]
    refs = tuple(PageRef(names[ref.doc_id], ref.page_no) for ref in question.evidence_pages)
    if doc_id == question.doc_id and refs == question.evidence_pages:
        return question
    return replace(question, doc_id=doc_id, domain=doc_id.partition("/")[0], evidence_pages=refs)
