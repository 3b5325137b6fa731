"""Counts what became of the words of aligned pages."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import Levenshtein

from ohr.errors import OhrError
from ohr.ocr_errors.alignment import Alignment, Fate, align
from ohr.ocr_errors.characters import letters, word_bin
from ohr.ocr_errors.model import (
    BINS,
    INSERTED,
    LENGTHS,
    LONGEST,
    QUANTILES,
    RANKS,
    RUBBISH_KEY,
    SHARES,
    SITES,
    STYLES,
    WORD_LENGTHS,
    Channel,
    ErrorModel,
    Formulas,
    Layout,
    Level,
    Provenance,
    Rubbish,
    Slice,
    Style,
)
from ohr.ocr_errors.tables import run_class
from ohr.ocr_errors.words import MARK_KINDS, WORD_KINDS, PageWords, page_layout, page_words
from ohr.types import PageRef

LEAST_COUNT = 2
"""Replacements of a pair of characters that were seen less often are left out."""
LONGEST_OUTPUT = 29
_OPERATORS = re.compile(r"[=+−×<>≤≥≈±]")
_SPACED = re.compile(rf"(?<= ){_OPERATORS.pattern}(?= )")


@dataclass(frozen=True, slots=True)
class PagePair:
    """A page's truth and its OCR output under one condition (``level``)."""

    ref: PageRef
    domain: str
    level: str
    truth: str
    output: str


@dataclass(frozen=True, slots=True)
class AlignedPage:
    """A page with what became of its words; ``share`` is the edit distance of its content."""

    pair: PagePair
    words: PageWords
    output: PageWords
    alignment: Alignment
    share: float


def align_pair(pair: PagePair) -> AlignedPage:
    """Align a page with its OCR output, mark-up of both sides apart."""
    words, output = page_words(pair.truth), page_words(pair.output)
    alignment = align(words.words, output.words)
    return AlignedPage(pair, words, output, alignment, alignment.share(words.words))


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
            kinds=_kinds(page for page in of_level if page.output.words),
        )


def error_runs(fates: Sequence[Fate]) -> list[tuple[int, int]]:
    """The runs of words with errors, each from its first word to the one after its last."""
    wrong = [0, *(int(fate is not Fate.RIGHT) for fate in fates), 0]
    edges = [i for i, (a, b) in enumerate(pairwise(wrong)) if a != b]
    return list(zip(edges[::2], edges[1::2], strict=True))


def length_bin(length: int) -> int:
    """The bin of a run's length in :data:`LENGTHS`."""
    return min(bisect_left(LENGTHS, length), len(LENGTHS) - 1)


def ranks(pages: Sequence[AlignedPage]) -> list[float]:
    """The rank of each page within its level by its edit distance, in [0, 1], best first."""
    by_level: dict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        by_level[page.pair.level].append(number)
    result = [0.0] * len(pages)
    for numbers in by_level.values():
        ordered = sorted(numbers, key=lambda number: pages[number].share)
        for place, number in enumerate(ordered):
            result[number] = (place + 0.5) / len(ordered)
    return result


def _styles(pages: Sequence[AlignedPage]) -> Iterable[Style]:
    by_style: dict[str, list[tuple[float, AlignedPage]]] = {name: [] for name in STYLES}
    for rank, page in zip(ranks(pages), pages, strict=True):
        by_style[_style(page)].append((rank, page))
    for name, own in by_style.items():
        counts = [0] * RANKS
        for rank, page in own:
            counts[int(rank * RANKS)] += page.share > 0
        slices = tuple(_slices([page for _, page in own]))
        yield Style(name=name, ranks=tuple(counts), slices=slices)


def _style(page: AlignedPage) -> str:
    """What most words with errors of a page became."""
    fates = Counter(page.alignment.fates)
    counts = [fates[Fate.REWRITTEN] + fates[Fate.JOINED], fates[Fate.RUBBISH], fates[Fate.LOST]]
    return STYLES[counts.index(max(counts))]


def _layouts(pages: Sequence[AlignedPage]) -> Iterable[Layout]:
    by_layout: dict[str, list[int]] = defaultdict(lambda: [0] * BINS)
    for rank, page in zip(ranks(pages), pages, strict=True):
        by_layout[page_layout(page.words)][int(rank * BINS)] += 1
    for name, counts in sorted(by_layout.items()):
        yield Layout(name=name, ranks=tuple(counts))


