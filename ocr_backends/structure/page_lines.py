"""Phrases of a page into lines, column by column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ocr_backends.structure.phrases import Phrase, joined
from ocr_backends.structure.table_columns import Line
from ohr.documents.reading_order import reading_order

NEAR = 0.5
"""Phrases of a line less than so many heights apart are one."""


def body_height(phrases: Sequence[Phrase]) -> float:
    """Height of a line of the body: the median over letters, for boxes of short words vary."""
    heights = np.repeat([p.height for p in phrases], [max(1, len(p.text)) for p in phrases])
    return float(np.median(heights))


def ordered(phrases: Sequence[Phrase], *, columns: bool = True) -> list[list[list[int]]]:
    """Indices of phrases as columns of the page, each a list of lines; ``columns=False`` cuts none.

    Columns come in reading order, lines from the top, phrases from the left.
    """
    boxes = np.array([[[p.left, p.top], [p.right, p.top], [p.right, p.bottom], [p.left, p.bottom]]
                      for p in phrases])  # fmt: skip
    # Only running text makes a column.
    texts = [phrase.text if columns else "" for phrase in phrases]
    return reading_order(boxes, texts, beside_tables=True)


def joined_lines(
    phrases: Sequence[Phrase], unit: float, *, columns: bool = True
) -> list[list[Line]]:
    """Columns of phrases as lines, close phrases joined; ``unit``: height of a line."""
    return [
        [joined((phrases[position] for position in line), NEAR * unit) for line in part]
        for part in ordered(phrases, columns=columns)
    ]
