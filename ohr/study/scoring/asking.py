"""How a study asks its readers, judge and systems."""

from __future__ import annotations

from ohr.ocr.progress import Progress
from ohr.scoring.answers import Answering
from ohr.scoring.budget import Budget
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import StudyConfig


def make_answering(
    config: StudyConfig, store: ArtefactStore, progress: Progress | None = None
) -> Answering:
    """What asks for answers as a study's configuration says."""
    return Answering(
        store,
        config.retry_failed,
        progress,
        config.stop_after_failures,
        Budget(config.max_cost),
    )
