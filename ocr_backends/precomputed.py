"""A knowledge base that some engine made elsewhere, from its files.

A document's file is ``<kb>/<domain>/<document>`` with a suffix that says what it may be:

- ``.json``: OHR-Bench's list of ``{"page_idx": 0, "text": "…"}``, 0-based (``page_no`` will do for
  ``page_idx``), or one of :data:`~ocr_backends.formats.json_formats.JSON_FORMATS`;
- ``.jsonl``: the same, a value on each line;
- ``.hocr``, ``.html``, ``.xml``: hOCR, ALTO or PAGE XML, with one page or several;
- ``.md``, ``.mmd``, ``.txt``, ``.doctags``, ``.dt``: DocTags, Marker's Markdown with a mark for
  each page, text with form feeds, or the text of a document of one page.

A folder ``<kb>/<domain>/<document>/`` has one Markdown file per page, or one hOCR, ALTO or PAGE
file per page. The file's name is the page's number, or ends in it (``7.md``, ``page_0007.md``),
counted as ``first_page`` says. Or it is MinerU's output, with one ``…_content_list.json``, or else
one ``…_middle.json``, somewhere below.

A file that is in no folder of its domain is looked for at ``<kb>/<document>``, where tools write
it, unless two documents have the same name. ``kb`` may be a JSON file of OmniDocBench, whose pages
are documents named after their images; a folder of its predictions has ``<image>.md``. Files
``.jsonl`` of olmOCR may have many documents, named after their source files.

A document that has both a folder and a JSON file, or two of the others, is an error: the toolkit
does not guess which one counts. Other files beside a folder or a JSON file are ignored.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ocr_backends.formats.documents import (
    XML_SUFFIXES,
    Reading,
    json_lines,
    read_content,
    read_json,
    read_json_lines,
    read_text,
    read_xml,
)
from ocr_backends.formats.olmocr import is_olmocr, source_name
from ocr_backends.formats.page_files import TEXTS, is_shown, read_page_files
from ocr_backends.formats.page_match import find_shift
from ohr import plugins
from ohr.collection import Dataset
from ohr.datasets.omnidocbench_file import AnnotatedPage, read_annotations
from ohr.errors import DatasetError, EngineError
from ohr.files.bounded import read_bounded
from ohr.plugins import KnowledgeBaseSource
from ohr.store.identity import digest
from ohr.types import Document, KnowledgeBase, Outcome, PageRef

LINES = ".jsonl"
DOCTAGS = (".doctags", ".dt")
SUFFIXES = (".json", LINES, *XML_SUFFIXES, *TEXTS, *DOCTAGS)
UNNUMBERED = ("", "text", "omnidocbench")
"""Forms whose page numbers are not a tool's own."""
FROM_ONE = "pages_counted_from_one"
LISTS = ("*_content_list.json", "*_content_list_v2.json", "*_middle.json")
"""MinerU's files in its folder of a document; the first kind that is there counts."""


class PrecomputedParams(plugins.Params):
    """``kb``: a folder or file, or the name of a folder beside the ground truth (``MinerU``).

    ``first_page``: the number of a document's first page, in the names of a page's files and in
    OHR-Bench's lists. By default files are counted from 0 where a document has a page 0, else from
    1; lists from 0. Where there is no page 0, the words decide: pages are those of the document
    whose words they have. Where these do not tell, a list is counted from 1 if it has a page N of a
    document of N pages, or if all lists without a page 0 are. ``furniture``: whether headers and
    footers are dropped, where a file marks them.
    """

    kb: str
    first_page: Literal[0, 1] | None = None
    furniture: bool = False


