"""Computes cells from rows: the one place that computes means, also for imported runs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ohr.errors import OhrError
from ohr.statistics import NO_INTERVAL, Clusters, mean_interval
from ohr.study.conditions import CONDITION_COLUMNS, Condition, conditions
from ohr.study.config import STAGES
from ohr.study.metrics import NOISE_COLUMNS, MetricInfo, metric_info
from ohr.study.output.groups import GROUP_COLUMNS, STATED, group_names, known_first, tags_of
from ohr.study.output.rows import unreadable
from ohr.study.plan import Plan
from ohr.types import Status

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


KEY_COLUMNS = (*CONDITION_COLUMNS, "stage", "metric", "group")
LABEL_COLUMNS = tuple(name for name in KEY_COLUMNS if name not in ("intensity", "top_k", "seed"))
"""The columns of a cell's key that hold text."""
CELL_COLUMNS = (
    *KEY_COLUMNS,
    *("mean", "ci_low", "ci_high", "ci_unit", "n", "n_empty", "n_error", "n_timeout"),
    *("draws", "draw_sd"),
    *NOISE_COLUMNS,
)
"""``draws``: number of draws of the noise; ``draw_sd``: standard deviation (n - 1) of the means of
the draws. ``n`` and the counts are of units; a unit has the status of its worst draw."""

_STATUSES = [str(status) for status in Status]
_KNOWLEDGE_BASE = ("perturbation", "level", "intensity", "engine")
_SCORE = (*CONDITION_COLUMNS, "draw", "stage", "metric")
"""Columns that all rows of one score share."""
_COLUMNS_READ = (
    *_SCORE,
    *("qid", "doc_id", "page_no", "groups", *(c for c in GROUP_COLUMNS if c not in STATED)),
    *("value", "status"),
)

Key = tuple[Any, ...]
"""Values of the condition's columns, the stage and the metric."""


def planned_cells(plan: Plan) -> list[tuple[Condition, str, str, str]]:
    """(condition, stage, metric, group) of every cell, in the order of ``cells.csv``."""
    groups = group_names(plan)
    return [
        (condition, info.stage, info.metric, group)
        for info in plan.metric_infos
        for condition in conditions(plan, info.stage)
        if info.top_k in (None, condition.top_k)
        for group in groups
    ]


def aggregate(
    rows: Path | pd.DataFrame,
    metric_infos: Sequence[MetricInfo] | None = None,
    groups: Sequence[str] | None = None,
) -> pd.DataFrame:
    """The content of ``cells.csv``: one row per metric, condition and group, in this order.

    ``rows`` is a file, which is read one row group at a time (all draws of a condition are in
    memory until the last one is read), or a frame with the same columns. ``metric_infos`` are the
    metrics of the cells, in order; by default all metrics of the rows, as built-in metrics are
    declared. ``groups`` are the groups of the cells; by default all groups of the rows. Raises
    OhrError for invalid rows.
    """
    import pandas as pd

    scores = _Scores(rows)
    means: dict[Key, list[dict[str, Any]]] = {}
    noise: dict[tuple[Key, str], dict[str, float]] = {}
    declared = {(info.stage, info.metric): info for info in metric_infos or ()}
    names = list(groups) if groups is not None else scores.groups()
    for score in scores:
        stage, metric = score.key[-2:]
        info = declared.get((stage, metric)) or metric_info(stage, metric)
        cells = list(_cells(score, info, names))
        if stage == "ocr" and metric in NOISE_COLUMNS:
            base = _base(score.key)
            for cell in cells:
                noise.setdefault((base, cell["group"]), {})[metric] = cell["mean"]
        if metric_infos is None or (stage, metric) in declared:
            means[score.key] = cells
    order = {key: place for place, key in enumerate(declared)} or scores.order()
    keys = sorted(means, key=lambda key: order[key[-2:]])  # stable: conditions as they came
    records = []
    for key in keys:
        fields_of_key = dict(zip((*CONDITION_COLUMNS, "stage", "metric"), key, strict=True))
        for cell in means[key]:
            records.append(fields_of_key | cell | noise.get((_base(key), cell["group"]), {}))
    frame = pd.DataFrame(records, columns=list(CELL_COLUMNS))
    frame["top_k"] = frame["top_k"].astype("Int64")
    return frame


