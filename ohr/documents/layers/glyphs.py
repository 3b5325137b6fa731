"""Does a glyph look like the character that the layer says it is?

Each glyph of each font is drawn once, as the page shows it, and compared with the claimed character
in the reference faces, and with the letters, digits and signs that it might be instead. A glyph
that is like no reference is unknown, not wrong: it may be decorative.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import cv2
import numpy as np
import pypdfium2

from ohr.documents.layers.characters import Characters
from ohr.documents.layers.faces import SIZE, faces_of
from ohr.documents.layers.shapes import Shape, Shapes, likeness, shape

Look = Literal["right", "wrong", "unknown", "no ink"]

PIXELS = 40.0
"""Pixels of an em in pictures of glyphs."""
MOST_SCALE = 12.0
MOST_PIXELS = 16_000_000
MANY = 10
"""With more new glyphs than this, the whole page is drawn once, instead of each place."""
TRIES = 5
"""Most places of the same glyph that are looked at."""
ALIKE = 0.8
"""A glyph this much like the claim is right, if nothing else is clearly more so, ..."""
LEAST_ALIKE = 0.5
"""... and so is one at least this much like it, ..."""
NEARLY = 0.08
"""... if nothing else is like it by this much more."""
CLEARLY = 0.1
"""A glyph is wrong if something else is like it by this much more, ..."""
LIKE_OTHER = 0.82
"""... and like it at least this much."""
FEW_FACES = 4
"""Faces in which the rarer specimens are drawn."""
FEWEST_CLAIMS = 8
"""Fewest kinds of glyph by whose claims a font is judged as a whole."""
SAME_PICTURE = 0.985
"""Characters that faces draw this much alike are the same to the eye."""
INK = 70
"""Least darkness, of 255, of ink."""
STEPS = 50
"""Steps per size of the type to which the measures of glyphs are rounded."""

_GROUPS = (
    frozenset("lI1|\u0406\u0456\u04c0\u2160\u0399\u03b9\u0131!i\u00a1/\\'()[]{}"),
    frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad_\u02c9\u00af\u2500\u2022\u00b7"),
    frozenset(".\u00b7\u2022\u2024\u22c5\u2219,\u201a'\u2019\u2018`\u00b4\u2032\u02bc\u02b9;:"),
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


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a glyph looks like.

    ``claim`` is its likeness with the claimed character, NaN without a reference; ``other`` the
    character that it is most like otherwise, and ``likeness`` how much.
    """

    look: Look
    claim: float = float("nan")
    other: str = ""
    likeness: float = float("nan")
    seen: Shape | None = field(default=None, compare=False, repr=False)
    """What was seen, of a glyph that is not right."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A glyph of a font: what the layer says it is, and its size, which tells glyphs apart."""

    font: str
    text: str
    measures: tuple[int, ...]


_KNOWN: dict[Glyph, Judgement] = {}
"""What is known of glyphs of fonts whose programs have been seen, for all documents."""
_MOST_KNOWN = 50_000


class GlyphJudge:
    """Judges the glyphs of a document's pages, each once."""

    def __init__(self) -> None:
        if len(_KNOWN) > _MOST_KNOWN:
            _KNOWN.clear()
        self.known: dict[Glyph, Judgement] = dict(_KNOWN)

    def judge(
        self, page: pypdfium2.PdfPage, characters: Characters, groups: Sequence[Sequence[int]]
    ) -> list[Glyph]:
        """The glyph of each group of characters; afterwards all of them are in ``known``."""
        glyphs = _glyphs(characters, groups)
        places: dict[Glyph, list[Sequence[int]]] = {}
        for glyph, group in zip(glyphs, groups, strict=True):
            if glyph not in self.known:
                places.setdefault(glyph, []).append(group)
        if places:
            pictures = _Pictures(page, characters, len(places))
            touched = _touched(characters)
            for glyph, seen in places.items():
                free = sorted(seen, key=lambda group: bool(touched[group].any()))
                self.known[glyph] = self._look(glyph, free, pictures)
                if not glyph.font.endswith("/"):
                    _KNOWN[glyph] = self.known[glyph]
        return glyphs

    def _look(
        self, glyph: Glyph, places: Sequence[Sequence[int]], pictures: _Pictures
    ) -> Judgement:
        """The most favourable of the first places: neighbours and rules may spoil one."""
        best: Judgement | None = None
        for group in places[:TRIES]:
            seen = pictures.shape(group)
            judgement = Judgement("no ink") if seen is None else compare(seen, glyph.text)
            if judgement.look == "right":
                return judgement
            if best is None or _rank(judgement) > _rank(best):
                best = judgement
        assert best is not None
        return best


