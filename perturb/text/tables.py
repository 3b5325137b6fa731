r"""Tables (appendix III.1.3): rules between rows, and the other rules inside cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ohr.markup.structure import is_covered
from perturb.text.edits import Edit
from perturb.text.formulas import converted, readable, replaced, spaced
from perturb.text.page import EditablePage
from perturb.text.prose import (
    HTML_STYLES,
    STYLES,
    cell_breaks,
    cell_titles,
    emphasis_removal,
    partition,
    styled_runs,
)
from perturb.text.sites import Sites

_LINE = re.compile(r"[ \t]*(?:\\hline\b|\\cline[ \t]*\{[^{}\n]{0,20}\})")


def table_lines(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    r"""``\hline`` between rows and ``\cline`` for columns of LaTeX tables; existing ones go.

    Each place between two rows is a site for an ``\hline``; each column is a site for a
    ``\cline`` over it, at a place that is drawn.
    """
    inserted: list[Edit] = []
    removed: list[Edit] = []
    for table in page.tables:
        drawn = rng.random(table.table.n_columns).tolist()
        places = table.row_boundaries
        if not places:
            continue
        inserted += (_line(page.text, position, r"\hline") for position in places)
        for column, share in enumerate(drawn, 1):
            position = places[int(share * len(places))]
            inserted.append(_line(page.text, position, rf"\cline{{{column}-{column}}}"))
        cells = sorted(cell.content_span for cell in table.cells)
        removed += (
            Edit(line.start(), line.group(), "")
            for line in _LINE.finditer(page.text, *table.span)
            if not is_covered(cells, line.start())
        )
    inserted.sort(key=lambda edit: edit.at)
    return [_single(inserted), _single(removed)]


def _line(text: str, position: int, command: str) -> Edit:
    return Edit(
        position, "", f" {command}" if text[position : position + 1].isspace() else f" {command} "
    )


def _single(edits: Sequence[Edit]) -> Sites:
    # An insertion takes no room: several stand at one place, in their order.
    ends = [edit.at + len(edit.removed) for edit in edits]
    return Sites([edit.at for edit in edits], ends, lambda number: [edits[number]])


def table_cells(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    """The rules for plain text and formulas, inside cells.

    A cell of up to 5 words takes one style as a whole, or is a title if it is a short sentence.
    """
    short = [words for cell in page.cells for words in cell.words]
    formats = [cell.format for cell in page.cells for _ in cell.words]
    runs, styles = [], []
    for words, format_ in zip(short, formats, strict=True):
        parts = partition(page.text, [words], rng, whole=True)
        runs += parts
        styles += [HTML_STYLES if format_ == "html" else STYLES] * len(parts)
    regions = [region for cell in page.cells for region in cell.regions]
    formulas = readable(page, regions)
    return [
        styled_runs(page, runs, styles, rng),
        emphasis_removal(page, regions),
        converted(page, [region for region, _ in formulas]),
        spaced(formulas, rng),
        replaced(page, formulas, rng),
        *cell_titles(page, rng),
        *cell_breaks(page),
    ]
