"""Finds the complete sentences of a page that can be understood alone, with their places.

A page may be Markdown, where a line is a paragraph, or a text layer, where a paragraph has many
lines. A line that is much shorter than the others ends its paragraph. The rules are strict, since
questions are made of the sentences: headings, rows of numbers, captions, fragments and sentences
that refer to the one before ("This", "However") do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ohr.datasets import wording
from ohr.markup.headings import headings
from ohr.markup.outline.parts import is_row
from ohr.markup.page import read_page
from ohr.markup.strip import strip_markup
from ohr.markup.structure import is_covered
from ohr.questions.agreed import UNSURE

WORDS = (7, 45)
"""Fewest and most words of a sentence."""
_SHORT = 0.65
"""A line of less than this share of the page's long lines ends its paragraph."""
_LOWER = 0.4
"""Least share of lower-case words; with less, it is a title or a row."""

_LINE = re.compile(r"[^\n]+")
_LABEL = re.compile(
    r"[ \t]*(?:(?:\(?(?:[a-zA-Z]|[ivxIVX]{1,4}|\d{1,3})[.)]|\d+(?:\.\d+)+[.)]?"
    r"|[•●▪◦*\-\u2013\u2014>]+)[ \t]+)*"
)
_END = re.compile(r"[.!?]['\"\u2019\u201d)\]]*(?=\s+[\"'\u201c\u2018(\[]?[A-Z0-9]|\s*\Z)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Art|Arts|Sec|Secs|Sect|Fig|Figs|Eq|Ch|Vol|pp|p|Inc|Corp|Co|Cos|Ltd|L\.L\.C|"
    r"Jr|Sr|vs|v|etc|cf|al|approx|Esq|Rs|Gen|Gov|Sen|Rep|Hon|Rev|Dept|Div|Ave|Blvd|Rd|Bros|Bldg|Tel|Ext|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|e\.g|i\.e|viz|ca|Ph\.D|D\.C|a\.m|p\.m|Id)"
    r"|\b[A-Za-z]|\b(?:[A-Za-z]\.)+[A-Za-z]|\A\W*\d+)\Z"
)
_LEANING = frozenset(
    "this these those that it its they their them he she his her him such however moreover "
    "furthermore therefore thus hence also additionally accordingly consequently nevertheless "
    "otherwise then here there see note similarly likewise instead meanwhile and but or so yet "
    "both neither either another others which who what how why do does did is are was were "
    "we our us you your i my".split()
)
_ODD = re.compile(
    r"[\\{}^_~<>=|\u2022\u25cf]|\.\s?\.|\w{4}\. [a-z]|[a-z][.!?][A-Z][a-z]|[%#@][a-z]"
    r"|\b[B-HJ-Z] [B-Z]\b|https?:|www\.|_{2,}|[\ue000-\uf8ff]"
)
_DEPENDENT = re.compile(
    r"\b(?:the following|as follows|above|below|therefore|previous|previously|foregoing|aforesaid|"
    r"in this (?:section|chapter|relation|case)|chapter \d+)\b| - .* - ",
    re.IGNORECASE,
)
_QUOTES = re.compile('["\u201c\u201d]')


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: ``page[start:end]`` is its source, ``plain`` its text without mark-up."""

    start: int
    end: int
    plain: str


def sentences(text: str) -> list[Sentence]:
    """The sentences of a page that questions can be made of, in order."""
    return [sentence for sentence in all_sentences(text) if is_self_contained(sentence.plain)]


def all_sentences(text: str) -> Iterator[Sentence]:
    """Every part of a page between two ends of sentences, whether or not it is a sentence."""
    for start, end in _paragraphs(text):
        position = start
        while position < end:
            stop = _end_of(text, position, end)
            source = text[position:stop]
            lead = len(source) - len(source.lstrip())
            # Outside tables an ampersand between spaces does not separate cells.
            plain = " ".join(strip_markup(source.replace(" & ", r" \& ")).split())
            if plain:
                yield Sentence(position + lead, position + len(source.rstrip()), plain)
            position = stop


def _end_of(text: str, position: int, end: int) -> int:
    place = position
    while True:
        match = _END.search(text, place, end)
        if match is None:
            return end
        before = text[position : match.start()]
        if text[match.start()] != "." or not _ABBREVIATED.search(before[-30:]):
            return match.end()
        place = match.end()


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a page's paragraphs, without headings, tables and list marks."""
    page = read_page(text)
    titles = [(heading.start, heading.end) for heading in headings(text, untitled=True)]
    for (first, last), _ in page.stretches:
        lines = [
            (match.start(), match.end())
            for match in _LINE.finditer(text, first, last)
            if match.group().strip() and not is_covered(titles, match.start())
        ]
        lengths = [end - start for start, end in lines]
        wide = float(np.quantile(lengths, 0.8)) if lengths else 0.0
        begins: int | None = None
        for number, (start, end) in enumerate(lines):
            label = _LABEL.match(text, start, end)
            inner = label.end() if label is not None else start
            if begins is None:
                begins = inner
            following = lines[number + 1] if number + 1 < len(lines) else None
            if following is None or _parted(text, (start, end), following, wide):
                if not is_row(text[begins:end]):
                    yield begins, end
                begins = None


def _parted(text: str, line: tuple[int, int], following: tuple[int, int], wide: float) -> bool:
    """Whether a line ends its paragraph."""
    start, end = line
    if text.count("\n", end, following[0]) > 1:
        return True
    label = _LABEL.match(text, *following)
    if label is not None and label.end() > following[0] and not text[following[0]].islower():
        return True
    if is_row(text[start:end]) or is_row(text[following[0] : following[1]]):
        return True
    opens = text[following[0] : following[1]].lstrip()[:1]
    return end - start < _SHORT * wide and not opens.islower()


def is_self_contained(plain: str) -> bool:
    """Whether a plain text is one complete sentence that can be understood alone."""
    words = plain.split()
    if not WORDS[0] <= len(words) <= WORDS[1] or UNSURE in plain:
        return False
    if not plain.endswith((".", ".\u201d", '."')) or plain.endswith("..") or _ODD.search(plain):
        return False
    if _DEPENDENT.search(plain):
        return False
    opening = plain.lstrip("\"\u201c'(")[:1]
    if not opening.isupper() or words[0].strip(".,;:\"\u201c'").casefold() in _LEANING:
        return False
    if plain.count("(") != plain.count(")") or len(_QUOTES.findall(plain)) % 2:
        return False
    if ":" in plain or ";" in plain or "?" in plain:
        return False
    lettered = [word for word in words if any(map(str.isalpha, word))]
    lower = sum(word.strip("\"'(\u201c").islower() for word in lettered)
    if lower < _LOWER * len(lettered) or sum(map(_is_upper, words)) > 0.3 * len(words):
        return False
    letters = sum(char.isalpha() for char in plain)
    solid = sum(not char.isspace() for char in plain)
    if letters < 0.75 * solid:
        return False
    return not wording.context_phrase(plain)


def _is_upper(word: str) -> bool:
    return len(word) > 1 and word.isupper()
