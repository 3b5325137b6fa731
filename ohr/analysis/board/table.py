"""The rankings of a board: per metric, one table of conditions for each way of measuring it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ohr.analysis.comparison.names import cut_runs
from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.noise_cost.losses import noise_losses
from ohr.analysis.noise_cost.table import (
    BASELINE,
    OWN_ERRORS,
    PARTS,
    UNDEFINED,
    flaw_of_baseline,
    noise_costs,
    settings_that_differ,
)
from ohr.analysis.published import published, published_engine
from ohr.display.costs import SECONDS, engine_costs
from ohr.errors import OhrError
from ohr.store.identity import digest
from ohr.study.config import BUILT_IN
from ohr.study.metrics import MetricInfo
from ohr.study.results import StudyRun, rows_of, run_names
from ohr.study.scoring.signatures import differences, signature_of

NO_SIGNATURE = "none: of an earlier version, or imported"
MADE_UP = ("silent_numbers", "invented_words")
"""Metrics of page text that stand beside each rank, as means over the noises."""
COLUMNS = (
    *("stage", "metric", "signature", "place", *PARTS, "runs"),
    *("cost", "ci_low", "ci_high", "ci_unit", "letters"),
    *("loss", "loss_low", "loss_high", "clean", "n", "n_documents", "n_noises"),
    *("noises", "seconds", "seconds_of", *MADE_UP, "reported", "reported_in", "not_ranked"),
)
"""Columns of ``board.csv``. ``place``: 1 is the best of a table; empty if not ranked."""

Named = Mapping[str, StudyRun]
"""Runs by the name that the board shows."""


@dataclass(frozen=True)
class Ranking:
    """The conditions of some runs that measured a metric in the same way."""

    info: MetricInfo
    signature: str
    runs: tuple[str, ...]
    apart: str
    """Why these runs are not in the metric's first table; empty for the first table."""
    no_cost: str
    """Why there is no mean noise cost, so that conditions are ranked by loss; else empty."""
    frame: pd.DataFrame
    """One row per condition, with the columns ``COLUMNS``: ranked ones first, the best first."""

    @property
    def ranked(self) -> pd.DataFrame:
        """The conditions with a place."""
        return self.frame[self.frame["not_ranked"] == ""]

    @property
    def unranked(self) -> pd.DataFrame:
        """The others; ``not_ranked`` says why."""
        return self.frame[self.frame["not_ranked"] != ""]


def rankings(
    runs: Named,
    metrics: Sequence[str] = (),
    incomplete: Sequence[str] = (),
    baseline: Mapping[str, str] = BASELINE,
) -> list[Ranking]:
    """The tables of complete runs, metric by metric; ``metrics`` are as ``overall:f1``.

    Runs are in one table only if their signatures of the metric are the same, and so are the data
    and settings that decide pages, noise and scores. ``incomplete`` names further runs that have
    the baseline but do not count. ``baseline``: part -> label
    (:func:`~ohr.analysis.noise_cost.table.noise_costs`). Raises OhrError for an unknown metric.
    """
    runs = dict(zip(runs, cut_runs(list(runs.values()), metrics), strict=True))
    pairs = [
        pair for pair in metrics_of(list(runs.values()), metrics) if metrics or pair[0] != "ocr"
    ]
    return [r for pair in pairs for r in _rankings(runs, *pair, incomplete, baseline)]


def has_baseline(run: StudyRun) -> bool:
    """Whether a run measured the frozen baseline at any stage."""
    parts = [run.cells[part].astype(str).isin([value, ""]) for part, value in BASELINE.items()
             if part != "top_k"]  # fmt: skip
    of_all = pd.concat(parts, axis=1).all(axis=1) & (run.cells["engine"] == BASELINE["engine"])
    return bool((of_all & (run.cells["stage"] != "ocr")).any())


def _rankings(
    runs: Named, stage: str, metric: str, incomplete: Sequence[str], baseline: Mapping[str, str]
) -> Iterator[Ranking]:
    groups: list[tuple[str, dict[str, StudyRun]]] = []
    for name, run in runs.items():
        if rows_of(run.rows, stage, metric).empty:
            continue
        known_values = signature_of(run.manifest, stage, metric)
        for _, members in groups:
            if all(
                not why_apart(run, member, stage, metric, baseline) for member in members.values()
            ):
                members[name] = run
                break
        else:
            groups.append((known_values, {name: run}))
    for place, (signature, members) in enumerate(groups):
        apart = ""
        if place:
            first = groups[0][1]
            name, before = next(iter(first.items()))
            reason = why_apart(before, next(iter(members.values())), stage, metric, baseline)
            apart = f"Not ranked with {name}: {reason}." if reason else ""
        info = next(
            info
            for run in members.values()
            for info in run.metric_infos
            if (info.stage, info.metric) == (stage, metric)
        )
        yield _ranking(members, info, signature or NO_SIGNATURE, apart, incomplete, baseline)