class Precomputed(KnowledgeBaseSource[PrecomputedParams]):
    """What an engine made of the dataset's documents, read from files."""

    name = "precomputed"
    version = "7"
    argument = "kb"

    def check(self, dataset: Dataset) -> None:
        """Raises DatasetError if the folder or file is missing."""
        find_kb(self.params.kb, dataset.root)

    def knowledge_base(self, dataset: Dataset) -> KnowledgeBase:
        """Pages of the dataset's documents, in the order of the files.

        Where a file or page is missing or damaged, the ground-truth pages without text become
        ``error`` outcomes, after the document's other pages. Pages that only the knowledge base has
        are kept. Raises DatasetError if the folder or file is missing.
        """
        place = find_kb(self.params.kb, dataset.root)
        files = _Annotations(place) if place.is_file() else Files(place, dataset, self.params)
        readings: dict[str, Reading] = {}
        digests: list[object] = []
        for document in dataset.documents.values():
            try:
                reading, data = files.read(document)
            except EngineError as error:
                reading, data = Reading({}, str(error)), b""
            form = [reading.form] if reading.form else []
            digests.append((document.doc_id, digest(data), *form))
            readings[document.doc_id] = reading
        from_one = self._counted_from_one(dataset, readings)
        pages: dict[PageRef, Outcome[str]] = {}
        for doc_id, reading in readings.items():
            if doc_id in from_one:
                reading = _shifted(reading, -1)
            elif reading.is_guessed:
                reading = self._matched(dataset, dataset.documents[doc_id], reading)
            elif reading.form not in UNNUMBERED and self.params.first_page is None:
                reading = self._moved(dataset, dataset.documents[doc_id], reading)
            missing = f"page missing from {place.name}"
            pages |= _add_missing(dataset.documents[doc_id], reading, missing)
        return KnowledgeBase(pages, {"engine": self.identity(), "digest": digest(digests)})

    def _counted_from_one(self, dataset: Dataset, readings: dict[str, Reading]) -> set[str]:
        """Documents whose list of pages counts from 1; the report says so where it is a guess."""
        listed = {doc_id for doc_id, reading in readings.items() if reading.is_listed}
        if self.params.first_page is not None:
            return listed if self.params.first_page else set()
        without_first = {doc_id for doc_id in listed if 0 not in readings[doc_id].pages}
        without_first = {doc_id for doc_id in without_first if readings[doc_id].pages}
        by_words = {
            doc_id: find_shift(dataset.documents[doc_id], readings[doc_id].pages, (0, -1))
            for doc_id in without_first
        }
        beyond = {
            doc_id
            for doc_id, shift in by_words.items()
            if shift is None and _is_one_beyond(dataset.documents[doc_id], readings[doc_id])
        }
        shifted = {doc_id for doc_id, shift in by_words.items() if shift == -1}
        from_one = beyond | shifted
        has_pages = {doc_id for doc_id in listed if readings[doc_id].pages}
        if from_one and without_first >= has_pages and 0 not in by_words.values():
            from_one = without_first
        # Other lists with a page 0 say how this base counts.
        unclear = {d for d, shift in by_words.items() if shift is None} - from_one
        unclear = unclear if without_first >= has_pages else set()
        if from_one:
            example = min(beyond or shifted)
            why = (
                "whose words are those of the page before"
                if not beyond
                else f"which has no page 0 and a page {max(readings[example].pages)} of as many"
            )
            self._say(
                dataset,
                f"{self.params.kb}: pages seem to count from 1 in {len(from_one)} of {len(listed)} "
                f"lists, such as {example}, {why}: read so; first_page: 0 reads them as they are",
            )
        if unclear:
            self._say(
                dataset,
                f"{self.params.kb}: {len(unclear)} lists, such as {min(unclear)}, have no page 0, "
                "and their words do not tell whether they count from 0 or 1: read as counted from "
                "0; first_page: 1 reads them as counted from 1",
            )
        return from_one

    def _matched(self, dataset: Dataset, document: Document, reading: Reading) -> Reading:
        """A folder of page files that was taken to count from 1, as its words say."""
        if find_shift(document, reading.pages, (0, 1)) != 1:
            return reading
        self._say(
            dataset,
            f"{self.params.kb}: the page files of {document.doc_id} have no page 0 and the words "
            "of pages counted from 0: read so; first_page: 1 reads them as counted from 1",
        )
        return _shifted(reading, 1)

    def _moved(self, dataset: Dataset, document: Document, reading: Reading) -> Reading:
        """Output whose pages are numbered otherwise than the document's, as its words say.

        A tool that got some of the pages, or that began elsewhere, counts them from its first.
        """
        if not reading.pages or not document.pages:
            return reading
        first = min(page.ref.page_no for page in document.pages) - min(reading.pages)
        shift = find_shift(document, reading.pages, tuple(dict.fromkeys((0, 1, -1, first))))
        if not shift:
            return reading
        self._say(
            dataset,
            f"{self.params.kb}: the output of {document.doc_id} has the words of pages that are "
            f"{abs(shift)} {'later' if shift > 0 else 'earlier'} than its numbers say: read so; "
            "first_page: 0 reads it as it is numbered",
        )
        return _shifted(reading, shift)

    def _say(self, dataset: Dataset, line: str) -> None:
        if line not in dataset.report.problems.get(FROM_ONE, []):
            dataset.report.add(FROM_ONE, line)


