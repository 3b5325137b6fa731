"""Pages side by side in one picture."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from ohr.files.safe_text import plain
from ohr.sample import Sample, SampleParams
from ohr.types import Page

GAP, CAPTION = 20, 26
BACKGROUND = 200  # grey
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def draw_sample(
    attributes: Sequence[str], seed: int, columns: int, width: int
) -> tuple[int, bytes]:
    """Draw one page of each domain, with its name; returns their number and the PNG."""
    pages = busiest_pages(attributes, seed)
    drawn = {
        domain: Image.open(page.image).convert("L") for domain, page in pages.items() if page.image
    }
    sheet = contact_sheet(
        list(drawn.values()),
        columns=columns,
        width=width,
        captions=[name.replace("_", " ") for name in drawn],
        caption_height=max(CAPTION, width // 10),
    )
    sink = io.BytesIO()
    sheet.save(sink, "PNG", optimize=True)
    return len(drawn), sink.getvalue()


def contact_sheet(
    images: Sequence[Image.Image],
    *,
    columns: int,
    width: int,
    captions: Sequence[str] = (),
    caption_height: int = CAPTION,
) -> Image.Image:
    """Draw pages in rows of ``columns``, each ``width`` pixels wide, as tall as the first.

    In colour if one of them is. Captions are above the pages, cut to the width.
    """
    mode = "L" if all(image.mode in ("1", "L") for image in images) else "RGB"
    height = round(images[0].height * width / images[0].width)
    head = caption_height if captions else 0
    rows = -(-len(images) // columns)
    size = (columns * (width + GAP) + GAP, rows * (height + head + GAP) + GAP)
    sheet = Image.new(mode, size, BACKGROUND if mode == "L" else (BACKGROUND,) * 3)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(caption_height - 8)
    for number, image in enumerate(images):
        row, column = divmod(number, columns)
        x, y = GAP + column * (width + GAP), GAP + row * (height + head + GAP)
        if number < len(captions):
            pen.text((x, y), _fitting(captions[number], font, width), fill=0, font=font)
        small = image.convert(mode).resize((width, height), Image.Resampling.LANCZOS)
        sheet.paste(small, (x, y + head))
    return sheet


def _fitting(text: str, font: Font, width: int) -> str:
    """The text, without its beginning if it is too wide."""
    text = plain(text)
    for start in range(len(text)):
        caption = text if start == 0 else f"…{text[start:]}"
        if font.getlength(caption) <= width:
            return caption
    return ""


def busiest_pages(attributes: Sequence[str], seed: int) -> dict[str, Page]:
    """Domain -> the page with most kinds of content of its first document."""
    params = {"seed": seed, "attributes": attributes}
    dataset = Sample(SampleParams.model_validate(params)).load()
    chosen: dict[str, Page] = {}
    for document in dataset.documents.values():
        marks = ("\\begin{tabular}", "<chart>", "$$", "figure")
        best = max(document.pages, key=lambda page: sum(mark in page.text for mark in marks))
        chosen.setdefault(document.domain, best)
    return chosen
