"""Runs a task: its study on its data, nothing else changed, and the scores that it reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ohr.display.columns import Column, make_table, text_column
from ohr.display.terminal import NARROW, report_failures, show, terminal_table
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.noise import noise_name
from ohr.ocr.progress import Progress
from ohr.statistics.numbers import interval, number
from ohr.store.atomic import write_text
from ohr.store.identity import digest
from ohr.study.config import StudyConfig
from ohr.study.inputs import part_identities
from ohr.study.loading import check_names, load_dataset
from ohr.study.plan import Plan, make_plan
from ohr.study.results import StudyRun
from ohr.study.run import run_study
from ohr.study.scoring.signatures import differences, signatures
from ohr.tasks.card import Card, load_card, task_names

FILE = "task.json"
_SETTING = ("engine", "chunker", "retriever", "reader", "system")


def list_tasks() -> int:
    """Print each task: what it is about, its data, and what is open; returns 0."""
    columns = [
        text_column("task"),
        text_column("about"),
        Column("documents", lambda row: str(row["documents"])),
        Column("questions", lambda row: str(row["questions"])),
        text_column("open"),
    ]
    rows = []
    for name in task_names():
        card = load_card(name)
        counts = {"documents": card.data.documents, "questions": card.data.questions}
        rows.append({"task": name, "about": card.about, "open": ", ".join(card.open)} | counts)
    show(terminal_table(make_table(columns, rows)), NARROW)
    return 0


def run_task(
    name: str, settings: Mapping[str, Any], data: Path | None, out: Path, cache: Path, workers: int
) -> int:
    """Run a task, write ``task.json`` beside the run's files, and print its scores.

    Returns 1 if an engine or reader failed throughout, else 0. Raises OhrError, before anything is
    read, where the data, a noise or a metric is not that of the card.
    """
    card = load_card(name)
    own = {"cache": cache, "workers": workers}
    config = card.config(settings, data).model_copy(update=own)
    check_names(config)
    _check(card, config)
    run = run_study(config, out, progress=Progress())
    code = report_failures(run.failures, run.failed)
    scores = _scores(card, run)
    entry = {
        "task": card.name,
        "card": card.digest,
        "data": card.data.digest,
        "ohr": run.manifest["versions"].get("ohr", ""),
        "open": {name: run.manifest["config"][name] for name in card.open},
        "scores": scores,
    }
    write_text(out / FILE, json.dumps(entry, indent=1, ensure_ascii=False) + "\n")
    print(f"{card.name} (card {card.digest[:8]}, data {card.data.digest[:8]}): {card.about}")
    show(terminal_table(_table(card, scores)), NARROW)
    print(f"scores: {out / FILE}")
    return code


def _check(card: Card, config: StudyConfig) -> None:
    """Raise ConfigError unless data, noises and metrics are those of the card."""
    dataset = load_dataset(config)
    if dataset.digest() != card.data.digest:
        raise ConfigError(
            f"{card.name}: these are other data ({len(dataset.documents)} documents, "
            f"{len(dataset.questions)} questions, digest {dataset.digest()[:8]}) than the card's "
            f"({card.data.documents}, {card.data.questions}, {card.data.digest[:8]}): nothing was "
            "read"
        )
    plan = make_plan(config, dataset)
    if digest(_noises(plan)) != digest(card.noises):
        raise ConfigError(
            f"{card.name}: a noise has another version or other parameters here "
            f"({', '.join(_noises(plan)) or 'none'}): install the version of the toolkit that made "
            "the card"
        )
    measured = signatures(plan.metric_infos, plan.metrics, config)
    for metric, signature in card.signatures.items():
        if change := differences(signature, measured.get(metric, "")):
            raise ConfigError(
                f"{card.name}: {metric} is measured otherwise here ({change}): install the version "
                "of the toolkit that made the card"
            )


def _noises(plan: Plan) -> Mapping[str, Any]:
    noises: Mapping[str, Any] = part_identities(plan)["noises"]
    return noises


def _scores(card: Card, run: StudyRun) -> list[dict[str, Any]]:
    """The headline scores of all conditions, over all questions."""
    everyone = run.cells[run.cells["group"] == "all"]
    scores = []
    for metric in card.headline:
        stage, _, measure = metric.partition(":")
        chosen = everyone[(everyone["stage"] == stage) & (everyone["metric"] == measure)]
        for row in chosen.to_dict("records"):
            noise = noise_name(row["perturbation"], row["level"], row["intensity"])
            settings = {
                name: row[name] for name in _SETTING if isinstance(row[name], str) and row[name]
            }
            numbers = {
                "mean": round(row["mean"], 6),
                "ci_low": _end(row["ci_low"]),
                "ci_high": _end(row["ci_high"]),
                "n": int(row["n"]),
            }
            scores.append({**settings, "noise": noise, "metric": metric} | numbers)
    return scores


def _end(value: float) -> float | None:
    return round(value, 6) if value == value else None  # not NaN


def _table(card: Card, scores: list[dict[str, Any]]) -> Any:
    varying = [name for name in _SETTING if len({score.get(name) for score in scores} - {None}) > 1]
    columns = [
        *(text_column(name) for name in varying),
        text_column("noise"),
        text_column("metric"),
        Column("mean", lambda row: number(row["mean"])),
        Column("95 % CI", lambda row: _interval(row)),
        Column("n", lambda row: str(row["n"])),
    ]
    rows = [dict.fromkeys(varying, "") | score for score in scores]
    return make_table(columns, [{key: _plain(value) for key, value in row.items()} for row in rows])


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row["ci_low"], row["ci_high"]
    return "" if low is None or high is None else interval(low, high)


def _plain(value: Any) -> Any:
    return plain(value) if isinstance(value, str) else value
