"""Pages of text for tests of distortions that look for letters."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont


def page_of_text(height: int = 600, width: int = 450, size: int = 22) -> np.ndarray:
    """Lines of capitals and figures, black on white: uint8 ``(h, w)``."""
    page = Image.new("L", (width, height), 255)
    drawing, font = ImageDraw.Draw(page), ImageFont.load_default(size)
    for row, y in enumerate(range(size, height - 2 * size, 2 * size)):
        drawing.text((size, y), f"TOTAL {row} HBK 12.{row:02d} SUM {7 * row}", 0, font)
    return np.asarray(page)