def _slices(pages: Sequence[AlignedPage]) -> Iterable[Slice]:
    for number, upto in enumerate(SHARES):
        least = SHARES[number - 1] if number else -1.0
        own = [page for page in pages if least < page.share <= upto]
        runs = [0] * len(LENGTHS)
        first = [[0] * 5 for _ in range(4)]
        beside = 0
        following = [[0] * 4 for _ in range(4)]
        for page in own:
            fates = page.alignment.fates
            if not page.output.words:
                continue  # a lost page says nothing about runs
            for start, end in error_runs(fates):
                runs[length_bin(end - start)] += 1
                first[run_class(end - start)][fates[start] - 1] += 1
                for before, after in pairwise(fates[start:end]):
                    following[before - 1][after - 1] += 1
            for at, _ in page.alignment.inserted:
                around = fates[max(0, at - 1) : at + 1]
                if all(fate is Fate.RIGHT for fate in around):
                    runs[0] += 1
                    first[0][4] += 1
                else:
                    beside += 1
        yield Slice(
            upto=upto,
            pages=len(own),
            words=sum(len(page.words.words) for page in own if page.output.words),
            runs=tuple(runs),
            first=tuple(map(tuple, first)),  # type: ignore[arg-type]
            following=tuple(tuple(row) for row in following),  # type: ignore[arg-type]
            inserted=beside,
            kinds=_kinds(own),
            specks=_count_specks(own),
        )


def _count_specks(pages: Iterable[AlignedPage]) -> tuple[int, int]:
    """Rewritten words of which only punctuation changed, and all rewritten words."""
    pairs = list(_fates(pages, Fate.REWRITTEN))
    return sum(letters(word) == letters(text) for word, text in pairs), len(pairs)


def _kinds(pages: Iterable[AlignedPage]) -> dict[str, tuple[int, int]]:
    """Kind of word -> words, and those with errors."""
    kinds = {kind: [0, 0] for kind in WORD_KINDS}
    for page in pages:
        for kind, fate in zip(page.words.kinds, page.alignment.fates, strict=True):
            kinds[WORD_KINDS[kind]][0] += 1
            kinds[WORD_KINDS[kind]][1] += fate is not Fate.RIGHT
    return {kind: (a, b) for kind, (a, b) in kinds.items()}


def _fates(
    pages: Iterable[AlignedPage], *of: Fate, formulas: bool = False
) -> Iterable[tuple[str, str]]:
    for page in pages:
        aligned = page.alignment
        for word, kind, fate, text in zip(
            page.words.words, page.words.kinds, aligned.fates, aligned.texts, strict=True
        ):
            if fate in of and (kind == 3) == formulas:
                yield word, text


def _channel(pages: Sequence[AlignedPage]) -> Channel:
    sites = [[0] * SITES for _ in WORD_LENGTHS]
    seen: Counter[str] = Counter()
    single: dict[str, Counter[str]] = defaultdict(Counter)
    after: dict[str, Counter[str]] = defaultdict(Counter)
    stretches: Counter[str] = Counter()
    for word, _ in _fates(pages, Fate.RIGHT, Fate.REWRITTEN):
        seen.update(word)
        seen.update("^$")
    specks: dict[str, Counter[str]] = defaultdict(Counter)
    for word, text in _fates(pages, Fate.REWRITTEN):
        if letters(word) == letters(text):
            before, is_inside, after_it = text.partition(word)
            if is_inside:
                specks["before"][before] += bool(before)
                specks["after"][after_it] += bool(after_it)
            else:
                specks["within"][""] += 1
        places = changes(word, text)
        sites[word_bin(len(word))][min(len(places), SITES) - 1] += 1
        for start, end, written in places:
            if end - start <= 1 and len(written) <= LONGEST:
                before = word[start - 1] if start else "^"
                # What is written between characters belongs to the one before.
                key = word[start:end] or ("$" if start == len(word) else before)
                put = written if end > start or key in "^$" else before + written
                single[key][put] += 1
                if end > start:
                    after[before + key][put] += 1
            else:
                place = "start" if start == 0 else "end" if end == len(word) else "middle"
                stretches[f"{place} {min(end - start, 9)} {min(len(written), 9)}"] += 1
    return Channel(
        sites=tuple(map(tuple, sites)),
        seen=_sorted(seen),
        single={key: _sorted(counts) for key, counts in sorted(single.items())},
        after={
            key: often
            for key, counts in sorted(after.items())
            if (often := {put: n for put, n in _sorted(counts).items() if n >= LEAST_COUNT})
        },
        stretches=_sorted(stretches),
        alone=_alone(pages),
        specks={place: _sorted(+counts) for place, counts in sorted(specks.items())},
        joints=_sorted(Counter(text[len(word) :] for word, text in _fates(pages, Fate.JOINED))),
    )


