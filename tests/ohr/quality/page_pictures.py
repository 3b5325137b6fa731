"""Small page pictures with text whose words and boxes are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ohr.types import Word

SIZE, STEP = 20, 34


def draw_page(lines: Sequence[str], height: int = 0) -> tuple[np.ndarray, tuple[Word, ...]]:
    """A grey page ``(h, w)`` with lines of text, and its words with their boxes."""
    font = ImageFont.load_default(SIZE)
    image = Image.new("L", (900, height or 80 + STEP * max(12, len(lines))), 250)
    pen = ImageDraw.Draw(image)
    words = []
    for number, line in enumerate(lines):
        x, y = 40.0, 40 + STEP * number
        for word in line.split():
            box = pen.textbbox((x, y), word, font=font)
            pen.text((x, y), word, fill=20, font=font)
            words.append(Word(word, 0.95, tuple(round(side) for side in box)))
            x += pen.textlength(word + " ", font=font)
    return np.asarray(image), tuple(words)
