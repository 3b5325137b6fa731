"""Exports a run in the format of Every Eval Ever, a common format for results of evaluations.

Source: the project's schemas, version 0.3.0: one JSON file per evaluated system with its metrics,
and JSON lines with one line per question and metric.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.errors import OhrError
from ohr.store.atomic import write_text
from ohr.study.metrics import NO_CONTEXT, MetricInfo
from ohr.study.output.cases import read_cases, read_questions
from ohr.study.results import StudyRun, knowledge_base_name, open_run
from ohr.study.scoring.signatures import signature_of
from ohr.types import Question

SCHEMA = "0.3.0"
STAGES = ("generation", "overall")
_PARTS = ("system", "chunker", "retriever", "reader", "top_k")
_KEYS = ("noise", "perturbation", "level", "intensity", "engine", *_PARTS)
_ANSWER = ("knowledge_base", "stage", "system", "chunker", "retriever", "reader", "qid")
_NAMESPACE = uuid.UUID("6f0f5a52-2f0b-5d53-9c61-0e5b1c1d7a46")


@dataclass(frozen=True)
class Evaluated:
    """A condition whose answers were scored at one stage."""

    stage: str
    key: Mapping[str, Any]
    cells: pd.DataFrame
    rows: pd.DataFrame
    """One row per question, metric and draw."""

    @property
    def name(self) -> str:
        """``tesseract, clean, rag, tokens, bm25, extractive, 2``."""
        parts = [self.key[name] for name in _PARTS]
        context = "gold pages" if self.stage == "generation" else ""
        shown = [knowledge_base_name(pd.Series(self.key)), context, *map(str, parts)]
        return ", ".join(part for part in shown if part)

    @property
    def slug(self) -> str:
        """The name as a file name."""
        return re.sub(r"[^A-Za-z0-9.-]+", "_", self.name).strip("._")


def export_run(path: Path, out: Path) -> None:
    """Write each condition with answers: aggregate and one line per question. Raises OhrError."""
    run = open_run(path)
    if "imported" in run.manifest:
        raise OhrError(f"{path} was imported: there are no answers to export")
    evaluated = list(_evaluated(run))
    if not evaluated:
        raise OhrError(f"{path} has no answers: its stages are {', '.join(run.config.stages)}")
    questions = {question.qid: question for question in read_questions(path)}
    answers = _answers(path)
    n_lines = 0
    for condition in evaluated:
        # Also the configuration, so that no file of another run of this dataset is replaced.
        settings = run.manifest.get("config", {})
        parts = [_dataset(run), condition.stage, dict(condition.key), settings]
        identity = json.dumps(parts, default=str)
        name = str(_uuid4_like(identity))
        folder = Path("data") / "ohr" / "ohr" / condition.slug
        lines = list(_instances(run, condition, questions, answers))
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        samples = folder / f"{name}_samples.jsonl"
        write_text(out / samples, text)
        aggregate = _aggregate(run, condition) | {
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": samples.as_posix(),
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(text.encode()).hexdigest(),
                "total_rows": len(lines),
            }
        }
        content = json.dumps(aggregate, indent=2, ensure_ascii=False) + "\n"
        write_text(out / folder / f"{name}.json", content)
        n_lines += len(lines)
    print(f"{out / 'data'}: {len(evaluated)} conditions, {n_lines} lines of questions and metrics")


def _evaluated(run: StudyRun) -> Iterator[Evaluated]:
    cells = _texts(run.cells[(run.cells["group"] == "all") & run.cells["stage"].isin(STAGES)])
    rows = _texts(run.drawn[run.drawn["stage"].isin(STAGES)])
    columns = ["stage", *_KEYS]
    by_key = dict(iter(rows.groupby(columns, sort=False)))
    for key, of_condition in cells.groupby(columns, sort=False):
        counted = of_condition[of_condition["mean"].notna()]
        if len(counted):
            stage, *values = key
            named = dict(zip(_KEYS, values, strict=True))
            yield Evaluated(str(stage), named, counted, by_key.get(key, rows.iloc[:0]))


def _texts(table: pd.DataFrame) -> pd.DataFrame:
    changed = {
        name: table[name].astype("string").fillna("").astype(str)
        for name in _KEYS
        if name != "intensity"
    }
    return table.assign(**changed, intensity=table["intensity"].astype(float))


def _dataset(run: StudyRun) -> str:
    return str(run.manifest.get("dataset", {}).get("digest", ""))


def _uuid4_like(text: str) -> uuid.UUID:
    """A UUID that follows from a text, in the form of a random one (version 4)."""
    return uuid.UUID(bytes=uuid.uuid5(_NAMESPACE, text).bytes, version=4)


def _finished(run: StudyRun) -> str:
    """When the run ended, in seconds since 1970: the time of its manifest."""
    return str(int((run.path / "manifest.json").stat().st_mtime))


def _model_id(condition: Evaluated) -> str:
    return f"ohr/{condition.slug}"


def _evaluation_id(run: StudyRun, condition: Evaluated) -> str:
    return f"ohr/{_model_id(condition)}/{_finished(run)}"


def _aggregate(run: StudyRun, condition: Evaluated) -> dict[str, Any]:
    key = {name: str(value) for name, value in condition.key.items() if value != ""}
    infos = {(str(info.stage), info.metric): info for info in run.metric_infos}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _evaluation_id(run, condition),
        "retrieved_timestamp": _finished(run),
        "source_metadata": {
            "source_name": "OHR",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "ohr",
            "version": str(run.manifest.get("versions", {}).get("ohr", "unknown")),
        },
        "model_info": {
            "name": condition.name,
            "id": _model_id(condition),
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
                **key,
            },
        },
        "evaluation_results": [
            _result(run, condition, cell, infos[condition.stage, str(cell["metric"])])
            for _, cell in condition.cells.iterrows()
        ],
    }


def _result(
    run: StudyRun, condition: Evaluated, cell: pd.Series, info: MetricInfo
) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": int(cell["n"])}
    if not pd.isna(cell["ci_low"]):
        uncertainty["confidence_interval"] = {
            "lower": float(cell["ci_low"]),
            "upper": float(cell["ci_high"]),
            "confidence_level": 0.95,
            "method": f"jackknife over clusters ({cell['ci_unit']}), Wilson",
        }
    dataset = run.manifest.get("dataset", {})
    counts = {name: str(int(cell[name])) for name in ("n_empty", "n_error", "n_timeout")}
    return {
        "evaluation_result_id": f"{condition.stage}:{info.metric}",
        "evaluation_name": f"{condition.stage}:{info.metric}",
        "source_data": {
            "dataset_name": str(dataset.get("kind", "unknown")),
            "source_type": "other",
            "additional_details": {"digest": _dataset(run)},
        },
        "metric_config": {
            "metric_id": signature_of(run.manifest, condition.stage, info.metric) or info.metric,
            "metric_name": info.label,
            "metric_unit": "proportion",
            "lower_is_better": not info.higher_is_better,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {
            "score": float(cell["mean"]),
            "details": counts,
            "uncertainty": uncertainty,
        },
    }


def _answers(path: Path) -> dict[tuple[str, ...], tuple[str, str]]:
    """Text and status of each answer; of closed-book answers under the stage ``no_context``."""
    table = read_cases(path, "answers").select([*_ANSWER, "status", "text"]).to_pylist()
    return {
        tuple(str(row[name]) for name in _ANSWER): (row["text"] or "", str(row["status"]))
        for row in table
    }


def _instances(
    run: StudyRun,
    condition: Evaluated,
    questions: Mapping[str, Question],
    answers: Mapping[tuple[str, ...], tuple[str, str]],
) -> Iterator[dict[str, Any]]:
    infos = {(str(info.stage), info.metric): info for info in run.metric_infos}
    several = len(run.manifest.get("draws", ())) > 1
    for row in condition.rows.to_dict("records"):
        info = infos[condition.stage, str(row["metric"])]
        question = questions[str(row["qid"])]
        text, status = answers.get(_answer_key(row, info, several), ("", str(row["status"])))
        raw = [text] if text else []
        yield {
            "schema_version": SCHEMA,
            "evaluation_id": _evaluation_id(run, condition),
            "model_id": _model_id(condition),
            "evaluation_name": f"{condition.stage}:{info.metric}",
            "evaluation_result_id": f"{condition.stage}:{info.metric}",
            "sample_id": question.qid,
            "interaction_type": "single_turn",
            "input": {"raw": question.text, "reference": list(question.answers)},
            "output": {"raw": raw},
            "answer_attribution": [
                {
                    "turn_idx": 0,
                    "source": "output.raw",
                    "extracted_value": text,
                    "extraction_method": "none",
                    "is_terminal": True,
                }
            ],
            "evaluation": {
                "score": float(row["value"]),
                "is_correct": bool(row["value"] == info.best),
            },
            "error": None if status in ("ok", "empty") else status,
            "metadata": {
                "document": question.doc_id,
                "domain": question.domain,
                "evidence_source": question.evidence_source,
                "draw": str(row["draw"]),
            },
        }


def _answer_key(row: Mapping[Any, Any], info: MetricInfo, several: bool) -> tuple[str, ...]:
    reader, qid = str(row["reader"]), str(row["qid"])
    if info.metric.endswith(NO_CONTEXT):
        return ("", "no_context", "", "", "", reader, qid)
    base = knowledge_base_name(pd.Series({str(name): value for name, value in row.items()}))
    if several and row["intensity"]:
        base += f", seed {row['draw']}"
    parts = [str(row[name]) for name in ("system", "chunker", "retriever")]
    return (base, str(info.stage), *parts, reader, qid)
