"""Reads scores out of rows, one part of the rows after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ohr.errors import OhrError
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.config import STAGES
from ohr.study.output.groups import GROUP_COLUMNS, STATED, known_first, tags_of
from ohr.study.output.rows import unreadable
from ohr.types import Status

_STATUSES = [str(status) for status in Status]
_SCORE = (*CONDITION_COLUMNS, "draw", "stage", "metric")
"""Columns that all rows of one score share."""
_COLUMNS_READ = (
    *_SCORE,
    *("qid", "doc_id", "page_no", "groups", *(c for c in GROUP_COLUMNS if c not in STATED)),
    *("value", "status"),
)

Key = tuple[Any, ...]
"""Values of the condition's columns, the stage and the metric."""


@dataclass(frozen=True)
class _Units:
    """The units of a score, with labels ``(n,)`` of their documents and pages, and groups."""

    documents: np.ndarray
    pages: np.ndarray
    groups: dict[str, np.ndarray]
    nobody: np.ndarray


@dataclass(frozen=True)
class ReadScore:
    """One metric under one condition: values and statuses ``(draws, units)``."""

    key: Key
    values: np.ndarray
    statuses: np.ndarray
    """Places in :class:`Status`, which is ordered by severity."""
    units: _Units


class ReadScores:
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

    def __iter__(self) -> Iterator[ReadScore]:
        pending: dict[Key, dict[Any, list[_Piece]]] = {}
        for number, part in enumerate(self._parts.tables(list(_COLUMNS_READ))):
            for key, rows in _segments(part):
                draws = pending.setdefault(_drop_draw(key), {})
                draws.setdefault(key[len(CONDITION_COLUMNS)], []).append(self._piece(part, rows))
            for key in [key for key in pending if self._last[key] == number]:
                yield self._score(key, [_joined(pieces) for pieces in pending.pop(key).values()])

    def _piece(self, part: pa.Table, rows: np.ndarray) -> _Piece:
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

    def _score(self, key: Key, draws: Sequence[_Piece]) -> ReadScore:
        units = draws[0].units
        if any(not np.array_equal(draw.units, units) for draw in draws):
            raise OhrError(
                f"rows of {' '.join(map(str, key[-2:]))}: the draws differ in their units"
            )
        digest = units.tobytes()
        if digest not in self._units:
            self._units[digest] = _units(units, list(self._names["groups"]))
        return ReadScore(
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
    codes, keys = _coded_keys(part)
    return (keys[code] for code in pd.unique(codes))


def _coded_keys(part: pa.Table) -> tuple[np.ndarray, dict[int, Key]]:
    """A code for each row's score, and the key of each code."""
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
        self._table = pa.Table.from_pandas(
            complete(rows).reindex(columns=list(_COLUMNS_READ)), preserve_index=False
        )

    def tables(self, columns: list[str]) -> Iterator[pa.Table]:
        """All rows at once."""
        yield self._table.select(columns)


class _FileParts:
    """Rows in a file, one row group at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
        except (OSError, pa.ArrowException) as error:
            raise unreadable(path, error) from error
        if missing := set(_COLUMNS_READ) - set(self._file.schema_arrow.names):
            raise OhrError(f"{path} has no column {min(missing)!r}: run it again")

    def tables(self, columns: list[str]) -> Iterator[pa.Table]:
        """One row group after the other."""
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
