"""What judges said of systems' answers, as means, shares and agreement.

``grades``: a row for each judge, answer and aspect (``judge``, ``knowledge_base``, ``system``,
``qid``, ``category``, ``aspect``, ``grade``; 1 to 5, NaN where the judge gave none).
``preferences``: a row for each judge, question and pair of systems (``first``, ``second``, and what
was said ``as_given`` and ``swapped``: a system's name, ``tie``, or nothing).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ohr.statistics.agreement import cohens_kappa

ASPECTS = ("readability", "informativeness", "clarity", "accuracy", "overall")
"""In the order of the paper's table 3."""
TIE = "tie"
_OF = ["judge", "knowledge_base"]


def mean_grades(grades: pd.DataFrame) -> pd.DataFrame:
    """A row for each judge, knowledge base, group, aspect and system: mean, ``n``, ``ungraded``."""
    records = []
    for group, part in _groups(grades):
        for key, cell in part.groupby([*_OF, "aspect", "system"], sort=False):
            given = cell["grade"].dropna()
            records.append(
                dict(zip([*_OF, "aspect", "system"], key, strict=True))
                | {"group": group, "mean": given.mean(), "n": len(given)}
                | {"ungraded": len(cell) - len(given)}
            )
    return pd.DataFrame(records)


def verdicts(preferences: pd.DataFrame) -> pd.Series:
    """The winner of each pair: what both orders say; a tie where they differ.

    Nothing where an order went unanswered.
    """
    one, other = preferences["as_given"], preferences["swapped"]
    said = one.where(one == other, TIE)
    return said.where((one != "") & (other != ""), "")


def pair_counts(preferences: pd.DataFrame) -> pd.DataFrame:
    """A row for each judge, knowledge base, group and pair of systems.

    Wins of each, ties, pairs that were not judged, and ``orders_agree``: the share of the judged
    ones of which both orders said the same.
    """
    records = []
    table = preferences.assign(winner=verdicts(preferences))
    for group, part in _groups(table):
        for key, cell in part.groupby([*_OF, "first", "second"], sort=False):
            judged = cell[cell["winner"] != ""]
            asked = judged[judged["asked"]]
            agree = (asked["as_given"] == asked["swapped"]).mean() if len(asked) else np.nan
            records.append(
                dict(zip([*_OF, "first", "second"], key, strict=True))
                | {
                    "group": group,
                    "first_wins": int((judged["winner"] == key[2]).sum()),
                    "second_wins": int((judged["winner"] == key[3]).sum()),
                    "ties": int((judged["winner"] == TIE).sum()),
                    "not_judged": len(cell) - len(judged),
                    "orders_agree": agree,
                }
            )
    return pd.DataFrame(records)


def top_shares(preferences: pd.DataFrame) -> pd.DataFrame:
    """The share of questions for which each system's answer is ranked first (figure 3).

    A system's rank is by its wins over the others, half a win for a tie; systems that share the
    first rank share the question. Questions with a pair that was not judged are left out.
    """
    records = []
    table = preferences.assign(winner=verdicts(preferences))
    for group, part in _groups(table):
        for key, cell in part.groupby(_OF, sort=False):
            systems = list(dict.fromkeys([*cell["first"], *cell["second"]]))
            shares, n = dict.fromkeys(systems, 0.0), 0
            for _, pairs in cell.groupby("qid", sort=False):
                if (pairs["winner"] == "").any():
                    continue
                n += 1
                points = dict.fromkeys(systems, 0.0)
                for row in pairs.itertuples():
                    for name in (row.first, row.second) if row.winner == TIE else (row.winner,):
                        points[str(name)] += 0.5 if row.winner == TIE else 1.0
                best = [name for name in systems if points[name] == max(points.values())]
                for name in best:
                    shares[name] += 1 / len(best)
            records += [
                dict(zip(_OF, key, strict=True))
                | {"group": group, "system": name, "n": n}
                | {"share": shares[name] / n if n else np.nan}
                for name in systems
            ]
    return pd.DataFrame(records)


def agreement(grades: pd.DataFrame, preferences: pd.DataFrame) -> pd.DataFrame:
    """Cohen's kappa of each two judges, for each aspect and for the winners of pairs."""
    records: list[dict[str, Any]] = []
    judges = list(dict.fromkeys(grades["judge"]))
    winners = preferences.assign(winner=verdicts(preferences))
    for one, other in combinations(judges, 2):
        for aspect in ASPECTS:
            keys = ["knowledge_base", "system", "qid"]
            part = grades[grades["aspect"] == aspect]
            both = _both(part, one, other, keys, "grade").dropna()
            records.append(_kappa(one, other, aspect, both))
        keys = ["knowledge_base", "first", "second", "qid"]
        both = _both(winners[winners["asked"]], one, other, keys, "winner")
        records.append(_kappa(one, other, "better of two", both[(both != "").all(axis=1)]))
    return pd.DataFrame(records, columns=["judge", "other", "of", "kappa", "same", "n"])


def _both(table: pd.DataFrame, one: str, other: str, keys: list[str], column: str) -> pd.DataFrame:
    sides = [table[table["judge"] == name].set_index(keys)[column] for name in (one, other)]
    return pd.concat(sides, axis=1, join="inner", keys=["one", "other"])


def _kappa(one: str, other: str, of: str, both: pd.DataFrame) -> dict[str, Any]:
    first, second = both["one"].tolist(), both["other"].tolist()
    same = float(np.mean([a == b for a, b in zip(first, second, strict=True)])) if first else np.nan
    kappa = cohens_kappa(first, second)
    return {"judge": one, "other": other, "of": of, "kappa": kappa, "same": same, "n": len(first)}


def _groups(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """``all``, and each category that questions state."""
    yield "all", table
    for name in dict.fromkeys(table["category"]):
        if name:
            yield f"category:{name}", table[table["category"] == name]