def find_kb(kb: str, root: Path | None) -> Path:
    """The folder or JSON file of a knowledge base.

    A bare name means the folder beside the ground truth first, anything else a path first. Raises
    DatasetError that lists those beside the truth.
    """
    try:
        places = [Path(kb).expanduser()] if kb else []
        if kb and root is not None:
            places.insert(0 if Path(kb).name == kb else 1, root / kb)
        for place in places:
            if place.is_dir() or (place.suffix.lower() == ".json" and place.is_file()):
                return place
    except (OSError, RuntimeError, ValueError) as error:  # no such home, too long, a null
        raise DatasetError(f"no folder of a precomputed knowledge base {kb!r}: {error}") from error
    beside = sorted(path.name for path in root.iterdir() if path.is_dir()) if root else []
    known_values = f"; known in {root}: {', '.join(beside)}" if beside else ""
    raise DatasetError(f"no folder of a precomputed knowledge base {kb!r}{known_values}")


def _name(doc_id: str) -> PurePosixPath:
    """A document's id, which is not trusted, as a path. Raises EngineError."""
    parts = doc_id.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise EngineError(f"document id {doc_id!r} cannot be a file name")
    return PurePosixPath(*parts)


def _forms(name: PurePosixPath) -> list[PurePosixPath]:
    """A name as it is, and with accented letters composed and decomposed, as systems differ in
    this."""
    forms = (str(name), *(unicodedata.normalize(form, str(name)) for form in ("NFC", "NFD")))
    return [PurePosixPath(form) for form in dict.fromkeys(forms)]


def document_file(doc_id: str) -> PurePosixPath:
    """The JSON file of a document within its knowledge base. Raises EngineError."""
    name = _name(doc_id)
    return name.with_name(f"{name.name}.json")


class Files:
    """A folder of files."""

    def __init__(self, folder: Path, dataset: Dataset, params: PrecomputedParams) -> None:
        self.folder = folder
        self.first_page = params.first_page
        self.furniture = not params.furniture
        self.names = Counter(doc_id.rpartition("/")[2] for doc_id in dataset.documents)
        self._records: dict[str, list[Any]] | None = None

    def read(self, document: Document) -> tuple[Reading, bytes]:
        """A document's pages in its files, and the bytes of these. Raises EngineError."""
        path = self._find(document.doc_id)
        if path is None:
            return self._read_record(document)
        try:
            if path.is_dir():
                reading, data = read_page_files(path, self.first_page, furniture=self.furniture)
                if reading.pages or (inside := _mineru_file(path)) is None:
                    return reading, data
                path = inside
            data = read_bounded(path)
        except (OSError, ValueError) as error:
            name = path.relative_to(self.folder).as_posix()
            raise EngineError(f"{name} cannot be read: {error}") from error
        if path.suffix.lower() == ".json":
            name = path.relative_to(self.folder).as_posix()
            return read_json(data, furniture=self.furniture, name=name), data
        if path.suffix.lower() == LINES:
            return read_json_lines(data, furniture=self.furniture, name=path.name), data
        if path.suffix.lower() in XML_SUFFIXES:
            return read_xml(data, furniture=self.furniture), data
        reading = read_text(data, path.name, len(document.pages), furniture=self.furniture)
        if reading.form == "text":  # of the one page
            reading = _shifted(reading, document.pages[0].ref.page_no)
        return reading, data

    def _read_record(self, document: Document) -> tuple[Reading, bytes]:
        """A document in a file of many, a line each. Raises EngineError if none is there."""
        if self._records is None:
            self._records = _records(self.folder)
        name = document.doc_id.rpartition("/")[2]
        records = self._records.get(name, []) if self.names[name] == 1 else []
        if not records:
            raise EngineError(f"{document_file(document.doc_id)} missing from {self.folder.name}")
        if len(records) > 1:
            raise EngineError(
                f"{len(records)} lines are of a source file {name}: remove all but one"
            )
        data = json.dumps(records[0], sort_keys=True).encode()
        return read_content(records[0], furniture=self.furniture), data

    def _find(self, doc_id: str) -> Path | None:
        """The one file or folder of a document; None without any. Raises EngineError."""
        name = _name(doc_id)
        places = [name, PurePosixPath(name.name)] if self.names[name.name] == 1 else [name]
        try:
            candidates = (self._candidates(form) for place in places for form in _forms(place))
            paths = next(filter(None, candidates), [])
        except (OSError, ValueError) as error:
            raise EngineError(f"{name} cannot be read: {error}") from error
        if not paths:
            return None
        if len(paths) > 1:
            kinds = " and as ".join(
                "a folder" if path.is_dir() else f"a {path.suffix[1:].upper()} file"
                for path in paths
            )
            raise EngineError(f"{paths[0].name} is there as {kinds}: remove one")
        return paths[0]

    def _candidates(self, name: PurePosixPath) -> list[Path]:
        """Files and folders of a name, in a fixed order; tools write others beside their JSON."""
        path = self.folder / name
        beside = [path.with_name(f"{path.name}{suffix}") for suffix in SUFFIXES]
        structured = [path] if path.is_dir() else []
        structured += [file for file in beside[:1] if file.is_file()]
        return structured or [file for file in beside[1:] if file.is_file()]


