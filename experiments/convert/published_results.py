"""Imports result files of the published evaluation as a run."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ohr.collection import ValidationReport
from ohr.datasets.ohrbench import read_questions
from ohr.errors import DatasetError, OhrError
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.store.atomic import write_bytes, write_text
from ohr.store.csv import write_csv
from ohr.store.identity import file_digest
from ohr.study.config import BUILT_IN
from ohr.study.output.cells import aggregate
from ohr.study.output.scores import complete
from ohr.types import Question, Status

METRICS = {"lcs": "lcs", "lcs_page": "evidence_lcs", "F1": "f1", "EM": "em"}
"""Metrics of the published evaluation, and their names here."""
ANSWER_STAGES = ("generation", "overall")
STAGES = ("ocr", "retrieval", *ANSWER_STAGES)


@dataclass(frozen=True)
class Names:
    """Names of the imported results' engine, retriever and so on, for the run's columns."""

    engine: str
    retriever: str
    reader: str
    top_k: int


def import_results(files: Sequence[str], questions: Path, out: Path, names: Names) -> int:
    """Make a run of result files, each ``[STAGE=]FILE``, and print its means. Raises OhrError."""
    if (out / "manifest.json").exists():
        raise OhrError(f"{out} already has a run: choose another --out")
    report = ValidationReport()
    by_id = {question.qid: question for question in read_questions(questions, report)}
    if not by_id:
        raise DatasetError(f"{questions} has no questions")
    sources = [_stage_and_path(text) for text in files]
    parts = [read_results(path, stage, by_id, names) for stage, path in sources]
    rows = complete(pd.concat(parts, ignore_index=True))
    repeated = rows.duplicated(["qid", "stage", "metric"])
    if repeated.any():
        row = rows[repeated].iloc[0]
        raise OhrError(f"question {row['qid']} has two values of {row['stage']} {row['metric']}")
    cells = aggregate(rows)
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(rows, preserve_index=False), sink, compression="zstd")
    write_bytes(out / "rows.parquet", sink.getvalue())
    write_csv(out / "cells.csv", cells)
    manifest = {
        "config": {"scoring": "reference"},
        "seed": 0,
        "imported": asdict(names)
        | {"files": _digests(sources)}
        | {"questions": {questions.name: file_digest(questions)}},
    }
    write_text(out / "manifest.json", json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    of_all = cells[cells["group"] == "all"]
    for cell in of_all.to_dict("records"):
        print(f"{cell['stage']} {cell['metric']}: {cell['mean']:.4f} (n = {cell['n']})")
    print(f"run: {out}")
    return 0


def _digests(sources: Sequence[tuple[str, Path]]) -> dict[str, str]:
    """File digests by name, or by path if several files have the same name."""
    names = Counter(path.name for path in {path for _, path in sources})
    return {
        path.name if names[path.name] == 1 else str(path): file_digest(path) for _, path in sources
    }


def _stage_and_path(text: str) -> tuple[str, Path]:
    stage, equals, path = text.partition("=")
    if equals and stage in STAGES:
        return stage, Path(path)
    return "", Path(text)


def read_results(
    path: Path, stage: str, questions: Mapping[str, Question], names: Names
) -> pd.DataFrame:
    """Rows of one result file. Raises OhrError for another file, or unknown questions.

    A result that is not ``valid`` (nothing retrieved, no answer) is empty; the published evaluation
    leaves it out of its means. A metric of -1 (an exception) is an error. The evidence's LCS also
    gives ``r_noise``.
    """
    records: list[dict[str, Any]] = []
    for number, result in enumerate(_results(path)):
        question = questions.get(str(result.get("id", result.get("ID", ""))))
        if question is None:
            raise OhrError(f"{path}: result {number} belongs to no question of the questions file")
        values = result.get("metrics", result)
        if not isinstance(values, Mapping):
            raise OhrError(f"{path}: the metrics of result {number} are {values!r}: no object")
        status = Status.OK if result.get("valid", True) else Status.EMPTY
        for published_name, metric in METRICS.items():
            if published_name not in values:
                continue
            value = values[published_name]
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise OhrError(
                    f"{path}: result {number} has the {published_name} {value!r}: no number"
                )
            failed = value == -1
            if not failed and not 0 <= value <= 1:
                raise OhrError(
                    f"{path}: result {number} has the {published_name} {value!r}, which is neither "
                    "from 0 to 1 nor -1, an error (divide per cent by 100)"
                )
            row = _condition(_stage_of(metric, stage, path), names)
            row |= {"metric": metric, "qid": question.qid, "doc_id": question.doc_id}
            row |= {"page_no": question.place.page_no}
            row |= {"evidence_source": question.evidence_source, "domain": question.domain}
            row |= {"answer_form": question.answer_form, "task": question.task}
            row |= {"value": 0.0 if failed else float(value)}
            records.append(row | {"status": str(Status.ERROR if failed else status)})
            if metric == "evidence_lcs":
                records.append(records[-1] | {"metric": "r_noise"})
                records[-1]["value"] = float(value <= R_NOISE_THRESHOLD)
    if not records:
        raise OhrError(f"{path} has none of the metrics {', '.join(METRICS)}")
    return pd.DataFrame(records).astype({"top_k": "Int64"})


def _results(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        text = path.read_text("utf-8-sig")
        try:
            content = json.loads(text)
        except ValueError:
            content = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise OhrError(f"cannot read results from {path}: {error}") from error
    results = content.get("results", [content]) if isinstance(content, dict) else content
    if not isinstance(results, list) or not all(isinstance(entry, dict) for entry in results):
        raise OhrError(f"{path}: expected a list of results")
    yield from results


def _stage_of(metric: str, stage: str, path: Path) -> str:
    natural = {"lcs": "retrieval", "evidence_lcs": "ocr"}.get(metric, "")
    if natural or stage in ANSWER_STAGES:
        return natural or stage
    raise OhrError(
        f"are the answers in {path} from gold pages or from retrieved chunks? write "
        f"generation={path} or overall={path}"
    )


def _condition(stage: str, names: Names) -> dict[str, Any]:
    retrieves, reads = stage in ("retrieval", "overall"), stage in ANSWER_STAGES
    return {
        "noise": "none",
        "perturbation": "none",
        "level": "",
        "intensity": 0.0,
        "engine": names.engine,
        "system": BUILT_IN if stage == "overall" else "",
        "chunker": "tokens" if retrieves else "",
        "retriever": names.retriever if retrieves else "",
        "reader": names.reader if reads else "",
        "top_k": names.top_k if retrieves else None,
        "kb_scope": "all",
        "protocol": "reference",
        "seed": 0,
        "stage": stage,
    }