def _base(key: Key) -> Key:
    return tuple(key[CONDITION_COLUMNS.index(name)] for name in _KNOWLEDGE_BASE)


def _cells(score: _Score, info: MetricInfo, groups: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A score's mean in each group, with interval and counts, as columns of ``cells.csv``."""
    excluded = info.left_out(str(score.key[CONDITION_COLUMNS.index("protocol")]))
    left_out = [_STATUSES.index(str(status)) for status in excluded]
    has_value = ~np.isnan(score.values)
    is_counted = has_value & ~np.isin(score.statuses, left_out)
    counts = is_counted.sum(axis=0)
    values = np.where(is_counted, score.values, 0.0).sum(axis=0) / np.maximum(counts, 1)
    by_draw = np.where(is_counted, score.values, np.nan)
    worst = score.statuses.max(axis=0)
    applies = has_value.any(axis=0)
    units = score.units
    for group in groups:
        everyone = units.groups.get(group, units.nobody)
        members = everyone[applies[everyone]]
        chosen = members[counts[members] > 0]
        clusters = (
            Clusters.from_labels(units.documents[chosen], units.pages[chosen])
            if len(chosen)
            else None
        )
        yield {
            "group": group,
            **_mean_columns(values[chosen], clusters),
            **{
                f"n_{status}": int((worst[members] == _STATUSES.index(status)).sum())
                for status in ("empty", "error", "timeout")
            },
            "draws": len(score.values),
            "draw_sd": _draw_sd(by_draw[:, chosen]),
        }


def _mean_columns(values: np.ndarray, clusters: Clusters | None) -> dict[str, object]:
    """``mean``, interval and ``n`` of a cell's values; NaN and no interval without values."""
    interval = NO_INTERVAL
    if clusters is not None and len(values):
        interval = mean_interval(values, clusters, bounded=True)
    return {
        "mean": float(values.mean()) if len(values) else math.nan,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "ci_unit": interval.unit,
        "n": len(values),
    }


def _draw_sd(by_draw: np.ndarray) -> float:
    """Standard deviation (n - 1) of the means of several draws ``(draws, units)``."""
    counts = (~np.isnan(by_draw)).sum(axis=1)
    if len(by_draw) < 2 or not counts.all():
        return math.nan
    return float((np.nansum(by_draw, axis=1) / counts).std(ddof=1))


# --- scores out of rows ------------------------------------------------------------------


@dataclass(frozen=True)
class _Units:
    """The units of a score, with labels ``(n,)`` of their documents and pages, and groups."""

    documents: np.ndarray
    pages: np.ndarray
    groups: dict[str, np.ndarray]
    nobody: np.ndarray


@dataclass(frozen=True)
class _Score:
    """One metric under one condition: values and statuses ``(draws, units)``."""

    key: Key
    values: np.ndarray
    statuses: np.ndarray
    """Places in :class:`Status`, which is ordered by severity."""
    units: _Units


class _Scores:
    """Reads the scores from rows, in the order in which they are complete."""

    def __init__(self, rows: Path | pd.DataFrame) -> None:
        self._parts = (_FileParts if isinstance(rows, Path) else _FrameParts)(rows)  # type: ignore[arg-type]
        self._names: dict[str, dict[str, int]] = {}
        self._units: dict[bytes, _Units] = {}
        self._last: dict[Key, int] = {}
        for number, part in enumerate(self._parts.tables(list(_SCORE))):
            for key in _keys(part):
                self._last[_drop_draw(key)] = number

    def order(self) -> dict[tuple[str, str], int]:
        """Place of each stage and metric, in the order of the rows, stage by stage."""
        pairs = dict.fromkeys(key[-2:] for key in self._last)
        places = sorted(pairs, key=lambda pair: STAGES.index(pair[0]) if pair[0] in STAGES else 9)
        return {pair: place for place, pair in enumerate(places)}

    def groups(self) -> list[str]:
        """``all``, then the groups of all units, one kind after the other."""
        tags: dict[str, None] = {}
        for part in self._parts.tables(list(_COLUMNS_READ)):
            for listed in part["groups"].unique().to_pylist():
                tags |= dict.fromkeys(json.loads(listed))
        kinds = [
            f"{kind}:{name}"
            for kind in GROUP_COLUMNS.values()
            for name in known_first(
                tag.partition(":")[2] for tag in tags if tag.partition(":")[0] == kind
            )
        ]
        return ["all", *kinds]

    def __iter__(self) -> Iterator[_Score]:
        pending: dict[Key, dict[Any, list[_Piece]]] = {}
        for number, part in enumerate(self._parts.tables(list(_COLUMNS_READ))):
            for key, rows in _segments(part):
                draws = pending.setdefault(_drop_draw(key), {})
                draws.setdefault(key[len(CONDITION_COLUMNS)], []).append(self._piece(part, rows))
            for key in [key for key in pending if self._last[key] == number]:
                yield self._score(key, [_joined(pieces) for pieces in pending.pop(key).values()])

    def _piece(self, part: pa.Table, rows: np.ndarray) -> _Piece:
        import pyarrow as pa

        chosen = part.take(pa.array(rows))
        statuses = {name: place for place, name in enumerate(_STATUSES)}
        coded = {
            name: _recoded(chosen[name], self._names.setdefault(name, {}))
            for name in ("qid", "doc_id", "groups")
        }
        pages = chosen["page_no"].to_numpy().astype(np.int64)
        return _Piece(
            chosen["value"].to_numpy(),
            _recoded(chosen["status"], statuses),
            np.stack([coded["qid"], coded["doc_id"], pages, coded["groups"]]),
        )

    def _score(self, key: Key, draws: Sequence[_Piece]) -> _Score:
        units = draws[0].units
        if any(not np.array_equal(draw.units, units) for draw in draws):
            raise OhrError(
                f"rows of {' '.join(map(str, key[-2:]))}: the draws differ in their units"
            )
        digest = units.tobytes()
        if digest not in self._units:
            self._units[digest] = _units(units, list(self._names["groups"]))
        return _Score(
            key,
            np.stack([draw.values for draw in draws]),
            np.stack([draw.statuses for draw in draws]).astype(np.int8),
            self._units[digest],
        )


@dataclass(frozen=True)
class _Piece:
    """Rows of one score: values and statuses ``(n,)``, and codes of their units ``(4, n)``."""

    values: np.ndarray
    statuses: np.ndarray
    units: np.ndarray
    """Question, document, page number, groups."""


def _joined(pieces: Sequence[_Piece]) -> _Piece:
    if len(pieces) == 1:
        return pieces[0]
    return _Piece(
        np.concatenate([piece.values for piece in pieces]),
        np.concatenate([piece.statuses for piece in pieces]),
        np.concatenate([piece.units for piece in pieces], axis=1),
    )


def _units(units: np.ndarray, tags: Sequence[str]) -> _Units:
    _, documents, page_nos, listed = units
    of_unit = [set(json.loads(tags[code])) for code in range(listed.max(initial=-1) + 1)]
    names = dict.fromkeys(name for tag in of_unit for name in tag)
    everyone = np.arange(units.shape[1])
    groups = {"all": everyone} | {
        name: everyone[np.isin(listed, [i for i, tag in enumerate(of_unit) if name in tag])]
        for name in names
    }
    pages = documents.astype(np.int64) << 32 | page_nos & 0xFFFFFFFF  # -1 is no page
    return _Units(documents, pages, groups, np.array([], dtype=np.int64))


def _drop_draw(key: Key) -> Key:
    return (*key[: len(CONDITION_COLUMNS)], *key[-2:])


def _recoded(column: pa.ChunkedArray, codes: dict[str, int]) -> np.ndarray:
    """Texts as codes that are the same in all parts; new texts get new codes."""
    import pyarrow as pa

    texts = column.combine_chunks()
    if isinstance(texts, pa.ChunkedArray):
        texts = pa.concat_arrays(texts.chunks)
    if not pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_encode()
    numbers = np.array(
        [codes.setdefault(str(text), len(codes)) for text in texts.dictionary.to_pylist()], np.int64
    )
    return numbers[texts.indices.to_numpy()] if len(numbers) else np.array([], np.int64)


def _segments(part: pa.Table) -> Iterator[tuple[Key, np.ndarray]]:
    """The key and the rows of each score of a part, in order."""
    codes, keys = _coded_keys(part)
    rows = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[rows], prepend=-1))
    pieces = np.split(rows, starts[1:])
    for piece in sorted(pieces, key=lambda rows: int(rows[0])) if len(codes) else ():
        yield keys[codes[piece[0]]], piece


