"""The same study in two wordings of its questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments.reports.comparison import compare_runs
from experiments.reports.terminal import report_troubles
from ohr import registry
from ohr.errors import ConfigError, OhrError
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import write_text
from ohr.study.answers import Answering
from ohr.study.config import StudyConfig
from ohr.study.plan import load_dataset, select_questions
from ohr.study.progress import Progress
from ohr.study.run import run_study
from ohr.study.wordings import wordings_csv
from ohr.study.yaml_values import parse_yaml
from ohr.types import Hit


def rewrite(config: StudyConfig, spec: PluginSpec, number: int) -> dict[str, str]:
    """Wordings by a language model of some questions drawn with the seed.

    Questions for which it gave none are left out and said. Raises ConfigError, OhrError.
    """
    if "prompt" not in registry.plugin_class("reader", spec.name).Params.model_fields:
        raise ConfigError(
            f"--rewriter: reader {spec.label!r} takes no prompt: name a language model"
        )
    params: dict[str, Any] = {"prompt": "rewrite"} | spec.params
    model = registry.create("reader", spec.model_copy(update={"params": params}))
    questions = select_questions(config, load_dataset(config))
    drawn = np.random.default_rng(config.seed).permutation(len(questions))[:number]
    asked = [questions[i] for i in sorted(drawn)]
    progress = Progress(verb="rewording with", unit="questions")
    answering = Answering(
        ArtefactStore(config.cache), config.retry_failed, progress, config.stop_after_failures
    )
    with progress:
        kinds = [[Hit(q.evidence_pages[0], q.domain, 1.0, 0)] for q in asked]
        said = answering.answers(spec.label, model, [q.text for q in asked], kinds)
    found = {
        q.qid: outcome.value.strip()
        for q, outcome in zip(asked, said, strict=True)
        if outcome.value and outcome.value.strip()
    }
    if lost := len(asked) - len(found):
        print(f"{lost} of {len(asked)} questions were not reworded, and are left out")
    if not found:
        raise OhrError(f"{spec.label} reworded no question: {said[0].detail or said[0].status}")
    return found


PAPER = {
    "GT": (27.2, 23.2), "MinerU": (20.7, 18.0), "GOT": (12.8, 12.9), "Qwen2.5-VL": (23.1, 20.0),
}  # fmt: skip
"""Section IV.2: before and after 100 questions were reworded by hand, in per cent."""


def ask_in_other_words(config: StudyConfig, out: Path | None, rewriter: str, number: int) -> int:
    """Reword, where a model is to, then run the study in both wordings. Raises OhrError."""
    if out is None:
        raise OhrError("where should the results go? give --out RUN, such as --out runs/style")
    if rewriter and config.dataset.rewritten is not None:
        raise ConfigError("give dataset.rewritten=FILE or --rewriter, not both")
    path = config.dataset.rewritten
    if rewriter:
        path = out / "rewritten.csv"
        write_text(path, wordings_csv(rewrite(config, _spec(rewriter), number)))
        print(f"wordings: {path}")
    if path is None:
        raise ConfigError("question_style needs dataset.rewritten=FILE, or --rewriter")
    return compare_wordings(config, path, out, overwrite=bool(rewriter))


def compare_wordings(config: StudyConfig, path: Path, out: Path, *, overwrite: bool = False) -> int:
    """Run the study in both wordings, and compare them. Raises OhrError."""
    runs, troubles, failed = [], list[str](), list[str]()
    for wording in ("original", "rewritten"):
        dataset = config.dataset.model_copy(update={"rewritten": path, "wording": wording})
        asked = config.model_copy(update={"dataset": dataset})
        result = run_study(asked, out / wording, progress=Progress(), overwrite=overwrite)
        runs.append(out / wording)
        troubles += result.troubles
        failed += result.failed
    compare_runs(runs, out)
    rows = ", ".join(f"{name} {a} to {b}" for name, (a, b) in PAPER.items())
    print(f"paper, 100 questions reworded by hand, F1 in per cent: {rows}")
    return report_troubles(troubles, failed)


def _spec(text: str) -> PluginSpec:
    try:
        return PluginSpec.parse(parse_yaml(text))
    except ValueError as error:
        raise ConfigError(f"cannot read --rewriter {text!r}: it is not YAML: {error}") from error