def _alone(pages: Sequence[AlignedPage]) -> dict[str, dict[str, int]]:
    """What stands for the words of one character."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        if not page.output.words:
            continue  # a lost page says nothing about characters
        aligned = page.alignment
        for word, kind, fate, text in zip(
            page.words.words, page.words.kinds, aligned.fates, aligned.texts, strict=True
        ):
            if len(word) == 1 and kind != 3:
                put = word if fate in (Fate.RIGHT, Fate.JOINED) else text
                counts[word][put if len(put) <= LONGEST else RUBBISH_KEY] += 1
    return {char: _sorted(puts) for char, puts in sorted(counts.items())}


def changes(word: str, text: str) -> list[tuple[int, int, str]]:
    """Where a word was changed: ``word[start:end]`` became the text; neighbours are joined."""
    places: list[tuple[int, int, str]] = []
    for code in Levenshtein.opcodes(word, text):
        if code.tag == "equal":
            continue
        start, end, written = code.src_start, code.src_end, text[code.dest_start : code.dest_end]
        if code.tag == "replace" and end - start > 1 and len(written) == end - start:
            places += [(start + i, start + i + 1, char) for i, char in enumerate(written)]
        elif places and places[-1][1] == start:
            first, _, before = places.pop()
            places.append((first, end, before + written))
        else:
            places.append((start, end, written))
    return places


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def _rubbish(pages: Sequence[AlignedPage]) -> Rubbish:
    pairs: dict[str, Counter[str]] = defaultdict(Counter)
    lengths = [[0] * (LONGEST_OUTPUT + 1) for _ in WORD_LENGTHS]
    inserted = [0] * len(INSERTED)
    texts: list[str] = []
    for word, text in _fates(pages, Fate.RUBBISH):
        lengths[word_bin(len(word))][min(len(text), LONGEST_OUTPUT)] += 1
        texts.append(text)
    after = {kind: [0] * len(INSERTED) for kind in WORD_KINDS}
    short: dict[str, Counter[str]] = {kind: Counter() for kind in WORD_KINDS}
    for page in pages:
        for at, text in page.alignment.inserted:
            kind = WORD_KINDS[page.words.kinds[max(0, at - 1)]]
            if len(text) <= LONGEST:
                short[kind][text] += 1
            after[kind][min(bisect_left(INSERTED, len(text)), len(INSERTED) - 1)] += 1
            inserted[min(bisect_left(INSERTED, len(text)), len(INSERTED) - 1)] += 1
            texts.append(text[:200])
    for text in texts:
        for a, b in pairwise(["", *text, ""]):
            pairs[a][b] += 1
    return Rubbish(
        pairs={key: _sorted(counts) for key, counts in sorted(pairs.items())},
        lengths=tuple(map(tuple, lengths)),
        inserted=tuple(inserted),
        inserted_after={kind: tuple(counts) for kind, counts in after.items() if any(counts)},
        short={kind: _sorted(counts) for kind, counts in short.items() if counts},
    )


def _formulas(pages: Sequence[AlignedPage]) -> Formulas:
    wrong = list(_fates(pages, Fate.REWRITTEN, Fate.RUBBISH, Fate.JOINED, formulas=True))
    right = sum(1 for _ in _fates(pages, Fate.RIGHT, formulas=True))
    lost = sum(1 for _ in _fates(pages, Fate.LOST, formulas=True))
    became: dict[str, Counter[str]] = defaultdict(Counter)
    spaced = operators = 0
    for word, text in wrong:
        operators += len(_OPERATORS.findall(text))
        spaced += len(_SPACED.findall(text))
        for start, end, put in _replacements(word, "".join(text.split())):
            if end - start == 1 and len(put) <= LONGEST:
                became[word[start]][put] += 1
    return Formulas(
        count=len(wrong) + right + lost,
        right=right,
        lost=lost,
        symbols=sum(len(word) for word, _ in wrong),
        edits=sum(Levenshtein.distance(word, "".join(text.split())) for word, text in wrong),
        became={char: _sorted(puts) for char, puts in sorted(became.items())},
        spaced=(spaced, operators),
    )


def _replacements(word: str, text: str) -> Iterable[tuple[int, int, str]]:
    """What stands for each character of a word, itself included; stretches are left out."""
    done = 0
    for start, end, put in [*changes(word, text), (len(word), len(word), "")]:
        yield from ((at, at + 1, word[at]) for at in range(done, start))
        if start < end:
            if put:
                yield start, end, put
            else:
                yield from ((at, at + 1, "") for at in range(start, end))
        done = end


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
    return ErrorModel(
        provenance=provenance,
        levels=tuple(_levels(pages)),
        styles=tuple(_styles(pages)),
        clustering=0.0,
        channel=_channel(pages),
        rubbish=_rubbish(pages),
        formulas=_formulas(pages),
        layouts=tuple(_layouts(pages)),
        structure=_structure(pages),
        moved=(
            sum(page.alignment.moved_passages for page in pages),
            sum(page.alignment.moved_words for page in pages),
        ),
    )
