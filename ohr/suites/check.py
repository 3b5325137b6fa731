"""Whether a submission is whole, and of the suite that it names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ohr.errors import ConfigError
from ohr.suites.materials import expected_units, material_digest
from ohr.suites.submission import (
    CLEAN,
    METRICS,
    OF_PAGES,
    OF_TEXT,
    Submission,
    read_submission,
)
from ohr.suites.suite import FOLDER, Suite, Track, load_suite

BASELINES = {"full": "baseline.json", "quick": "baseline-quick.json", "text": "baseline.json"}
"""The frozen engine's submission, whose questions and pages all others must have."""


@cache
def baseline(suite: str, track: Track) -> Submission | None:
    """The frozen engine's submission; None where the track has none yet. Raises OhrError."""
    path = FOLDER / suite / BASELINES[track]
    return read_submission(path) if path.exists() else None


def faults(submission: Submission) -> list[str]:
    """What is wrong with a submission, in sentences; empty if nothing is."""
    try:
        suite = load_suite(submission.suite)
    except ConfigError as error:
        return [str(error)]
    return list(_faults(submission, suite))


def _faults(submission: Submission, suite: Suite) -> Iterator[str]:
    if submission.digest != submission.content_digest():
        yield "its digest is not that of its content: the file was edited after it was written"
    if submission.materials != material_digest(suite):
        yield f"it was made with other files of {suite.name}: run the suite again"
    names = OF_TEXT if submission.track == "text" else METRICS
    if missing := [name for name in names if name not in submission.scores]:
        yield f"it has no scores of {', '.join(missing)}"
    if further := sorted(submission.scores.keys() - set(names)):
        yield f"it has scores of {', '.join(further)}, which the suite does not have"
    frozen = baseline(suite.name, submission.track)
    units = expected_units(suite, submission.track)
    conditions = [CLEAN, *suite.conditions(submission.track)]
    for name in (name for name in names if name in submission.scores):
        scores = submission.scores[name]
        if frozen is not None and name in frozen.scores:
            signature = frozen.scores[name].signature
            if scores.signature != signature:
                yield (
                    f"{name} was measured as {scores.signature or 'not said'}, in the suite as "
                    f"{signature}: use the same version of the toolkit"
                )
        expected = units["pages" if name in OF_PAGES else "questions"]
        if dict(zip(scores.units, scores.documents, strict=False)) != expected:
            count = len(expected.keys() ^ set(scores.units))
            yield f"{name}: {count or 'some'} of {len(expected)} units are not the suite's"
            continue
        if sorted(scores.values) != sorted(conditions):
            gaps = sorted(set(conditions) ^ set(scores.values))
            yield f"{name}: its conditions differ from the suite's in {', '.join(gaps[:3])}"
            continue
        for condition, values in scores.values.items():
            if len(values) != len(scores.units):
                yield f"{name} under {condition}: {len(values)} scores of {len(scores.units)} units"
            if name in OF_TEXT and None in values:
                yield f"{name} under {condition}: {values.count(None)} questions have no score"
