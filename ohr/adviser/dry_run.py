"""Prints what a command would read, without reading it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ohr.adviser.recommend.layers import summarise_layers
from ohr.adviser.sampling import Draw, PageSample
from ohr.display.wording import counted, pages_of
from ohr.files.safe_text import plain
from ohr.ocr.price import reading_s, time_text
from ohr.ocr.sources import other_kinds_line

if TYPE_CHECKING:
    from ohr.adviser.own_pages import OcrSettings


def print_plan(draw: Draw, sample: PageSample, settings: OcrSettings) -> None:
    """Print the files, the pages to read, and what is stored for each engine. Raises OhrError."""
    lines = draw_lines(draw, len(sample.pages)) + layer_lines(sample)
    if unchecked := len(draw.pages) - len(sample.pages):
        lines.append(f"as these are usable, {unchecked} more pages are neither checked nor read")
    for line in (*lines, *reading_lines(sample, settings)):
        print(plain(line))
    print("dry run: nothing was read")


def draw_lines(draw: Draw, to_read: int) -> list[str]:
    """Lines about files and pages, of which ``to_read`` would be read."""
    images = sum(path.suffix.lower() != ".pdf" for path in draw.files.values())
    pdfs = len(draw.files) - images
    lines = [
        f"{pdfs} PDFs and {images} images, {draw.total:,} pages; {to_read} of them would be read"
    ]
    lines += [f"left out: {name}: {reason}" for name, reason in draw.left_out.items()]
    return lines + ([line] if (line := other_kinds_line(draw.others)) else [])


def layer_lines(sample: PageSample) -> list[str]:
    """A line on the text layers of the PDFs, which need no OCR; empty without PDFs."""
    summary = summarise_layers(sample)
    if summary is None:
        return []
    caution = f"; {summary.caution}" if summary.caution else ""
    return [f"text layers: {summary.usable} of {summary.checked} checked pages are usable{caution}"]


def reading_lines(sample: PageSample, settings: OcrSettings) -> list[str]:
    """A line per engine: its pages, how many are stored, and the time of the others if known."""
    from ohr.adviser.own_pages import plan_reading  # with pandas, which a plan does not need
    from ohr.ocr.observe import REPEATS

    layered = [ref for ref, layer in sample.layers.items() if layer is not None]
    lines, total = [], 0.0
    for work in plan_reading(sample.pages, settings, layered):
        unread = work.unread()
        times = sum(
            1
            + len(REPEATS) * (settings.instability and page.ref not in layered and not page.as_pdf)
            for page in unread
        )
        page_s = work.expected_s()
        each_s = page_s * times / len(unread) if unread else 0.0
        seconds = reading_s(len(unread), each_s, settings.workers)
        total += seconds
        time = f", {time_text(seconds)}" if unread else ""
        time += ": the cache has no page of it" * math.isnan(seconds)
        again = f" ({times - len(unread)} more under distortions)" if times > len(unread) else ""
        skipped = len(sample.pages) - len(work.pages)
        not_read = f"; it cannot read the {skipped} images" if skipped else ""
        lines.append(
            f"{work.label}: {pages_of(len(work.pages))}, "
            f"{len(work.pages) - len(unread)} in the cache, "
            f"{len(unread)} to read{again}{time}{not_read}"
        )
    if total > 0:
        lines.append(f"in all {time_text(total)} with {counted(settings.workers, 'worker')}")
    return lines
