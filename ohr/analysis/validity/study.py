"""Compares made questions with given ones, and with those made from other engines' text.

Both sets are of the same size, on the same pages, and under the same conditions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.analysis.validity.table import (
    AGREE,
    DISAGREE,
    ONE_SETTLES,
    UNDECIDED,
    Scores,
    can_settle,
    differences,
    half_tau,
    scores_of,
    swings,
    tau_b,
)
from ohr.collection import Dataset, ValidationReport
from ohr.datasets.ohrbench import GROUND_TRUTH, read_documents
from ohr.display.terminal import report_failures, say_files
from ohr.errors import ConfigError, OhrError, did_you_mean
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.questions import QuestionSet, make_question_set
from ohr.questions.storage import write_question_set
from ohr.statistics.numbers import number, p_value
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.questions import select_questions
from ohr.study.results import StudyRun
from ohr.study.run import run_study
from ohr.types import PageRef, Question

LEAST_CONDITIONS = 4
LEAST_MAKERS = 2


def measure_validity(config: StudyConfig, out: Path, stage: str, metric: str) -> int:
    """Make questions on the pages of the given ones, run both, and compare. Raises OhrError."""
    dataset = load_dataset(config)
    _check_metric(config, dataset, stage, metric)
    of_folder = dataset.kind == "folder"
    given_questions = select_questions(config, dataset)
    counts = Counter(
        question.evidence_pages[0] for question in given_questions if question.evidence_pages
    )
    texts = {
        ref: page.text for ref, page in dataset.pages.items() if ref not in dataset.without_truth
    }
    pages = [dataset.pages[ref] for ref in counts if ref in texts]
    question_set = matched(make_question_set(pages, texts, config.seed), counts)
    made_path = write_question_set(out / "questions", question_set, of_folder=of_folder)
    print(
        f"{len(question_set.accepted)} questions made on {len(pages)} pages of "
        f"{len(given_questions)} given ones: {made_path}"
    )
    runs, failures, failed = [], list[str](), list[str]()
    for name, path in (("given", config.dataset.questions), ("made", made_path)):
        run = _run(config, path, out / name, all_questions=name == "made")
        runs.append(run)
        failures += run.failures
        failed += run.failed
    given_scores, made_scores = (scores_of(run, stage, metric) for run in runs)
    report(given_scores, made_scores, out, f"{stage}:{metric}")
    return report_failures(failures, failed)


def measure_bias(config: StudyConfig, out: Path, stage: str, metric: str) -> int:
    """Make questions from each engine's OCR output alone, and print how the ranks change.

    Engines are those of the study with existing page texts: the ground truth and knowledge bases
    (``precomputed``). Raises OhrError.
    """
    dataset = load_dataset(config)
    _check_metric(config, dataset, stage, metric)
    given_questions = select_questions(config, dataset)
    counts = Counter(
        question.evidence_pages[0] for question in given_questions if question.evidence_pages
    )
    if dataset.kind != "ohrbench" or dataset.root is None:
        raise OhrError("--bias needs dataset.kind=ohrbench, whose OCR output is in files")
    makers = {GROUND_TRUTH: dataset.root / GROUND_TRUTH}
    for spec in config.engines:
        if spec.name == "precomputed" and spec.argument:
            folder = dataset.root / spec.argument
            makers[spec.label] = folder if folder.is_dir() else Path(spec.argument)
    if len(makers) < LEAST_MAKERS:
        raise OhrError("--bias needs at least two engines: engines=[gt,precomputed:FOLDER]")
    scores, failures, failed = {}, list[str](), list[str]()
    for place, (maker, folder) in enumerate(makers.items()):
        documents = read_documents(folder, config.dataset.domains, {}, ValidationReport())
        texts = {page.ref: page.text for document in documents for page in document.pages}
        pages = [dataset.pages[ref] for ref in counts if ref in texts]
        question_set = matched(make_question_set(pages, texts, config.seed), counts)
        folder = out / f"by_{place}"
        path = write_question_set(folder / "questions", question_set, of_folder=False)
        print(plain(f"{len(question_set.accepted)} questions made of {maker} alone: {path}"))
        run = _run(config, path, folder / "run", all_questions=True)
        scores[maker] = scores_of(run, stage, metric)
        failures += run.failures
        failed += run.failed
    table = swings(scores)
    write_csv(out / "swings.csv", table)
    lines = [f"ranks of {len(table)} conditions by {stage}:{metric}, 1 the best"]
    lines += [
        f"  {row['condition']}: "
        + ", ".join(f"made of {maker} {row[maker]:g}" for maker in scores)
        + f"; swing {row['swing']:g}"
        for row in table.to_dict("records")
    ]
    first, *rest = scores
    lines += [
        f"tau_b of {first} and {other}: {number(tau_b(scores[first].means, scores[other].means))}"
        for other in rest
    ]
    for line in lines:
        print(plain(line))
    write_text(out / "bias.txt", "\n".join(lines) + "\n")
    return report_failures(failures, failed)


def _check_metric(config: StudyConfig, dataset: Dataset, stage: str, metric: str) -> None:
    """Raise ConfigError before the run if the study does not measure the metric."""
    known_values = [
        f"{info.stage}:{info.metric}" for info in make_plan(config, dataset).metric_infos
    ]
    if (name := f"{stage}:{metric}") not in known_values:
        raise ConfigError(f"--metric {name!r} is not measured; {did_you_mean(name, known_values)}")


def _run(
    config: StudyConfig, questions: Path | None, out: Path, *, all_questions: bool
) -> StudyRun:
    """Run the study with other questions; ``all_questions`` ignores limit, skip and sources."""
    dataset = config.dataset.model_copy(update={"questions": questions})
    if all_questions:
        dataset = dataset.model_copy(update={"limit": None, "skip": 0, "sources": ()})
    return run_study(config.model_copy(update={"dataset": dataset}), out, progress=Progress())


def matched(question_set: QuestionSet, counts: Mapping[PageRef, int]) -> QuestionSet:
    """As many questions of each page as in ``counts``; other pages replace missing ones."""
    used: Counter[PageRef] = Counter()
    chosen: list[Question] = []
    surplus: list[Question] = []
    for question in question_set.accepted:
        ref = question.evidence_pages[0]
        (chosen if used[ref] < counts.get(ref, 0) else surplus).append(question)
        used[ref] += 1
    chosen += surplus[: sum(counts.values()) - len(chosen)]
    keep = {question.qid for question in chosen}
    accepted = tuple(question for question in question_set.accepted if question.qid in keep)
    spare = tuple(question for question in question_set.accepted if question.qid not in keep)
    return replace(question_set, accepted=accepted, spare=spare)


def report(original: Scores, generated: Scores, out: Path, metric: str) -> None:
    """Print the pairs of conditions for which each set shows a difference; write the tables."""
    if original.conditions != generated.conditions:
        raise OhrError("the two runs differ in their conditions")
    if len(original.conditions) < LEAST_CONDITIONS:
        raise OhrError(f"{len(original.conditions)} conditions rank nothing: give more")
    table = differences(original, generated)
    write_csv(out / "differences.csv", table)
    lines = [
        f"{metric}, {len(original.conditions)} conditions, {len(original.values)} given questions, "
        f"{len(generated.values)} made",
        *_settled(table, {"given": original, "made": generated}),
        f"Kendall's tau_b of the two orders {number(tau_b(original.means, generated.means))}; "
        f"of two halves of the given questions {number(half_tau(original))} on average (points, "
        "without an interval)",
        *(
            f"  {name}: given {a:.3f}, made {b:.3f}"
            for name, a, b in zip(original.conditions, original.means, generated.means, strict=True)
        ),
        "made questions support no claim about readers",
    ]
    for line in lines:
        print(plain(line))
    write_text(out / "validity.txt", "\n".join(lines) + "\n")
    say_files([out / "differences.csv", out / "validity.txt"])


def _settled(table: pd.DataFrame, sets: Mapping[str, Scores]) -> Iterator[str]:
    """How many pairs each set settles, and on how many of them both agree."""
    pairs = len(table)
    yield (
        f"settled pairs of {pairs} (paired difference shown; sign flips of documents, all pairs "
        f"of a set together): "
        + ", ".join(f"{name} {_count(table[f'{name}_settled'])}" for name in sets)
    )
    for name, scores in sets.items():
        if not can_settle(scores):
            yield f"  {name}: too few documents to settle any of {pairs} pairs"
    count = {
        name: int((table["verdict"] == name).sum())
        for name in (AGREE, DISAGREE, ONE_SETTLES, UNDECIDED)
    }
    yield (
        f"settled by both {count[AGREE] + count[DISAGREE]}: the same order {count[AGREE]}, "
        f"the opposite {count[DISAGREE]}; by one alone {count[ONE_SETTLES]}; "
        f"by neither {count[UNDECIDED]}"
    )
    for row in table[table["verdict"] == DISAGREE].to_dict("records"):
        yield (
            f"  opposite: {row['second']} less {row['first']}: "
            f"given {_difference(row, 'given')}, made {_difference(row, 'made')}"
        )


def _count(settled: pd.Series) -> str:
    return f"{int(settled.sum())} ({100 * settled.mean():.0f} %)"


def _difference(row: Mapping[Hashable, Any], name: str) -> str:
    difference, low, high = (
        number(row[f"{name}_{part}"]) for part in ("difference", "ci_low", "ci_high")
    )
    return f"{difference} ({low} to {high}; p {p_value(row[f'{name}_p_adjusted'])})"
