"""Joins words that are cut at the end of a line, for both sides of every comparison.

A hyphen at a line's end belongs to the word (``least-squares``) or only to the line. The document
tells: which form occurs within its lines, and what most of its words at line ends are. A filing
that is not justified cuts no words, so all of them are compounds.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from ohr.markup.writing_systems import marks

_PRINTED = "-\u2010\u2e17\u058a\u05be"
"""Hyphen-minus, hyphen, double oblique hyphen (Fraktur), Armenian hyphen, maqaf (Hebrew)."""
_CUTS = "\xad\xac"
"""Soft hyphen, and the sign that some OCR programs write for one: always only the line's."""
_HYPHENS = _PRINTED + _CUTS
_MAQAF = "\u05be"
_WITHIN = _PRINTED + "\u2011"
"""Hyphens within a line, also one that does not break."""
_LETTER = r"[^\W\d_]"
_BLANK = r"[ \t]*+"
_CUT_SOFT = re.compile(rf"\xad{_BLANK}(?=\n)")
_LONGEST = 40
"""Characters of the longest part of a word that is looked up, so that each look-up is short."""
_FROM_CUTS, _PER_WORD = 2, 4
"""How many compounds at line ends show that a document cuts no words: two, and four for each word
that it seems to cut. On justified pages about one in fifteen is a compound."""

# No word that is cut has such an end, except those below, and no script leaves one of these letters
# alone at the start of a line.
_CONNECTORS = r"and|und|oder|sowie|bis|och|y|e|o|u|i|a|и|а|і|й"
_WHOLE = frozenset({"thousand", "operand", "ampersand", "viand", "cannabis"})
# Words do have these ends (``pho-to``, ``bau-en``), so more must speak for a compound.
_ENDS = r"or|to|of|en|et|ou|og|ed|eller|és|vagy|ja|tai|oraz|lub|ve|veya|или|και"
_SUSPENDED = re.compile(rf"(?:{_CONNECTORS})(?=\s)", re.I)
_MAYBE_SUSPENDED = re.compile(rf"(?:{_ENDS})(?=\s)", re.I)
_COMPOUND_NEXT = re.compile(rf"\w++[ \t]{{0,4}}\n?[ \t]{{0,4}}[^\W_]{{1,{_LONGEST}}}[{_WITHIN}]")
# In the middle of a compound: up-to-date, state-of-the-art, available-for-sale, Neuilly-sur-Seine.
_MIDDLE = r"(?:of|to|the|and|by|for|sur)"
_MIDDLE_NEXT = re.compile(rf"{_MIDDLE}[{_WITHIN}]", re.I)
# Of Latin letters none is left alone at a line's end, except after an apostrophe (``l'e-conomia``).
_COMPOUND_BEFORE = re.compile(
    rf"(?:[{_WITHIN}]{_MIDDLE}|(?<![\w'\u2019\u02bc])[a-zà-öø-ÿ])\Z", re.I
)
_LONGEST_MIDDLE = 4


@functools.cache
def _word() -> str:
    """A character class: letters, digits, underscores, and the marks that belong to letters."""
    return rf"[\w\u0300-\u036f{marks()[1:-1]}]"


@functools.cache
def _cut() -> re.Pattern[str]:
    """A hyphen between a letter and the next line's letter.

    A blank line may follow if a word is cut at the end of a column. The pattern begins with a set,
    which is fast to search, and gives nothing back.
    """
    before = rf"(?:(?<={_LETTER}.)|(?<=[\u0300-\u036f].)|(?<={marks()}.))"
    return re.compile(rf"([{_HYPHENS}]){before}{_BLANK}\n{_BLANK}(?:\n{_BLANK})?(?={_LETTER})")


@functools.cache
def _stray() -> re.Pattern[str]:
    """A soft hyphen within a line, and one at its end, with the blanks after it, that follows no
    letter."""
    no_letter = rf"(?<!{_LETTER}.)(?<![\u0300-\u036f].)(?<!{marks()}.)"
    return re.compile(rf"\xad(?:(?!{_BLANK}\n)|{no_letter}{_BLANK}(?=\n))")


@functools.cache
def _parts() -> re.Pattern[str]:
    """A word or a part of a compound, and what follows its hyphen: a part, a comma or a blank."""
    word = _word()
    return re.compile(rf"({word}++)(?:[{_WITHIN}](?=({word}++|,|[ ](?={word}))))?")


@functools.cache
def _run() -> re.Pattern[str]:
    """The part of a word from a place on, or in a reversed text up to it."""
    return re.compile(rf"{_word()}{{0,{_LONGEST}}}+")


@dataclass(frozen=True)
class WordForms:
    """The words of a document, to look up how a word that is cut is written elsewhere in it.

    ``counts``: occurrences, case folded, of words (``squares``), pairs with a hyphen
    (``least-squares``), and parts before a blank or a comma (``pre- ``). ``cuts_no_words``: whether
    the words at its line ends are compounds, as far as one can tell.
    """

    counts: Mapping[str, int]
    cuts_no_words: bool = False

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Self:
        """Count the words of a document's pages. Linear in their length."""
        texts = [_drop_soft_hyphens(text) for text in texts]
        counts: Counter[str] = Counter()
        for text in texts:
            parts = _parts().findall(text.casefold().replace("_", " "))
            counts.update(part for part, _ in parts)
            counts.update(f"{part}-{following}" for part, following in parts if following)
        compounds = words = 0
        for text in texts:
            for match in _cut().finditer(text):
                if match[1] in _PRINTED:
                    word, compound = _occurrences(counts, *_sides(match))
                    compounds += compound > word
                    words += word > compound
        return cls(counts, compounds >= _FROM_CUTS + _PER_WORD * words)


