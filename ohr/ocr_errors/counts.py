"""Counts what became of the words of aligned pages."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ohr.errors import OhrError
from ohr.metrics.alignment import Fate
from ohr.ocr_errors.characters import Characters
from ohr.ocr_errors.model import (
    BINS,
    LENGTHS,
    QUANTILES,
    SHARES,
    STYLES,
    ErrorModel,
    FateCounts,
    Layout,
    Level,
    Provenance,
    Runs,
    Slice,
    Style,
)
from ohr.ocr_errors.pages import AlignedPage, error_runs, lowest_level, page_slices, ranks
from ohr.ocr_errors.replacements import (
    count_channel,
    count_formulas,
    count_lengths,
    count_rubbish,
    count_specks,
)
from ohr.ocr_errors.tables import run_class
from ohr.ocr_errors.words import (
    LAYOUT_GROUPS,
    MARK_KINDS,
    PART_OF_KIND,
    PARTS,
    WORD_KINDS,
    PageWords,
    layout_group,
    page_layout,
    page_parts,
)


def _levels(pages: Sequence[AlignedPage]) -> Iterable[Level]:
    by_level: dict[str, list[AlignedPage]] = defaultdict(list)
    for page in pages:
        by_level[page.pair.level].append(page)
    for name, of_level in by_level.items():
        shares = np.array([page.share for page in of_level])
        yield Level(
            name=name,
            pages=len(of_level),
            lost=sum(not page.output.words for page in of_level),
            edit_distance=round(float(shares.mean()), 5),
            quantiles=tuple(
                round(float(q), 5) for q in np.quantile(shares, np.linspace(0, 1, QUANTILES))
            ),
        )


def length_bin(length: int) -> int:
    """The bin of a run's length in :data:`LENGTHS`."""
    return min(bisect_left(LENGTHS, length), len(LENGTHS) - 1)


def _styles(pages: Sequence[AlignedPage], characters: Characters) -> Iterable[Style]:
    names = _slice_names(pages)
    by_style: dict[str, list[tuple[int, AlignedPage]]] = {name: [] for name in STYLES}
    for number, page in zip(page_slices(pages), pages, strict=True):
        by_style[_style(page, characters)].append((number, page))
    for name, own in by_style.items():
        slices = (
            _slice(slice_name, [page for number, page in own if number == of_slice], characters)
            for of_slice, slice_name in enumerate(names)
        )
        yield Style(name=name, slices=tuple(slices))


def _slice_names(pages: Sequence[AlignedPage]) -> list[str]:
    names = [f"up to {upto:g}" for upto in SHARES]
    lowest = lowest_level(pages)
    return names if lowest is None else [f"level {lowest}", *names[1:]]


def _style(page: AlignedPage, characters: Characters) -> str:
    """What most words with errors of a page became."""
    fates = Counter(fates_in_runs(page.words, page.alignment.fates, characters))
    counts = [fates[Fate.REWRITTEN] + fates[Fate.JOINED], fates[Fate.RUBBISH], fates[Fate.LOST]]
    return STYLES[counts.index(max(counts))]


def _layouts(pages: Sequence[AlignedPage]) -> Iterable[Layout]:
    by_layout: dict[str, list[int]] = defaultdict(lambda: [0] * BINS)
    for rank, page in zip(ranks(pages), pages, strict=True):
        by_layout[page_layout(page.words)][int(rank * BINS)] += 1
    for name, counts in sorted(by_layout.items()):
        yield Layout(name=name, ranks=tuple(counts))


def _slice(name: str, pages: Sequence[AlignedPage], characters: Characters) -> Slice:
    return Slice(
        name=name,
        pages=len(pages),
        runs=_runs([page for page in pages if page.output.words], characters),
        kinds=_kinds(pages, characters),
        specks=count_specks(pages),
    )


@dataclass
class _RunCounts:
    words: int = 0
    inserted: int = 0
    lengths: list[int] = field(default_factory=lambda: [0] * len(LENGTHS))
    first: list[list[int]] = field(default_factory=lambda: [[0] * 5 for _ in range(4)])
    following: list[list[list[int]]] = field(
        default_factory=lambda: [[[0] * 4 for _ in range(4)] for _ in range(2)]
    )


def fates_in_runs(page: PageWords, fates: Sequence[Fate], characters: Characters) -> list[Fate]:
    """What became of the words, without errors that do not depend on how bad a page is: formulas,
    and words with a character that the engine never reads. They stay wrong within a run.
    """
    formula = WORD_KINDS.index("formula")
    result = list(fates)
    position = 0
    while position < len(result):
        first = position
        while (
            position < len(result)
            and result[position]
            and (page.kinds[position] == formula or characters.errs_always(page.words[position]))
        ):
            position += 1
        if position > first:
            before = first > 0 and result[first - 1]
            after = position < len(result) and result[position]
            if not (before and after):
                result[first:position] = [Fate.RIGHT] * (position - first)
        else:
            position += 1
    return result


