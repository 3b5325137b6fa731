"""Which words count, and what comes and goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ohr.analysis.inventions.hidden import HiddenText
from ohr.analysis.inventions.pages import Piece, SourcePage
from ohr.analysis.inventions.repeatability import compare_outputs
from ohr.ocr.sources import PageSource
from ohr.types import PageRef


def page(*words: str, name: str = "a") -> SourcePage:
    source = PageSource(Path(f"{name}.png"), name, None, 150, None, f"{name}.png")
    pieces = tuple(Piece(word, (0.0, 0.0, 1.0, 1.0), 0) for word in words)
    return SourcePage(source, PageRef(f"d/{name}", 0), pieces)


def count(words, hidden, text, clean, *rest):
    further = [page(*other, name=f"o{number}") for number, other in enumerate(rest)]
    return HiddenText([page(*words), *further]).count(0, hidden, text, clean)


def test_a_covered_word_that_is_written_counts():
    words = ["ministers", "decided", "yesterday", "quietly"]
    result = count(words, [1, 3], "ministers decided yesterday", " ".join(words))
    assert (result.hidden, result.share, result.counted) == (2, 0.5, 2)
    assert [*result.written.values()] == ["decided"]
    assert (result.chance, result.new) == (0.0, ())


@pytest.mark.parametrize(
    "visible", ["blanket", "BLANKET,", "blankets", "blanked", "b1anket", "nonblanket"]
)
def test_a_word_that_something_visible_supports_does_not_count(visible):
    words = ["ministers", visible, "blanket"]
    result = count(words, [2], "ministers blanket", " ".join(words))
    assert (result.counted, result.written) == (0, {})


def test_nor_does_one_that_the_clean_page_has_outside_the_known_words():
    words = ["ministers", "decided"]
    twice = "decided ministers decided"
    assert count(words, [1], "decided ministers", twice).counted == 0
    assert count(words, [1], "ministers", "ministers decided").counted == 1


def test_chance_is_the_share_of_like_words_of_other_pages_that_come_out():
    rest = (["harvest", "teacher", "1234567"], ["lantana", "ministers"])
    result = count(["ministers", "blanket"], [1], "teacher blanket", "ministers blanket", *rest)
    # harvest, teacher and lantana have seven letters too; ministers is on the page.
    assert result.chance == pytest.approx(1 / 3)
    alone = count(["ministers", "blanket"], [1], "teacher blanket", "ministers blanket")
    assert alone.chance == 0.0


def test_other_new_words_are_those_that_neither_the_page_nor_its_clean_output_has():
    text = "ministers smudge welcome harbour"
    result = count(["ministers", "decided"], [1], text, "ministers decided smudge")
    assert result.new == ("welcome", "harbour")


def test_an_engine_may_leave_out_spaces():
    words = ["ministers", "blanket", "fog"]
    result = count(words, [1, 2], "ministersblanketfog", "")
    assert [*result.written.values()] == ["blanket"]  # fog may be part of another word


def test_words_of_a_line_are_counted_one_by_one():
    result = count(["two ministers", "decided it quietly"], [1], "decided", "")
    assert (result.hidden, [*result.written.values()]) == (3, ["decided"])


def test_the_same_output_has_no_change():
    text = "Revenue was 1,234 in 2023"
    same = compare_outputs(text, text)
    assert (same.words, same.gone, same.come, same.numbers) == (5, 0, 0, 2)
    assert (same.numbers_gone, same.changed) == (0, ())


def test_words_and_numbers_that_come_and_go():
    repeat = compare_outputs("Revenue was 1,234 (56) in 2023", "Revenue was 1,284 in 2023 total")
    assert (repeat.words, repeat.words_again, repeat.gone, repeat.come) == (6, 6, 2, 2)
    assert (repeat.numbers, repeat.numbers_gone) == (3, 2)
    assert repeat.changed == (("1,234", "1,284"),)


def test_a_number_that_only_moved_has_not_changed():
    repeat = compare_outputs("10 apples 20 pears", "20 pears 10 apples")
    assert (repeat.numbers_gone, repeat.changed) == (0, ())


def test_an_output_that_failed_has_lost_all_words():
    repeat = compare_outputs("four words and 5", "")
    assert (repeat.gone, repeat.come, repeat.numbers_gone, repeat.changed) == (4, 0, 1, ())
