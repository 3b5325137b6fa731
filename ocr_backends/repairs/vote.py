"""Chooses between the words of several engines, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ocr_backends.repairs.alignment import gaps, rewritten
from ohr.plugins import Params, TextFusion
from ohr.quality.garbage import is_garbage


class Vote(TextFusion[Params]):
    """The main engine's text, with those of its words replaced that the others read better.

    Texts are aligned word by word; a word is compared where another text has as many words in its
    place. The reading of most engines is taken. Among as many engines, one that is garbage loses
    (:mod:`ohr.quality.garbage`), and so does one that all texts of the page have less often than
    the other. In a tie a number stays, unless it has letters too and the other reading has none.
    """

    name = "vote"
    version = "2"

    def fuse(self, texts: Sequence[str]) -> str:
        words = texts[0].split()
        readings: list[list[str]] = [[word] for word in words]
        counts = Counter(word for text in texts for word in text.split())
        for text in texts[1:]:
            rest = text.split()
            matched = 0
            for gap in gaps(words, rest):
                for place in range(matched, gap.start):
                    readings[place].append(words[place])
                if gap.end - gap.start == gap.other_end - gap.other_start:
                    replacements = rest[gap.other_start : gap.other_end]
                    for place, other in enumerate(replacements, start=gap.start):
                        readings[place].append(other)
                matched = gap.end
            for place in range(matched, len(words)):
                readings[place].append(words[place])
        return rewritten(texts[0], [_winner(each, counts) for each in readings])


def _winner(readings: Sequence[str], counts: Counter[str]) -> str:
    """The best reading of one word; the main engine's is first, and stays in doubt."""
    best = readings[0]
    votes = Counter(readings)
    for other in dict.fromkeys(readings):
        if votes[other] > votes[best] or (
            votes[other] == votes[best] and _is_better(other, best, counts)
        ):
            best = other
    return best


def _is_better(other: str, best: str, counts: Counter[str]) -> bool:
    if other == best:
        return False
    if is_garbage(best) != is_garbage(other) and not _is_number(best):
        return is_garbage(best)
    if _has_digit(best) or _has_digit(other):
        return _is_mixed(best) and _is_number(other)
    return counts[other] > counts[best]


def _has_digit(word: str) -> bool:
    return any(char.isdigit() for char in word)


def _is_number(word: str) -> bool:
    return _has_digit(word) and not any(char.isalpha() for char in word)


def _is_mixed(word: str) -> bool:
    return _has_digit(word) and not _is_number(word)
