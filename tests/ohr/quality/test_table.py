"""The signals of many pages of many documents."""

from __future__ import annotations

import tracemalloc

import pytest

from ohr.quality.predictor import Prediction, shipped
from ohr.quality.table import Observation, signal_table
from ohr.types import Holes, Outcome, PageRef

PAGE = "The river bridge was opened in 1931 by the mayor of the town, who spoke of tolls. " * 30


def peak_of(documents: int) -> int:
    """Most bytes held while the table of so many documents of one page is made."""
    pages = {
        PageRef(f"law/{number}", 0): Observation(Outcome.of_text(f"Town {number}. {PAGE}"))
        for number in range(documents)
    }
    tracemalloc.start()
    try:
        table = signal_table({"one": pages, "two": pages}, {})
        assert table["surprise"].notna().all()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_document_more_takes_little_more_memory():
    """Each took 40 MB, so that hundreds of files of one page ran out of it."""
    assert peak_of(16) - peak_of(12) < 4 * 2**20


def test_engines_that_agree_do_not_look_bad_for_a_layer_in_an_unknown_order():
    """They were predicted to be .73 wrong.

    The layer is still far from them where its order is said to be known. That does not make them
    bad: of 14 outputs of 5 pages on which engines differed by less than .07, and the layer was .21
    to .40 away in another order, none was more than .06 wrong.
    """
    ref = PageRef("law/alpha", 0)
    # Words without digits, as on the pages that were fitted.
    letters = str.maketrans("0123456789", "abcdefghij")
    words = [f"{word}{number}".translate(letters) for number, word in enumerate(PAGE.split())]
    text, layer = " ".join(words), " ".join(words[1::2] + words[::2])
    seen = {ref: Observation(Outcome.of_text(text))}
    engines = {"one": seen, "two": seen}

    def signals_and_error(holes: dict[PageRef, Holes]) -> tuple[float, Prediction]:
        row = signal_table(engines, {ref: layer}, holes=holes).iloc[0].to_dict()
        return row["layer"], shipped().predict(row, "edit_distance_content")

    distance, error = signals_and_error({ref: Holes(order_known=False)})
    assert distance < 0.05
    assert error.in_range
    assert error.value < 0.05
    ordered_distance, ordered_error = signals_and_error({})
    assert ordered_distance > 0.5
    assert ordered_error.value > error.value
    assert not ordered_error.in_range  # so that nobody trusts it: no fitted layer is so far away


def test_engines_that_share_a_recogniser_are_no_witnesses_of_each_other():
    """Two modes of one engine agree on what both misread."""
    ref = PageRef("law/alpha", 0)
    one, other = ({ref: Observation(Outcome.of_text(text))} for text in (PAGE, PAGE.upper()[::-1]))
    table = signal_table({"fast": one, "best": one, "other": other}, {}).set_index("engine")
    kin = {"fast": ["best"], "best": ["fast"]}
    apart = signal_table({"fast": one, "best": one, "other": other}, {}, kin=kin)
    apart = apart.set_index("engine")
    assert table["disagreement"]["fast"] < apart["disagreement"]["fast"]
    assert apart["disagreement"]["fast"] == pytest.approx(apart["disagreement"]["other"], abs=0.01)
    alone = signal_table({"fast": one, "best": one}, {}, kin=kin)
    assert alone["disagreement"].isna().all()