def _rank(judgement: Judgement) -> tuple[bool, float]:
    return judgement.look != "no ink", -1.0 if judgement.claim != judgement.claim else (
        judgement.claim
    )


def _glyphs(characters: Characters, groups: Sequence[Sequence[int]]) -> list[Glyph]:
    """The glyph of each group of characters: of one group with its claim, font and measures."""
    if not groups:
        return []
    flat = np.concatenate([np.asarray(group, np.int64) for group in groups])
    starts = np.cumsum([0, *(len(group) for group in groups[:-1])])
    first = flat[starts]
    boxes = characters.boxes[flat]
    low = np.minimum.reduceat(boxes[:, :2], starts)
    high = np.maximum.reduceat(boxes[:, 2:], starts)
    size = np.maximum(characters.sizes[first], 1e-6)
    drop = (low[:, 1] - characters.origins[first, 1]) / size
    sides = (high - low) / size[:, None]
    measures = np.round(np.column_stack([sides, drop]) * STEPS).astype(int).tolist()
    texts, fonts = characters.texts, characters.fonts
    known: dict[tuple[str, str, tuple[int, ...]], Glyph] = {}
    glyphs = []
    for group, measure in zip(groups, measures, strict=True):
        text = texts[group[0]] if len(group) == 1 else "".join(texts[place] for place in group)
        key = fonts[group[0]], text, tuple(measure)
        if key not in known:
            known[key] = Glyph(*key)
        glyphs.append(known[key])
    return glyphs


def _touched(characters: Characters) -> np.ndarray:
    """Whether the box of a character's neighbour reaches into its own: bool ``(n,)``."""
    touched = np.zeros(len(characters), bool)
    if len(characters) < 2:
        return touched
    first, second = characters.boxes[:-1], characters.boxes[1:]
    apart = (first[:, 2] <= second[:, 0]) | (second[:, 2] <= first[:, 0])
    apart |= (first[:, 3] <= second[:, 1]) | (second[:, 3] <= first[:, 1])
    apart |= characters.blank[:-1] | characters.blank[1:]
    touched[:-1] |= ~apart
    touched[1:] |= ~apart
    return touched


