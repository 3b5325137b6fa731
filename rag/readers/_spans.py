"""Answer spans of the best units, with their features.

A span starts and ends where a phrase may: at punctuation, at a cell's edge, beside a function
word, or where the words of the question stop or begin. Its features are sums over its tokens,
taken from running totals, so that thousands of spans cost a few array operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rag.readers._candidates import FLAGS, Gap, ParsedPage, UnitKind
from rag.readers._question_type import asks_for_units
from rag.readers._rank import Ranked

_MAX_EDGES = 40  # phrase edges of a unit that are tried on either side
_MAX_SIZE = 60
_NEAR = 4  # tokens on either side of a span in which a question's word is near

UNIT_FEATURES = ("own", "context", "following", "deficit", "best", "heading", "row", "formula_unit")
SPAN_FEATURES = (
    "log_size", "log_size_squared", "one_token", "size", "to_start", "to_end", "whole",
    "asked", "fresh", "left_over", "asked_near_before", "asked_near_after", "asked_before",
    "asked_after", "break_before", "break_after", "comma_before", "inner_breaks",
    "function_first", "function_last", "function_before", "auxiliary_before",
    "preposition_before", "preposition_first", "number_share", "number_first", "number_any",
    "capital_share", "capital_first", "date_share", "date_any", "formula_share", "formula_any",
    "symbol_share", "cell", "first_cell", "header", "header_deficit", "number_asked_after",
    "percent_wanted", "percent_unwanted", "percent_missing", "money_wanted", "money_unwanted",
    "all_capital", "cut_name_before", "cut_name_after", "cut_date_before", "cut_date_after",
    "bias",
)  # fmt: skip
FEATURES = UNIT_FEATURES + SPAN_FEATURES


@dataclass(frozen=True, slots=True)
class Spans:
    """Candidate spans: tokens ``start`` to ``end`` of unit ``unit`` (an index into the ranking)."""

    unit: np.ndarray
    start: np.ndarray
    end: np.ndarray
    features: np.ndarray


def spans(
    ranked: Sequence[Ranked], pages: Sequence[ParsedPage], weights: dict[str, float], question: str
) -> Spans:
    """All spans of the ranked units with their features, ``(n, len(FEATURES))`` float32."""
    parts: list[Spans] = []
    for number, page in enumerate(pages):
        chosen = [i for i, item in enumerate(ranked) if item.page == number]
        if chosen:
            parts.append(_page_spans(chosen, ranked, page, weights, asks_for_units(question)))
    return Spans(
        np.concatenate([part.unit for part in parts]),
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.features for part in parts]),
    )


def _page_spans(
    chosen: Sequence[int],
    ranked: Sequence[Ranked],
    page: ParsedPage,
    weights: dict[str, float],
    asks_for: tuple[bool, bool],
) -> Spans:
    mass = sum(weights.values()) or 1.0
    by_stem = np.zeros(len(page.vocabulary), dtype=np.float32)
    for term, weight in weights.items():
        if term in page.vocabulary:
            by_stem[page.vocabulary[term]] = weight / mass
    # One array of tokens for all chosen units, with a sentinel edge after each.
    tokens, first, last, owner = [], [], [], []
    position = 0
    for index in chosen:
        unit = page.units[ranked[index].unit]
        length = unit.end - unit.start
        tokens.append(np.arange(unit.start, unit.end))
        first.append(position)
        last.append(position + length)
        owner.append(index)
        position += length
    offset = np.concatenate(tokens)
    overlap = by_stem[page.stem[offset]]
    gap = np.append(page.gap[offset], np.int8(Gap.EDGE))
    gap[first] = Gap.EDGE
    flags = page.flags[:, offset]
    opens, closes = _edges(overlap > 0, gap, flags)
    unit_of, starts, ends = _pairs(opens, closes, first, last, np.cumsum(page.size[offset]))
    columns = _header_coverage(page, page.column[offset], weights, mass)
    unit_rows = _unit_features([ranked[i] for i in chosen], ranked[0].score, page)
    span_rows = _span_features(
        starts, ends, np.array(first)[unit_of], np.array(last)[unit_of],
        overlap, gap, flags, page.size[offset], page.column[offset], columns, asks_for,
    )  # fmt: skip
    features = np.concatenate([unit_rows[unit_of], span_rows], axis=1)
    return Spans(np.array(owner)[unit_of], offset[starts], offset[ends - 1] + 1, features)


def _edges(
    overlap: np.ndarray, gap: np.ndarray, flags: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where a span may start (token indices) and end (exclusive)."""
    function, number, capital = flags[0] > 0, flags[3] > 0, flags[4] > 0
    formula = flags[FLAGS.index("formula")] > 0

    def changes(flag: np.ndarray) -> np.ndarray:
        return np.concatenate([[False], flag[1:] != flag[:-1], [False]])

    inside = np.concatenate([[False], formula[1:] & formula[:-1], [False]]) & (gap < Gap.EDGE)
    edge = (
        (gap > Gap.SPACE) | changes(function) | changes(overlap) | changes(number)
        | changes(capital) | changes(formula)
    ) & ~inside  # fmt: skip
    edge[0] = edge[-1] = True
    # Nothing but a whole clause begins or ends with a function word.
    after_function = np.concatenate([[False], function])
    closes = edge & (~after_function | (gap > Gap.COMMA))
    preposition = np.append(flags[FLAGS.index("preposition")] > 0, False)
    opens = edge & (~np.append(function, False) | preposition | (gap > Gap.SPACE))
    return opens, closes


