"""Quality by the format of tables, and the losses of each format."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from ocr_backends.gt import GroundTruth
from ohr.analysis.tested import add_tests
from ohr.display.labels import STAGE_METRICS
from ohr.markup.tables import TableFormat, convert_tables, parse_tables
from ohr.metrics.labels import stage_label
from ohr.statistics import Paired
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.output.rows import read_rows
from ohr.study.results import StudyRun, clusters_of, counted_rows, mean_over_draws

GROUP = "source:table"
RETRIEVAL, GENERATION, OVERALL = STAGE_METRICS
METRICS = (
    RETRIEVAL,
    ("retrieval", "lcs_stripped", stage_label("retrieval", "LCS without mark-up")),
    GENERATION,
    OVERALL,
)
SETTING = [name for name in CONDITION_COLUMNS if name != "engine"]
COLUMNS = [
    *(*SETTING, "stage", "metric", "format", "less"),
    *("mean", "ci_low", "ci_high", "ci_unit", "excluded", "p", "p_adjusted", "family_size", "n"),
]


def paired_differences(run: StudyRun, cells: pd.DataFrame) -> pd.DataFrame:
    """Each format less the first one, question by question: mean, 95 % interval and p.

    All pairs of formats are one family for each metric. Columns as in :data:`COLUMNS`; empty with
    a single format.
    """
    rows = mean_over_draws(counted_rows(read_rows(run.path), run.metric_infos))
    rows = rows[rows["evidence_source"] == GROUP.partition(":")[2]]
    rows["top_k"] = rows["top_k"].astype("string").fillna("")
    first, *other_items = list(dict.fromkeys(cells["engine"]))
    records = []
    pairs: dict[tuple[str, str], list[Paired]] = {}
    for stage, metric, _ in METRICS:
        measured = rows[(rows["stage"] == stage) & (rows["metric"] == metric)]
        for setting, condition in measured.groupby(SETTING, observed=True, sort=False):
            by_engine = condition.pivot(index=["qid", "doc_id", "page_no"], columns="engine")
            by_question = by_engine["value"]
            for engine in other_items:
                if engine not in by_question or first not in by_question:
                    continue
                paired = (by_question[engine] - by_question[first]).dropna()
                if paired.empty:
                    continue
                values = paired.to_numpy(dtype=float)
                questions = paired.index.to_frame(index=False)
                records.append(
                    dict(zip(SETTING, setting, strict=True))
                    | {"stage": stage, "metric": metric, "format": engine, "less": first}
                    | {"paired": Paired(values, clusters_of(questions)), "n": len(values)}
                )
                before = other_items[: other_items.index(engine)]
                for other in (name for name in before if name in by_question):
                    rest = (by_question[engine] - by_question[other]).dropna()
                    clusters = clusters_of(rest.index.to_frame(index=False))
                    pairs.setdefault((stage, metric), []).append(
                        Paired(rest.to_numpy(dtype=float), clusters)
                    )
    if not records:
        return pd.DataFrame(columns=COLUMNS)
    columns = {"difference": "mean", "low": "ci_low", "high": "ci_high", "unit": "ci_unit"}
    columns |= {"excluded": "excluded", "p": "p", "p_adjusted": "p_adjusted"}
    table = add_tests(
        pd.DataFrame(records),
        "paired",
        columns | {"tests": "family_size"},
        ["stage", "metric"],
        others=pairs,
        seed=run.seed,
    )
    return table.reindex(columns=COLUMNS)


def main_setting(rows: pd.DataFrame, top_k: int) -> pd.DataFrame:
    """The cells or differences of clean pages, the first chunker and ``top_k`` hits."""
    if rows.empty:
        return rows
    chunker = next((name for name in rows["chunker"] if name), "")
    hits = pd.to_numeric(rows["top_k"], errors="coerce").fillna(top_k)
    return rows[(rows["noise"] == "none") & rows["chunker"].isin([chunker, ""]) & (hits == top_k)]


def count_losses(run: StudyRun) -> pd.DataFrame:
    """Counts of tables by format, and of those that lose content of each kind, with an example."""
    counts: dict[tuple[str, str], int] = {}
    details: dict[tuple[str, str], Counter[str]] = {}
    for label, engine in run.plan.engines.items():
        if not isinstance(engine, GroundTruth) or engine.params.tables == "as_is":
            continue
        target: TableFormat = engine.params.tables
        counts[label, "tables"] = 0
        for ref in run.plan.reread:
            text = run.plan.dataset.pages[ref].text
            tables = parse_tables(text)
            counts[label, "tables"] += len(tables)
            losses = convert_tables(text, target)[1] if tables else []
            for _, kind in sorted({(loss.table, loss.loss.kind) for loss in losses}):
                counts[label, kind] = counts.get((label, kind), 0) + 1
            for loss in losses:
                details.setdefault((label, loss.loss.kind), Counter())[loss.loss.detail] += 1
    return pd.DataFrame(
        [
            {
                "format": label,
                "what": kind,
                "tables": count,
                "detail": ", ".join(
                    d for d, _ in details.get((label, kind), Counter()).most_common(5)
                ),
            }
            for (label, kind), count in counts.items()
        ]
    )
