"""The kinds of OCR errors, and the rules that tell them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from rapidfuzz.distance import Levenshtein

from ohr.markup.folding import fold_amounts
from ohr.metrics.page_numbers import find_numbers, number_of_word
from ohr.ocr_errors.words import WORD_KINDS, PageWords

ErrorKind = Literal[
    "letters",
    "capitals",
    "digits_changed",
    "digits_dropped",
    "split_joined",
    "word_lost",
    "line_lost",
    "text_added",
    "order",
    "table_cells",
    "formulas",
    "markup",
    "line_breaks",
    "other",
]
ERROR_KINDS: Mapping[ErrorKind, tuple[str, str]] = {
    "letters": ("letters", "a word with wrong letters, or a mark too many or too few"),
    "capitals": ("capitals", "a word that differs in capitals and small letters only"),
    "digits_changed": ("digits changed", "another well-formed number in a number's place"),
    "digits_dropped": ("digits dropped", "a number lost outside tables, or no number any more"),
    "split_joined": ("words split or joined", "a space too many or too few"),
    "word_lost": ("words lost", "a word in whose place nothing like it stands"),
    "line_lost": ("lines lost", "a line outside tables of which no word is left"),
    "text_added": ("text added", "words that stand for no word of the truth"),
    "order": ("order", "a passage outside tables that stands elsewhere"),
    "table_cells": ("table cells", "cells lost or moved; wrong letters and digits count there"),
    "formulas": ("formulas", "a formula lost, misread or written without LaTeX"),
    "markup": ("mark-up", "the same words with other mark-up"),
    "line_breaks": ("line breaks", "the same words with other spaces and line breaks"),
    "other": ("other", "what no rule knows: the whole page in one piece"),
}
"""Each kind with its name and its meaning."""
TABLE_WORDS = frozenset(WORD_KINDS.index(kind) for kind in ("table", "chart"))
FORMULA_WORD = WORD_KINDS.index("formula")


def substitution_kind(truth: Sequence[str], output: Sequence[str], *, formula: bool) -> ErrorKind:
    """The kind of an error that replaces words of the truth by words like them.

    ``formula``: whether one of them is a formula. A number is *changed* or *dropped* as
    :mod:`ohr.metrics.changed_numbers` defines it.
    """
    if formula:
        return "formulas"
    if "".join(truth) == "".join(output):
        return "split_joined"
    true_text, text = (fold_amounts(" ".join(words)) for words in (truth, output))
    if len(truth) == len(output) == 1:
        true_number, number = number_of_word(true_text), number_of_word(text)
        if true_number is None:
            return "letters"
        if number is None:
            return "digits_dropped"
        return "letters" if number.is_same(true_number) else "digits_changed"
    true_numbers, numbers = find_numbers(true_text), find_numbers(text)
    if all(any(number.is_same(each) for number in numbers) for each in true_numbers):
        return "split_joined"
    return "digits_dropped" if len(numbers) < len(true_numbers) else "digits_changed"


def lost_runs(page: PageWords, numbers: Sequence[int]) -> list[tuple[ErrorKind, list[int]]]:
    """The errors that lost words are: whole lines, runs of cells, and single words.

    ``numbers`` are consecutive words of the page.
    """
    runs: list[tuple[ErrorKind, list[int]]] = []
    for line in lines_of(page, numbers):
        in_table = [page.kinds[number] in TABLE_WORDS for number in line]
        first = line[0]
        if all(in_table):
            runs.append(("table_cells", line))
            continue
        is_whole = _line_number(page, first - 1) != _line_number(page, first) and (
            _line_number(page, line[-1] + 1) != _line_number(page, first)
        )
        if is_whole and any(page.kinds[number] != FORMULA_WORD for number in line):
            runs.append(("line_lost", line))
            continue
        runs += [(_word_kind(page, number), [number]) for number in line]
    return runs


def _word_kind(page: PageWords, number: int) -> ErrorKind:
    if page.kinds[number] in TABLE_WORDS:
        return "table_cells"
    if page.kinds[number] == FORMULA_WORD:
        return "formulas"
    is_number = number_of_word(fold_amounts(page.words[number])) is not None
    return "digits_dropped" if is_number else "word_lost"


def lines_of(page: PageWords, numbers: Sequence[int]) -> list[list[int]]:
    """Words, cut where a line of the page ends."""
    lines: list[list[int]] = []
    for number in numbers:
        if lines and _line_number(page, lines[-1][-1]) == _line_number(page, number):
            lines[-1].append(number)
        else:
            lines.append([number])
    return lines


def _line_number(page: PageWords, number: int) -> int:
    """The number of a word's line; -1 before the first word and after the last."""
    if not 0 <= number < len(page.words):
        return -1
    low, high = 0, len(page.lines)
    while low < high:
        middle = (low + high) // 2
        if page.lines[middle].after <= number:
            low = middle + 1
        else:
            high = middle
    return low


def mark_kind(truth: str, output: str) -> ErrorKind:
    """The kind of a difference between pieces that have no words."""
    return "line_breaks" if "".join(truth.split()) == "".join(output.split()) else "markup"


def wrong_characters(truth: str, output: str) -> int:
    """Edits between two pieces, their white space collapsed."""
    return Levenshtein.distance(" ".join(truth.split()), " ".join(output.split()))
