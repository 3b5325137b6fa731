"""Pages that need no repair: whatever a repair does to them can only do harm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont

SIZE = (1000, 1300)
"""Width and height of most pages."""
SENTENCES = (
    "The keeper of the north tower wrote down every ship",
    "that came in before noon and the cargo it carried.",
    "Salt was weighed twice, once on the quay and once",
    "in the store behind the chapel, where it was dry.",
    "Nobody paid for water, but a bucket of it cost a coin",
    "when the wells were low and the carts came late.",
    "In autumn the council lowered the toll for timber",
    "and asked the masters to repair the eastern steps.",
)


def font(size: int, name: str = "DejaVuSans") -> ImageFont.FreeTypeFont:
    """One of the fonts that come with Matplotlib."""
    return ImageFont.truetype(Path(get_data_path()) / "fonts" / "ttf" / f"{name}.ttf", size)


def write(
    draw: ImageDraw.ImageDraw,
    left_edge: int,
    top: int,
    *,
    lines: int = 8,
    size: int = 24,
    ink: object = 0,
    first: int = 0,
) -> None:
    """Lines of text, one under the other."""
    for number in range(lines):
        text = SENTENCES[(first + number) % len(SENTENCES)]
        place = (left_edge, top + round(1.7 * size) * number)
        draw.text(place, text, fill=ink, font=font(size))  # type: ignore[arg-type]


def dark() -> np.ndarray:
    """White letters on black."""
    page = Image.new("L", SIZE, 8)
    write(ImageDraw.Draw(page), 90, 110, lines=22, ink=245)
    return np.asarray(page).copy()


def dark_slide() -> np.ndarray:
    """A slide: light letters on dark blue, a bright picture beside them."""
    page = Image.new("RGB", (1280, 720), (18, 24, 60))
    draw = ImageDraw.Draw(page)
    draw.text((70, 60), "Tolls after the reform", fill="white", font=font(48))
    for number, text in enumerate(SENTENCES[:5]):
        draw.text((70, 200 + 70 * number), text[:34], fill=(235, 235, 210), font=font(30))
    draw.polygon([(830, 180), (1230, 250), (1180, 620), (790, 540)], fill=(240, 230, 190))
    return np.asarray(page).copy()


def lines_chart() -> np.ndarray:
    """Rising lines, with a title, a legend and numbers along the axes."""
    page = Image.new("RGB", (1200, 850), "white")
    draw = ImageDraw.Draw(page)
    draw.text((110, 40), "Cargo landed at the quay by month", fill="black", font=font(34))
    for number in range(5):
        draw.line([(120, 700 - 90 * number), (1120, 480 - 90 * number)], fill=(60, 60, 60), width=5)
        draw.text((40, 690 - 130 * number), f"{number * 250}", fill="black", font=font(24))
    for number, month in enumerate(("January", "March", "May", "July", "August")):
        draw.text((140 + 200 * number, 760), month, fill="black", font=font(24))
    return np.asarray(page).copy()


def scatter_chart() -> np.ndarray:
    """Equal marks along slanted rows, and a caption."""
    page = Image.new("L", (1200, 900), 255)
    draw = ImageDraw.Draw(page)
    for row in range(14):
        for place in range(45):
            x, y = 100 + 22 * place, 120 + 45 * row + round(4.2 * place) % 700
            if y < 760:
                draw.ellipse([(x, y), (x + 11, y + 11)], fill=40)
    draw.text((100, 820), "Depth of the basin at each of the sounding marks", fill=0, font=font(28))
    return np.asarray(page).copy()


def bars_chart() -> np.ndarray:
    """Bars with values, and a label that runs up the axis."""
    page = Image.new("RGB", (1200, 850), "white")
    draw = ImageDraw.Draw(page)
    draw.text((200, 40), "Fees paid by each guild", fill="black", font=font(34))
    for number, guild in enumerate(("Coopers", "Weavers", "Bakers", "Carters")):
        top = 650 - 110 * number
        draw.rectangle([(210 + 240 * number, top), (350 + 240 * number, 720)], fill=(50, 90, 160))
        draw.text((215 + 240 * number, 740), guild, fill="black", font=font(28))
        draw.text((235 + 240 * number, top - 40), f"{(number + 1) * 137}", fill=0, font=font(28))
    label = Image.new("RGB", (420, 50), "white")
    ImageDraw.Draw(label).text((0, 5), "Crowns paid in a year", fill="black", font=font(28))
    page.paste(label.rotate(90, expand=True), (60, 230))
    return np.asarray(page).copy()


def hatched() -> np.ndarray:
    """A drawing of slanted strokes under level text."""
    page = Image.new("L", SIZE, 255)
    draw = ImageDraw.Draw(page)
    write(draw, 90, 90, lines=6)
    for number in range(60):
        draw.line([(90, 560 + 11 * number), (910, 360 + 11 * number)], fill=0, width=3)
    return np.asarray(page).copy()


def dashed() -> np.ndarray:
    """Dashes in slanted rows under level text."""
    page = Image.new("L", SIZE, 255)
    draw = ImageDraw.Draw(page)
    write(draw, 90, 90, lines=6)
    for row in range(32):
        for place in range(40):
            x, y = 100 + 20 * place, 480 + 22 * row + 3 * place
            draw.line([(x, y), (x + 12, y + 2)], fill=0, width=6)
    return np.asarray(page).copy()


def comic() -> np.ndarray:
    """Panels with slanted strokes, and level words in bubbles."""
    page = Image.new("L", SIZE, 255)
    draw = ImageDraw.Draw(page)
    for row in range(3):
        for column in range(2):
            left_edge, top = 50 + 460 * column, 50 + 410 * row
            draw.rectangle([(left_edge, top), (left_edge + 430, top + 380)], outline=0, width=5)
            for number in range(18):
                x = left_edge + 10 + 23 * number
                draw.line(
                    [(x, top + 370), (min(x + 90, left_edge + 425), top + 160)], fill=60, width=4
                )
            draw.ellipse(
                [(left_edge + 20, top + 15), (left_edge + 410, top + 145)], fill=255, outline=0
            )
            words = SENTENCES[2 * row + column].split()
            draw.text((left_edge + 90, top + 45), " ".join(words[:4]), fill=0, font=font(22))
            draw.text((left_edge + 90, top + 80), " ".join(words[4:7]), fill=0, font=font(22))
    return np.asarray(page).copy()


def cover() -> np.ndarray:
    """A bright panel with text on a coloured cover, whose title and total are outside."""
    page = Image.new("RGB", SIZE, (120, 30, 45))
    draw = ImageDraw.Draw(page)
    draw.text((120, 70), "REPORT ON THE QUAY", fill="white", font=font(46))
    draw.rectangle([(100, 190), (900, 1120)], fill="white")
    write(draw, 130, 230, lines=14, size=24)
    draw.text((120, 1180), "Total paid: 4,812 crowns", fill="white", font=font(38))
    return np.asarray(page).copy()


def spread() -> np.ndarray:
    """Two pages of an open book, with the shadow of the fold between them."""
    page = Image.new("L", (1800, 1200), 250)
    draw = ImageDraw.Draw(page)
    write(draw, 80, 120, lines=20)
    write(draw, 1000, 120, lines=20, first=3)
    away = np.abs(np.arange(1800) - 900) / 60
    shadow = 1 - 0.75 * np.exp(-(away**2))
    return np.rint(np.asarray(page) * shadow).astype(np.uint8)


def table() -> np.ndarray:
    """A table with borders on all sides."""
    page = Image.new("L", SIZE, 255)
    draw = ImageDraw.Draw(page)
    for row in range(18):
        draw.line([(80, 100 + 60 * row), (920, 100 + 60 * row)], fill=0, width=3)
        if row < 17:
            cells = (SENTENCES[row % 8].split()[1], f"{row * 413 + 89:,}", f"{row * 7.35:.2f}")
            for column, cell in enumerate(cells):
                draw.text((100 + 280 * column, 115 + 60 * row), cell, fill=0, font=font(26))
    for column in range(4):
        draw.line([(80 + 280 * column, 100), (80 + 280 * column, 1120)], fill=0, width=3)
    return np.asarray(page).copy()


def bright_slide() -> np.ndarray:
    """A slide with few words and a slanted band."""
    page = Image.new("RGB", (1280, 720), (250, 248, 240))
    draw = ImageDraw.Draw(page)
    draw.polygon([(0, 620), (1280, 430), (1280, 520), (0, 720)], fill=(200, 90, 40))
    draw.text((90, 90), "What the council decided", fill=(30, 30, 30), font=font(50))
    for number, text in enumerate(SENTENCES[4:7]):
        draw.text((110, 210 + 70 * number), text[:40], fill=(30, 30, 30), font=font(30))
    return np.asarray(page).copy()


def picture() -> np.ndarray:
    """A picture of smooth shapes with a caption and a paragraph."""
    across, down = np.meshgrid(np.linspace(0, 6, 840), np.linspace(0, 4, 560))
    waves = 128 + 100 * np.sin(across + 0.23 * down) * np.cos(1.3 * down)
    page = Image.new("L", SIZE, 255)
    page.paste(Image.fromarray(waves.astype(np.uint8)), (80, 90))
    draw = ImageDraw.Draw(page)
    draw.text((80, 680), "The bay at low tide, seen from the chapel", fill=0, font=font(26))
    write(draw, 80, 780, lines=9)
    return np.asarray(page).copy()


def grey_scan() -> np.ndarray:
    """A scan with grey paper, a dark rim on one side and some specks."""
    page = Image.new("L", SIZE, 205)
    write(ImageDraw.Draw(page), 90, 100, lines=24, ink=40)
    scan = np.asarray(page).copy()
    scan[:, :14] = 25
    rng = np.random.default_rng(3)
    for x, y in zip(rng.integers(20, 990, 60), rng.integers(0, 1290, 60), strict=True):
        cv2.circle(scan, (int(x), int(y)), 2, 60, -1)
    return scan


PAGES: dict[str, Callable[[], np.ndarray]] = {
    maker.__name__: maker
    for maker in (
        dark,
        dark_slide,
        lines_chart,
        scatter_chart,
        bars_chart,
        hatched,
        dashed,
        comic,
        cover,
        spread,
        table,
        bright_slide,
        picture,
        grey_scan,
    )
}
