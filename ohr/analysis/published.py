"""Numbers of the OHR-Bench paper, and ours beside them.

``published.csv`` has all of its numbers: table, engine, reader (only in table S5; the others are
means over readers and retrievers), stage, metric, group and value. Scores are in [0, 1]. Some
numbers are in two tables and differ there; ``elsewhere`` then has the other value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import pandas as pd

from ohr.display.labels import STAGE_METRICS, group_label
from ohr.study.output.select import cells_of

SCORES = ("table 2", "table S5", "table S6", "table S7", "table S8")
"""Tables of scores that a benchmark's cells can be compared with."""
KEY = ("engine", "reader", "stage", "metric", "group")
SMALLEST_CONTRADICTION = 0.0015
"""Numbers are given to a tenth of a per cent; larger differences are not rounding."""
BY_DOMAIN = {"retrieval": "table S6", "generation": "table S7", "overall": "table S8"}
OUR_DOMAINS = "our domains"
"""Group name of rows with the paper's domains weighted by our questions."""


@cache
def _every_figure() -> pd.DataFrame:
    with (files("ohr.analysis") / "published.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, keep_default_na=False)


def figures_of(table: str) -> pd.DataFrame:
    """The rows of one table, such as ``table S3``, or section of the paper."""
    figures = _every_figure()
    return figures[figures["table"] == table]


@cache
def published() -> pd.DataFrame:
    """The scores of tables 2 and S5 to S8: ``table``, the columns of ``KEY``, ``value``."""
    figures = _every_figure()
    return figures[figures["table"].isin(SCORES)].reset_index(drop=True)


def published_engine(label: str) -> str | None:
    """The paper's name of an engine: ``precomputed:MinerU`` is its ``MinerU``."""
    names = {str(name).lower(): str(name) for name in published()["engine"].unique()}
    return names.get(label.rpartition(":")[2].lower())


def contradictions() -> pd.DataFrame:
    """Rows with another value in another table of the paper, which is in ``elsewhere``."""
    records = []
    for _, rows in published().groupby(list(KEY), sort=False):
        if rows["value"].max() - rows["value"].min() > SMALLEST_CONTRADICTION:
            for row in rows.to_dict("records"):
                rest = rows[rows["table"] != row["table"]]
                records.append(dict(row) | {"elsewhere": _values_by_table(rest)})
    return pd.DataFrame(records)


def _values_by_table(rows: pd.DataFrame) -> str:
    return "; ".join(f"{row.value:.3f} ({row.table})" for row in rows.itertuples(index=False))


def compare_with_published(cells: pd.DataFrame) -> pd.DataFrame:
    """One row per number of the paper that our cells of clean engines have too.

    Columns: ``table``, those of ``KEY``, ``elsewhere`` (different values of the paper's other
    tables), ``paper``, ``ours`` (mean over retrievers and readers, as theirs; in table S5
    over retrievers), ``difference`` and ``n``.
    """
    clean = cells[cells["noise"] == "none"]
    labels = _our_labels(clean)
    elsewhere = _elsewhere()
    records = []
    for row in published().to_dict("records"):
        label = labels.get(row["engine"])
        of_engine = clean[clean["engine"] == label]
        if row["reader"]:
            of_engine = of_engine[of_engine["reader"].str.lower() == row["reader"].lower()]
        ours = averages(of_engine, row["stage"], row["metric"], row["group"]).get(str(label))
        if ours is None:
            continue
        same = of_engine[
            (of_engine["stage"] == row["stage"]) & (of_engine["metric"] == row["metric"])
        ]
        key = tuple(row[name] for name in ("table", *KEY))
        records.append(
            {name: row[name] for name in ("table", *KEY)}
            | {"elsewhere": elsewhere.get(key, ""), "paper": row["value"], "ours": ours}
            | {"difference": ours - row["value"]}
            | {"n": int(same[same["group"] == row["group"]]["n"].max())}
        )
    return pd.DataFrame(records)


def weight_by_domains(cells: pd.DataFrame) -> pd.DataFrame:
    """The paper's tables S6 to S8 over the domains that we have too, weighted by our questions.

    The paper's ALL is over seven domains; a study of some of them is compared with the same ones.
    One row per stage and engine, then one per drop from the ground truth (``gt to MinerU``), with
    the columns of :func:`compare_with_published`; ``ours`` has the same weights.
    """
    clean = cells[cells["noise"] == "none"]
    labels = _our_labels(clean)
    records = []
    for stage, metric, _ in STAGE_METRICS:
        names = [name for name in labels if _domain_means(clean, labels[name], stage, metric)]
        ours = {name: _domain_means(clean, labels[name], stage, metric) for name in names}
        paper = {name: _paper_values(BY_DOMAIN[stage], name) for name in names}
        weights = {
            group: int(n)
            for group, n in _questions(clean, stage, metric).items()
            if n > 0 and all(group in ours[name] and group in paper[name] for name in names)
        }
        if not names or not weights:
            continue
        means = {
            name: (_weighted(paper[name], weights), _weighted(ours[name], weights))
            for name in names
        }
        if TRUTH in means:
            means |= {
                f"{TRUTH} to {name}": (means[TRUTH][0] - their_mean, means[TRUTH][1] - our_mean)
                for name, (their_mean, our_mean) in list(means.items())
                if name != TRUTH
            }
        for engine, (their_mean, our_mean) in means.items():
            key = (BY_DOMAIN[stage], engine, "", stage, metric, OUR_DOMAINS)
            records.append(
                dict(zip(("table", *KEY), key, strict=True))
                | {
                    "elsewhere": "",
                    "paper": their_mean,
                    "ours": our_mean,
                    "difference": our_mean - their_mean,
                }
                | {"n": sum(weights.values())}
                | {"domains": ", ".join(group_label(group) for group in weights)}
            )
    return pd.DataFrame(records)


def drop_lines(rows: pd.DataFrame) -> list[str]:
    """Our drop from the ground truth as a share of the paper's, one line per engine."""
    lines = []
    drops = rows[rows["engine"].str.startswith(f"{TRUTH} to ")] if len(rows) else rows
    for engine, of_engine in drops.groupby("engine", sort=False) if len(drops) else ():
        shares = [
            f"{row['ours']:.3f} of {row['paper']:.3f} ({row['stage']}"
            + (f", {100 * row['ours'] / row['paper']:.0f} %)" if row["paper"] > 0 else ")")
            for row in of_engine.to_dict("records")
        ]
        lines.append(
            f"drop from {engine} on {of_engine['domains'].iloc[0]}, the paper's tables by domain "
            f"weighted by our questions: {', '.join(shares)}"
        )
    return lines


def _our_labels(clean: pd.DataFrame) -> dict[str, str]:
    """The paper's engines that we have too, with our labels."""
    labels: dict[str, str] = {}
    for label in dict.fromkeys(clean["engine"]):
        if (name := published_engine(str(label))) is not None:
            labels.setdefault(name, str(label))
    return labels


def _domain_means(cells: pd.DataFrame, label: str, stage: str, metric: str) -> dict[str, float]:
    """An engine's mean on each domain, over retrievers and readers."""
    of_engine = cells[cells["engine"] == label]
    means = {
        g: averages(of_engine, stage, metric, g).get(label) for g in _domains(of_engine["group"])
    }
    return {group: mean for group, mean in means.items() if mean is not None}


def _questions(cells: pd.DataFrame, stage: str, metric: str) -> dict[str, float]:
    """The number of questions of each domain that count, for the engine with most."""
    chosen = cells[(cells["stage"] == stage) & (cells["metric"] == metric)]
    chosen = chosen[chosen["group"].isin(_domains(chosen["group"]))]
    most = chosen["n"].astype(float).groupby(chosen["group"]).max()
    return {group: float(most[group]) for group in _domains(chosen["group"])}


def _paper_values(table: str, engine: str) -> dict[str, float]:
    rows = published()
    rows = rows[(rows["table"] == table) & (rows["engine"] == engine)]
    return dict(zip(rows["group"], rows["value"], strict=True))


def _domains(groups: pd.Series) -> Sequence[str]:
    return [group for group in dict.fromkeys(groups) if group.startswith("domain:")]


def _weighted(means: Mapping[str, float], weights: Mapping[str, int]) -> float:
    return sum(means[group] * n for group, n in weights.items()) / sum(weights.values())


def _elsewhere() -> Mapping[tuple[str, ...], str]:
    rows = contradictions()
    keys = rows[["table", *KEY]].itertuples(index=False, name=None)
    return dict(zip(keys, rows["elsewhere"], strict=True))


TRUTH = "gt"


def averages(cells: pd.DataFrame, stage: str, metric: str, group: str) -> dict[str, float]:
    """Each engine's mean over the retrievers and readers of one stage, metric and group.

    With several chunkers or numbers of hits only the first counts; captions say so.
    """
    chosen = cells_of(cells, stage, metric, group)
    for column in ("chunker", "top_k"):
        if len(chosen) and pd.notna(first := chosen[column].iloc[0]):
            chosen = chosen[chosen[column] == first]
    chosen = chosen[chosen["n"].astype(int) > 0]
    return {
        str(engine): float(mean) for engine, mean in chosen.groupby("engine")["mean"].mean().items()
    }
