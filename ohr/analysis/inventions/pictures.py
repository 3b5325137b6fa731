"""Pictures of the worst cases: the page with what was covered, beside what the engine wrote."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import pandas as pd

from ohr.analysis.inventions.figure import KIND_NAMES
from ohr.analysis.inventions.hidden import HiddenText, Written
from ohr.analysis.inventions.pages import SourcePage
from ohr.analysis.inventions.variants import Variant
from ohr.display.labels import mathless
from ohr.documents.images import load_image
from ohr.figures.style import WIDTH, figure, only, save
from ohr.files.safe_text import plain
from ohr.metrics.word_keys import keyed_words
from ohr.types import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RED = "#C00000"
_COLUMNS, _LINES = 64, 56
_POINTS, _LETTER = 5.4, 0.0495
"""Size of monospaced text, and the inches that a letter gets: .6 of its size, and some room."""
_PAGE_HEIGHT = 5.4
_LARGEST = 1400
"""Pixels of the longer side of a page in a picture."""


@dataclass(frozen=True)
class Case:
    """An output with invented words."""

    engine: str
    variant: Variant
    text: str
    invented: frozenset[str]
    """Keys of the words that are marked."""
    count: int

    @property
    def title(self) -> str:
        """What the page is, and how much was invented."""
        variant = self.variant
        words = "word" if self.count == 1 else "words"
        if variant.part == "hidden":
            return (
                f"{self.engine}: {self.count} covered {words} written ({variant.ref.doc_id}, page "
                f"{variant.ref.page_no + 1}, dose {variant.dose:g}, {variant.kind})"
            )
        return f"{self.engine}: {self.count} {words} on a page without text ({_kind_name(variant)})"


def worst_cases(
    pages: Sequence[SourcePage],
    variants: Sequence[Variant],
    outcomes: Mapping[str, Sequence[Outcome[str]]],
    counts: pd.DataFrame,
    most: int,
) -> list[Case]:
    """At most ``most`` cases of covered text and as many of pages without text, the worst first.

    One case per engine and page, and per engine and kind of page without text.
    """
    hidden_text = HiddenText(pages)
    tested = [place for place, variant in enumerate(variants) if variant.part != "clean"]
    cases: list[Case] = []
    rows = counts.to_dict("records")
    position = 0
    for engine, engine_outcomes in outcomes.items():
        clean = {v.page: o.value or "" for v, o in zip(variants, engine_outcomes, strict=True)
                 if v.part == "clean"}  # fmt: skip
        for place in tested:
            row, variant = rows[position], variants[place]
            position += 1
            text = engine_outcomes[place].value or ""
            if variant.part == "hidden" and row["written"]:
                count = hidden_text.count(variant.page, variant.hidden, text, clean[variant.page])
                cases.append(
                    Case(engine, variant, text, frozenset(count.written), len(count.written))
                )
            elif variant.part == "textless" and row["words"]:
                keys = frozenset(word.key for word in keyed_words(text))
                cases.append(Case(engine, variant, text, keys, row["words"]))
    return [
        case for part in ("hidden", "textless")
        for case in _worst([case for case in cases if case.variant.part == part], most)
    ]  # fmt: skip


def _worst(cases: Sequence[Case], most: int) -> list[Case]:
    ordered = sorted(cases, key=lambda case: -case.count)
    once: dict[object, Case] = {}
    for case in ordered:
        variant = case.variant
        page = variant.page if variant.part == "hidden" else variant.kind
        once.setdefault((case.engine, page), case)
    return list(once.values())[:most]


def draw_cases(cases: Sequence[Case], pages: Sequence[SourcePage], folder: Path) -> list[Path]:
    """Draw each case into a PNG."""
    paths = []
    for serial, case in enumerate(cases, start=1):
        engine = re.sub(r"[^A-Za-z0-9.-]+", "_", case.engine)
        name = f"{serial:02d}_{case.variant.part}_{engine}"
        with only("png"):
            paths += _draw(case, pages, folder, name[:60])
    return paths


def _draw(case: Case, pages: Sequence[SourcePage], folder: Path, name: str) -> list[Path]:
    variant = case.variant
    image = load_image(variant.source.path)
    height, width = image.shape[:2]
    lines = _wrap(case.text)
    shown = lines[:_LINES]
    text_width = _LETTER * (_COLUMNS + 2)
    page_width = min(WIDTH - text_width - 0.3, _PAGE_HEIGHT * width / height)
    with figure(page_width + text_width + 0.3, _PAGE_HEIGHT + 0.4) as fig:
        page, beside = fig.subplots(1, 2, width_ratios=[page_width, text_width])
        factor = min(1.0, _LARGEST / max(height, width))
        small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        page.imshow(small, cmap="gray", vmin=0, vmax=255, extent=(0, width, height, 0))
        for index in variant.hidden:
            _outline(page, pages[variant.page].pieces[index].box)
        page.set_title("the page; red: covered words" if variant.hidden else "the page")
        beside.set_title("what the engine wrote; red: invented")
        page.set_anchor("N")
        for ax in (page, beside):
            ax.set_xticks([])
            ax.set_yticks([])
            ax.grid(visible=False)
            for spine in ax.spines.values():
                spine.set(visible=True, color="#bbbbbb")
        beside.set_xlim(-1, _COLUMNS + 1)
        beside.set_ylim(_LINES + 1.5, -1)
        for number, line in enumerate(shown):
            _write_line(beside, number, line, case.invented)
        if len(lines) > len(shown):
            beside.text(
                0, _LINES + 0.6, f"… {len(lines) - len(shown)} more lines", fontsize=_POINTS
            )
        fig.suptitle(mathless(case.title), fontsize="medium")
        return save(fig, folder, name)


def _outline(ax: Axes, box: Sequence[float]) -> None:
    from matplotlib.patches import Rectangle

    left, top, right, bottom = box
    patch = Rectangle(
        (left, top), right - left, bottom - top, fill=False, edgecolor=_RED, linewidth=0.6
    )
    ax.add_patch(patch)


def _write_line(ax: Axes, number: int, line: str, invented: Collection[str]) -> None:
    """Write a line in monospaced letters, invented words in colour on top of it."""
    style: Any = {"family": "DejaVu Sans Mono", "fontsize": _POINTS, "va": "center"}
    words = [
        word
        for word in keyed_words(line)
        if word.key in invented or any(key in Written([word.key]) for key in invented)
    ]
    rest = list(line)
    for word in words:
        rest[word.start : word.end] = " " * (word.end - word.start)
        text = mathless(line[word.start : word.end])
        ax.text(word.start, number, text, color=_RED, weight="bold", **style)
    for start, text in _chunks("".join(rest)):
        ax.text(start, number, mathless(text), color="#333333", **style)


def _chunks(line: str) -> list[tuple[int, str]]:
    """The words of a line with their places: matplotlib drops blanks at a text's start."""
    chunks, start = [], 0
    for word in line.split(" "):
        if word:
            chunks.append((start, word))
        start += len(word) + 1
    return chunks


def _wrap(text: str) -> list[str]:
    """The text in lines; letters that take two columns or none become a box."""
    lines = []
    for line in text.splitlines():
        single = "".join(char if _is_single(char) else "▯" for char in plain(line.expandtabs(2)))
        lines += textwrap.wrap(single, _COLUMNS, drop_whitespace=False) or [""]
    return lines


def _is_single(char: str) -> bool:
    return unicodedata.east_asian_width(char) not in "WF" and not unicodedata.combining(char)


def _kind_name(variant: Variant) -> str:
    return KIND_NAMES.get(variant.kind, variant.kind)