class _Pictures:
    """Pictures of glyphs of one page."""

    def __init__(self, page: pypdfium2.PdfPage, characters: Characters, count: int) -> None:
        self.page = page
        self.characters = characters
        self.west, self.south, self.east, self.north = page.get_bbox()
        self.turned = page.get_rotation() != 0
        self.whole: np.ndarray | None = None
        self.scale = 0.0
        if count > MANY or self.turned:
            sizes = characters.sizes[characters.sizes > 0]
            usual = float(np.median(sizes)) if len(sizes) else 10.0
            area = max((self.east - self.west) * (self.north - self.south), 1.0)
            self.scale = min(PIXELS / max(usual, 1.0), MOST_SCALE, (MOST_PIXELS / area) ** 0.5)
            self.whole = self._drawn(self.scale, (0, 0, 0, 0))

    def _drawn(self, scale: float, crop: tuple[float, float, float, float]) -> np.ndarray:
        rotation = -self.page.get_rotation() % 360
        image: np.ndarray = self.page.render(
            scale=scale, crop=crop, grayscale=True, rotation=rotation
        ).to_numpy()
        return np.array(image.reshape(image.shape[0], image.shape[1], -1)[:, :, 0])

    def shape(self, group: Sequence[int]) -> Shape | None:
        """What is drawn at a glyph's place; None without ink, or for lines that are not level."""
        characters = self.characters
        first = group[0]
        size = float(characters.sizes[first])
        boxes = characters.boxes[list(group)]
        if (boxes[:, 2:] <= boxes[:, :2]).any(axis=1).all():
            return None  # the font draws nothing
        left, bottom = boxes[:, 0].min(), boxes[:, 1].min()
        right, top = boxes[:, 2].max(), boxes[:, 3].max()
        base = float(characters.origins[first, 1])
        pad = 0.25 * size
        if self.whole is not None:
            scale, image = self.scale, self.whole
            x_off, y_off = self.west, self.north
        else:
            scale = min(PIXELS / max(size, 0.5), MOST_SCALE)
            crop = (
                max(left - pad - self.west, 0.0),
                max(bottom - pad - self.south, 0.0),
                max(self.east - right - pad, 0.0),
                max(self.north - top - pad, 0.0),
            )
            width, height = self.east - self.west, self.north - self.south
            if crop[0] + crop[2] >= width or crop[1] + crop[3] >= height:
                return None
            image = self._drawn(scale, crop)
            x_off, y_off = self.west + crop[0], self.north - crop[3]
        x0, x1 = (left - x_off) * scale, (right - x_off) * scale
        y0, y1 = (y_off - top) * scale, (y_off - bottom) * scale
        return _cut(image, (x0, y0, x1, y1), (y_off - base) * scale, size * scale)


