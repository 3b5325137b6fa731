"""How well a judge of text layers does on the corpus.

    python -m benchmarks.layer_corpus.score OUT/truth.json RESULTS.json

RESULTS.json has for each file `usable`, `text`, `doubtful` (words as `text` has them) and
`order_known`. Aims: 97% of wrong layers caught, 1% of right ones refused, 99.5% of words and 99% of
adjacent pairs right.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.layer_corpus.words import lacking, split_units, split_words

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
FRACTIONS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "\u2044": "/"}


@dataclass(frozen=True)
class Result:
    """What a judge says of a layer; `doubtful` holds words of `text`, each as often as doubted."""

    usable: bool
    text: str = ""
    doubtful: Sequence[str] = ()
    order_known: bool = True


@dataclass(frozen=True)
class PageVerdict:
    """How a result compares with the truth: shares from 0 to 1, and why it fails ("": it does not).

    `silent` are words not on the page that no doubt is said of, `missing` those of the page that
    are neither there nor made up for by a doubtful one.
    """

    refused: bool
    words: float
    order: float | None
    silent: list[str]
    missing: list[str]
    doubted: float
    reason: str


@dataclass(frozen=True)
class Row:
    """Shares over some files; None where no file counts.

    `caught` is of wrong layers, `refused` of right ones. Of layers that must be put right,
    `handled` are right or refused, and `given_up` are refused.
    """

    name: str
    files: int
    caught: float | None
    refused: float | None
    handled: float | None
    given_up: float | None
    words: float | None
    order: float | None
    doubted: float | None
    failed: int = field(default=0)


def _read(truth: Mapping[str, Any], text: str) -> str:
    """The result's text, in the truth's way of writing it."""
    if truth["fault"] in ("raised", "one_line"):
        for sign, letters in FRACTIONS.items():
            text = text.replace(sign, letters if sign == "\u2044" else f" {letters}")
        text = "".join(
            " " + char.translate(RAISED)
            if char != char.translate(RAISED) and before.isdigit()
            else char.translate(RAISED)
            for before, char in zip(f" {text}", text, strict=False)
        )
    text = " ".join(text.split()) if truth["same"] else text
    for other, claims_read in truth["same"]:
        text = text.replace(other, claims_read)
    return text.casefold() if truth["any_case"] else text


def _undoubted(text: str, doubtful: Sequence[str]) -> list[str]:
    """The words of a text without those that are doubtful, or part of one, or have one in them."""
    doubted = Counter(word for words in doubtful for word in split_words(words))
    remaining = []
    for word in split_words(text):
        if doubted[word] > 0:
            doubted[word] -= 1
        else:
            remaining.append(word)
    remainder = [word for word, count in doubted.items() if count > 0]
    return [word for word in remaining if not any(_is_within(word, other) for other in remainder)]


def _is_within(word: str, other: str) -> bool:
    return split_units(word) != [word] and (word in other or other in word)


def kept_pairs(truth: str, text: str) -> float:
    """The share of neighbours in the truth that are so in the text, of the words both have.

    Words that one of them has more often do not count: nobody knows which of them is missing.
    """
    left_side, right = split_units(truth), split_units(text)
    counts, text_counts = Counter(left_side), Counter(right)
    both = {word for word, count in counts.items() if text_counts[word] == count}
    pairs = Counter(itertools.pairwise(word for word in left_side if word in both))
    remaining = pairs & Counter(itertools.pairwise(word for word in right if word in both))
    return remaining.total() / pairs.total() if pairs else 1.0


def judge(truth: Mapping[str, Any], result: Result) -> PageVerdict:
    """Compare one result with the truth of its file."""
    page = truth["text"].casefold() if truth["any_case"] else truth["text"]
    if not result.usable:
        reason = "refused" if truth["expect"] == "right" else ""
        return PageVerdict(True, 0.0, None, [], [], 0.0, reason)
    text = _read(truth, result.text)
    doubtful = [_read(truth, word) for word in result.doubtful]
    undoubted = _undoubted(text, doubtful)
    words = split_words(page)
    silent, missing = lacking(undoubted, words), lacking(words, undoubted)
    # A phrase without blanks is doubtful as a whole, with the words that it consists of.
    phrases = [phrase for phrase in doubtful if split_units(phrase) != [phrase]]
    parts = {word for phrase in phrases for word in split_words(phrase)}
    missing = [word for word in missing if word not in parts]
    covered = min(len(missing), 2 * len(doubtful))
    missing = missing[covered:] if covered < len(missing) else []
    units = Counter(split_units(page))
    claims_read = Counter(split_units(" ".join(undoubted)))
    hits = (units & claims_read).total()
    doubted = min(units.total() - hits, sum(len(split_units(word)) for word in doubtful))
    total = units.total() - doubted + claims_read.total()
    share = 2 * hits / total if total else 1.0
    order = kept_pairs(page, text) if result.order_known else None
    reasons = []
    if silent:
        reasons.append(f"wrong words unmarked: {', '.join(silent[:5])} ({len(silent)})")
    if missing:
        reasons.append(f"words missing: {', '.join(missing[:5])} ({len(missing)})")
    if truth["expect"] == "right" and doubtful:
        reasons.append(f"right words doubted: {', '.join(doubtful[:5])} ({len(doubtful)})")
    if truth["expect"] != "caught" and order is not None and order < 0.99:
        reasons.append(f"order: {order:.3f} of the pairs kept")
    part = doubted / units.total() if units else 0.0
    return PageVerdict(False, share, order, silent, missing, part, "; ".join(reasons))


def _share(values: Iterable[float | bool]) -> float | None:
    matches = [float(value) for value in values]
    return sum(matches) / len(matches) if matches else None


def _row(name: str, pairs: Sequence[tuple[Mapping[str, Any], PageVerdict]]) -> Row:
    wrong = [verdict for truth, verdict in pairs if truth["expect"] == "caught"]
    right = [verdict for truth, verdict in pairs if truth["expect"] == "right"]
    odd = [verdict for truth, verdict in pairs if truth["expect"] == "text"]
    read = [verdict for verdict in right + odd if not verdict.refused]
    return Row(
        name,
        len(pairs),
        caught=_share(not verdict.reason for verdict in wrong),
        refused=_share(verdict.refused for verdict in right),
        handled=_share(not verdict.reason for verdict in odd),
        given_up=_share(verdict.refused for verdict in odd),
        words=_share(verdict.words for verdict in read),
        order=_share(verdict.order for verdict in read if verdict.order is not None),
        doubted=_share(verdict.doubted for verdict in right if not verdict.refused),
        failed=sum(bool(verdict.reason) for _, verdict in pairs),
    )


def score(
    truths: Mapping[str, Mapping[str, Any]], results: Mapping[str, Result]
) -> tuple[list[Row], dict[str, str]]:
    """The table (all files, by fault, script and producer), and why each failing file fails.

    Raises:
        KeyError: a file has no result.
    """
    verdicts = {name: judge(truth, results[name]) for name, truth in truths.items()}
    pairs = [(truths[name], verdict) for name, verdict in verdicts.items()]
    rows = [_row("all", pairs)]
    keys: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "fault": lambda truth: truth["fault"] or "none",
        "script": lambda truth: truth["script"],
        "producer": lambda truth: truth["producer"],
    }
    for kind, key in keys.items():
        for value in sorted({key(truth) for truth, _ in pairs}):
            rows.append(_row(f"{kind} {value}", [pair for pair in pairs if key(pair[0]) == value]))
    return rows, {name: verdict.reason for name, verdict in verdicts.items() if verdict.reason}


def table(rows: Sequence[Row]) -> str:
    """The rows as lines of text; a dash where no file counts."""
    heads = list(asdict(rows[0]))
    lines = [f"{heads[0]:24}" + "".join(f"{head:>9}" for head in heads[1:])]
    for row in rows:
        cells = ["-" if value is None else value for value in asdict(row).values()]
        shown = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells[1:]]
        lines.append(f"{row.name:24}" + "".join(f"{cell:>9}" for cell in shown))
    return "\n".join(lines)


def main() -> None:
    """Print the table, then a line for each file that fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layer_corpus.score")
    parser.add_argument("truth", type=Path)
    parser.add_argument("results", type=Path)
    given = parser.parse_args()
    results = json.loads(given.results.read_text(encoding="utf-8"))
    truths = json.loads(given.truth.read_text(encoding="utf-8"))
    rows, failures = score(truths, {name: Result(**result) for name, result in results.items()})
    print(table(rows))
    for name, reason in sorted(failures.items()):
        print(f"{name}: {reason}")


if __name__ == "__main__":
    main()
