"""How the documents of a domain look: page margins here, type in ``styles/<domain>.typ``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

A4 = (595.276, 841.89)
"""Width and height of a page in points."""

_POINTS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)pt\b")
_FONT = re.compile(r'font: "[^"]+"')
_CM = 28.3465


@dataclass(frozen=True, slots=True)
class Look:
    """Margins (left, right, top, bottom) and the gap between columns in points; Typst rules."""

    margins: tuple[float, float, float, float]
    style: str
    gutter: float = 16.0
    installed_fonts: bool = False

    @property
    def width(self) -> float:
        """Width of the text area in points."""
        return A4[0] - self.margins[0] - self.margins[1]

    def column_width(self, columns: int) -> float:
        """Width of one of so many columns in points."""
        return (self.width - (columns - 1) * self.gutter) / columns

    def scaled(self, factor: float) -> Look:
        """The same look, all its type and spaces so many times as large."""

        def resized(match: re.Match[str]) -> str:
            return f"{float(match[1]) * factor:.3g}pt"

        return replace(self, style=_POINTS.sub(resized, self.style))

    def column(self, x: float, columns: int) -> int:
        """The column in which a mark at ``x`` stands, from 0."""
        place = (x - self.margins[0] + self.gutter / 2) / (self.column_width(columns) + self.gutter)
        return min(max(int(place), 0), columns - 1)

    def column_span(self, column: int, columns: int) -> tuple[float, float]:
        """Left and right edge of a column in points."""
        width = self.column_width(columns)
        left_edge = self.margins[0] + column * (width + self.gutter)
        return left_edge, left_edge + width


_MARGINS = {
    "finance": (2.4, 2.4, 2.2, 2.0),
    "law": (2.8, 2.8, 2.5, 2.3),
    "manual": (3.2, 2.2, 2.2, 2.0),
    "textbook": (2.8, 2.8, 2.4, 2.0),
    "newspaper": (1.6, 1.6, 1.9, 1.7),
    "academic": (2.1, 2.1, 2.4, 2.2),
    "administration": (2.4, 2.2, 2.2, 2.0),
}
"""Domain -> margins in centimetres."""


@cache
def style(name: str) -> str:
    """Typst rules of ``styles/<name>.typ``."""
    source = files("ohr.sample").joinpath("styles", f"{name}.typ")
    return source.read_text("utf-8")


@cache
def look(domain: str) -> Look:
    """The look of a domain. Raises KeyError for a domain without one."""
    left_edge, right, top, bottom = (round(side * _CM, 2) for side in _MARGINS[domain])
    return Look((left_edge, right, top, bottom), style(domain))


def dense(plain: Look) -> Look:
    """Small type and narrow margins: more than 770 tokens on a page, as in the paper."""
    return replace(plain.scaled(0.68), margins=(42.0, 42.0, 48.0, 42.0))


def set_in(plain: Look, *families: str) -> Look:
    """The same look in other fonts, each for the characters that those before it lack."""
    named = "(" + "".join(f'"{family}", ' for family in families) + ")"
    rules = f"#set text(font: {named})\n#show heading: set text(font: {named})\n"
    # The style's own rule for a heading would set its font again inside.
    style = _FONT.sub(f"font: {named}", plain.style)
    return replace(plain, style=style + rules, installed_fonts=True)
