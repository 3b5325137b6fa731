"""Errors as edits of a page's source: lost lines and tables leave no empty lines."""

import numpy as np
import pytest

from ohr.metrics.alignment import Fate
from ohr.ocr_errors.edits import combine, rewrite
from ohr.ocr_errors.make import ErrorMaker, PageErrors
from ohr.ocr_errors.words import page_words

LINES = """First line of a page.

Second one

## Third head

| a | b |
| --- | --- |
| c | d |
| e | f |

The end"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lost", "left"),
    [
        ("Second one", LINES.replace("Second one\n\n", "")),
        ("Third head", LINES.replace("## Third head\n\n", "")),
        ("c d", LINES.replace("| c | d |\n", "|  |  |")),
        ("one", LINES.replace("Second one", "Second ")),
        ("The end", LINES.replace("The end", "")),
    ],
)
def test_a_lost_line_goes_with_its_line_break(model, lost, left):
    words = page_words(LINES)
    numbers = [words.words.index(word) for word in lost.split()]
    errors = PageErrors(dict.fromkeys(numbers, (Fate.LOST, "")), {})
    edits = combine(ErrorMaker(model), words, errors, {}, 0.0, np.random.default_rng(0))
    assert rewrite(LINES, edits) == left


def test_a_lost_table_leaves_no_empty_lines(model):
    dropping = model.model_copy(update={"structure": {"table": (1, 1), "heading": (1, 1)}})
    maker, words = ErrorMaker(dropping), page_words(LINES)
    rng = np.random.default_rng(0)
    assert rewrite(LINES, combine(maker, words, PageErrors({}, {}), {}, 1.0, rng)) == (
        "First line of a page.\n\nSecond one\n\nThird head\n\na b\nc d\ne f\n\nThe end"
    )
    lost = {words.words.index(word): (Fate.LOST, "") for word in "abcdef"}
    text = rewrite(LINES, combine(maker, words, PageErrors(lost, {}), {}, 1.0, rng))
    assert "Third head\n\n" in text
    assert "\n\n\n" not in text
    assert text.endswith("The end")
