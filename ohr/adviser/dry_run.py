"""Prints what a command would read, without reading it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ohr.adviser.countdown import spoken
from ohr.adviser.sampling import Draw
from ohr.files.safe_text import plain
from ohr.ocr.sources import other_kinds_line

if TYPE_CHECKING:
    from ohr.adviser.own_pages import OcrSettings


def print_draw(draw: Draw, settings: OcrSettings) -> None:
    """Print the files, the pages to read, and what is stored for each engine. Raises OhrError."""
    for line in (*draw_lines(draw), *reading_lines(draw, settings)):
        print(plain(line))
    print("dry run: nothing was read")


def draw_lines(draw: Draw) -> list[str]:
    """Lines about files and pages."""
    images = sum(path.suffix.lower() != ".pdf" for path in draw.files.values())
    pdfs = len(draw.files) - images
    drawn = len(draw.pages)
    lines = [
        f"{pdfs} PDFs and {images} images, {draw.total:,} pages; {drawn} of them would be read"
    ]
    checked = sum(source.is_pdf for source in draw.pages) + len(draw.further)
    if checked:
        lines.append(f"the text layers of {checked} pages would be checked first")
    lines += [f"left out: {name}: {reason}" for name, reason in draw.left_out.items()]
    return lines + ([line] if (line := other_kinds_line(draw.others)) else [])


def reading_lines(draw: Draw, settings: OcrSettings) -> list[str]:
    """A line per engine: its pages, how many are stored, and the time of the others if known."""
    from ohr.adviser.own_pages import plan_reading  # with pandas, which a plan does not need

    lines, seconds = [], 0.0
    for work in plan_reading(draw.pages, settings):
        final = [page for page in work.pages if work.outputs.is_final(page)]
        remaining = len(work.pages) - len(final)
        wall = work.cost().get("wall_s", math.nan)
        took = remaining * wall / min(settings.workers, max(1, remaining)) if remaining else 0.0
        seconds += took
        is_known = f", about {spoken(took)}" if took > 0 else ""
        unknown = ", time not known: it has read none of them" if math.isnan(took) else ""
        skipped = len(draw.pages) - len(work.pages)
        not_read = f"; it cannot read the {skipped} images" if skipped else ""
        lines.append(
            f"{work.label}: {len(work.pages)} pages, {len(final)} in the cache, {remaining} to read"
            f"{is_known}{unknown}{not_read}"
        )
    workers = f"{settings.workers} worker{'s' * (settings.workers != 1)}"
    if settings.instability:
        lines.append(
            "pages without a usable text layer are read four times (--no-instability: once)"
        )
    if seconds > 0:
        lines.append(f"in all about {spoken(seconds)} with {workers}, each page read once")
    return lines
