"""The same study in two wordings of its questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ohr import registry
from ohr.analysis.comparison.report import compare_runs
from ohr.analysis.published import figures_of
from ohr.display.terminal import report_failures, report_line
from ohr.errors import ConfigError, OhrError
from ohr.ocr.progress import Progress
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import write_text
from ohr.study.config import StudyConfig, parse_plugin
from ohr.study.loading import load_dataset
from ohr.study.questions import select_questions
from ohr.study.run import run_study
from ohr.study.scoring.asking import make_answering
from ohr.study.wordings import wordings_csv
from ohr.types import Hit


def rewrite(config: StudyConfig, spec: PluginSpec, number: int) -> dict[str, str]:
    """Reword some questions, drawn with the seed, by a language model.

    Questions without a new wording are left out, and a line says how many. Raises ConfigError and
    OhrError.
    """
    if "prompt" not in registry.plugin_class("reader", spec.name).Params.model_fields:
        raise ConfigError(
            f"--rewriter: reader {spec.label!r} takes no prompt: name a language model"
        )
    params: dict[str, Any] = {"prompt": "rewrite"} | spec.params
    model = registry.create("reader", spec.model_copy(update={"params": params}))
    questions = select_questions(config, load_dataset(config))
    places = np.random.default_rng(config.seed).permutation(len(questions))[:number]
    chosen = [questions[i] for i in sorted(places)]
    progress = Progress(verb="rewording with", unit="questions")
    answering = make_answering(config, ArtefactStore(config.cache), progress)
    with progress:
        kinds = [[Hit(q.place, q.domain, 1.0, 0)] for q in chosen]
        replies = answering.answers(spec.label, model, [q.text for q in chosen], kinds)
    wordings = {
        q.qid: outcome.value.strip()
        for q, outcome in zip(chosen, replies, strict=True)
        if outcome.value and outcome.value.strip()
    }
    if missing := len(chosen) - len(wordings):
        print(f"{missing} of {len(chosen)} questions were not reworded, and are left out")
    if not wordings:
        raise OhrError(
            f"{spec.label} reworded no question: {replies[0].detail or replies[0].status}"
        )
    return wordings


def ask_in_other_words(config: StudyConfig, out: Path, rewriter: str, number: int) -> int:
    """Reword with ``rewriter`` if given, then run the study in both wordings. Raises OhrError."""
    if rewriter and config.dataset.rewritten is not None:
        raise ConfigError("give dataset.rewritten=FILE or --rewriter, not both")
    path = config.dataset.rewritten
    if rewriter:
        path = out / "rewritten.csv"
        write_text(path, wordings_csv(rewrite(config, parse_plugin("rewriter", rewriter), number)))
        print(f"wordings: {path}")
    if path is None:
        raise ConfigError("questions style needs dataset.rewritten=FILE, or --rewriter")
    return compare_wordings(config, path, out, overwrite=bool(rewriter))


def compare_wordings(config: StudyConfig, path: Path, out: Path, *, overwrite: bool = False) -> int:
    """Run the study in both wordings, and compare them. Raises OhrError."""
    runs, failures, failed = [], list[str](), list[str]()
    for wording in ("original", "rewritten"):
        dataset = config.dataset.model_copy(update={"rewritten": path, "wording": wording})
        worded = config.model_copy(update={"dataset": dataset})
        result = run_study(worded, out / wording, progress=Progress(), overwrite=overwrite)
        runs.append(out / wording)
        failures += result.failures
        failed += result.failed
    compare_runs(runs, out)
    paper = figures_of("section IV.2").groupby("engine", sort=False)["value"]
    rows = ", ".join(f"{name} {100 * a:.1f} to {100 * b:.1f}" for name, (a, b) in paper)
    print(f"paper, 100 questions reworded by hand, F1 in per cent: {rows}")
    print(report_line(out / "report", *runs))
    return report_failures(failures, failed)
