"""Makes ``ohr/ocr_errors/look_alikes.json``: which letters of one script look alike.

``python docs/make_look_alikes.py``. Each letter is drawn by a Noto font, blurred as a scan would
be, and compared with every other letter of its script and case; the three nearest by the cosine of
their pixels are kept. Letters that join are also drawn between two others, since only their dots
distinguish them there. Of scripts with thousands of letters, or with letters of rare languages,
those of the national character sets are compared (GB 2312, the first level of Big5, JIS X 0208,
KS X 1001, ISO 8859).

Needs the packages ``fonts-noto-core`` and ``fonts-noto-cjk``, and Pillow with Raqm.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from ohr.markup.writing_systems import script_of

OUT = Path(__file__).parents[1] / "ohr" / "ocr_errors" / "look_alikes.json"
FONTS = Path("/usr/share/fonts")
FONT_OF = {
    "ARABIC": "NotoNaskhArabic-Regular.ttf",
    "CJK": "NotoSansCJK-Regular.ttc",
    "HIRAGANA": "NotoSansCJK-Regular.ttc",
    "KATAKANA": "NotoSansCJK-Regular.ttc",
    "HANGUL": "NotoSansCJK-Regular.ttc",
    "CYRILLIC": "NotoSans-Regular.ttf",
    "GREEK": "NotoSans-Regular.ttf",
    "HEBREW": "NotoSansHebrew-Regular.ttf",
    "TIBETAN": "NotoSerifTibetan-Regular.ttf",
}
SCRIPTS = (
    "ARABIC ARMENIAN BENGALI CJK CYRILLIC DEVANAGARI ETHIOPIC GEORGIAN GREEK GUJARATI GURMUKHI "
    "HANGUL HEBREW HIRAGANA KANNADA KATAKANA KHMER LAO MALAYALAM MYANMAR ORIYA SINHALA TAMIL "
    "TELUGU THAI TIBETAN"
).split()
NATIONAL = {
    "ARABIC": "cp1256 iso8859-6",
    "CJK": "gb2312 big5 euc_jp",
    "CYRILLIC": "cp1251 iso8859-5",
    "GREEK": "iso8859-7",
    "HANGUL": "euc_kr",
    "HEBREW": "iso8859-8",
    "HIRAGANA": "euc_jp",
    "KATAKANA": "euc_jp",
}
"""Scripts with more letters than a language uses -> the codecs that have those in use."""
JOINED = frozenset(("ARABIC",))
LARGEST, SIDE = 40, 24
"""Pixels of a letter as it is drawn, and of the picture that is compared."""
LOOK_ALIKES = 3


def main() -> None:
    """Draw, compare and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUT)
    out: Path = parser.parse_args().out
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for letter in letters():
        script = script_of(letter)
        if script in SCRIPTS:
            groups[script, unicodedata.category(letter)].append(letter)
    nearest: dict[str, str] = {}
    for (script, _), group in sorted(groups.items()):
        nearest |= look_alikes(script, group)
    lines = ",\n".join(
        f"{json.dumps(letter, ensure_ascii=False)}: {json.dumps(rest, ensure_ascii=False)}"
        for letter, rest in sorted(nearest.items())
    )
    out.write_text(f"{{\n{lines}\n}}\n", "utf-8")
    print(f"{len(nearest)} letters: {out}")


def letters() -> Iterator[str]:
    """The letters that are compared."""
    national = {
        script: set(chain.from_iterable(_decoded(codec) for codec in codecs.split()))
        for script, codecs in NATIONAL.items()
    }
    for letter in map(chr, range(0x370, 0xFB00)):
        script = script_of(letter)
        if script in SCRIPTS and letter in national.get(script, letter):
            yield letter


def _decoded(codec: str) -> Iterator[str]:
    """All characters of a codec; of Big5 the first level alone."""
    for lead in range(0x80, 0x100):
        for code in (bytes((lead,)), *(bytes((lead, trail)) for trail in range(0x40, 0x100))):
            if codec == "big5" and lead > 0xC6:
                return
            with suppress(UnicodeDecodeError):
                yield code.decode(codec)


def look_alikes(script: str, group: list[str]) -> dict[str, str]:
    """Letter -> the letters of the group that look most like it, the nearest first."""
    name = FONT_OF.get(script, f"NotoSans{script.title()}-Regular.ttf")
    path = next(FONTS.rglob(name), None)
    if path is None:
        raise SystemExit(f"the font {name} is not installed")
    font = ImageFont.truetype(str(path), LARGEST, layout_engine=ImageFont.Layout.RAQM)
    missing = _picture(font, "\U0010ffff")
    pictures: dict[str, np.ndarray] = {}
    for letter in group:
        picture = _picture(font, letter)
        if picture.any() and not np.array_equal(picture, missing):
            if script in JOINED:
                picture = np.concatenate((picture, _picture(font, f"\u200d{letter}\u200d")))
            pictures[letter] = picture / np.linalg.norm(picture)
    names = list(pictures)
    if len(names) < 2:
        return {}
    matrix = np.stack([pictures[letter] for letter in names])
    nearest: dict[str, str] = {}
    for first in range(0, len(names), 512):
        likeness = matrix[first : first + 512] @ matrix.T
        for row, values in enumerate(likeness):
            values[first + row] = -1
            # Letters that are drawn alike are one letter under two codes.
            values[values > 0.9999] = -1
            best = np.argsort(-values, kind="stable")[:LOOK_ALIKES]
            nearest[names[first + row]] = "".join(names[i] for i in best if values[i] > 0)
    return {letter: rest for letter, rest in nearest.items() if rest}


def _picture(font: ImageFont.FreeTypeFont, text: str) -> np.ndarray:
    """A letter's blurred pixels less their mean, as a vector; on one baseline, centred."""
    image = Image.new("L", (2 * LARGEST, 2 * LARGEST))
    ImageDraw.Draw(image).text((LARGEST, 1.4 * LARGEST), text, 255, font, anchor="ms")
    image = image.filter(ImageFilter.GaussianBlur(1.5)).resize((2 * SIDE, 2 * SIDE))
    vector = np.asarray(image, np.float32).ravel()
    return vector - vector.mean() if vector.any() else vector


if __name__ == "__main__":
    main()
