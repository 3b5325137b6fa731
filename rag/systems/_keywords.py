"""Keywords of a text by statistics of that text alone, after YAKE.

Source: Campos et al., YAKE! Keyword extraction from single documents using multiple local
features, Information Sciences 509, 2020. Candidates are words, and pairs of neighbouring words.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

_TOKEN = re.compile(r"\w+|[^\w\s]")
_COMMAND = re.compile(r"\\[a-zA-Z]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_SHORTEST = 3


@dataclass(slots=True)
class _Word:
    name: str
    capital: int = 0
    acronym: int = 0
    sentences: list[int] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.sentences)


def keywords(text: str, stop_words: Collection[str], count: int) -> list[str]:
    """The best words and pairs of a text in lower case, best first; ties by alphabet.

    Stop words, numbers and words of fewer than three letters are never part of a keyword.
    """
    words: dict[str, _Word] = {}
    pairs: Counter[tuple[str, str]] = Counter()
    tokens: dict[str, _Word | None] = {}
    sentences = _SENTENCE.split(_COMMAND.sub(" ", text))
    for number, sentence in enumerate(sentences):
        before: _Word | None = None
        for position, token in enumerate(_TOKEN.findall(sentence)):
            if token in tokens:
                word = tokens[token]
            else:
                name = token.casefold()
                is_candidate = (
                    len(name) >= _SHORTEST and name not in stop_words and name[0].isalpha()
                )
                word = tokens[token] = words.setdefault(name, _Word(name)) if is_candidate else None
            if word is not None:
                word.sentences.append(number)
                if token[0].isupper():
                    word.capital += position > 0
                    word.acronym += token.isupper()
                if before is not None:
                    word.left.append(before.name)
                    before.right.append(word.name)
                    pairs[before.name, word.name] += 1
            before = word
    if not words:
        return []
    counts = [word.count for word in words.values()]
    n, total = len(counts), sum(counts)
    deviation = (
        math.sqrt(n * sum(word_count * word_count for word_count in counts) - total * total) / n
    )
    usual, most = total / n + deviation, max(counts)
    weights = {name: _weight(word, usual, most, len(sentences)) for name, word in words.items()}
    scores = dict(weights)
    for (first, second), n in pairs.items():
        a, b = weights[first], weights[second]
        scores[f"{first} {second}"] = a * b / (n * (1 + a + b))
    return heapq.nsmallest(count, scores, key=lambda name: (scores[name], name))


def _weight(word: _Word, usual: float, most: int, n_sentences: int) -> float:
    """A word's score, where less is better: the paper's equation 7 with its five features."""
    case = max(word.capital, word.acronym) / (1 + math.log(word.count))
    half = word.count // 2
    median = (word.sentences[half] + word.sentences[-half - 1]) / 2  # they are in ascending order
    position = math.log(math.log(3 + median))
    spread = _variety(word.left) + _variety(word.right)
    related = 1 + spread * word.count / most
    in_sentences = len(set(word.sentences)) / n_sentences
    return related * position / (case + word.count / usual / related + in_sentences / related)


def _variety(neighbours: list[str]) -> float:
    return len(set(neighbours)) / len(neighbours) if neighbours else 0.0
