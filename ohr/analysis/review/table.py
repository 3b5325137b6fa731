"""How far metrics of answers, and a judge, agree with a person's verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ohr.questions.review import AnswerVerdict
from ohr.statistics.agreement import cohens_kappa
from ohr.study.metrics import NO_CONTEXT
from ohr.study.results import StudyRun, knowledge_base_name

_KEYS = ("qid", "knowledge_base", "stage", "system", "chunker", "retriever", "reader")
_YES_OR_NO = frozenset({0.0, 1.0})


def reviewed_scores(run: StudyRun, verdicts: Sequence[AnswerVerdict]) -> pd.DataFrame:
    """One row per reviewed answer of a run and metric of its stage.

    Columns: those of a verdict, ``right`` (bool), ``metric`` and ``value``. With several draws of
    the noise, a verdict belongs to the draw that it names.
    """
    reviewed = pd.DataFrame(
        [verdict.model_dump() for verdict in verdicts], columns=[*_KEYS, "verdict"]
    )
    reviewed = reviewed.assign(right=reviewed.pop("verdict") == "right").drop_duplicates(
        list(_KEYS)
    )
    rows = run.drawn
    if reviewed.empty:
        return reviewed.assign(metric="", value=0.0)
    rows = rows[rows["qid"].isin(reviewed["qid"]) & rows["stage"].isin(["generation", "overall"])]
    kinds = rows.drop_duplicates(["perturbation", "level", "intensity", "engine", "draw"])
    several = len(run.manifest.get("draws", [])) > 1
    names = [
        f"{knowledge_base_name(row)}, seed {row['draw']}"
        if several and row["intensity"] > 0
        else knowledge_base_name(row)
        for _, row in kinds.iterrows()
    ]
    key = ["perturbation", "level", "intensity", "engine", "draw"]
    scores = rows.merge(kinds[key].assign(knowledge_base=names), on=key)
    for column in ("system", "chunker", "retriever", "reader"):
        scores[column] = scores[column].fillna("").astype(str)
    # Answers without context have separate metrics, equal in every knowledge base.
    without = scores["metric"].str.endswith(NO_CONTEXT)
    scores.loc[without, ["stage", "knowledge_base"]] = ["no_context", ""]
    scores["metric"] = scores["metric"].str.removesuffix(NO_CONTEXT)
    scores = scores.drop_duplicates([*_KEYS, "metric"])
    return reviewed.merge(scores[[*_KEYS, "metric", "value"]], on=list(_KEYS)).dropna(
        subset="value"
    )


def agreement_with_person(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per metric: its agreement with a person on answers.

    ``auroc``: how often it is higher for an answer that the person judged right than for one that
    was judged wrong; ties count half. Metrics that are 0 or 1 also have ``same`` (share) and
    ``kappa`` (Cohen).
    """
    records = []
    for metric, group in scores.groupby("metric", sort=True):
        values, right = group["value"].to_numpy(float), group["right"].to_numpy(bool)
        yes_or_no = set(values.tolist()) <= _YES_OR_NO
        says = (values == 1).tolist()
        records.append(
            {
                "metric": metric,
                "n": len(group),
                "right": int(right.sum()),
                "auroc": _auroc(values, right),
                "same": float((np.array(says) == right).mean()) if yes_or_no else np.nan,
                "kappa": cohens_kappa(says, right.tolist()) if yes_or_no else np.nan,
            }
        )
    columns = ["metric", "n", "right", "auroc", "same", "kappa"]
    table = pd.DataFrame(records, columns=columns)
    return table.sort_values("auroc", ascending=False, kind="stable").reset_index(drop=True)


def _auroc(values: np.ndarray, right: np.ndarray) -> float:
    n, wrong = int(right.sum()), int((~right).sum())
    if not n or not wrong:
        return float("nan")
    ranks = rankdata(values)
    return float((ranks[right].sum() - n * (n + 1) / 2) / (n * wrong))
