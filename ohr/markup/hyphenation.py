"""Joins words that are cut at the end of a line, for both sides of every comparison."""

from __future__ import annotations

import re

_HYPHENS = "-\u2010\xad\xac"
"""Hyphen-minus, hyphen, soft hyphen, and the sign that some OCR programs write instead."""
_LETTER = r"[^\W\d_]"
# A blank line may follow if a word is cut at the end of a column. Possessive: no backtracking.
_CUT = re.compile(rf"(?<={_LETTER})([{_HYPHENS}])[ \t]*+\n[ \t]*+(?:\n[ \t]*+)?(?={_LETTER})")
_SOFT = re.compile(r"\xad[ \t]*+(?=\n)|\xad")


def join_cut_words(text: str) -> str:
    """Join words that a hyphen cuts at a line's end, and remove soft hyphens.

    ``inter-\\nnational`` becomes ``international``; a hyphen before a capital stays
    (``Anglo-\\nAmerican`` becomes ``Anglo-American``) unless it is a soft one. Soft hyphens within
    a line are removed; blanks around them stay. Linear in the text's length.

    >>> join_cut_words("the inter-\\nnational har\\xadbour of\\xad Anglo-\\nAmerican trade")
    'the international harbour of Anglo-American trade'
    """
    if not any(hyphen in text for hyphen in _HYPHENS):
        return text
    text = _CUT.sub(_joined, text)
    return _SOFT.sub("", text) if "\xad" in text else text


def _joined(match: re.Match[str]) -> str:
    hyphen = match[1]
    stays = hyphen in "-\u2010" and match.string[match.end()].isupper()
    return hyphen if stays else ""
