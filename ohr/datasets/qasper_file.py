"""Reads QASPER's files: papers with their questions and annotators' answers.

Three forms are read: the published mapping of papers by id; rows from the Hub, as a JSON list, JSON
Lines or Parquet, in which sections, questions and answers may be columns; and such a table as
columns.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ohr.collection import ValidationReport
from ohr.datasets.decoding import decode
from ohr.datasets.json_text import parse_json, parse_records
from ohr.datasets.values import described, name_of, reason_of, rows_of, text_of
from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.metrics.qasper import FLOAT, UNANSWERABLE, AnswerType, Prediction, Reference


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a paper; ``name`` joins its title and those above it with `` ::: ``."""

    name: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """A question, with each annotator's answer."""

    qid: str
    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper. ``captions`` are of figures and tables."""

    paper_id: str
    title: str
    abstract: str
    sections: tuple[Section, ...]
    captions: tuple[str, ...]
    questions: tuple[PaperQuestion, ...]

    def paragraphs(self) -> Iterator[str]:
        """Everything that can be evidence, in the form of the annotations."""
        for section in self.sections:
            yield from filter(str.strip, section.paragraphs)
        yield from (f"{FLOAT}: {caption}" for caption in self.captions)


def read_papers(path: Path, report: ValidationReport) -> list[Paper]:
    """The papers of a train, dev or test file.

    Malformed papers, questions and answers go into the report. Raises DatasetError for another
    kind of file.
    """
    try:
        data = read_bounded(path)
        content = None
        if _is_parquet(data):
            content = pq.read_table(io.BytesIO(data), use_threads=False).to_pylist()
        papers = _papers(parse_records(data) if content is None else content)
    except OSError as error:
        raise DatasetError(f"cannot read papers from {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError, pa.ArrowException) as error:
        raise DatasetError(f"cannot read papers from {path}: {error}") from error
    if not papers:
        raise DatasetError(f"{path} holds no papers")
    result = []
    for paper_id, paper in papers:
        try:
            result.append(_paper(name_of(paper_id, "id"), paper, report))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            report.add("malformed_paper", f"{paper_id}: {reason_of(error)}")
    return result


def _is_parquet(data: bytes) -> bool:
    return data.startswith(b"PAR1")


def _papers(content: Any) -> list[tuple[Any, Any]]:
    """Papers with their ids, from any of the three forms. Raises ValueError for another form."""
    if isinstance(content, Mapping) and not content.keys() & {"full_text", "qas"}:
        return list(content.items())
    if isinstance(content, Mapping):  # one row, or the columns of a table
        content = [content] if isinstance(content.get("id"), str) else rows_of(content)
    if not isinstance(content, list):
        raise ValueError(
            f"{described(content)} where papers are expected, by id as QASPER publishes them or in "
            "rows as the Hub gives them"
        )
    return [
        (row.get("id", f"row {n}"), row) if isinstance(row, Mapping) else (f"row {n}", row)
        for n, row in enumerate(content)
    ]


def gold_of(papers: Sequence[Paper]) -> dict[str, tuple[Reference, ...]]:
    """Question id -> references; the last ones for a repeated id."""
    return {row.qid: row.references for paper in papers for row in paper.questions}


def _paper(paper_id: str, paper: Mapping[str, Any], report: ValidationReport) -> Paper:
    return Paper(
        paper_id,
        text_of(paper.get("title"), "title"),
        text_of(paper.get("abstract"), "abstract"),
        tuple(
            Section(
                text_of(part.get("section_name"), "section_name"),
                _listed_texts(part["paragraphs"], "paragraphs"),
            )
            for part in rows_of(paper["full_text"])
        ),
        tuple(
            text_of(row.get("caption"), "caption")
            for row in rows_of(paper.get("figures_and_tables"))
        ),
        tuple(_questions(paper_id, rows_of(paper.get("qas")), report)),
    )


def _listed_texts(values: Any, field: str) -> tuple[str, ...]:
    """The texts of a list. Raises ValueError for anything else, also for a single text."""
    if not isinstance(values, list | tuple):
        raise ValueError(f"{field} is {described(values)}; give a list of texts")
    return tuple(text_of(value, field) for value in values)


def _questions(
    paper_id: str, entries: Sequence[Mapping[str, Any]], report: ValidationReport
) -> Iterator[PaperQuestion]:
    for number, entry in enumerate(entries):
        try:
            qid = name_of(entry["question_id"], "question_id")
            references = tuple(
                reference
                for annotation in rows_of(entry["answers"])
                if (reference := _reference(qid, annotation["answer"], report)) is not None
            )
            question = PaperQuestion(qid, text_of(entry["question"], "question"), references)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            report.add("malformed_question", f"question {number} of {paper_id}: {reason_of(error)}")
            continue
        if references:
            yield question
        else:
            report.add("empty_answer", qid)


def _reference(qid: str, answer: Mapping[str, Any], report: ValidationReport) -> Reference | None:
    """An annotator's answer; None, with a line in the report, if there is none."""
    for flag in ("unanswerable", "yes_no"):
        if not isinstance(value := answer.get(flag), bool | None):
            raise ValueError(f"{flag} is {described(value)}; give true, false or null")
    if answer["unanswerable"]:
        return Reference(UNANSWERABLE, "none")
    kind: AnswerType
    if spans := answer["extractive_spans"]:
        text, kind = ", ".join(_listed_texts(spans, "extractive_spans")), "extractive"
    elif written := answer["free_form_answer"]:
        text, kind = text_of(written, "free_form_answer"), "abstractive"
    elif (verdict := answer["yes_no"]) is not None:
        text, kind = "Yes" if verdict else "No", "boolean"
    else:
        report.add("annotation_without_answer", qid)
        return None
    return Reference(text, kind, _listed_texts(answer["evidence"], "evidence"))


def read_predictions(path: Path) -> dict[str, Prediction]:
    """A JSONL file of predictions: ``question_id``, ``predicted_answer``, ``predicted_evidence``.

    Raises DatasetError with the malformed line.
    """
    try:
        lines = decode(read_bounded(path)).split("\n")
    except OSError as error:
        raise DatasetError(f"cannot read predictions from {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"cannot read predictions from {path}: it is not UTF-8") from error
    predictions = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = parse_json(line)
            evidence = entry["predicted_evidence"]
            predictions[name_of(entry["question_id"], "question_id")] = Prediction(
                text_of(entry["predicted_answer"], "predicted_answer"),
                _listed_texts(evidence, "predicted_evidence"),
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DatasetError(
                f"{path}, line {number}: no prediction ({reason_of(error)})"
            ) from error
    return predictions


def predictions_text(predictions: Mapping[str, Prediction]) -> str:
    """Predictions in the form of :func:`read_predictions`."""
    lines = (
        {
            "question_id": qid,
            "predicted_answer": prediction.answer,
            "predicted_evidence": list(prediction.evidence),
        }
        for qid, prediction in predictions.items()
    )
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
