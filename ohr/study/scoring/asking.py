"""How a study asks its readers, judge and systems."""

from __future__ import annotations

from contextlib import ExitStack

from ohr.models.spending import limited_spending
from ohr.ocr.progress import Progress
from ohr.scoring.answers import Answering
from ohr.scoring.budget import Budget
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import StudyConfig


def start_budget(config: StudyConfig, ending: ExitStack) -> Budget:
    """What a run may pay; until ``ending`` closes, what retrievers pay is asked of it too."""
    budget = Budget(config.max_cost)
    ending.enter_context(limited_spending(budget))
    return budget


def make_answering(
    config: StudyConfig,
    store: ArtefactStore,
    progress: Progress | None = None,
    budget: Budget | None = None,
) -> Answering:
    """What asks for answers as a study's configuration says.

    ``budget`` is what is left of ``max_cost``; by default all of it.
    """
    return Answering(
        store,
        config.retry_failed,
        progress,
        config.stop_after_failures,
        budget or Budget(config.max_cost),
    )
