"""The font files of each family: a page's own family must not be a reference for its letters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.layer_corpus.fonts import FONTS

VARIABLE = "OHR_EXCLUDE_FACES"
"""Beginnings of font files' names, separated by commas, that are no references."""
# The beginnings of the files' names, with those of other weights, widths and copies of a design.
FILES = {
    "Linux Libertine O": ("LinLibertine",),
    "Charis SIL": ("Charis",),
    "Gentium Plus": ("Gentium",),
    "Liberation Serif": ("LiberationSerif",),
    "Liberation Sans": ("LiberationSans",),
    "FreeSerif": ("FreeSerif",),
    "FreeSans": ("FreeSans",),
    "BPG Serif GPL&GNU": ("BPG_Serif",),
    "Frank Ruehl CLM": ("FrankRuehlCLM",),
    "David CLM": ("DavidCLM",),
    "Amiri": ("Amiri",),
    "Lohit Devanagari": ("Lohit-Devanagari",),
    "Lohit Tamil": ("Lohit-Tamil",),
    "Garuda": ("Garuda",),
    "Norasi": ("Norasi",),
    "AR PL SungtiL GB": ("gbsn00lp",),
    "WenQuanYi Micro Hei": ("wqy-microhei",),
    "IPAGothic": ("ipag", "fonts-japanese-gothic"),
    "IPAMincho": ("ipam", "fonts-japanese-mincho"),
    "NanumGothic": ("NanumGothic",),
    "NanumMyeongjo": ("NanumMyeongjo",),
}


def is_of(path: Path, family: str) -> bool:
    """Whether a font file is of a family."""
    return path.stem.lower().startswith(tuple(name.lower() for name in FILES[family]))


def setting(families: Iterable[str]) -> str:
    """The value of :data:`VARIABLE` that leaves families out.

    Raises:
        KeyError: the files of a family are not known.
    """
    return ",".join(name for family in families for name in FILES[family])


def installed(family: str) -> list[Path]:
    """The files of a family that are installed on this machine."""
    fonts = (path for path in FONTS.rglob("*") if path.suffix.lower() in (".ttf", ".otf", ".ttc"))
    return sorted(path for path in fonts if is_of(path, family))
