"""How the documents of a domain look: page margins here, type in ``styles/<domain>.typ``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from ohr.datasets.sample.blocks import PageLayout

A4 = (595.276, 841.89)
"""Width and height of a page in points."""

_CM = 28.3465


@dataclass(frozen=True, slots=True)
class Look:
    """Margins (left, right, top, bottom) and the gap between columns in points; Typst rules."""

    margins: tuple[float, float, float, float]
    style: str
    gutter: float = 16.0
    layout: PageLayout = PageLayout()
    installed_fonts: bool = False

    @property
    def width(self) -> float:
        """Width of the text area in points."""
        return A4[0] - self.margins[0] - self.margins[1]

    def column_width(self, columns: int) -> float:
        """Width of one of so many columns in points."""
        return (self.width - (columns - 1) * self.gutter) / columns

    def column(self, x: float, columns: int) -> int:
        """The column in which a mark at ``x`` stands, from 0."""
        place = (x - self.margins[0] + self.gutter / 2) / (self.column_width(columns) + self.gutter)
        return min(max(int(place), 0), columns - 1)

    def column_span(self, column: int, columns: int) -> tuple[float, float]:
        """Left and right edge of a column in points."""
        width = self.column_width(columns)
        left = self.margins[0] + column * (width + self.gutter)
        return left, left + width


_MARGINS = {
    "finance": (2.4, 2.4, 2.2, 2.0),
    "law": (2.8, 2.8, 2.5, 2.3),
    "manual": (3.2, 2.2, 2.2, 2.0),
    "textbook": (2.8, 2.8, 2.4, 2.0),
    "newspaper": (1.5, 1.5, 1.7, 1.5),
    "academic": (1.9, 1.9, 2.2, 2.0),
    "administration": (2.4, 2.2, 2.2, 2.0),
}
"""Domain -> margins in centimetres."""

_DENSE = """
#set text(size: 7.2pt)
#set par(leading: 0.5em, spacing: 0.75em)
#show heading.where(level: 1): set text(size: 12pt)
#show heading: set block(above: 8pt, below: 5pt)
#set table(inset: (x: 3pt, y: 2.4pt))
"""


@cache
def style(name: str) -> str:
    """Typst rules of ``styles/<name>.typ``."""
    source = files("ohr.datasets.sample").joinpath("styles", f"{name}.typ")
    return source.read_text("utf-8")


@cache
def look(domain: str) -> Look:
    """The look of a domain. Raises KeyError for a domain without one."""
    left, right, top, bottom = (round(side * _CM, 2) for side in _MARGINS[domain])
    return Look((left, right, top, bottom), style(domain))


def dense(plain: Look) -> Look:
    """Small type and narrow margins: more than 770 tokens on a page, as in the paper."""
    return replace(plain, margins=(42.0, 42.0, 48.0, 42.0), style=plain.style + _DENSE)


def set_in(plain: Look, family: str, scale: float = 1.0) -> Look:
    """The same look in another font."""
    rules = f'#set text(font: "{family}", size: {scale:g}em)\n'
    headings = f'#show heading: set text(font: "{family}")\n'
    return replace(plain, style=plain.style + rules + headings, installed_fonts=True)
