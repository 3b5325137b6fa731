"""Answers of a finished run as QASPER's predictions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rapidfuzz import fuzz, process

from ohr.datasets.qasper_file import Paper
from ohr.metrics.qasper import FLOAT, UNANSWERABLE, Prediction
from ohr.metrics.refusal import refused
from ohr.study.output.cases import read_cases

ALIKE = 50
"""Least likeness (rapidfuzz's ratio, of 100) of a quote and the paragraph that it is taken for."""
STAGE = "overall"


def run_predictions(
    run: Path, papers: Sequence[Paper]
) -> Iterator[tuple[str, dict[str, Prediction]]]:
    """A name for each knowledge base and what answered from it, with its predictions.

    An answer that declines is :data:`UNANSWERABLE`, one that failed is empty. The evidence of an
    answer is the paragraph of its paper that its quote holds or, in a noisy reading, is most like:
    QASPER knows paragraphs by their letters. Raises OhrError.
    """
    paragraphs = {
        question.qid: list(paper.paragraphs()) for paper in papers for question in paper.questions
    }
    found: dict[str, dict[str, Prediction]] = {}
    for row in read_cases(run, "answers").to_pylist():
        if row["stage"] != STAGE or row["qid"] not in paragraphs:
            continue
        parts = ("knowledge_base", "system", "chunker", "retriever", "reader")
        name = " ".join(str(row[part]) for part in parts if row[part])
        text = row["text"] or ""
        answer = UNANSWERABLE if refused(text) else text
        evidence = quoted(row["quote"], paragraphs[row["qid"]])
        found.setdefault(name, {})[row["qid"]] = Prediction(answer, evidence)
    yield from found.items()


def quoted(quote: str, paragraphs: Sequence[str]) -> tuple[str, ...]:
    """The paragraphs within a quote, else those around it, else the one that it is most like."""
    flat = {text: _flat(text) for text in paragraphs}
    said = _flat(quote)
    if not said:
        return ()
    within = tuple(place for place, text in flat.items() if text and text in said)
    around = tuple(place for place, text in flat.items() if said in text)
    if within or around:
        return within or around
    best = process.extractOne(said, flat, scorer=fuzz.ratio, score_cutoff=ALIKE)
    return () if best is None else (best[2],)


def _flat(text: str) -> str:
    return " ".join(text.removeprefix(f"{FLOAT}: ").split())


def file_names(names: Sequence[str]) -> Mapping[str, str]:
    """A file name for each name, no two alike."""
    taken: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._") or "predictions"
        while f"{stem}.jsonl" in taken.values():
            stem += "_"
        taken[name] = f"{stem}.jsonl"
    return taken
