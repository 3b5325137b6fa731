"""Counts what stands for words with errors: characters, specks, rubbish, formulas."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from ohr.metrics.alignment import Fate
from ohr.ocr_errors.characters import letters, word_bin
from ohr.ocr_errors.model import (
    END,
    INSERTED,
    LONGEST,
    LONGEST_OUTPUT,
    RUBBISH_KEY,
    SITES,
    START,
    WORD_LENGTHS,
    Channel,
    Formulas,
    OutputLengths,
    Rubbish,
)
from ohr.ocr_errors.pages import AlignedPage
from ohr.ocr_errors.words import WORD_KINDS

LEAST_COUNT = 2
"""Replacements of a pair of characters that were seen less often are left out."""
_OPERATORS = re.compile(r"[=+−×<>≤≥≈±]")
_SPACED = re.compile(rf"(?<= ){_OPERATORS.pattern}(?= )")


def words_with(
    pages: Iterable[AlignedPage], *of: Fate, formulas: bool = False
) -> Iterable[tuple[str, str]]:
    """The words with one of these fates, and what stands for each."""
    for page in pages:
        aligned = page.alignment
        for word, kind, fate, text in zip(
            page.words.words, page.words.kinds, aligned.fates, aligned.texts, strict=True
        ):
            if fate in of and (kind == 3) == formulas:
                yield word, text


def count_specks(pages: Iterable[AlignedPage]) -> tuple[int, int]:
    """Rewritten words of which only punctuation changed, and all rewritten words."""
    pairs = list(words_with(pages, Fate.REWRITTEN))
    return sum(letters(word) == letters(text) for word, text in pairs), len(pairs)


def count_channel(pages: Sequence[AlignedPage]) -> Channel:
    """What became of the characters of rewritten words."""
    seen: Counter[str] = Counter()
    single: dict[str, Counter[str]] = defaultdict(Counter)
    after: dict[str, Counter[str]] = defaultdict(Counter)
    stretches: Counter[str] = Counter()
    for word, _ in words_with(pages, Fate.RIGHT, Fate.REWRITTEN):
        seen.update(word)
        seen.update((START, END))
    specks: dict[str, Counter[str]] = defaultdict(Counter)
    for word, text in words_with(pages, Fate.REWRITTEN):
        if letters(word) == letters(text):
            before, is_inside, after_it = text.partition(word)
            if is_inside:
                specks["before"][before] += 0 < len(before) <= LONGEST
                specks["after"][after_it] += 0 < len(after_it) <= LONGEST
            else:
                specks["within"][""] += 1
        for start, end, written in changes(word, text):
            if end - start <= 1 and len(written) <= LONGEST:
                before = word[start - 1] if start else START
                # What is written between characters belongs to the one before.
                key = word[start:end] or (END if start == len(word) else before)
                put = written if end > start or key in (START, END) else before + written
                single[key][put] += 1
                if end > start:
                    after[before + key][put] += 1
            else:
                place = "start" if start == 0 else "end" if end == len(word) else "middle"
                stretches[f"{place} {min(end - start, 9)} {min(len(written), 9)}"] += 1
    return Channel(
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
        joints=_sorted(Counter(text[len(word) :] for word, text in words_with(pages, Fate.JOINED))),
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


def count_rubbish(pages: Sequence[AlignedPage]) -> Rubbish:
    """What stands for words that were not read, or for none."""
    pairs: dict[str, Counter[str]] = defaultdict(Counter)
    # Words of one character are counted in ``Channel.alone``.
    texts = [text for word, text in words_with(pages, Fate.RUBBISH) if len(word) > 1]
    short: dict[str, Counter[str]] = {kind: Counter() for kind in WORD_KINDS}
    for page in pages:
        for position, text in page.alignment.inserted:
            kind = WORD_KINDS[page.words.kinds[max(0, position - 1)]]
            if len(text) <= LONGEST:
                short[kind][text] += 1
            texts.append(text[:200])
    for text in texts:
        for a, b in pairwise(["", *text, ""]):
            pairs[a][b] += 1
    return Rubbish(
        pairs={key: _sorted(counts) for key, counts in sorted(pairs.items())},
        short={kind: _sorted(counts) for kind, counts in short.items() if counts},
    )


def count_lengths(pages: Sequence[AlignedPage]) -> OutputLengths:
    """How much changed in words, and how much stands for them, on these pages."""
    sites = [[0] * SITES for _ in WORD_LENGTHS]
    for word, text in words_with(pages, Fate.REWRITTEN):
        if letters(word) != letters(text):
            sites[word_bin(len(word))][min(len(changes(word, text)), SITES) - 1] += 1
    rubbish = [[0] * (LONGEST_OUTPUT + 1) for _ in WORD_LENGTHS]
    for word, text in words_with(pages, Fate.RUBBISH):
        if len(word) == 1:
            continue  # counted in ``Channel.alone``
        rubbish[word_bin(len(word))][min(len(text), LONGEST_OUTPUT)] += 1
    inserted = {kind: [0] * len(INSERTED) for kind in WORD_KINDS}
    for page in pages:
        for position, text in page.alignment.inserted:
            own = inserted[WORD_KINDS[page.words.kinds[max(0, position - 1)]]]
            own[min(bisect_left(INSERTED, len(text)), len(INSERTED) - 1)] += 1
    return OutputLengths(
        sites=tuple(map(tuple, sites)),
        rubbish=tuple(map(tuple, rubbish)),
        inserted={kind: tuple(counts) for kind, counts in inserted.items()},
    )


def count_formulas(pages: Sequence[AlignedPage]) -> Formulas:
    """What became of formulas."""
    wrong = list(words_with(pages, Fate.REWRITTEN, Fate.RUBBISH, Fate.JOINED, formulas=True))
    right = sum(1 for _ in words_with(pages, Fate.RIGHT, formulas=True))
    lost = sum(1 for _ in words_with(pages, Fate.LOST, formulas=True))
    became: dict[str, Counter[str]] = defaultdict(Counter)
    spaced = operators = 0
    for word, text in wrong:
        operators += len(_OPERATORS.findall(text))
        spaced += len(_SPACED.findall(text))
        for start, end, put in _replacements(word, "".join(text.split())):
            cuts = [len(put) * i // (end - start) for i in range(end - start + 1)]
            for char, (first, last) in zip(word[start:end], pairwise(cuts), strict=True):
                became[char][put[first : min(last, first + LONGEST)]] += 1
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
    """What stands for each character of a word, itself included, or for a stretch of them."""
    done = 0
    for start, end, put in [*changes(word, text), (len(word), len(word), "")]:
        yield from ((position, position + 1, word[position]) for position in range(done, start))
        if start < end:
            if put:
                yield start, end, put
            else:
                yield from ((position, position + 1, "") for position in range(start, end))
        done = end
