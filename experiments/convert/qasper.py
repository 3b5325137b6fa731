"""Converts the answers of a finished run to QASPER's predictions."""

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
"""Smallest similarity (rapidfuzz's ratio, 0 to 100) of a quote and its paragraph."""
STAGE = "overall"


def run_predictions(
    run: Path, papers: Sequence[Paper]
) -> Iterator[tuple[str, dict[str, Prediction]]]:
    """The predictions of each knowledge base and system, with a name.

    A refusal becomes :data:`UNANSWERABLE`, a failed answer is empty. The evidence of an answer is
    the paragraph of its paper in its quote or, for OCR output with errors, the most similar one:
    QASPER identifies paragraphs by their exact text. Raises OhrError.
    """
    paragraphs = {
        question.qid: list(paper.paragraphs()) for paper in papers for question in paper.questions
    }
    by_name: dict[str, dict[str, Prediction]] = {}
    for row in read_cases(run, "answers").to_pylist():
        if row["stage"] != STAGE or row["qid"] not in paragraphs:
            continue
        parts = ("knowledge_base", "system", "chunker", "retriever", "reader")
        name = " ".join(str(row[part]) for part in parts if row[part])
        text = row["text"] or ""
        answer = UNANSWERABLE if refused(text) else text
        evidence = quoted(row["quote"], paragraphs[row["qid"]])
        by_name.setdefault(name, {})[row["qid"]] = Prediction(answer, evidence)
    yield from by_name.items()


def quoted(quote: str, paragraphs: Sequence[str]) -> tuple[str, ...]:
    """The paragraphs within a quote, else those around it, else the most similar one."""
    flat = {text: _flat(text) for text in paragraphs}
    flat_quote = _flat(quote)
    if not flat_quote:
        return ()
    within = tuple(paragraph for paragraph, text in flat.items() if text and text in flat_quote)
    around = tuple(paragraph for paragraph, text in flat.items() if flat_quote in text)
    if within or around:
        return within or around
    best = process.extractOne(flat_quote, flat, scorer=fuzz.ratio, score_cutoff=ALIKE)
    return () if best is None else (best[2],)


def _flat(text: str) -> str:
    return " ".join(text.removeprefix(f"{FLOAT}: ").split())


def file_names(names: Sequence[str]) -> Mapping[str, str]:
    """Name -> a file name, all different."""
    files: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._") or "predictions"
        while f"{stem}.jsonl" in files.values():
            stem += "_"
        files[name] = f"{stem}.jsonl"
    return files
