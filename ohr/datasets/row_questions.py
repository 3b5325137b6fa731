"""Makes questions about a folder's PDFs from the rows of a CSV."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ohr.collection import ValidationReport
from ohr.datasets.alternatives import alternatives, doubt
from ohr.datasets.ohrbench import source_name
from ohr.datasets.page_labels import PageLabels
from ohr.datasets.questions_csv import Row
from ohr.datasets.written_pages import is_plain, pages_of
from ohr.files.safe_text import readable
from ohr.markup.hyphenation import join_cut_words
from ohr.types import PageRef, Question

DEFAULT_DOMAIN = "documents"
_SHOWN = 20
_SENTENCE = 8
"""An answer with more words than this is a sentence."""
_OF_SPREADSHEETS = {"TRUE": "yes", "FALSE": "no", "WAHR": "ja", "FALSCH": "nein"}
"""Spreadsheets' words for yes and no, in English and German."""


def domain_of(doc_id: str) -> str:
    """The domain in a document's id."""
    return doc_id.split("/", 1)[0]


def questions_of(
    rows: Iterable[Row], pdfs: Mapping[str, Path], report: ValidationReport, labels: PageLabels
) -> Iterator[tuple[int, Question]]:
    """The question of each row, with its line; rows without a question go into the report."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for known_values in pdfs:
        by_name[known_values.rsplit("/", 1)[-1]].append(known_values)
    for row in rows:
        try:
            pages = pages_of(row["page"])
        except ValueError as error:
            written = row["page"][:_SHOWN]
            named = _documents(row["document"], pdfs, by_name)
            hint = labels.hint(pdfs.get(named[0]) if len(named) == 1 else None, row["page"])
            report.add("malformed_question", f"line {row.line}: page {written!r} {error}{hint}")
            continue
        named = _documents(row["document"], pdfs, by_name)
        if len(named) > 1:
            report.add(
                "ambiguous_document",
                f"line {row.line}: {row['document']!r} is any of {', '.join(named)}: "
                "name the folder too",
            )
            continue
        if why := doubt(row["answer"]):
            meaning = " and ".join(map(repr, alternatives(row["answer"])))
            report.add(
                "doubtful_answer",
                f"line {row.line}: {row['answer'][:_SHOWN]!r} is read as {meaning}: {why}",
            )
        doc_id = named[0]
        yield (
            row.line,
            Question(
                qid=row["id"] or f"line-{row.line}",
                text=row["question"],
                answers=_answers(row["answer"]),
                doc_id=doc_id,
                domain=domain_of(doc_id),
                evidence_pages=tuple(PageRef(doc_id, page - 1) for page in pages),
                evidence_text=join_cut_words(row["evidence"]),
                evidence_source=source_name(row["evidence_source"]) or "text",
                answer_form=row["answer_form"],
                task=row["task"],
                category=row["category"],
            ),
        )


def _documents(
    written: str, pdfs: Mapping[str, Path], by_name: Mapping[str, Sequence[str]]
) -> Sequence[str]:
    """The ids of the documents that a field may mean; for a missing document, its possible id.

    An empty field means the only document, if there is one only.
    A backslash separates folders, as on Windows, unless it is part of a PDF's name.
    """
    if not written.strip() and len(pdfs) == 1:
        return list(pdfs)
    name = readable(written)
    name = name[:-4] if name.lower().endswith(".pdf") else name
    if "\\" in name and name not in pdfs and name not in by_name:
        name = name.replace("\\", "/")
    return [name] if "/" in name else by_name.get(name, [f"{DEFAULT_DOMAIN}/{name}"])


def _answers(field: str) -> tuple[str, ...]:
    """The accepted answers; yes and no are added to spreadsheets' words for them."""
    answers = alternatives(field)
    meant = (_OF_SPREADSHEETS[answer] for answer in answers if answer in _OF_SPREADSHEETS)
    return tuple(dict.fromkeys((*answers, *meant)))


def report_row_formats(rows: Sequence[Row], report: ValidationReport) -> None:
    """Report what most rows have in common, and how unusual fields are understood."""
    _report_long_answers(rows, report)
    _report_repeats(rows, report)
    _report_spreadsheet_answers(rows, report)
    _report_page_formats(rows, report)


def _report_long_answers(rows: Sequence[Row], report: ValidationReport) -> None:
    """Report if most answers are sentences, which no short answer equals."""
    answers = [row["answer"] for row in rows if row["answer"]]
    long = sum(len(answer.split()) > _SENTENCE for answer in answers)
    if long * 2 > len(answers):
        report.notes.append(
            f"{long} of {len(answers)} answers are of more than {_SENTENCE} words: their F1 "
            "is low whatever is read, and em 0; compare engines by retrieval, or shorten them"
        )


def _report_repeats(rows: Sequence[Row], report: ValidationReport) -> None:
    """Report rows that repeat others, since each counts as a separate question."""
    first: dict[tuple[str, ...], int] = {}
    repeats = []
    for row in rows:
        key = tuple(" ".join(row[name].split()) for name in ("question", "document", "page"))
        if first.setdefault(key, row.line) != row.line:
            repeats.append((row.line, first[key]))
    if repeats:
        again, line = repeats[0]
        report.notes.append(
            f"{len(repeats)} of {len(rows)} rows ask what another does of the same page, "
            f"such as line {again}, as line {line}: each counts, so intervals come out too narrow"
        )


def _report_spreadsheet_answers(rows: Sequence[Row], report: ValidationReport) -> None:
    """Report answers that are spreadsheets' words for yes and no."""
    written = _OF_SPREADSHEETS.keys()
    lines = [row.line for row in rows if not written.isdisjoint(alternatives(row["answer"]))]
    if lines:
        report.notes.append(
            f"{len(lines)} of {len(rows)} answers are TRUE or FALSE, as spreadsheets "
            f"write yes and no, such as line {lines[0]}: yes and no count as right too"
        )


def _report_page_formats(rows: Sequence[Row], report: ValidationReport) -> None:
    """Report pages that are not plain numbers."""
    unusual = []
    for row in rows:
        if not is_plain(row["page"]):
            try:
                if pages := pages_of(row["page"]):
                    unusual.append((row, pages))
            except ValueError:
                continue  # the row is reported where its question is read
    if unusual:
        row, pages = unusual[0]
        meant = f"page{'s' * (len(pages) > 1)} {', '.join(map(str, pages[:_SHOWN]))}"
        report.notes.append(
            f"{len(unusual)} of {len(rows)} rows write their page with words, a range or a "
            f"list, such as line {row.line}: {row['page'][:_SHOWN]!r} is read as {meant}"
        )
