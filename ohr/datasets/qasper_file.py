"""QASPER's files, as they are published: papers with their questions and annotators' answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ohr.bounded import read_bounded
from ohr.collection import ValidationReport
from ohr.datasets.json_text import parse_json
from ohr.errors import DatasetError
from ohr.metrics.qasper import FLOAT, UNANSWERABLE, AnswerType, Prediction, Reference


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a paper; ``name`` joins the titles that it stands under with `` ::: ``."""

    name: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """A question, and what each annotator answered."""

    qid: str
    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper. ``captions`` are those of its figures and tables."""

    paper_id: str
    title: str
    abstract: str
    sections: tuple[Section, ...]
    captions: tuple[str, ...]
    questions: tuple[PaperQuestion, ...]

    def paragraphs(self) -> Iterator[str]:
        """All that can be evidence, as annotators' evidence names it."""
        for section in self.sections:
            yield from filter(str.strip, section.paragraphs)
        yield from (f"{FLOAT}: {caption}" for caption in self.captions)


def read_papers(path: Path, report: ValidationReport) -> list[Paper]:
    """The papers of a train, dev or test file.

    What cannot be understood goes into the report: a paper, a question, or an annotator's answer.
    Raises DatasetError for what is no such file.
    """
    try:
        papers = parse_json(read_bounded(path))
    except OSError as error:
        raise DatasetError(f"cannot read papers from {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"cannot read papers from {path}: {error}") from error
    if not isinstance(papers, dict):
        raise DatasetError(f"{path}: expected a mapping of papers by id, as QASPER publishes it")
    found = []
    for paper_id, paper in papers.items():
        try:
            found.append(_paper(str(paper_id), paper, report))
        except (KeyError, TypeError, AttributeError) as error:
            report.add("malformed_paper", f"{paper_id}: {error!r}")
    return found


def gold_of(papers: Sequence[Paper]) -> dict[str, tuple[Reference, ...]]:
    """The references of each question by its id; of a repeated id, the last ones."""
    return {one.qid: one.references for paper in papers for one in paper.questions}


def _paper(paper_id: str, paper: Mapping[str, Any], report: ValidationReport) -> Paper:
    floats = paper.get("figures_and_tables") or ()
    return Paper(
        paper_id,
        _text(paper.get("title")),
        _text(paper.get("abstract")),
        tuple(
            Section(_text(part.get("section_name")), tuple(map(_text, part["paragraphs"])))
            for part in paper["full_text"]
        ),
        tuple(_text(one.get("caption")) for one in floats),
        tuple(_questions(paper_id, paper.get("qas") or (), report)),
    )


def _questions(
    paper_id: str, entries: Sequence[Mapping[str, Any]], report: ValidationReport
) -> Iterator[PaperQuestion]:
    for number, entry in enumerate(entries):
        try:
            qid = str(entry["question_id"])
            references = tuple(
                reference
                for annotation in entry["answers"]
                if (reference := _reference(qid, annotation["answer"], report)) is not None
            )
            question = PaperQuestion(qid, _text(entry["question"]), references)
        except (KeyError, TypeError, AttributeError) as error:
            report.add("malformed_question", f"question {number} of {paper_id}: {error!r}")
            continue
        if references:
            yield question
        else:
            report.add("empty_answer", qid)


def _reference(qid: str, answer: Mapping[str, Any], report: ValidationReport) -> Reference | None:
    """An annotator's answer; None, and a line in the report, for one who gave none."""
    if answer["unanswerable"]:
        return Reference(UNANSWERABLE, "none")
    kind: AnswerType
    if spans := answer["extractive_spans"]:
        text, kind = ", ".join(map(_text, spans)), "extractive"
    elif written := answer["free_form_answer"]:
        text, kind = _text(written), "abstractive"
    elif (verdict := answer["yes_no"]) is not None:
        text, kind = "Yes" if verdict else "No", "boolean"
    else:
        report.add("annotation_without_answer", qid)
        return None
    return Reference(text, kind, tuple(map(_text, answer["evidence"])))


def _text(value: Any) -> str:
    """A JSON value as text, which of null is empty."""
    return "" if value is None else str(value)


def read_predictions(path: Path) -> dict[str, Prediction]:
    """A JSONL file of predictions: ``question_id``, ``predicted_answer``, ``predicted_evidence``.

    Raises DatasetError with the line that is none.
    """
    try:
        lines = read_bounded(path).decode("utf-8-sig").split("\n")
    except OSError as error:
        raise DatasetError(f"cannot read predictions from {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"cannot read predictions from {path}: it is not UTF-8") from error
    found = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = parse_json(line)
            evidence = entry["predicted_evidence"]
            if not isinstance(evidence, list):
                raise TypeError("predicted_evidence is no list")
            found[str(entry["question_id"])] = Prediction(
                _text(entry["predicted_answer"]), tuple(map(_text, evidence))
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DatasetError(f"{path}, line {number}: no prediction ({error!r})") from error
    return found


def predictions_text(predictions: Mapping[str, Prediction]) -> str:
    """Predictions as :func:`read_predictions` reads them."""
    lines = (
        {
            "question_id": qid,
            "predicted_answer": one.answer,
            "predicted_evidence": list(one.evidence),
        }
        for qid, one in predictions.items()
    )
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
