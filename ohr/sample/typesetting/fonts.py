"""Fonts: those inside the typst package, the same everywhere, and two kinds of installed ones."""

from __future__ import annotations

from functools import cache

import typst

from ohr.errors import ConfigError
from ohr.sample.typesetting.looks import Look

SERIF = "Libertinus Serif"
"""Inside typst: for the characters that an installed font lacks."""
CHINESE = ("Noto Serif CJK SC", "Noto Sans CJK SC", "Source Han Serif SC", "Source Han Sans SC")
HANDWRITTEN = (
    "Caveat",
    "Patrick Hand",
    "Kalam",
    "Indie Flower",
    "Breip",
    "Dancing Script",
    "Humor Sans",
    "Comic Neue",
    "dkg Handwriting",
    "Kristi",
)
_PACKAGES = {
    "multilingual": (CHINESE, "fonts-noto-cjk"),
    "handwriting": (HANDWRITTEN, "fonts-breip (or fonts-comic-neue, fonts-dancingscript)"),
}
"""Attribute that needs an installed font -> families that serve, Debian package that brings one."""


@cache
def _embedded() -> typst.Fonts:
    return typst.Fonts(include_system_fonts=False)


@cache
def installed() -> typst.Fonts:
    """The fonts inside typst and those of this machine."""
    return typst.Fonts(include_system_fonts=True)


def fonts_for(look: Look) -> typst.Fonts:
    """The machine's fonts if the look names one of theirs, else only typst's own."""
    return installed() if look.installed_fonts else _embedded()


def family_for(attribute: str) -> str:
    """An installed family for an attribute. Raises ConfigError with the package to install."""
    families, package = _PACKAGES[attribute]
    known_values = set(installed().families())
    for family in families:
        if family in known_values:
            return family
    raise ConfigError(
        f"sample attribute {attribute!r} needs a font that is not installed: "
        f"apt-get install {package}"
    )