def _cut(
    image: np.ndarray, box: tuple[float, float, float, float], baseline: float, em: float
) -> Shape | None:
    """The shape of what is drawn in a box, without what reaches in from outside."""
    height, width = image.shape
    margin = 0.12 * em + 1
    x0, y0 = max(int(box[0] - margin), 0), max(int(box[1] - margin), 0)
    x1, y1 = min(int(box[2] + margin) + 1, width), min(int(box[3] + margin) + 1, height)
    if x1 - x0 < 1 or y1 - y0 < 1:
        return None
    part = image[y0:y1, x0:x1]
    paper = np.median(np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]]))
    ink = cv2.absdiff(part, np.full_like(part, paper))
    dark = (ink > INK).astype(np.uint8)
    rules = dark.all(axis=1)  # underlines go on beyond the glyph
    if rules.any() and rules.sum() <= max(1, 0.12 * em):
        dark[rules] = 0
    if not dark.any():
        return None
    count, labels, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    inside = np.zeros_like(dark)
    top, left = max(int(box[1]) - y0 - 1, 0), max(int(box[0]) - x0 - 1, 0)
    bottom, right = int(box[3]) - y0 + 2, int(box[2]) - x0 + 2
    inside[top:bottom, left:right] = 1
    within = np.bincount(labels.ravel(), weights=inside.ravel(), minlength=count)
    areas = np.asarray(stats)[:, cv2.CC_STAT_AREA]
    keep = within * 2 >= areas
    keep[0] = False
    if not keep.any():
        keep = within > 0
        keep[0] = False
        if not keep.any():
            return None
    remaining = keep[labels] & inside.astype(bool)
    rows, columns = np.flatnonzero(remaining.any(axis=1)), np.flatnonzero(remaining.any(axis=0))
    cut = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    near = cv2.dilate(remaining.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    clean = np.where(near, ink, 0).astype(np.float32)
    full = float(clean.max())
    picture = np.clip(clean * (255 / full), 0, 255).astype(np.uint8)
    return shape(picture[cut], baseline - y0 - rows[0], em)


def compare(seen: Shape, text: str) -> Judgement:
    """Judge a shape by the text that the layer claims for it."""
    claimed = _shapes_of(text)
    others, names = _specimens(_block(text))
    alike = likeness(seen, others)
    claim = float(likeness(seen, claimed).max()) if claimed is not None else float("nan")
    different = _different(text)
    if different.any():
        best = int(np.argmax(np.where(different, alike, -9)))
        other, value = names[best], float(alike[best])
    else:
        other, value = "", float("-inf")
    if claimed is None:
        look: Look = "unknown"
        if _has_no_shape(text) and value >= LIKE_OTHER:
            look = "wrong"
    elif (claim >= ALIKE and claim >= value - CLEARLY) or (
        claim >= LEAST_ALIKE and claim >= value - NEARLY
    ):
        look = "right"
    elif value - claim > CLEARLY and value >= LIKE_OTHER:
        look = "wrong"
    else:
        look = "unknown"
    return Judgement(look, claim, other, value, None if look == "right" else seen)


def claims_rank(glyphs: Mapping[str, Shape]) -> tuple[float, int] | None:
    """The mean share of other claims that glyphs are as like as their own, and their number.

    ``glyphs`` are shapes by claim. About 0 if the claims are right, in whatever face; about .5 if
    they have nothing to do with the shapes. None with fewer than :data:`FEWEST_CLAIMS` that the
    reference faces have.
    """
    known = {text: claimed for text in glyphs if (claimed := _shapes_of(text)) is not None}
    if len(known) < FEWEST_CLAIMS:
        return None
    alike = np.array(
        [
            [float(likeness(glyphs[text], claimed).max()) for claimed in known.values()]
            for text in known
        ]
    )
    as_like = (alike >= np.diag(alike)[:, None]).sum(axis=1) - 1
    return float(np.mean(as_like / (len(known) - 1))), len(known)


def _has_no_shape(text: str) -> bool:
    return all(unicodedata.category(character) in _WITHOUT_SHAPE for character in text)


@lru_cache(maxsize=1 << 14)
def looks_alike(first: str, second: str) -> bool:
    """Whether two texts cannot be distinguished by their shape alone."""
    if _same_name(first, second):
        return True
    if len(first) != 1 or len(second) != 1:
        return False
    mine, yours = _drawn_by_faces(first), _drawn_by_faces(second)
    return bool(mine and yours and mine[0].picture @ yours[0].picture > SAME_PICTURE)


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
def _shapes_of(text: str) -> Shapes | None:
    """How the reference faces draw a text; None if none of them has it."""
    if _has_no_shape(text):
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
def _different(text: str) -> np.ndarray:
    """Which specimens a glyph that is claimed to be a text is not: bool ``(n,)``."""
    specimens, names = _specimens(_block(text))
    same = {name: _same_name(name, text) for name in dict.fromkeys(names)}
    claimed = _shapes_of(text)
    if claimed is not None and len(text) == 1:  # as Latin and Cyrillic a
        firsts = [place for place, name in enumerate(names) if name != names[place - 1]]
        drawn_alike = specimens.pictures[firsts] @ claimed.pictures[0] > SAME_PICTURE
        for place in np.array(firsts)[drawn_alike].tolist():
            same[names[place]] = True
    return np.array([not same[name] for name in names], bool)


def _block(text: str) -> int:
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
def _specimens(block: int) -> tuple[Shapes, tuple[str, ...]]:
    """Shapes of what a glyph may be, with their names."""
    common = dict.fromkeys((*_SPECIMENS, *_LIGATURES))
    others: list[str] = []
    if block == 0:
        others = [chr(code) for code in (*range(0xC0, 0x180), *range(0x1EA0, 0x1EFA))]
    elif block > 0:
        length = 192 if block == 0x3040 else 128
        others = [chr(code) for code in range(block, block + length)]
    drawn = {text: _drawn_by_faces(text) for text in common}
    drawn |= {
        text: _drawn_by_faces(text, FEW_FACES)
        for text in others
        if text not in common and _is_drawn(text)
    }
    names = [text for text, shapes in drawn.items() for _ in shapes]
    return Shapes([item for shapes in drawn.values() for item in shapes]), tuple(names)


def _is_drawn(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def summarise(glyphs: Iterable[Judgement]) -> dict[str, int]:
    """The number of glyphs by their look."""
    counts = dict.fromkeys(("right", "wrong", "unknown", "no ink"), 0)
    for judgement in glyphs:
        counts[judgement.look] += 1
    return counts
