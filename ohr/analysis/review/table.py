"""How far measures of answers, and a judge's word, agree with a person's verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ohr.questions.review import AnswerVerdict
from ohr.statistics.agreement import cohens_kappa
from ohr.study.results import Run, knowledge_base_name
from ohr.study.scoring.metrics import NO_CONTEXT

_KEYS = ("qid", "knowledge_base", "stage", "system", "chunker", "retriever", "reader")
_YES_OR_NO = frozenset({0.0, 1.0})


def reviewed_scores(run: Run, verdicts: Sequence[AnswerVerdict]) -> pd.DataFrame:
    """A row for each reviewed answer of a run and each measure of its stage.

    Columns: those of a verdict, ``right`` (bool), ``metric`` and ``value``. With several draws of
    the noise a verdict is of the draw that it names.
    """
    said = pd.DataFrame([verdict.model_dump() for verdict in verdicts], columns=[*_KEYS, "verdict"])
    said = said.assign(right=said.pop("verdict") == "right").drop_duplicates(list(_KEYS))
    rows = run.drawn
    if said.empty:
        return said.assign(metric="", value=0.0)
    rows = rows[rows["qid"].isin(said["qid"]) & rows["stage"].isin(["generation", "overall"])]
    kinds = rows.drop_duplicates(["perturbation", "level", "intensity", "engine", "draw"])
    several = len(run.manifest.get("draws", [])) > 1
    names = [
        f"{knowledge_base_name(row)}, seed {row['draw']}"
        if several and row["intensity"] > 0
        else knowledge_base_name(row)
        for _, row in kinds.iterrows()
    ]
    key = ["perturbation", "level", "intensity", "engine", "draw"]
    named = rows.merge(kinds[key].assign(knowledge_base=names), on=key)
    for column in ("system", "chunker", "retriever", "reader"):
        named[column] = named[column].fillna("").astype(str)
    # Answers without context have metrics of their own in every knowledge base, all the same.
    without = named["metric"].str.endswith(NO_CONTEXT)
    named.loc[without, ["stage", "knowledge_base"]] = ["no_context", ""]
    named["metric"] = named["metric"].str.removesuffix(NO_CONTEXT)
    named = named.drop_duplicates([*_KEYS, "metric"])
    return said.merge(named[[*_KEYS, "metric", "value"]], on=list(_KEYS)).dropna(subset="value")


def agreement_with_person(scores: pd.DataFrame) -> pd.DataFrame:
    """A row for each measure: how it orders answers, and says right or wrong, beside a person.

    ``auroc``: how often it is higher for an answer that the person found right than for one found
    wrong, ties half. For measures that are 0 or 1, ``same`` (share) and ``kappa`` (Cohen) too.
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