def join_cut_words(text: str, forms: WordForms | None = None) -> str:
    """Join words that a hyphen cuts at a line's end, and remove soft hyphens.

    ``inter-\\nnational`` becomes ``international``. The hyphen stays

    - in a suspended compound: ``pre-\\nand post-war`` becomes ``pre- and post-war``;
    - if the word occurs with it more often than without: ``least-squares``;
    - before a capital (``Anglo-\\nAmerican``), but a line in capitals is joined;
    - after a single letter (``e-\\ncommerce``), round ``of`` or ``to`` (``up-\\nto-date``), and
      where all words at line ends seem to be compounds (``forms.cuts_no_words``).

    ``forms``: the words of the whole document, this text included; by default those of the text.
    A soft hyphen never stays. Blanks around one within a line do. Linear in the text's length.

    >>> join_cut_words("the inter-\\nnational har\\xadbour of\\xad Anglo-\\nAmerican trade")
    'the international harbour of Anglo-American trade'
    >>> join_cut_words("by least-\\nsquares", WordForms.of(["A least-squares fit"]))
    'by least-squares'
    """
    if not any(hyphen in text for hyphen in _HYPHENS):
        return text
    text = _drop_soft_hyphens(text)
    if _cut().search(text):
        words = WordForms.from_texts([text]) if forms is None else forms
        text = _cut().sub(lambda match: _joint(match, words), text)
    return _CUT_SOFT.sub("", text) if "\xad" in text else text


def _drop_soft_hyphens(text: str) -> str:
    """The text with those soft hyphens alone that cut a word at a line's end."""
    return _stray().sub("", text) if "\xad" in text else text


def _sides(match: re.Match[str]) -> tuple[str, str]:
    """The parts of a word before and after a cut, without the underscores of emphasis."""
    text, start = match.string, match.start()
    backwards = text[max(0, start - _LONGEST) : start][::-1]
    run = _run().match
    left_side, right = run(backwards), run(text, match.end())
    return left_side[0][::-1].lstrip("_") if left_side else "", right[0].rstrip(
        "_"
    ) if right else ""


def _occurrences(counts: Mapping[str, int], left_side: str, right: str) -> tuple[int, int]:
    """How often a word occurs as one, and how often with a hyphen."""
    left_side, right = left_side.casefold(), right.casefold()
    return counts.get(left_side + right, 0), counts.get(f"{left_side}-{right}", 0)


def _joint(match: re.Match[str], forms: WordForms) -> str:
    """What replaces the hyphen and the line's end: nothing, the hyphen, or it and a blank."""
    hyphen = match[1]
    if hyphen in _CUTS:
        return ""
    left_side, right = _sides(match)
    word, compound = _occurrences(forms.counts, left_side, right)
    if not word and _is_suspended(match, left_side, right, forms):
        return f"{hyphen} "
    if word > compound and (len(left_side) > 1 or not right[:1].isupper()):
        return ""
    stays = compound > word or _looks_compound(match, left_side, right) or forms.cuts_no_words
    return hyphen if stays else ""


def _is_suspended(match: re.Match[str], left_side: str, right: str, forms: WordForms) -> bool:
    """Whether a part stands for a whole compound: ``pre- and post-war``."""
    text, end = match.string, match.end()
    if _SUSPENDED.match(text, end):
        return (left_side + right).casefold() not in _WHOLE
    if not _MAYBE_SUSPENDED.match(text, end):
        return False
    part = left_side.casefold()
    hangs = forms.counts.get(f"{part}- ", 0) or forms.counts.get(f"{part}-,", 0)
    return bool(hangs) or _COMPOUND_NEXT.match(text, end) is not None


def _looks_compound(match: re.Match[str], left_side: str, right: str) -> bool:
    """Whether a hyphen stays that the document says nothing about."""
    text, start = match.string, match.start()
    if right[:1].isupper() and not _is_in_capitals(match, left_side, right):
        return True
    return (
        match[1] == _MAQAF
        or _COMPOUND_BEFORE.search(text[max(0, start - _LONGEST_MIDDLE) : start]) is not None
        or _MIDDLE_NEXT.match(text, match.end()) is not None
    )


def _is_in_capitals(match: re.Match[str], left_side: str, right: str) -> bool:
    """Whether a word in capitals is cut between two lines in capitals: ``INTER-\\nNATIONAL``."""
    if min(len(left_side), len(right)) < 2 or not (left_side.isupper() and right.isupper()):
        return False
    text, end = match.string, match.end()
    first = text.rfind("\n", 0, match.start()) + 1
    last = text.find("\n", end)
    return (
        text[first : match.start()].isupper() and text[end : last if last >= 0 else None].isupper()
    )
