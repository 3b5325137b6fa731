"""How the reference faces draw what a glyph may be, and what cannot be distinguished by eye."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np

from ohr.documents.layers.accents import accents_differ
from ohr.documents.layers.faces import SIZE, faces_of
from ohr.documents.layers.shapes import Shape, Shapes, shape

FEW_FACES = 4
"""Faces in which the rarer specimens are drawn."""
SAME_PICTURE = 0.985
"""Characters that faces draw this much alike are the same to the eye."""
_GROUPS = (
    frozenset("lI1|\u0406\u0456\u04c0\u2160\u0399\u03b9\u0131!i\u00a1/\\'()[]{}"),
    frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad_\u02c9\u00af\u2500\u2022\u00b7"),
    frozenset(
        ".\u00b7\u2022\u2024\u22c5\u2219,\u201a'\u2019\u2018`\u00b4\u2032\u02bc\u02b9;:\u0589"
    ),
    frozenset('"\u201c\u201d\u201e\u2033\u00ab\u00bb'),
    frozenset("0OoQ\u041e\u043e\u039f\u03bf\u00b0\u00ba\u0585\u0555\u25cb\u25ef"),
)
_SPECIMENS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:-()/&%$?!+=*@#"
    "\u00e4\u00f6\u00fc\u00df\u00e9\u00e8\u00e7\ufb01\ufb02\u20ac\u00a3\u00a7"
    "\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437\u0438\u0439\u043a\u043b\u043c\u043d\u043e"
    "\u043f\u0440\u0441\u0442\u0443\u0444\u0445\u0446\u0447\u0448\u0449\u044a\u044b\u044c\u044d"
    "\u044e\u044f\u0411\u0413\u0414\u0416\u0417\u0418\u041b\u041f\u0423\u0424\u0426\u0427\u0428"
    "\u0429\u042d\u042e\u042f\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6\u03b7\u03b8\u03b9\u03ba\u03bb"
    "\u03bc\u03bd\u03be\u03c0\u03c1\u03c3\u03c4\u03c6\u03c7\u03c8\u03c9\u0393\u0394\u0398\u039b"
    "\u039e\u03a0\u03a3\u03a6\u03a8\u03a9"
)
_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl", "tt", "ti", "ft")
_DIGITS, _RAISED, _LOWERED = "0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
_WITHOUT_SHAPE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zs", "Zl", "Zp"})


def has_no_shape(text: str) -> bool:
    """Whether a text has only characters that no face draws."""
    return all(unicodedata.category(character) in _WITHOUT_SHAPE for character in text)


@lru_cache(maxsize=1 << 14)
def looks_alike(first: str, second: str) -> bool:
    """Whether two texts cannot be distinguished by their shape alone."""
    if _same_name(first, second):
        return True
    if len(first) != 1 or len(second) != 1 or accents_differ(first, second):
        return False
    mine, yours = _drawn_by_faces(first), _drawn_by_faces(second)
    return bool(mine and yours and mine[0].picture @ yours[0].picture > SAME_PICTURE)


@lru_cache(maxsize=1 << 12)
def is_accented(first: str, second: str) -> bool:
    """Whether a character looks like another one with more marks."""
    marked, plain = (unicodedata.normalize("NFD", text) for text in (first, second))
    has_marks = len(marked) > len(plain) > 0 and all(map(unicodedata.combining, marked[1:]))
    return has_marks and looks_alike(marked[0], plain[0])


def same_shapes(text: str) -> frozenset[str]:
    """A text, and the characters that faces draw as they draw it, such as ``l``, ``I`` and 1."""
    return frozenset((text,)).union(*(group for group in _GROUPS if text in group))


def _same_name(first: str, second: str) -> bool:
    """Whether two texts are forms of the same letters, or signs that faces draw alike."""
    if first == second or _plain(first) == _plain(second):
        return True
    return len(first) == len(second) == 1 and any(
        first in group and second in group for group in _GROUPS
    )


@lru_cache(maxsize=1 << 14)
def _plain(text: str) -> str:
    """A text without what a shape does not show: ligatures, and forms of letters."""
    return unicodedata.normalize("NFKC", text)


@lru_cache(maxsize=1 << 14)
def shapes_of(text: str) -> Shapes | None:
    """How the reference faces draw a text; None if none of them has it."""
    if has_no_shape(text):
        return None
    shapes = _drawn_by_faces(text)
    variants = {unicodedata.normalize("NFC", text), unicodedata.normalize("NFKC", text)} - {text}
    if len(text) == 1 and text in _DIGITS:  # fonts have small forms of their own
        variants |= {_RAISED[_DIGITS.index(text)], _LOWERED[_DIGITS.index(text)]}
    for variant in sorted(variants):
        if 0 < len(variant) <= 4:
            shapes = [*shapes, *_drawn_by_faces(variant)]
    if len(text) == 1 and text.islower():
        shapes = [*shapes, *_small_capitals(text)]
    return Shapes(shapes) if shapes else None


@lru_cache(maxsize=1 << 14)
def _drawn_by_faces(text: str, most: int | None = None) -> list[Shape]:
    drawn = [face.draw(text) for face in faces_of(text)[:most]]
    return [shape(picture[0], picture[1], SIZE) for picture in drawn if picture is not None]


def _small_capitals(text: str) -> list[Shape]:
    """How small capitals of a letter look: capitals, three quarters as high."""
    if len(text.upper()) != 1:
        return []
    return [
        Shape(item.picture, 0.75 * item.top, 0.75 * item.bottom, 0.75 * item.width)
        for item in _drawn_by_faces(text.upper())
    ]


@lru_cache(maxsize=1 << 12)
def different_specimens(text: str) -> np.ndarray:
    """Which specimens a glyph that is claimed to be a text is not: bool ``(n,)``."""
    specimens, names = specimens_of(block_of(text))
    same = {name: _same_name(name, text) for name in dict.fromkeys(names)}
    claimed = shapes_of(text)
    if claimed is not None and len(text) == 1:  # as Latin and Cyrillic a
        firsts = [place for place, name in enumerate(names) if name != names[place - 1]]
        drawn_alike = specimens.pictures[firsts] @ claimed.pictures[0] > SAME_PICTURE
        for place in np.array(firsts)[drawn_alike].tolist():
            same[names[place]] = True
    return np.array([not same[name] for name in names], bool)


def block_of(text: str) -> int:
    """The first code point of the 128 that the text's first letter is one of.

    0 for Latin, Greek, Cyrillic and signs; one block for both kinds of kana; -1 for ideographs and
    other large sets.
    """
    code = ord(text[0])
    if 0x3040 <= code < 0x3100:
        return 0x3040
    if code < 0x530 or 0x2000 <= code < 0x2E00:
        return 0
    return code & ~0x7F if code < 0x1400 else -1


@lru_cache(maxsize=32)
def specimens_of(block: int) -> tuple[Shapes, tuple[str, ...]]:
    """Shapes of what a glyph may be, with their names."""
    common = dict.fromkeys((*_SPECIMENS, *_LIGATURES))
    rest: list[str] = []
    if block == 0:
        codes = (*range(0xC0, 0x180), *range(0x386, 0x3CF), *range(0x400, 0x460), 0x490, 0x491)
        rest = [chr(code) for code in (*codes, *range(0x1EA0, 0x1EFA))]
    elif block > 0:
        length = 192 if block == 0x3040 else 128
        rest = [chr(code) for code in range(block, block + length)]
    drawn = {text: _drawn_by_faces(text) for text in common}
    drawn |= {
        text: _drawn_by_faces(text, FEW_FACES)
        for text in rest
        if text not in common and _is_drawn(text)
    }
    names = [text for text, shapes in drawn.items() for _ in shapes]
    return Shapes([item for shapes in drawn.values() for item in shapes]), tuple(names)


def _is_drawn(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"
