"""Judges' grades and preferences for systems' answers, as means, shares and agreement.

``grades``: one row per judge, answer and aspect (``judge``, ``knowledge_base``, ``system``,
``qid``, ``doc_id``, ``category``, ``aspect``, ``grade``; 1 to 5, NaN where the judge gave none).
``preferences``: one row per judge, question and pair of systems (``first``, ``second``, and the
winner ``as_given`` and ``swapped``: a system's name, ``tie``, or nothing).

Systems are compared on the same questions. Intervals (95 %) are over documents, and need three.
p is from the sign-flip test, together for the comparisons of all questions, and
separately over those of the categories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.tested import add_tests
from ohr.display.wording import is_shown
from ohr.statistics import Clusters, Paired, mean_interval
from ohr.statistics.agreement import cohens_kappa

ASPECTS = ("readability", "informativeness", "clarity", "accuracy", "overall")
"""In the order of the paper's table 3."""
WORST, BEST = 1, 5
TIE = "tie"
_OF = ["judge", "knowledge_base"]


def mean_grades(grades: pd.DataFrame) -> pd.DataFrame:
    """One row per judge, knowledge base, group, aspect and system: mean with its interval,
    ``n``, ``ungraded``.
    """
    records = []
    for group, part in _groups(grades):
        for key, cell in part.groupby([*_OF, "aspect", "system"], sort=False):
            graded = cell[cell["grade"].notna()]
            low, high, unit = _mean_interval((graded["grade"] - WORST) / (BEST - WORST), graded)
            records.append(
                dict(zip([*_OF, "aspect", "system"], key, strict=True))
                | {"group": group, "mean": graded["grade"].mean()}
                | {"ci_low": WORST + (BEST - WORST) * low, "ci_high": WORST + (BEST - WORST) * high}
                | {"ci_unit": unit, "n": len(graded), "ungraded": len(cell) - len(graded)}
            )
    return pd.DataFrame(records)


def grade_differences(grades: pd.DataFrame) -> pd.DataFrame:
    """One row per judge, knowledge base, group, aspect and pair of systems.

    ``difference`` is the first system's grade less the second's, over the ``n`` questions of which
    both are graded; ``least`` and ``most`` are its bounds over all questions, whatever the
    ``ungraded`` would have got.
    """
    records = []
    for group, part in _groups(grades):
        for key, cell in part.groupby([*_OF, "aspect"], sort=False):
            wide = cell.pivot(index=["qid", "doc_id"], columns="system", values="grade")
            for first, second in combinations(dict.fromkeys(cell["system"]), 2):
                both = wide[[first, second]]
                each = (both[first] - both[second]).dropna()
                least = both[first].fillna(WORST) - both[second].fillna(BEST)
                most = both[first].fillna(BEST) - both[second].fillna(WORST)
                documents = each.index.get_level_values("doc_id").to_numpy()
                records.append(
                    dict(zip([*_OF, "aspect"], key, strict=True))
                    | {"group": group, "first": first, "second": second}
                    | _compared(each.to_numpy(float), documents)
                    | {"least": least.mean(), "most": most.mean()}
                    | {"ungraded": len(both) - len(each)}
                )
    return _tested(pd.DataFrame(records), BEST - WORST)


def verdicts(preferences: pd.DataFrame) -> pd.Series:
    """The winner of each pair: that of both orders; a tie if they differ.

    Empty if a judgement is missing.
    """
    as_given, swapped = preferences["as_given"], preferences["swapped"]
    winner = as_given.where(as_given == swapped, TIE)
    return winner.where((as_given != "") & (swapped != ""), "")


def pair_counts(preferences: pd.DataFrame) -> pd.DataFrame:
    """One row per judge, knowledge base, group and pair of systems.

    Wins of each, ties, pairs without a judgement, and ``orders_agree``: the share of judged pairs
    with the same winner in both orders. ``difference`` is the share of judged pairs that the first
    wins less the share that the second wins; ``least`` and ``most`` are its bounds, whatever the
    missing judgements are.
    """
    records = []
    table = preferences.assign(winner=verdicts(preferences))
    for group, part in _groups(table):
        for key, cell in part.groupby([*_OF, "first", "second"], sort=False):
            judged = cell[cell["winner"] != ""]
            compared_pairs = judged[judged["asked"]]
            agree = (
                (compared_pairs["as_given"] == compared_pairs["swapped"]).mean()
                if len(compared_pairs)
                else np.nan
            )
            winners = judged["winner"]
            each: np.ndarray = (winners == key[2]).to_numpy(float)
            each = each - (winners == key[3]).to_numpy(float)
            unknown = len(cell) - len(judged)
            records.append(
                dict(zip([*_OF, "first", "second"], key, strict=True))
                | {
                    "group": group,
                    "first_wins": int((judged["winner"] == key[2]).sum()),
                    "second_wins": int((judged["winner"] == key[3]).sum()),
                    "ties": int((judged["winner"] == TIE).sum()),
                    "not_judged": unknown,
                    "orders_agree": agree,
                    "least": (each.sum() - unknown) / len(cell),
                    "most": (each.sum() + unknown) / len(cell),
                }
                | _compared(each, judged["doc_id"].to_numpy())
            )
    return _tested(pd.DataFrame(records), 1.0)


