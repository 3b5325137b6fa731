"""The five looks of typeset pages, in ``styles/<look>.typ``; each document has one of them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, get_args

import typst

from ohr.errors import ConfigError
from ohr.plugins.randomness import generator_for
from ohr.sample.typesetting.faces import bundled
from ohr.sample.typesetting.fonts import CHINESE, installed
from ohr.types import PageRef

LookName = Literal["report", "paper", "manual", "newspaper", "typewriter"]
LOOKS: tuple[LookName, ...] = get_args(LookName)

_MORE = ("DejaVu Sans", "New Computer Modern", "STIXGeneral", "New Computer Modern Math")
"""For the characters that a look's own font lacks; all come with the toolkit's packages."""


LINES: dict[LookName, tuple[float, float]] = {
    "report": (88.0, 50.0),
    "paper": (52.0, 124.0),
    "manual": (78.0, 52.0),
    "newspaper": (42.0, 200.0),
    "typewriter": (78.0, 46.0),
}
"""Look -> letters of a line across the page, and lines of all columns; a little fewer than fit."""


def look_of(doc_id: str, seed: int) -> LookName:
    """The look of a document, drawn evenly from all of them."""
    rng = generator_for(seed, "typeset.look", PageRef(doc_id, 0))
    return LOOKS[int(rng.integers(len(LOOKS)))]


def columns_of(look: LookName) -> tuple[int, float, float]:
    """Number of columns of a look, its left margin and the width of a column with its gap, in
    points."""
    return {
        "paper": (2, 52.0, (595.28 - 104 + 18) / 2),
        "newspaper": (3, 42.0, (595.28 - 84 + 13) / 3),
    }.get(look, (1, 0.0, 1e9))


@cache
def style(name: str) -> str:
    """Typst rules of ``styles/<name>.typ``."""
    return files("ohr.typeset").joinpath("styles", f"{name}.typ").read_text("utf-8")


def rules(look: LookName, chinese: str) -> str:
    """All rules of a look; ``chinese`` is the family for Chinese, or empty."""
    more = [*_MORE, *([chinese] if chinese else [])]
    mathematics = ["New Computer Modern Math", *more]
    return (
        f"#let more-fonts = {_listed(more)}\n#let math-fonts = {_listed(mathematics)}\n"
        f"{style('prelude')}{style(look)}{style('sheet')}"
    )


def _listed(families: list[str]) -> str:
    return "(" + "".join(f'"{family}", ' for family in families) + ")"


def fonts(chinese: str) -> typst.Fonts:
    """The fonts of the toolkit's packages; this machine's too if Chinese is set."""
    return installed_and_bundled() if chinese else bundled()


@cache
def installed_and_bundled() -> typst.Fonts:
    """The fonts of the toolkit's packages and those of this machine."""
    import matplotlib as mpl

    return typst.Fonts(include_system_fonts=True, font_paths=[f"{mpl.get_data_path()}/fonts/ttf"])


@cache
def chinese_family() -> str:
    """An installed family for Chinese, Japanese and Korean. Raises ConfigError."""
    families = set(installed().families())
    for family in CHINESE:
        if family in families:
            return family
    raise ConfigError(
        "pages with Chinese, Japanese or Korean text need a font that is not installed: "
        "apt-get install fonts-noto-cjk"
    )
