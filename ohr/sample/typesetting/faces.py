"""The typefaces of twins: fonts that come with this toolkit's packages, the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import typst

from ohr.errors import DatasetError
from ohr.sample.typesetting.fonts import CHINESE, installed

Face = Literal["mono", "sans"]
_FILES = {
    "DejaVu Sans Mono": "DejaVuSansMono.ttf",
    "DejaVu Sans": "DejaVuSans.ttf",
}
_FIRST: dict[Face, str] = {"mono": "DejaVu Sans Mono", "sans": "DejaVu Sans"}
_CAPITAL = 0.729  # em: the height of a capital of both
_CJK_TOP, _CJK_BOTTOM = 0.88, -0.12  # em: the square of an ideograph
_DEEPER = -0.05  # em: what round letters reach below the baseline is less


@dataclass(frozen=True, slots=True)
class Extent:
    """How much room a text takes, in em from its baseline, upwards positive.

    ``top`` and ``bottom`` bound its ink; ``band_top`` is at least the height of a capital, and
    ``band_bottom`` is 0 for a text that does not go below the baseline.
    """

    family: str
    advance: float
    top: float
    bottom: float

    @property
    def band_top(self) -> float:
        """Upper end of the band."""
        return max(self.top, _CAPITAL)

    @property
    def band_bottom(self) -> float:
        """Lower end of the band."""
        return self.bottom if self.bottom < _DEEPER else 0.0


def _folder() -> Path:
    import matplotlib as mpl

    return Path(mpl.get_data_path()) / "fonts" / "ttf"


@cache
def bundled() -> typst.Fonts:
    """The fonts of typst and of matplotlib."""
    return typst.Fonts(include_system_fonts=False, font_paths=[_folder()])


def fonts_with(families: Sequence[str]) -> typst.Fonts:
    """Fonts that have these families: this machine's only if they are needed."""
    return bundled() if set(families) <= set(_FILES) else installed()


class _Font:
    """Advance and ink of each character of a font, in em."""

    def __init__(self, path: Path) -> None:
        from matplotlib.ft2font import FT2Font

        self._font = FT2Font(str(path))
        self._known: dict[str, tuple[float, float, float]] = {}
        self.characters = frozenset(map(chr, self._font.get_charmap()))

    def measure(self, character: str) -> tuple[float, float, float]:
        """Advance, and upper and lower end of the ink (0 and 0 without ink)."""
        if character not in self._known:
            from matplotlib.ft2font import LoadFlags

            glyph = self._font.load_char(ord(character), LoadFlags.NO_SCALE)
            _, bottom, _, top = glyph.bbox
            unit = self._font.units_per_EM
            self._known[character] = glyph.horiAdvance / unit, top / unit, bottom / unit
        return self._known[character]


@cache
def _font(family: str) -> _Font:
    return _Font(_folder() / _FILES[family])


@cache
def _chinese() -> str:
    families = set(installed().families())
    return next((name for name in CHINESE if name in families), "")


def extent(text: str, face: Face) -> Extent:
    """The room of a line in the first font that has all of its characters.

    That is the face itself, then DejaVu Sans, then an installed font for Chinese, Japanese and
    Korean if the line has their characters. Raises DatasetError, which names the characters, if
    there is none.
    """
    drawn = frozenset(text) - {" "}
    missing: frozenset[str] = drawn
    for family in dict.fromkeys((_FIRST[face], "DejaVu Sans")):
        font = _font(family)
        missing = min(missing, drawn - font.characters, key=len)
        if drawn <= font.characters:
            measures = [font.measure(character) for character in text]
            inks = [(top, bottom) for _, top, bottom in measures if top > bottom]
            return Extent(
                family,
                sum(advance for advance, _, _ in measures),
                max((top for top, _ in inks), default=0.0),
                min((bottom for _, bottom in inks), default=0.0),
            )
    if any(is_wide(character) for character in missing) and (family := _chinese()):
        advance = sum(1.0 if is_wide(character) else 0.55 for character in text)
        return Extent(family, advance, _CJK_TOP, _CJK_BOTTOM)
    shown = " ".join(f"{character} (U+{ord(character):04X})" for character in sorted(missing)[:5])
    hint = ""
    if any(is_wide(character) for character in missing):
        hint = ": apt-get install fonts-noto-cjk"
    raise DatasetError(f"no font has all characters of the line {text[:40]!r}: {shown}{hint}")


def is_wide(character: str) -> bool:
    """Whether a character fills a square: ideographs, kana, hangul, full-width forms."""
    from unicodedata import east_asian_width

    return east_asian_width(character) in ("W", "F")