def is_better(row: Mapping[Any, Any]) -> str:
    """The better system in a row of :func:`grade_differences` or :func:`pair_counts`.

    Empty if none is shown to be better, or if missing judgements could reverse the result.
    """
    if not is_shown(row["p_adjusted"]) or row["least"] <= 0 <= row["most"]:
        return ""
    return str(row["first"] if row["difference"] > 0 else row["second"])


def _compared(differences: np.ndarray, documents: np.ndarray) -> dict[str, Any]:
    """The questions' differences, still without a test."""
    paired = (
        Paired(differences, Clusters.from_labels(documents, documents))
        if len(differences)
        else None
    )
    return {
        **dict.fromkeys(("difference", "ci_low", "ci_high"), np.nan),
        "ci_unit": "",
        "p": np.nan,
        "paired": paired,
        "n": len(differences),
        "n_documents": len(set(documents)),
    }


def _mean_interval(values: pd.Series, rows: pd.DataFrame) -> tuple[float, float, str]:
    if rows.empty:
        return np.nan, np.nan, ""
    documents = rows["doc_id"].to_numpy()
    interval = mean_interval(
        values.to_numpy(float), Clusters.from_labels(documents, documents), bounded=True
    )
    return interval.low, interval.high, interval.unit


def _tested(table: pd.DataFrame, largest: float) -> pd.DataFrame:
    """The table with its tests: all questions are one family, the categories another."""
    if table.empty:
        return table
    columns = {"difference": "difference", "low": "ci_low", "high": "ci_high", "unit": "ci_unit"}
    columns |= {"p": "p", "p_adjusted": "p_adjusted"}
    table = table.assign(everyone=table["group"] == "all")
    tested = add_tests(table, "paired", columns, ["everyone"], largest=largest)
    return tested.drop(columns="everyone")


def top_shares(preferences: pd.DataFrame) -> pd.DataFrame:
    """The share of questions for which each system's answer is ranked first (figure 3), with its
    interval.

    A system's rank is by its wins over the others, half a win for a tie; systems that share the
    first rank share the question. Questions with a pair that was not judged are left out.
    """
    records = []
    table = preferences.assign(winner=verdicts(preferences))
    for group, part in _groups(table):
        for key, cell in part.groupby(_OF, sort=False):
            systems = list(dict.fromkeys([*cell["first"], *cell["second"]]))
            shares, documents = [], []
            for _, pairs in cell.groupby("qid", sort=False):
                if (pairs["winner"] == "").any():
                    continue
                points = dict.fromkeys(systems, 0.0)
                for row in pairs.itertuples():
                    for name in (row.first, row.second) if row.winner == TIE else (row.winner,):
                        points[str(name)] += 0.5 if row.winner == TIE else 1.0
                best = [name for name in systems if points[name] == max(points.values())]
                shares.append({name: (name in best) / len(best) for name in systems})
                documents.append(str(pairs["doc_id"].iloc[0]))
            ranked = pd.DataFrame(shares, columns=systems).assign(doc_id=documents)
            for name in systems:
                low, high, unit = _mean_interval(ranked[name], ranked)
                records.append(
                    dict(zip(_OF, key, strict=True))
                    | {"group": group, "system": name, "n": len(ranked)}
                    | {"share": ranked[name].mean() if len(ranked) else np.nan}
                    | {"ci_low": low, "ci_high": high, "ci_unit": unit}
                )
    return pd.DataFrame(records)


def agreement(grades: pd.DataFrame, preferences: pd.DataFrame) -> pd.DataFrame:
    """Cohen's kappa of each pair of judges, for each aspect and for the winners of pairs."""
    records: list[dict[str, Any]] = []
    judges = list(dict.fromkeys(grades["judge"]))
    winners = preferences.assign(winner=verdicts(preferences))
    for first, second in combinations(judges, 2):
        for aspect in ASPECTS:
            keys = ["knowledge_base", "system", "qid"]
            part = grades[grades["aspect"] == aspect]
            both = _both(part, first, second, keys, "grade").dropna()
            records.append(_kappa(first, second, aspect, both))
        keys = ["knowledge_base", "first", "second", "qid"]
        both = _both(winners[winners["asked"]], first, second, keys, "winner")
        records.append(_kappa(first, second, "better of two", both[(both != "").all(axis=1)]))
    return pd.DataFrame(records, columns=["judge", "other", "of", "kappa", "same", "n"])


def _both(
    table: pd.DataFrame, first: str, second: str, keys: list[str], column: str
) -> pd.DataFrame:
    sides = [table[table["judge"] == name].set_index(keys)[column] for name in (first, second)]
    return pd.concat(sides, axis=1, join="inner", keys=["one", "other"])


def _kappa(judge: str, other: str, of: str, both: pd.DataFrame) -> dict[str, Any]:
    first, second = both["one"].tolist(), both["other"].tolist()
    same = float(np.mean([a == b for a, b in zip(first, second, strict=True)])) if first else np.nan
    kappa = cohens_kappa(first, second)
    return {"judge": judge, "other": other, "of": of, "kappa": kappa, "same": same, "n": len(first)}


def _groups(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of ``all``, and of each category."""
    yield "all", table
    for name in dict.fromkeys(table["category"]):
        if name:
            yield f"category:{name}", table[table["category"] == name]