def _pairs(
    opens: np.ndarray,
    closes: np.ndarray,
    first: Sequence[int],
    last: Sequence[int],
    sizes: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    total = np.concatenate([[0.0], sizes])
    unit_parts, start_parts, end_parts = [], [], []
    for unit, (a, b) in enumerate(zip(first, last, strict=True)):
        starts = np.flatnonzero(opens[a:b])[:_MAX_EDGES] + a
        ends = np.flatnonzero(closes[a + 1 : b])[: _MAX_EDGES - 1] + a + 1
        ends = np.append(ends, b)
        length = total[ends][None, :] - total[starts][:, None]
        fits = (length > 0) & (length <= _MAX_SIZE)
        if not fits.any():
            fits[0, -1] = True  # a long unit without phrases inside is taken whole
        row, column = np.nonzero(fits)
        unit_parts.append(np.full(len(row), unit))
        start_parts.append(starts[row])
        end_parts.append(ends[column])
    return np.concatenate(unit_parts), np.concatenate(start_parts), np.concatenate(end_parts)


def _header_coverage(
    page: ParsedPage, column: np.ndarray, weights: dict[str, float], mass: float
) -> np.ndarray:
    """For each token, the share of the question that the header of its column covers."""
    cover = np.zeros(len(column), dtype=np.float32)
    for index in np.unique(column[column >= 0]).tolist():
        stems = page.columns[index]
        covered = sum(weight for term, weight in weights.items() if term in stems)
        cover[column == index] = covered / mass
    return cover


def _unit_features(chosen: Sequence[Ranked], best: float, page: ParsedPage) -> np.ndarray:
    rows = []
    for item in chosen:
        kind = page.units[item.unit].kind
        deficit = best - item.score
        rows.append(
            (
                item.own, item.context, item.following, deficit, float(deficit == 0),
                float(kind == UnitKind.HEADING), float(kind == UnitKind.ROW),
                float(kind == UnitKind.FORMULA),
            )
        )  # fmt: skip
    return np.array(rows, dtype=np.float32)


def _span_features(
    starts: np.ndarray,
    ends: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    overlap: np.ndarray,
    gap: np.ndarray,
    flags: np.ndarray,
    sizes: np.ndarray,
    column: np.ndarray,
    header: np.ndarray,
    asks_for: tuple[bool, bool],
) -> np.ndarray:
    def running(values: np.ndarray) -> np.ndarray:
        return np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])

    def totals(values: np.ndarray) -> np.ndarray:
        total = running(values)
        return np.asarray(total[ends] - total[starts])

    function, auxiliary, preposition, number, capital, date, formula, symbol, per, money = flags
    count = ends - starts
    size = totals(sizes)
    log_size = np.log1p(size)
    has_before, has_after = starts > first, ends < last
    before, after = np.maximum(starts - 1, 0), np.minimum(ends, len(overlap) - 1)
    overlap_total = running(overlap)
    overlap_in = overlap_total[ends] - overlap_total[starts]
    overlap_all = overlap_total[last] - overlap_total[first]
    near_before = overlap_total[starts] - overlap_total[np.maximum(starts - _NEAR, first)]
    near_after = overlap_total[np.minimum(ends + _NEAR, last)] - overlap_total[ends]
    is_known = (overlap > 0).astype(np.float32)
    breaks = running(gap[:-1] > Gap.COMMA)
    content = np.maximum(count - totals(function), 0.5)
    in_cell = column[starts] >= 0
    one_cell = in_cell & (column[starts] == column[ends - 1])
    whole_cell = one_cell & (gap[starts] == Gap.EDGE) & (gap[ends] == Gap.EDGE)
    best_header = np.maximum.reduceat(header, np.unique(first))[
        np.searchsorted(np.unique(first), first)
    ]
    adjoins_name = _adjoins(capital > 0, gap)
    adjoins_date = _adjoins((date > 0) | (number > 0), gap)
    percent, amount = totals(per) > 0, totals(money) > 0
    columns = (
        log_size, log_size**2, count == 1, size / 20, starts == first, ends == last,
        (starts == first) & (ends == last),
        totals(is_known) / count, np.minimum(content - totals(is_known * (1 - function)), 8) / 8,
        overlap_all - overlap_in, near_before, near_after,
        has_before * (overlap[before] > 0), has_after * (overlap[after] > 0),
        has_before * (gap[starts] == Gap.BREAK), has_after * (gap[ends] == Gap.BREAK),
        has_before * (gap[starts] == Gap.COMMA),
        breaks[ends] - breaks[np.minimum(starts + 1, ends)],
        function[starts], function[ends - 1], has_before * function[before],
        has_before * auxiliary[before], has_before * preposition[before], preposition[starts],
        totals(number) / count, number[starts], totals(number) > 0,
        totals(capital) / content, capital[starts], totals(date) / count, totals(date) > 0,
        totals(formula) / count, totals(formula) > 0, totals(symbol) / count,
        whole_cell, one_cell & (starts == first), one_cell * header[starts],
        one_cell * (best_header - header[starts]),
        number[starts] * has_after * (overlap[after] > 0),
        percent & asks_for[0], percent & (not asks_for[0]), ~percent & asks_for[0],
        amount & asks_for[1], amount & (not asks_for[1]),
        (totals(capital) == count) & (count > 1),
        has_before * adjoins_name[starts], has_after * adjoins_name[ends],
        has_before * adjoins_date[starts], has_after * adjoins_date[ends],
        np.ones(len(starts)),
    )  # fmt: skip
    return np.stack([np.asarray(values, dtype=np.float32) for values in columns], axis=1)


def _adjoins(flag: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Where a cut would part two tokens that share a flag and stand side by side."""
    return np.concatenate([[False], flag[1:] & flag[:-1], [False]]) & (gap < Gap.COMMA)
