"""A submission: what one engine scored on one suite, question by question, in one JSON file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ohr.errors import OhrError
from ohr.files.bounded import read_bounded
from ohr.ocr.noise import noise_name
from ohr.plugins.base import first_error
from ohr.store.atomic import write_text
from ohr.store.identity import digest
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, rows_of
from ohr.suites.materials import Materials, material_digest
from ohr.suites.suite import Suite, Track

METRICS = (
    *("retrieval:lcs", "generation:f1", "overall:f1"),
    *("ocr:r_noise_content", "ocr:edit_distance"),
    *("ocr:silent_numbers", "ocr:invented_words"),
)
"""The metrics of a submission, as stage:metric."""
OF_TEXT = METRICS[:3]
"""Those of the track of text, where nothing is read."""
OF_PAGES = METRICS[4:]
"""Those of pages; the others are of questions."""
CLEAN = "clean"
MOST_CHARACTERS = 20_000_000
_DIGITS = 5

Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
Text = Annotated[str, Field(max_length=2000)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Scores(_Strict):
    """The scores of one metric. ``units`` are questions, or pages as ``document#page``."""

    signature: Text
    units: tuple[Text, ...]
    documents: tuple[Text, ...]
    """The document of each unit."""
    values: dict[str, tuple[Score | None, ...]]
    """The score of each unit under ``clean`` and each noisy condition, rounded to five decimals;
    None where the metric has none."""


class Submission(_Strict):
    """The file of a submission; ``digest`` is that of everything before it."""

    suite: Text
    track: Track
    materials: Text
    """Digest of the suite's files."""
    images: Literal["same", "rounded", "not compared"]
    """How the distorted images of the machine compare with the suite's."""
    name: Annotated[str, Field(min_length=1, max_length=60)]
    engine: dict[str, Any]
    """The engine as it is given to ``--engines``."""
    identity: dict[str, Any]
    """What decides its output: versions and parameters."""
    licence: Text = ""
    link: Text = ""
    versions: dict[str, Any]
    cpu_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """CPU seconds of a clean page, the median; None if it was not measured."""
    failed_pages: Annotated[int, Field(ge=0)] = 0
    scores: dict[str, Scores]
    digest: Text = ""

    def sealed(self) -> Submission:
        """The submission with its digest."""
        return self.model_copy(update={"digest": self.content_digest()})

    def content_digest(self) -> str:
        """The digest of everything but the digest."""
        return digest(self.model_dump(mode="json", exclude={"digest"}))

    def write(self, path: Path) -> None:
        """Write the file, one line for each metric. Raises StoreError."""
        content = self.model_dump(mode="json")
        scores = content.pop("scores")
        seal = content.pop("digest")
        lines = [f" {_dumped(key)}: {_dumped(value)}," for key, value in content.items()]
        score_lines = [f"  {_dumped(key)}: {_dumped(value)}" for key, value in scores.items()]
        body = "\n".join([*lines, ' "scores": {', ",\n".join(score_lines), " },"])
        write_text(path, f'{{\n{body}\n "digest": {_dumped(seal)}\n}}\n')


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_submission(path: Path) -> Submission:
    """Read a file. Raises OhrError for one that is no submission, with the first thing wrong."""
    try:
        content = json.loads(read_bounded(path, MOST_CHARACTERS).decode("utf-8"))
        return Submission.model_validate(content)
    except OSError as error:
        raise OhrError(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        raise OhrError(f"{path} is no submission: {first_error(error)}") from error
    except ValueError as error:
        raise OhrError(f"{path} is no submission: {error}") from error


def submission_of(
    run: StudyRun,
    suite: Suite,
    track: Track,
    materials: Materials | None,
    about: Mapping[str, str],
) -> Submission:
    """The submission that a finished run is. Raises OhrError if conditions or scores are missing.

    ``about`` may have a name, a licence and a link.
    """
    label = run.config.engines[0].label
    names = OF_TEXT if track == "text" else METRICS
    conditions = (CLEAN, *suite.conditions(track))
    base = run.manifest["knowledge_bases"].get(f"{label}, clean", {})
    taken = base.get("taken") or {}
    failed = sum(
        int(each.get("by_status", {}).get(status, 0))
        for each in run.manifest["knowledge_bases"].values()
        for status in ("error", "timeout")
    )
    return Submission(
        suite=suite.name,
        track=track,
        materials=material_digest(suite),
        images="not compared" if materials is None else materials.verdict,  # type: ignore[arg-type]
        name=about.get("name") or label,
        engine=run.config.engines[0].model_dump(mode="json"),
        identity=run.manifest["engines"].get(label, {}),
        licence=about.get("licence", ""),
        link=about.get("link", ""),
        versions={"ohr": version("ohr"), **run.manifest.get("versions", {})},
        cpu_seconds=taken.get("median_cpu_s") if taken.get("pages") else None,
        failed_pages=failed,
        scores={name: scores_of(run, conditions, name, label) for name in names},
    ).sealed()


def scores_of(run: StudyRun, conditions: Sequence[str], name: str, label: str) -> Scores:
    """The scores of an engine's pages or questions in a run. Raises OhrError where they lack."""
    stage, _, metric = name.partition(":")
    rows = rows_of(run.rows, stage, metric)
    rows = rows[rows["engine"].astype(str) == label]
    if rows.empty:
        raise OhrError(f"{run.path} has no scores of {name}")
    parts = rows[["perturbation", "level", "intensity"]].astype({"perturbation": str, "level": str})
    conditions = [noise_name(*part) for part in parts.itertuples(index=False, name=None)]
    units = [
        str(qid) if str(qid) else f"{doc_id}#{page_no}"
        for qid, doc_id, page_no in rows[list(UNIT_COLUMNS)].itertuples(index=False, name=None)
    ]
    table = pd.DataFrame(
        {
            "unit": units,
            "document": rows["doc_id"].astype(str).to_numpy(),
            "condition": conditions,
            "value": rows["value"].to_numpy(float),
        }
    )
    wide = table.pivot(index=["unit", "document"], columns="condition", values="value").sort_index()
    if missing := [each for each in conditions if each not in wide]:
        raise OhrError(f"{run.path} has no scores of {name} under {missing[0]}")
    return Scores(
        signature=str(run.manifest.get("signatures", {}).get(name, "")),
        units=tuple(unit for unit, _ in wide.index),
        documents=tuple(document for _, document in wide.index),
        values={each: tuple(_rounded(wide[each].tolist())) for each in conditions},
    )


def _rounded(values: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(value) else round(value, _DIGITS) for value in values]
