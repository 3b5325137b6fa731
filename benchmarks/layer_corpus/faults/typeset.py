"""Faults of how a page is set: each variant changes the page before it is set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from benchmarks.layer_corpus.page import Block, Page, TextRun

Change = Callable[[Page], Page]


def _tracked(em: float, page: Page) -> Page:
    return replace(page, tracking=em)


def _tracked_heading(page: Page) -> Page:
    """Only the heading is spaced, as titles are; `page.tracking` is for all of it."""
    return replace(page, tracking=0.2, blocks=page.blocks[:1])


def _one_line(page: Page) -> Page:
    """A single line on an empty page."""
    line = next(block for block in page.blocks if block.kind == "line")
    return replace(page, blocks=(line,))


def _footnotes(page: Page) -> Page:
    """Small raised figures after numbers, and a note that they refer to."""
    blocks, count = [], 0
    for block in page.blocks:
        last = block.lines[-1][-1].text if block.kind in ("row", "line") else ""
        if last[-1:].isdigit():
            count += 1
            *cells, cell = block.lines
            block = replace(block, lines=(*cells, (*cell, TextRun(str(count), "raised"))))
        blocks.append(block)
    halves = (
        TextRun("= 1"),
        TextRun("1", "raised"),
        TextRun("/"),
        TextRun("2", "lowered"),
        TextRun(" (45.3"),
        TextRun("1", "raised"),
        TextRun("), 1250"),
        TextRun("2", "raised"),
        TextRun("; 3"),
        TextRun("3", "raised"),
        TextRun("/"),
        TextRun("4", "lowered"),
        TextRun(", 17"),
        TextRun("5", "raised"),
    )
    return replace(page, blocks=(*blocks, Block("line", (halves,))))


TYPESET: dict[str, dict[str, Change]] = {
    "spaced": {
        **{f"{part}": partial(_tracked, part / 100) for part in (15, 25, 40)},
        "heading": _tracked_heading,
    },
    "raised": {"footnotes": _footnotes},
    "one_line": {"line": _one_line},
}
