"""Words that are cut at the end of a line: made whole, for both sides of every comparison."""

from __future__ import annotations

import re

_HYPHENS = "-\u2010\xad\xac"
"""Hyphen-minus, hyphen, soft hyphen, and the sign that some OCR programs write for one."""
_LETTER = r"[^\W\d_]"
# A blank line may follow, where a word is cut at the end of a column. Nothing is given back.
_CUT = re.compile(rf"(?<={_LETTER})([{_HYPHENS}])[ \t]*+\n[ \t]*+(?:\n[ \t]*+)?(?={_LETTER})")
_SOFT = re.compile(r"\xad[ \t]*+(?=\n)|\xad")


def join_cut_words(text: str) -> str:
    """The text with words whole that a hyphen cuts at a line's end, and without soft hyphens.

    ``inter-\\nnational`` becomes ``international``; a hyphen before a capital stays
    (``Anglo-\\nAmerican`` becomes ``Anglo-American``), but for a soft one. A soft hyphen within a
    line is no sign at all: it goes, and blanks round it stay. Linear in the text's length.

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
