"""Reference faces: fonts that show how a character looks.

DejaVu and STIX come with matplotlib, so Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and
Arabic letters can be drawn everywhere. The fonts of the system give further faces and scripts.
"""

from __future__ import annotations

import os
import subprocess
import unicodedata
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont, features

SIZE = 48
"""Pixels of an em in which characters are drawn."""
MOST_FACES = 6
"""Most faces of the system that are taken for one character, ..."""
FURTHER_FACES = 3
"""... and most if our own have it."""
_MARGIN = 2 * SIZE
_OWN = (
    "DejaVuSans.ttf",
    "DejaVuSerif.ttf",
    "STIXGeneral.ttf",
    "STIXGeneralItalic.ttf",
    "STIXGeneralBol.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSans-Oblique.ttf",
    "DejaVuSansMono.ttf",
)
_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
    "C:/Windows/Fonts",
)
_EAST_ASIAN = (("HANGUL", "\uac00"), ("HIRAGANA", "\u3042"), ("KATAKANA", "\u3042"))
_MOST_SCANNED = 400
"""Most font files whose characters are looked up without fontconfig."""
_EXCLUDE = "OHR_EXCLUDE_FACES"
"""Families, separated by commas, that are no references: for measuring with a page's own font."""


class Face:
    """One font, and the characters that it has."""

    def __init__(self, path: Path) -> None:
        self.path = path
        engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC
        self.font = ImageFont.truetype(str(path), SIZE, layout_engine=engine)
        self._coverage = _coverage(path)

    def has(self, text: str) -> bool:
        """Whether the font has all characters of a text."""
        return all(ord(character) in self._coverage for character in text)

    def draw(self, text: str) -> tuple[np.ndarray, int] | None:
        """Draw a text: its ink as uint8 ``(h, w)``, and the row of the baseline; None without ink.

        The ink is cropped; the row may lie outside of it.
        """
        canvas = Image.new("L", (int(_MARGIN + SIZE * (len(text) + 1)), 4 * SIZE), 0)
        baseline = 5 * SIZE // 2
        ImageDraw.Draw(canvas).text((SIZE, baseline), text, font=self.font, fill=255, anchor="ls")
        box = canvas.getbbox()
        if box is None:
            return None
        return np.asarray(canvas.crop(box)), baseline - box[1]


@lru_cache(maxsize=64)
def _face(path: str) -> Face | None:
    with suppress(OSError, ValueError):
        return Face(Path(path))
    return None


@lru_cache(maxsize=512)
def _coverage(path: Path) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(str(path)).get_charmap())
    except (OSError, RuntimeError, ValueError):
        return frozenset()


@cache
def own_faces() -> tuple[Face, ...]:
    """The faces that come with matplotlib."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    faces = [_face(str(folder / name)) for name in _OWN]
    excluded = _excluded()
    return tuple(
        face for face in faces if face is not None and not _is_excluded(face.path, excluded)
    )


@lru_cache(maxsize=4096)
def faces_of(text: str) -> tuple[Face, ...]:
    """The faces that have all characters of a text: our own, and some of the system's."""
    own = [face for face in own_faces() if face.has(text)]
    most = MOST_FACES if len(own) < MOST_FACES else FURTHER_FACES
    system = (
        face
        for path in _system_fonts(_specimen(text))
        if (face := _face(str(path))) is not None and face.has(text)
    )
    return (*own, *islice(system, most))


def _specimen(text: str) -> str:
    """A character that stands for the script of a text: fonts are looked up by it."""
    for character in text:
        code = ord(character)
        if code < 0x370 or 0x1E00 <= code < 0x1F00 or not character.isalpha():
            continue
        if code >= 0x2E80:
            name = unicodedata.name(character, "")
            return next((c for word, c in _EAST_ASIAN if name.startswith(word)), "\u4e2d")
        block = range(code & ~0x7F, (code & ~0x7F) + 128)
        return next(chr(other) for other in block if chr(other).isalpha())
    return "A"


@lru_cache(maxsize=64)
def _system_fonts(character: str) -> tuple[Path, ...]:
    """Fonts of the system with a character; upright and regular ones first."""
    paths = _fontconfig_files(character)
    if paths is None:
        paths = [path for path in _scanned() if ord(character) in _coverage(path)]
    excluded = _excluded()
    chosen = [path for path in paths if not _is_excluded(path, excluded)]
    return tuple(sorted(chosen, key=_plainness)[: 2 * MOST_FACES])


def _fontconfig_files(character: str) -> list[Path] | None:
    """Font files with a character, by ``fc-list``; None without it."""
    command = ["fc-list", f":charset={ord(character):x}", "--format=%{file}\n"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    names = {line.strip() for line in done.stdout.splitlines()}
    return sorted(Path(name) for name in names if _is_font(name))


def _is_font(name: str) -> bool:
    return Path(name).suffix.lower() in (".ttf", ".otf", ".ttc")


@cache
def _scanned() -> tuple[Path, ...]:
    paths: list[Path] = []
    for folder in _FOLDERS:
        root = Path(folder).expanduser()
        for parent, _, names in os.walk(root):
            paths += [Path(parent, name) for name in names if _is_font(name)]
    return tuple(sorted(paths, key=_plainness)[:_MOST_SCANNED])


def _plainness(path: Path) -> tuple[int, str]:
    name = path.stem.lower()
    styled = ("bold", "italic", "oblique", "light", "black", "thin", "condensed", "mono", "medium")
    return sum(word in name for word in styled), str(path)


def _excluded() -> Sequence[str]:
    names = os.environ.get(_EXCLUDE, "")
    return [name.strip().lower().replace(" ", "") for name in names.split(",") if name.strip()]


def _is_excluded(path: Path, excluded: Collection[str]) -> bool:
    return any(path.stem.lower().startswith(name) for name in excluded)