def _runs(pages: Sequence[AlignedPage], characters: Characters) -> dict[str, Runs]:
    """Part of the page -> the runs of its words."""
    counts = [_RunCounts() for _ in PARTS]
    for page in pages:
        fates = fates_in_runs(page.words, page.alignment.fates, characters)
        for begin, stop, part in page_parts(page.words):
            own = counts[part]
            own.words += stop - begin
            for start, end in error_runs(fates[begin:stop]):
                length = run_class(end - start)
                own.lengths[length_bin(end - start)] += 1
                own.first[length][fates[begin + start] - 1] += 1
                for before, after in pairwise(fates[begin + start : begin + end]):
                    own.following[length == 3][before - 1][after - 1] += 1
        for position, _ in page.alignment.inserted:
            own = counts[PART_OF_KIND[page.words.kinds[max(0, position - 1)]]]
            if all(fate is Fate.RIGHT for fate in fates[max(0, position - 1) : position + 1]):
                own.lengths[0] += 1
                own.first[0][4] += 1
            else:
                own.inserted += 1
    return {
        part: Runs(
            words=own.words,
            lengths=tuple(own.lengths),
            first=_fate_counts(own.first),
            following=_fate_counts(own.following[0]),
            following_long=_fate_counts(own.following[1]),
            inserted=own.inserted,
        )
        for part, own in zip(PARTS, counts, strict=True)
    }


def _fate_counts(rows: Sequence[Sequence[int]]) -> FateCounts:
    a, b, c, d = map(tuple, rows)
    return a, b, c, d


def _kinds(
    pages: Iterable[AlignedPage], characters: Characters
) -> dict[str, dict[str, tuple[int, int]]]:
    """Group of layouts -> kind of word -> words, and those with errors."""
    counts = {group: {kind: [0, 0] for kind in WORD_KINDS} for group in LAYOUT_GROUPS}
    for page in pages:
        kinds = counts[layout_group(page_layout(page.words))]
        for word, kind, fate in zip(
            page.words.words, page.words.kinds, page.alignment.fates, strict=True
        ):
            if characters.errs_always(word):
                continue
            kinds[WORD_KINDS[kind]][0] += 1
            kinds[WORD_KINDS[kind]][1] += fate is not Fate.RIGHT
    return {
        group: {kind: (a, b) for kind, (a, b) in kinds.items()} for group, kinds in counts.items()
    }


def _structure(pages: Sequence[AlignedPage]) -> dict[str, tuple[int, int]]:
    """For each kind of mark-up: regions of the truth, and how many fewer the output has."""
    counts = {kind: [0, 0] for kind in (*MARK_KINDS, "formula")}
    for page in pages:
        truth, output = _regions(page.words), _regions(page.output)
        for kind, entry in counts.items():
            entry[0] += truth[kind]
            entry[1] += max(0, truth[kind] - output[kind])
    return {kind: (a, b) for kind, (a, b) in counts.items()}


def _regions(words: PageWords) -> Counter[str]:
    counts: Counter[str] = Counter()
    for kind, _ in {(mark.kind, mark.region) for mark in words.marks}:
        counts[kind] += 1
    counts["formula"] = sum(kind == 3 for kind in words.kinds)
    return counts


def count_errors(pages: Sequence[AlignedPage], provenance: Provenance) -> ErrorModel:
    """The model of these pages before it is corrected. Raises OhrError if none has a word."""
    if not pages:
        raise OhrError("no page of the truth has a word: there is nothing to fit")
    channel = count_channel(pages)
    lengths = tuple(
        count_lengths(
            [
                page
                for of_slice, page in zip(page_slices(pages), pages, strict=True)
                if of_slice == number
            ]
        )
        for number in range(len(SHARES))
    )
    characters = Characters(channel, lengths)
    return ErrorModel(
        provenance=provenance,
        levels=tuple(_levels(pages)),
        styles=tuple(_styles(pages, characters)),
        channel=channel,
        rubbish=count_rubbish(pages),
        output_lengths=lengths,
        formulas=count_formulas(pages),
        layouts=tuple(_layouts(pages)),
        structure=_structure(pages),
        moved=(
            sum(page.alignment.moved_passages for page in pages),
            sum(page.alignment.moved_words for page in pages),
        ),
    )