def _keys(part: pa.Table) -> Iterable[Key]:
    """The keys of a part's scores, in order of their first row."""
    import pandas as pd

    codes, keys = _coded_keys(part)
    return (keys[code] for code in pd.unique(codes))


def _coded_keys(part: pa.Table) -> tuple[np.ndarray, dict[int, Key]]:
    """A code for each row's score, and the key of each code."""
    import pandas as pd
    import pyarrow as pa

    columns = []
    for name in _SCORE:
        texts = part[name].combine_chunks()
        if isinstance(texts, pa.ChunkedArray):
            texts = pa.concat_arrays(texts.chunks)
        if not pa.types.is_dictionary(texts.type):
            texts = texts.dictionary_encode(null_encoding="encode")
        columns.append((texts.indices.to_numpy(zero_copy_only=False), texts.dictionary.to_pylist()))
    codes = np.zeros(len(part), np.int64)
    for indices, values in columns:
        codes = pd.factorize(codes * max(1, len(values)) + np.nan_to_num(indices).astype(np.int64))[
            0
        ]
    firsts = np.unique(codes, return_index=True)[1]
    keys = {
        int(codes[first]): tuple(values[int(indices[first])] for indices, values in columns)
        for first in firsts
    }
    return codes, keys


class _FrameParts:
    """Rows in a frame."""

    def __init__(self, rows: pd.DataFrame) -> None:
        import pyarrow as pa

        self._table = pa.Table.from_pandas(
            complete(rows).reindex(columns=list(_COLUMNS_READ)), preserve_index=False
        )

    def tables(self, columns: list[str]) -> Iterator[pa.Table]:
        """All rows at once."""
        yield self._table.select(columns)


class _FileParts:
    """Rows in a file, one row group at a time."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._path = path
        try:
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
        except (OSError, pa.ArrowException) as error:
            raise unreadable(path, error) from error
        if missing := set(_COLUMNS_READ) - set(self._file.schema_arrow.names):
            raise OhrError(f"{path} has no column {min(missing)!r}: run it again")

    def tables(self, columns: list[str]) -> Iterator[pa.Table]:
        """One row group after the other."""
        import pyarrow as pa

        for number in range(self._file.num_row_groups):
            try:
                yield self._file.read_row_group(number, columns, use_threads=False)
            except (OSError, pa.ArrowException) as error:
                raise unreadable(self._path, error) from error


def complete(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the columns ``draw`` and ``groups``, added if missing. Raises OhrError."""
    if missing := set(_COLUMNS_READ) - {"draw", "groups"} - set(rows.columns):
        raise OhrError(f"the rows have no column {min(missing)!r}")
    added: Mapping[str, Any] = {}
    if "draw" not in rows:
        added = {"draw": rows["seed"]}
    if "groups" not in rows:
        added = {**added, "groups": tags_of(rows)}
    return rows.assign(**added)