def why_apart(
    first: StudyRun,
    second: StudyRun,
    stage: str,
    metric: str,
    baseline: Mapping[str, str] = BASELINE,
) -> str:
    """Why two runs may not be ranked in one table for a metric; empty if they may."""
    before, after = (signature_of(run.manifest, stage, metric) for run in (first, second))
    if bool(before) != bool(after):
        return "one has no signature: it is of an earlier version, or imported"
    if before != after:
        return f"the signatures differ ({differences(before, after)})"
    if not before and _unsigned(first, metric) != _unsigned(second, metric):
        return "the versions of the metric, or the settings of its study, differ"
    data = [str(run.manifest.get("dataset", {}).get("digest", "")) for run in (first, second)]
    if data[0] != data[1]:
        return "the data differ"
    if differing := settings_that_differ(first, second):
        return f"the runs differ in {', '.join(differing)}"
    flaws = [_flaw(run, baseline) for run in (first, second)]
    if flaws[0] != flaws[1]:
        return f"the baseline of one is not the frozen one ({flaws[0] or flaws[1]})"
    return ""


def _flaw(run: StudyRun, baseline: Mapping[str, str]) -> str:
    """Why the frozen baseline of a run is another one; a baseline that was named has no flaw."""
    return flaw_of_baseline(run) if baseline is BASELINE else ""


def _unsigned(run: StudyRun, metric: str) -> str:
    """What stands in for the signature of a run of an earlier version."""
    config = run.manifest.get("config", {})
    versions = run.manifest.get("metrics", {})
    name = metric.partition("@")[0]
    return digest([config.get("scoring"), config.get("top_k"), versions.get(name)])


def _ranking(
    runs: Named,
    info: MetricInfo,
    signature: str,
    apart: str,
    incomplete: Sequence[str],
    baseline: Mapping[str, str],
) -> Ranking:
    members = list(runs.values())
    losses = noise_losses(members, info.stage, info.metric)
    shown = dict(zip(run_names(members), runs, strict=True))
    losses["runs"] = [", ".join(shown[name] for name in names) for names in losses["runs"]]
    costs, no_cost = _costs(members, info, incomplete, baseline)
    frame = _rank_by_loss(losses) if costs is None else _rank_by_cost(costs, losses)
    frame = _add_made_up(_add_seconds(frame, runs), members)
    frame = _add_reported(frame, info)
    frame = frame.assign(stage=info.stage, metric=info.metric, signature=signature)
    ranked = frame["not_ranked"] == ""
    frame["place"] = ranked.cumsum().where(ranked).astype("Int64")
    return Ranking(
        info, signature, tuple(runs), apart, no_cost, frame.reindex(columns=list(COLUMNS))
    )


def _costs(
    runs: Sequence[StudyRun],
    info: MetricInfo,
    incomplete: Sequence[str],
    baseline: Mapping[str, str],
) -> tuple[pd.DataFrame | None, str]:
    """The mean noise costs; or None, and why no condition has one."""
    if flaw := _flaw(runs[0], baseline):
        return None, flaw
    try:
        costs = noise_costs(runs, [(info.stage, info.metric)], baseline)
    except OhrError as error:
        reason = str(error)
        if incomplete and "lack the baseline" in reason:
            reason += f"; {', '.join(incomplete)} has it, but is incomplete"
        return None, reason
    return (None, UNDEFINED) if costs["cost"].isna().all() else (costs, "")


def _rank_by_cost(costs: pd.DataFrame, losses: pd.DataFrame) -> pd.DataFrame:
    """The conditions with a cost, lowest first, then the others with the reason."""
    of_losses = ["runs", "clean", "noises", "no_loss"]
    merged = costs.merge(losses[[*PARTS, *of_losses]], on=list(PARTS), how="left")
    undefined = merged["cost"].isna()
    merged["not_ranked"] = ""
    merged.loc[merged["n_noises"] == 0, "noises"] = OWN_ERRORS
    merged.loc[undefined, "not_ranked"] = UNDEFINED
    keys = set(costs[list(PARTS)].itertuples(index=False, name=None))
    remaining = [key not in keys for key in losses[list(PARTS)].itertuples(index=False, name=None)]
    rest = losses[remaining]
    why = rest["no_loss"].where(rest["no_loss"] != "", "no noise in common with the baseline")
    rest = rest.assign(not_ranked=why)
    frame = pd.concat([merged, rest] if len(rest) else [merged], ignore_index=True)
    return frame.sort_values("not_ranked", key=lambda c: c != "", kind="stable", ignore_index=True)