def _mineru_file(folder: Path) -> Path | None:
    """MinerU's file that is read; None without any. Raises EngineError for several."""
    for pattern in LISTS:
        files = sorted(filter(is_shown, folder.rglob(pattern)))
        if len(files) > 1:
            raise EngineError(f"{folder.name} has {len(files)} files {pattern}: remove all but one")
        if files:
            return files[0]
    return None


def _records(folder: Path) -> dict[str, list[Any]]:
    """olmOCR's documents in files of many, by the names of their source files.

    Lines that are none are left out. Raises EngineError.
    """
    records: dict[str, list[Any]] = {}
    for path in sorted(filter(is_shown, folder.rglob(f"*{LINES}"))):
        try:
            data = read_bounded(path)
        except (OSError, ValueError) as error:
            raise EngineError(f"{path.name} cannot be read: {error}") from error
        for record in json_lines(data, path.name):
            if is_olmocr(record) and (name := source_name(record)):
                records.setdefault(name, []).append(record)
    return records


class _Annotations:
    """A JSON file of OmniDocBench."""

    def __init__(self, path: Path) -> None:
        self.pages: dict[str, AnnotatedPage] = {}
        try:
            for page in read_annotations(read_bounded(path), path.name):
                self.pages.setdefault(page.stem, page)
        except OSError as error:
            raise DatasetError(f"{path} cannot be read: {error}") from error

    def read(self, document: Document) -> tuple[Reading, bytes]:
        """The annotated page of a document of that name. Raises EngineError."""
        page = self.pages.get(document.doc_id.rpartition("/")[2])
        if page is None:
            raise EngineError("no image of that name")
        text = page.markdown
        first = document.pages[0].ref.page_no if document.pages else 0
        return Reading({first: Outcome.of_text(text)}, "", "omnidocbench"), text.encode()


def _is_one_beyond(document: Document, reading: Reading) -> bool:
    """Whether the last page of the output is the one after the document's, which has a page 0."""
    numbers = [page.ref.page_no for page in document.pages]
    return 0 in numbers and max(reading.pages, default=0) == max(numbers) + 1


def _shifted(reading: Reading, by: int) -> Reading:
    """Output with other page numbers; what comes before page 0 is dropped."""
    pages = {number + by: page for number, page in reading.pages.items() if number + by >= 0}
    words = {number + by: words for number, words in reading.words.items() if number + by >= 0}
    return replace(reading, pages=pages, words=words)


def _add_missing(document: Document, reading: Reading, missing: str) -> dict[PageRef, Outcome[str]]:
    """The pages found, then an error for each ground-truth page that is not among them."""
    pages = {PageRef(document.doc_id, page_no): page for page_no, page in reading.pages.items()}
    why = " ".join(f"{missing}: {reading.problem}".split()) if reading.problem else missing
    for page in document.pages:
        pages.setdefault(page.ref, Outcome.error(why))
    return pages
