"""All rows of some runs as columns of small numbers, for a browser to filter and sort.

A row is a question under one condition (run, engine, noise) and one setting (stage, retriever,
reader and so on), with its main score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ohr.display.settings import Setting
from ohr.report.chunks import packed
from ohr.study.baselines import clean_of
from ohr.study.config import BUILT_IN
from ohr.study.metrics import MetricInfo
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, knowledge_base_name, rows_of, run_names

MAIN = {"retrieval": "lcs", "generation": "f1", "overall": "f1"}
"""The main metric of each stage, by which rows are sorted."""
SETTING = ("system", "chunker", "retriever", "reader", "top_k")
SCALE = 1000
NONE = 65_535
_PLACE = ["question", "condition", "setting"]
STATUSES = ("ok", "empty", "error", "timeout")


@dataclass(frozen=True)
class Rows:
    """The rows, sorted by question, condition and setting.

    ``frame`` has the integer columns ``question``, ``condition``, ``setting``, ``status`` and the
    scores ``score``, ``clean`` (of the same setting in the clean knowledge base that is the
    condition's baseline), ``loss`` and ``evidence`` (word LCS of evidence and its page), NaN
    where missing. For stages whose loss has ``parts`` (see :func:`parts_of`) it also has each
    part's value under its name, and the clean value under the name with ``clean_``.
    """

    frame: pd.DataFrame
    questions: pd.DataFrame
    """One row per question of a run: ``run``, ``qid``, ``doc_id``, ``page_no``, ``domain``,
    ``evidence_source``, ``answer_form``, ``task``."""
    conditions: tuple[dict[str, Any], ...]
    settings: tuple[dict[str, Any], ...]
    parts: Mapping[str, Sequence[MetricInfo]] = field(default_factory=dict)
    """The parts of the main score's loss, by stage."""

    @property
    def several_runs(self) -> bool:
        """Whether the conditions belong to several runs."""
        return len({condition["run"] for condition in self.conditions}) > 1

    def condition_name(self, condition: int, name: str = "name") -> str:
        """``tesseract, semantic mild``; with several runs, the run's name comes first."""
        base = self.conditions[condition]
        return f"{base['run']}: {base[name]}" if self.several_runs else str(base[name])

    def json_content(self, cases: dict[tuple[int, int], int]) -> dict[str, Any]:
        """Columns for the browser; ``cases`` numbers the (question, condition) with details."""
        frame = self.frame
        pairs = zip(frame["question"], frame["condition"], strict=True)
        case = np.array([cases.get((int(q), int(c)), 0) for q, c in pairs], dtype=np.uint32)
        return {
            "n": len(frame),
            "question": packed(frame["question"].to_numpy(np.uint32)),
            "condition": packed(frame["condition"].to_numpy(np.uint16)),
            "setting": packed(frame["setting"].to_numpy(np.uint16)),
            "status": packed(frame["status"].to_numpy(np.uint8)),
            "score": packed(_scaled(frame["score"])),
            "clean": packed(_scaled(frame["clean"])),
            "evidence": packed(_scaled(frame["evidence"])),
            "case": packed(case),
        }


def _scaled(values: pd.Series) -> np.ndarray:
    """Scores as whole thousandths; NaN as :data:`NONE`."""
    is_known = values.notna()
    scaled = np.full(len(values), NONE, dtype=np.uint16)
    scaled[is_known] = (values[is_known].to_numpy() * SCALE).round().astype(np.uint16)
    return scaled


def make_rows(runs: Sequence[StudyRun]) -> Rows:
    """The rows of finished runs."""
    conditions: list[dict[str, Any]] = []
    settings: dict[tuple[str, ...], int] = {}
    questions: list[pd.DataFrame] = []
    frames: list[pd.DataFrame] = []
    parts: dict[str, Sequence[MetricInfo]] = {}
    for run, name in zip(runs, run_names(runs), strict=True):
        of_run = _questions(run).assign(run=name)
        first = sum(map(len, questions))
        numbers = pd.Series(range(first, first + len(of_run)), index=of_run["qid"])
        questions.append(of_run)
        bases = _bases(run, name, len(conditions))
        conditions += bases.values()
        for stage, metric in MAIN.items():
            frame = _stage_rows(run, stage, metric, bases, numbers, settings)
            if frame is None:
                continue
            of_stage = [
                info for info in run.metric_infos if (info.stage, info.part_of) == (stage, metric)
            ]
            for part in of_stage:
                values = _stage_rows(run, stage, part.metric, bases, numbers, settings)
                if values is not None:
                    names = {"score": part.metric, "clean": f"clean_{part.metric}"}
                    values = values[[*_PLACE, *names]].rename(columns=names)
                    frame = frame.merge(values, how="left", on=_PLACE)
            parts[stage] = parts.get(stage) or of_stage
            evidence = _evidence(run, bases, numbers)
            frames.append(frame.merge(evidence, how="left", on=["question", "condition"]))
    frame = pd.concat(frames, ignore_index=True) if frames else _empty()
    frame = frame.sort_values(["question", "condition", "setting"], kind="stable")
    frame["loss"] = frame["clean"] - frame["score"]
    setting_keys = tuple(
        dict(zip(("stage", *SETTING), key, strict=True))
        for key in sorted(settings, key=settings.__getitem__)
    )
    return Rows(
        frame.reset_index(drop=True),
        pd.concat(questions, ignore_index=True),
        tuple(conditions),
        setting_keys,
        parts,
    )


def _empty() -> pd.DataFrame:
    names = ("question", "condition", "setting", "status", "score", "clean", "evidence")
    return pd.DataFrame({name: pd.Series(dtype=float) for name in names})


def _questions(run: StudyRun) -> pd.DataFrame:
    rows = run.rows[run.rows["qid"] != ""]
    names = ["qid", "doc_id", "page_no", "domain", "evidence_source", "answer_form", "task"]
    return rows[names].drop_duplicates("qid").sort_values("qid").reset_index(drop=True)


def _bases(run: StudyRun, name: str, first: int) -> dict[str, dict[str, Any]]:
    """The conditions of a run by the names of their knowledge bases, with their baselines."""
    kinds = run.rows[list(KNOWLEDGE_BASE)].drop_duplicates()
    by_name = {knowledge_base_name(row): row for _, row in kinds.iterrows()}
    index = {base: first + place for place, base in enumerate(by_name)}
    bases = {}
    for base, row in by_name.items():
        clean = clean_of(row, by_name)
        bases[base] = {
            "run": name,
            "name": base,
            "kept": _name_in_cases(run, base, row),
            "engine": str(row["engine"]),
            "noise": str(row["perturbation"]),
            "level": str(row["level"] or ""),
            "intensity": None if pd.isna(row["intensity"]) else float(row["intensity"]),
            "index": index[base],
            "clean": None if clean is None else index[clean],
        }
    return bases


def _name_in_cases(run: StudyRun, base: str, condition: pd.Series) -> str:
    """A knowledge base's name in ``cases.zip``: with several draws of the noise, the first."""
    draws = run.manifest.get("draws", [])
    return base if not condition["intensity"] > 0 or len(draws) < 2 else f"{base}, seed {draws[0]}"


def _stage_rows(
    run: StudyRun,
    stage: str,
    metric: str,
    bases: dict[str, dict[str, Any]],
    numbers: pd.Series,
    settings: dict[tuple[str, ...], int],
) -> pd.DataFrame | None:
    rows = rows_of(run.rows, stage, metric)
    if rows.empty:
        return None
    keys = pd.MultiIndex.from_frame(
        pd.DataFrame({n: rows[n].astype("string").fillna("").astype(str) for n in SETTING})
    )
    codes, distinct = pd.factorize(keys)
    known_values = [settings.setdefault((stage, *key), len(settings)) for key in distinct]
    names = pd.Series(
        [
            knowledge_base_name(row)
            for _, row in rows[list(KNOWLEDGE_BASE)].drop_duplicates().iterrows()
        ]
    )
    kinds, _ = pd.factorize(pd.MultiIndex.from_frame(rows[list(KNOWLEDGE_BASE)]))
    frame = pd.DataFrame(
        {
            "question": numbers.reindex(rows["qid"]).to_numpy(),
            "condition": np.array([bases[name]["index"] for name in names])[kinds],
            "setting": np.array(known_values)[codes],
            "status": [STATUSES.index(str(status)) for status in rows["status"]],
            "score": rows["value"].to_numpy(dtype=float),
        }
    )
    return _add_clean(frame, bases)


def _add_clean(frame: pd.DataFrame, bases: dict[str, dict[str, Any]]) -> pd.DataFrame:
    to = {base["index"]: base["clean"] for base in bases.values() if base["clean"] is not None}
    paired = frame.assign(baseline=frame["condition"].map(to))
    clean = frame[["question", "condition", "setting", "score"]].rename(
        columns={"condition": "baseline", "score": "clean"}
    )
    paired = paired.merge(clean, how="left", on=["question", "baseline", "setting"])
    return paired.drop(columns="baseline")


def _evidence(run: StudyRun, bases: dict[str, dict[str, Any]], numbers: pd.Series) -> pd.DataFrame:
    rows = rows_of(run.rows, "ocr", "evidence_lcs")
    if rows.empty:
        return pd.DataFrame({"question": [], "condition": [], "evidence": []}).astype(
            {"question": int, "condition": int, "evidence": float}
        )
    kinds = rows[list(KNOWLEDGE_BASE)].drop_duplicates()
    index = {tuple(row): bases[knowledge_base_name(row)]["index"] for _, row in kinds.iterrows()}
    keys = rows[list(KNOWLEDGE_BASE)].itertuples(index=False, name=None)
    return pd.DataFrame(
        {
            "question": numbers.reindex(rows["qid"]).to_numpy(),
            "condition": [index[key] for key in keys],
            "evidence": rows["value"].to_numpy(dtype=float),
        }
    )


def main_metrics(runs: Sequence[StudyRun]) -> dict[str, MetricInfo]:
    """The main metric of each stage, from the first run that has it."""
    return {
        info.stage: info
        for run in reversed(runs)
        for info in run.metric_infos
        if MAIN.get(info.stage) == info.metric
    }


def setting_label(rows: Rows, number: int) -> str:
    """What distinguishes a setting from the others of its stage; empty for a single one."""
    own = rows.settings[number]
    rest = [setting for setting in rows.settings if setting["stage"] == own["stage"]]
    if own["system"] not in ("", BUILT_IN):
        return str(own["system"])
    differing = {name for name in SETTING if len({setting[name] for setting in rest}) > 1}
    parts = {name: own[name] if name in differing else "" for name in SETTING}
    return str(Setting(*(parts[name] for name in ("chunker", "retriever", "top_k", "reader"))))


def setting_name(setting: Mapping[str, str]) -> str:
    """``overall: tokens, bm25, 2 hits, extractive``."""
    parts = Setting(*(setting[name] for name in ("chunker", "retriever", "top_k", "reader")))
    system = setting["system"] if setting["system"] not in ("", BUILT_IN) else ""
    return f"{setting['stage']}: {system or parts}"
