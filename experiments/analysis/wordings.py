"""TODO."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohr import registry
from ohr.errors import ConfigError, OhrError
from ohr.plugins import Reader
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.study.answers import Answering
from ohr.study.config import StudyConfig
from ohr.study.plan import load_dataset, select_questions
from ohr.study.progress import Progress
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
    model: Reader = registry.create("reader", spec.model_copy(update={"params": params}))
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