def _rank_by_loss(losses: pd.DataFrame) -> pd.DataFrame:
    """Most conditions under the same noises, lowest loss first, then the others."""
    frame = losses.rename(columns={"loss_letters": "letters", "loss_unit": "ci_unit"})
    with_loss = frame[frame["no_loss"] == ""]
    usual = with_loss["noises"].value_counts(sort=False)
    rest = (frame["no_loss"] == "") & (frame["noises"] != (usual.idxmax() if len(usual) else ""))
    frame["not_ranked"] = frame["no_loss"].mask(
        rest, "under other noises than the conditions above"
    )
    return frame.sort_values("not_ranked", key=lambda c: c != "", kind="stable", ignore_index=True)


def _add_seconds(frame: pd.DataFrame, runs: Named) -> pd.DataFrame:
    """Add the page seconds of each engine: of the first of the condition's runs that has them."""
    seconds: dict[str, tuple[float, str]] = {}
    for name, run in runs.items():
        for row in engine_costs(run.cells, run.manifest.get("knowledge_bases", {})).to_dict(
            "records"
        ):
            seconds.setdefault(str(row["engine"]), (float(row[SECONDS]), name))
    known_values = [seconds.get(engine, (float("nan"), "")) for engine in frame["engine"]]
    return frame.assign(
        seconds=[value for value, _ in known_values], seconds_of=[of for _, of in known_values]
    )


def _add_made_up(frame: pd.DataFrame, runs: Sequence[StudyRun]) -> pd.DataFrame:
    """Add what each engine makes up under noise: means over the runs' noises; NaN if not known."""
    cells = pd.concat([run.cells for run in runs], ignore_index=True)
    noisy = cells[(cells["noise"] != "none") & (cells["group"] == "all")]
    for metric in MADE_UP:
        means = noisy[(noisy["stage"] == "ocr") & (noisy["metric"] == metric)]
        by_engine = means.groupby("engine")["mean"].mean()
        frame = frame.assign(**{metric: frame["engine"].map(by_engine).astype(float)})
    return frame


def _add_reported(frame: pd.DataFrame, info: MetricInfo) -> pd.DataFrame:
    """Add the published score of the same engine, metric and reader on clean pages, if known."""
    figures = [
        reported(row["engine"], row["reader"], info) if row["system"] in ("", BUILT_IN) else {}
        for row in frame.to_dict("records")
    ]
    return frame.assign(
        reported=[next(iter(by_table.values()), float("nan")) for by_table in figures],
        reported_in=[_sources(by_table) for by_table in figures],
    )


def _sources(by_table: Mapping[str, float]) -> str:
    """``0.700 (table 2, table S6)``; values that differ are all given."""
    tables: dict[str, list[str]] = {}
    for table, value in by_table.items():
        tables.setdefault(f"{value:.3f}", []).append(table)
    return "; ".join(f"{value} ({', '.join(names)})" for value, names in tables.items())


def reported(engine: str, reader: str, info: MetricInfo) -> dict[str, float]:
    """The paper's score of an engine over all questions, by the table that has it.

    A table of one reader counts for that reader alone; the other tables have means over the paper's
    readers and retrievers. Empty if the paper has none.
    """
    name = published_engine(engine)
    if name is None:
        return {}
    rows = published()
    rows = rows[
        (rows["engine"] == name)
        & (rows["stage"] == info.stage)
        & (rows["metric"] == info.metric)
        & (rows["group"] == "all")
        & ((rows["reader"] == "") | (rows["reader"].str.lower() == reader.lower()))
    ]
    rows = rows.sort_values("reader", key=lambda column: column == "", kind="stable")
    return {str(row["table"]): float(row["value"]) for row in rows.to_dict("records")}


def board_frame(tables: Sequence[Ranking]) -> pd.DataFrame:
    """All tables as one, with the columns ``COLUMNS``."""
    frames: list[pd.DataFrame] = [table.frame for table in tables]
    if not frames:
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.concat(frames, ignore_index=True)


def records_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows for JSON, with every digit; NaN and infinite ends, which JSON lacks, become None."""
    return [
        {str(name): None if _is_no_number(value) else value for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def _is_no_number(value: Any) -> bool:
    return bool(pd.isna(value)) or (isinstance(value, float) and math.isinf(value))
