r"""A folder of PDFs and a CSV of questions: for your own documents.

There is no ground truth: the PDFs' text layer is used in its place. Engines are not compared with a
page's layer if it does not match the page (:mod:`ohr.documents.layers.verdict`), nor with words of
it that are doubtful. A PDF in a subfolder belongs to the domain of that name, the others to
``documents``.

The CSV (UTF-8; commas, semicolons or tabs; or the first sheet of an ``.xlsx``) has a header, in
which case and spaces do not matter. Required columns are ``question``, ``answer`` and, unless there
is only one PDF, ``document`` (the PDF's name, with or without suffix, and with its folder if
several PDFs have that name; ``\`` is read as ``/``). Several answers are separated by ``|``, except
within ``$…$``. The ``page`` is counted from 1, as in PDF viewers, and may be written as ``12``,
``p. 12``, ``12-13``, ``12 and 13``. Without a page, the document is searched for the evidence or an
answer: if only one page holds it, that is the page, and otherwise the report says why there is
none. Optional columns are ``evidence`` (by default the lines of the page that contain an answer,
other than yes and no), ``id``, ``evidence_source`` (default ``text``), ``answer_form``, ``task``,
``category``.

A wrong row would count against all engines alike. So a row is left out, and the report says why, if
its page does not exist, or if its evidence is not in the page's text layer, by the same rule as for
noisy evidence: at most .95 of its words are there, in order. A row without evidence, on a page that
contains no answer or has no truth, is asked; metrics of evidence leave it out.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field
from rapidfuzz import fuzz, process

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.holes import evidence_in_hole, join_pages
from ohr.datasets.locating import lines_with
from ohr.datasets.page_labels import PageLabels
from ohr.datasets.page_search import search_page
from ohr.datasets.questions_csv import read_rows
from ohr.datasets.row_questions import DEFAULT_DOMAIN, domain_of, questions_of, report_row_formats
from ohr.documents.opening import LIMITS, Report
from ohr.documents.verifying import verified_layers
from ohr.errors import DatasetError
from ohr.files.safe_text import is_hidden, readable
from ohr.metrics.default import lcs
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.plugins import DatasetParams, DatasetSource
from ohr.statistics.numbers import percent
from ohr.types import Document, Holes, Page, PageRef, Question
from ohr.workers import Limits

TRUTH = "text layer of the PDFs"
_OFF_ROWS = 2
"""Least number of rows one page off for a report about the column."""
_ALIKE = 80
"""Least similarity of similar names, of 100 (rapidfuzz's ratio)."""


class FolderParams(DatasetParams):
    """Limits for opening a PDF, or for reading the text layer of a page."""

    open_cpu_s: float = Field(LIMITS.cpu_s, gt=0)
    """Most CPU seconds for opening a PDF, or for a page's text layer; with more it counts as
    unreadable."""
    open_memory_mb: float = Field(LIMITS.memory_mb or 0, ge=100)
    """Most memory for it, in megabytes."""


class Folder(DatasetSource[FolderParams]):
    """``path`` is the folder of PDFs, ``questions`` the CSV."""

    name = "folder"
    version = "6"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None or params.questions is None:
            raise DatasetError("dataset.kind=folder needs dataset.path and dataset.questions")
        if params.pdfs is not None:
            raise DatasetError("dataset.kind=folder finds its PDFs in dataset.path, not .pdfs")
        report = ValidationReport()
        root = Path(params.path)
        rows = read_rows(params.questions, report)
        report_row_formats(rows, report)
        pdfs = _find_pdfs(root, params.questions, report)
        if len(pdfs) > 1 and not any("document" in row.fields for row in rows):
            raise DatasetError(
                f"{params.questions}: no column document in the header, which only questions about "
                f"one PDF need not have: {root} has {len(pdfs)}"
            )
        corpus = _Corpus(report, Limits(params.open_cpu_s, LIMITS.wall_s, params.open_memory_mb))
        corpus.read(
            {
                doc_id: path
                for doc_id, path in pdfs.items()
                if not params.domains or domain_of(doc_id) in params.domains
            },
            self.progress,
        )
        located = (
            corpus.add_evidence(line, question)
            for line, question in questions_of(rows, pdfs, report, corpus.labels)
            if not params.domains or question.domain in params.domains
        )
        questions = validate_questions(
            (question for question in located if question is not None),
            corpus.documents,
            report,
            without_evidence=corpus.without_evidence,
            without_page=corpus.without_page,
        )
        corpus.report_off_by_one()
        corpus.report_searched_pages()
        dataset = Dataset(
            corpus.documents.values(),
            questions,
            kind=self.name,
            root=root,
            report=report,
            truth=TRUTH,
            without_truth=corpus.without_truth,
            holes=corpus.holes,
        )
        return finish(dataset, strict=params.strict)


@dataclass(frozen=True, slots=True)
class Layers:
    """Documents with their text layers; pages without a usable layer are in ``without_truth``."""

    documents: Mapping[str, Document]
    without_truth: Mapping[PageRef, str]
    holes: Mapping[PageRef, Holes]
    report: ValidationReport


def read_layers(
    root: Path, limits: Limits = LIMITS, progress: Report = lambda what, done, total: None
) -> Layers:
    """The text layers of a folder of PDFs, without questions. Raises DatasetError.

    ``progress`` gets what is done, and the number of pages of which it is done.
    """
    report = ValidationReport()
    corpus = _Corpus(report, limits)
    corpus.read(_find_pdfs(root, root, report), progress)
    if not corpus.documents:
        why = f": {report.summary()}" if report else ""
        raise DatasetError(f"no PDFs under {root}{why}")
    return Layers(corpus.documents, corpus.without_truth, corpus.holes, report)


def _find_pdfs(root: Path, questions: Path, report: ValidationReport) -> dict[str, Path]:
    """Document id -> PDF; the first of several for one id."""
    if not root.is_dir():
        raise DatasetError(f"no folder of PDFs at {root}")
    pdfs: dict[str, Path] = {}
    rest: dict[str, list[str]] = defaultdict(list)
    for path in sorted(_files(root, report)):
        name = readable(path.relative_to(root).as_posix())
        if path.suffix.lower() != ".pdf":
            if path.resolve() != questions.resolve():
                rest[path.suffix.lower()].append(name)
            continue
        if not path.is_file():
            report.add("unreadable_document", f"{name}: it is no file, or a link to nothing")
            continue
        stem = name[: -len(path.suffix)]
        doc_id = stem if "/" in stem else f"{DEFAULT_DOMAIN}/{stem}"
        first = pdfs.setdefault(doc_id, path)
        if first != path:
            report.add(
                "duplicate_document",
                f"{readable(first.relative_to(root).as_posix())} and {name} are both {doc_id}: "
                "only the first is read",
            )
    for suffix, names in rest.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        kind = f"of the type {suffix}" if suffix else "without a type"
        report.skipped.append(f"{names[0]}{more} {kind}: only PDFs are read")
    return pdfs


def _files(root: Path, report: ValidationReport) -> Iterator[Path]:
    """All files below a folder; folders that are not searched go into the report.

    Hidden files are ignored, and reported only if they are PDFs.
    """
    hidden: list[str] = []

    def unreadable(error: OSError) -> None:
        report.add("unreadable_folder", f"{readable(str(error.filename))}: {error.strerror}")

    for folder, inner, names in os.walk(root, onerror=unreadable):
        inner[:] = [name for name in inner if not is_hidden(Path(name))]
        for name in inner:
            if (path := Path(folder, name)).is_symlink():
                where = readable(path.relative_to(root).as_posix())
                report.skipped.append(f"{where}, a link to a folder: links are not followed")
        for path in (Path(folder, name) for name in names):
            if not is_hidden(Path(path.name)):
                yield path
            elif path.suffix.lower() == ".pdf":
                hidden.append(readable(path.relative_to(root).as_posix()))
    if hidden:
        more = f" and {len(hidden) - 1} more" if len(hidden) > 1 else ""
        report.skipped.append(f"{min(hidden)}{more}: hidden files are passed over")


@dataclass
class _Corpus:
    """The documents with their text layers, and the problems of both."""

    report: ValidationReport
    limits: Limits

    def __post_init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.without_truth: dict[PageRef, str] = {}
        self.holes: dict[PageRef, Holes] = {}
        self.without_evidence: dict[str, str] = {}
        self.without_page: set[str] = set()
        self.labels = PageLabels(self.limits)
        self._rows_off_by: Counter[int] = Counter()
        self._searched: list[tuple[int, PageRef]] = []

    def read(self, pdfs: Mapping[str, Path], progress: Report) -> None:
        """Read the text layers of PDFs; ``pdfs`` maps document ids to files."""
        files = list(pdfs.values())
        verdicts = verified_layers(files, self.limits, report=progress)
        for (doc_id, path), outcome in zip(pdfs.items(), verdicts, strict=True):
            if outcome.value is None:
                self.report.add("unreadable_document", f"{doc_id}: {outcome.detail}")
                continue
            if not outcome.value:
                self.report.add("document_without_pages", doc_id)
            pages = []
            for number, verdict in enumerate(outcome.value):
                ref = PageRef(doc_id, number)
                pages.append(Page(ref, verdict.text))
                where = f"page {number + 1} of {doc_id}"
                if verdict.fault:
                    self.without_truth[ref] = verdict.fault
                    self.report.add("unusable_text_layer", f"{where}: {verdict.fault}")
                    continue
                if verdict.holes != Holes():
                    self.holes[ref] = verdict.holes
                if verdict.note:
                    self.report.add("incomplete_text_layer", f"{where}: {verdict.note}")
            self.documents[doc_id] = Document(doc_id, domain_of(doc_id), tuple(pages), path)

    def add_evidence(self, line: int, question: Question) -> Question | None:
        """A question with its evidence; None, with a line in the report, to leave it out.

        If a question stays without evidence, ``without_evidence`` has the reason.
        """
        document = self.documents.get(question.doc_id)
        if document is None:
            hint = _nearest(question.doc_id, self.documents)
            self.report.add("missing_document", f"{question.doc_id}, asked by {question.qid}{hint}")
            return None
        refs = question.evidence_pages
        if not refs:
            return self._add_page(line, question, document)
        numbers = [ref.page_no for ref in refs]
        where = f"{_pages(numbers)} of {question.doc_id}"
        if not all(0 <= number < len(document.pages) for number in numbers):
            self.report.add(
                "missing_evidence_page",
                f"line {line}: {where}, which has pages 1 to {len(document.pages)}"
                + self.labels.hint(document.source, str(max(numbers) + 1)),
            )
            return None
        if not self.without_truth.keys().isdisjoint(refs):
            self.without_evidence[question.qid] = f"no evidence, and {where} has no usable text"
            return question
        text = "\n".join(document.pages[number].text for number in numbers)
        beside = [
            page
            for page in document.pages
            if {page.ref.page_no - 1, page.ref.page_no + 1} & {*numbers}
            and page.ref not in self.without_truth
            and page.ref not in refs
        ]
        if not question.evidence_text:
            if evidence := lines_with(question.answers, text):
                return replace(question, evidence_text=evidence)
            rest = [
                f"; one does on page {page.ref.page_no + 1}"
                for page in beside
                if lines_with(question.answers, page.text)
            ]
            self.without_evidence[question.qid] = (
                f"no evidence, and no answer stands on {where}{''.join(rest[:1])}"
            )
            return question
        evidence_pages = [document.pages[number] for number in numbers]
        whole, holes = join_pages(
            [(page.text, self.holes.get(page.ref)) for page in evidence_pages]
        )
        if reason := evidence_in_hole(whole, holes, question.evidence_text):
            self.report.add("evidence_in_hole", f"line {line}: {where}: {reason}")
            return question
        share = lcs(text, question.evidence_text)
        if share > R_NOISE_THRESHOLD:
            self._rows_off_by[0] += 1
            return question
        matches = [
            page.ref.page_no
            for page in beside
            if lcs(page.text, question.evidence_text) > R_NOISE_THRESHOLD
        ]
        self._rows_off_by.update(
            number - _nearest_number(number, numbers) for number in matches[:1]
        )
        rest = [f"; it is on page {number + 1}" for number in matches]
        self.report.add(
            "evidence_not_on_page",
            f"line {line}: {percent(share)} of the evidence's words stand on {where}, in order"
            + ("".join(rest[:1]) or self.labels.hint(document.source, str(max(numbers) + 1))),
        )
        return None

    def _add_page(self, line: int, question: Question, document: Document) -> Question:
        """A question without a page, with the only page that holds its evidence or answer."""
        result = search_page(question, document, self.without_truth)
        if result.page is not None:
            self._searched.append((line, result.page))
            return replace(question, evidence_pages=(result.page,), evidence_text=result.evidence)
        self.without_page.add(question.qid)
        self.without_evidence[question.qid] = f"no page, and {result.doubt}"
        self.report.add(
            "doubtful_page",
            f"line {line}: no page, and {result.doubt}: it is asked of all of {question.domain} "
            "(overall), and nothing is assessed that needs its page: write the page, from 1 on",
        )
        return question

    def report_searched_pages(self) -> None:
        """Report how many rows without a page got one by a search."""
        if self._searched:
            line, page = self._searched[0]
            total = len(self._searched) + len(self.report.problems.get("doubtful_page", ()))
            self.report.notes.append(
                f"{total} rows have no page: {len(self._searched)} got the only page of "
                "their document that holds their evidence or answer, such as line "
                f"{line}: page {page.page_no + 1} of {page.doc_id}"
            )

    def report_off_by_one(self) -> None:
        """Report if most rows name the page before, or after, that of their evidence."""
        total = self._rows_off_by.total()
        for apart, fix in ((1, "from 0: add 1 to each"), (-1, "from 2: take 1 from each")):
            rows = self._rows_off_by[apart]
            if rows >= _OFF_ROWS and rows > total / 2:
                self.report.add(
                    "pages_off_by_one",
                    f"the evidence of {rows} of {total} rows is on the page "
                    f"{'after' if apart > 0 else 'before'} theirs: the column page seems to count "
                    f"{fix}",
                )


def _pages(numbers: Sequence[int]) -> str:
    """``page 3``, or ``pages 3, 4``, for 0-based numbers."""
    return f"page{'s' * (len(numbers) > 1)} {', '.join(str(number + 1) for number in numbers)}"


def _nearest_number(number: int, numbers: Sequence[int]) -> int:
    return min(numbers, key=lambda candidate: (abs(candidate - number), candidate))


def _nearest(doc_id: str, documents: Iterable[str]) -> str:
    """The hint ``; did you mean 'documents/report'?``, or empty if no name is similar.

    Names are compared without their folders, and case does not matter.
    """
    match = process.extractOne(
        doc_id,
        list(documents),
        scorer=fuzz.ratio,
        processor=lambda known_values: known_values.rsplit("/", 1)[-1].casefold(),
        score_cutoff=_ALIKE,
    )
    return f"; did you mean {match[0]!r}?" if match else ""
