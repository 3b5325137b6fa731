"""Result files of the published evaluation, as rows and cells."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.errors import OhrError
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.study.cells import CELL_COLUMNS, KEY_COLUMNS, mean_columns
from ohr.study.groups import group_rows
from ohr.study.results import clusters_of, counted
from ohr.types import Question, Status

MEASURES = {"lcs": "lcs", "lcs_page": "evidence_lcs", "F1": "f1", "EM": "em"}
"""Measures of the published evaluation, and what they are called here."""
ANSWER_STAGES = ("generation", "overall")
STAGES = ("ocr", "retrieval", *ANSWER_STAGES)


@dataclass(frozen=True)
class Named:
    """What the imported results are of, as the run's columns name it."""

    engine: str
    retriever: str
    reader: str
    top_k: int


def read_results(
    path: Path, stage: str, questions: Mapping[str, Question], named: Named
) -> pd.DataFrame:
    """Rows of one result file. Raises OhrError for what is not one, or of other questions.

    A result that is not ``valid`` (nothing retrieved, no answer) is empty, and a measure of -1
    (it raised) an error: the published evaluation leaves the first out of its means. Evidence's
    LCS also gives ``r_noise``.
    """
    records: list[dict[str, Any]] = []
    for number, result in enumerate(_results(path)):
        question = questions.get(str(result.get("id", result.get("ID", ""))))
        if question is None:
            raise OhrError(f"{path}: result {number} is of no question of the Q&A file")
        values = result.get("metrics", result)
        status = Status.OK if result.get("valid", True) else Status.EMPTY
        for measure, metric in MEASURES.items():
            if measure not in values:
                continue
            value = values[measure]
            if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
                raise OhrError(f"{path}: result {number} has the {measure} {value!r}: no number")
            failed = value < 0
            row = _condition(_stage_of(metric, stage, path), named)
            row |= {"metric": metric, "qid": question.qid, "doc_id": question.doc_id}
            row |= {"page_no": question.evidence_pages[0].page_no}
            row |= {"evidence_source": question.evidence_source, "domain": question.domain}
            row |= {"answer_form": question.answer_form, "task": question.task}
            row |= {"value": 0.0 if failed else float(value)}
            records.append(row | {"status": str(Status.ERROR if failed else status)})
            if metric == "evidence_lcs":
                records.append(records[-1] | {"metric": "r_noise"})
                records[-1]["value"] = float(value <= R_NOISE_THRESHOLD)
    if not records:
        raise OhrError(f"{path} has none of the measures {', '.join(MEASURES)}")
    return pd.DataFrame(records).astype({"top_k": "Int64"})


def _results(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        text = path.read_text("utf-8")
        try:
            content = json.loads(text)
        except ValueError:
            content = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise OhrError(f"cannot read results from {path}: {error}") from error
    results = content.get("results", [content]) if isinstance(content, dict) else content
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise OhrError(f"{path}: expected a list of results")
    yield from results


def _stage_of(metric: str, stage: str, path: Path) -> str:
    natural = {"lcs": "retrieval", "evidence_lcs": "ocr"}.get(metric, "")
    if natural or stage in ANSWER_STAGES:
        return natural or stage
    raise OhrError(
        f"are the answers in {path} from gold pages or from retrieved chunks? say "
        f"generation={path} or overall={path}"
    )


def _condition(stage: str, named: Named) -> dict[str, Any]:
    retrieves, reads = stage in ("retrieval", "overall"), stage in ANSWER_STAGES
    return {
        "noise": "none",
        "perturbation": "none",
        "level": "",
        "intensity": 0.0,
        "engine": named.engine,
        "chunker": "tokens" if retrieves else "",
        "retriever": named.retriever if retrieves else "",
        "reader": named.reader if reads else "",
        "top_k": named.top_k if retrieves else None,
        "kb_scope": "all",
        "protocol": "reference",
        "seed": 0,
        "stage": stage,
    }


def make_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """``cells.csv`` of imported rows: each stage, metric and group."""
    keys = [name for name in KEY_COLUMNS if name != "group"]
    records = []
    noise: dict[str, float] = {}
    for _, of_metric in rows.groupby(["stage", "metric"], sort=False):
        for group, every in group_rows(of_metric):
            kept = counted(every)
            clusters = clusters_of(kept) if len(kept) else None
            cell = {name: of_metric[name].iloc[0] for name in keys} | {"group": group, "draws": 1}
            cell |= mean_columns(kept["value"].to_numpy(dtype=float), clusters)
            for status in (Status.EMPTY, Status.ERROR, Status.TIMEOUT):
                cell[f"n_{status}"] = int((every["status"] == str(status)).sum())
            records.append(cell)
            if cell["metric"] == "r_noise":
                noise[group] = cell["mean"]
    for cell in records:
        cell["r_noise"] = noise.get(cell["group"], float("nan"))
    cells = pd.DataFrame(records).reindex(columns=list(CELL_COLUMNS))
    return _in_order(cells)


def _in_order(cells: pd.DataFrame) -> pd.DataFrame:
    places = {stage: place for place, stage in enumerate(STAGES)}
    return cells.sort_values("stage", key=lambda names: names.map(places), kind="stable")
