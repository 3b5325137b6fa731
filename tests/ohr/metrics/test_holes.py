"""What is not known of a page's truth is neither charged nor credited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.metrics import default, holes, reference
from ohr.metrics.holes import doubtful_words, drop_doubtful, known_texts, known_truth
from ohr.types import Holes

WORDS = st.text("abcdé.1", min_size=1, max_size=8)
LINES = st.lists(WORDS, max_size=12)
PAIRS = st.lists(st.tuples(WORDS, st.booleans(), st.lists(WORDS, max_size=3)), max_size=12)


def spans_of(text: str, *words: str) -> list[tuple[int, int]]:
    """Where each of some words of a text is, the first time."""
    return sorted((text.index(word), text.index(word) + len(word)) for word in words)


def page(
    words: Sequence[tuple[str, bool, Sequence[str]]],
) -> tuple[str, str, list[tuple[int, int]]]:
    """The truth of some words, what was read, and the spans of the doubtful ones."""
    truth, spans = "", []
    for word, doubt, _ in words:
        if doubt:
            spans.append((len(truth), len(truth) + len(word)))
        truth += f"{word} "
    read = [part for word, doubt, other in words for part in (other if doubt else [word])]
    return " ".join(read), truth, spans


@given(LINES, LINES)
def test_without_doubt_nothing_changes(prediction: list[str], truth: list[str]) -> None:
    texts = "  ".join(prediction), "\n".join(truth)
    assert drop_doubtful(*texts, []) == texts
    assert known_texts(*texts, None) == texts
    assert known_texts(*texts, Holes(order_known=False, covered=0.5)) == texts


@given(PAIRS, st.booleans())
def test_the_truth_itself_has_no_error(words, order_known: bool) -> None:
    _, truth, spans = page(words)
    read, known_values = drop_doubtful(truth, truth, spans, order_known=order_known)
    assert read == known_values == known_truth(truth, Holes(tuple(spans)))
    assert known_values.split() == [word for word, doubt, _ in words if not doubt]


@given(PAIRS)
def test_a_doubtful_word_may_be_read_in_any_way(words) -> None:
    read, truth, spans = page(words)
    texts = drop_doubtful(read, truth, spans)
    assert default.edit_distance(*texts) == default.wer(*texts) == 0
    assert reference.edit_distance(*texts) == 0


@settings(deadline=None)  # the first call imports SciPy's optimiser
@given(st.lists(st.tuples(WORDS, st.booleans(), st.lists(WORDS, min_size=1, max_size=1))))
def test_so_it_may_where_the_order_is_not_known(words) -> None:
    read, truth, spans = page(words)
    texts = drop_doubtful(read, truth, spans, order_known=False)
    read_bag, known_bag = (Counter(map(holes._plain, text.split())) for text in texts)
    assert read_bag == known_bag


@settings(deadline=None)
@given(PAIRS, LINES)
def test_only_words_are_cut(words, prediction: list[str]) -> None:
    _, truth, spans = page(words)
    read, known_values = drop_doubtful(" ".join(prediction), truth, spans)
    remaining = iter(prediction)
    assert all(word in remaining for word in read.split())
    assert known_values.split() == [word for word, doubt, _ in words if not doubt]


def test_an_error_beside_a_doubtful_word_is_charged() -> None:
    truth = "the deposit is 9OO crowns a year"
    spans = spans_of(truth, "9OO")
    assert drop_doubtful("the deposit is 900 crowms a year", truth, spans) == (
        "the deposit is  crowms a year",
        "the deposit is  crowns a year",
    )
    read, _ = drop_doubtful("the depositt 900 crowns a year", truth, spans)
    assert read.split() == ["the", "depositt", "crowns", "a", "year"]


def test_what_is_invented_beside_a_doubtful_word_is_charged() -> None:
    truth = "the rent is x9"
    read, known_values = drop_doubtful(
        "the rent is 90 and and and and and and", truth, spans_of(truth, "x9")
    )
    assert known_values == "the rent is "
    assert (
        len(read.split()) == len(known_values.split()) + 4
    )  # a doubtful word is read as three at most


def test_a_glued_line_is_read_as_words() -> None:
    truth = "First Thetenanthandsovertherent last"
    texts = drop_doubtful(
        "First The tenant hands over the rent last", truth, spans_of(truth, "Thetenant")
    )
    assert texts == ("First       last", "First  last")


def test_a_doubtful_word_in_a_passage_that_moved() -> None:
    truth = "one two three four five six seven eight n1ne ten"
    read = "n1nе ten one two three four five six seven eight"
    texts = drop_doubtful(read, truth, spans_of(truth, "n1ne"))
    assert [*map(str.split, texts)] == [
        "ten one two three four five six seven eight".split(),
        "one two three four five six seven eight ten".split(),
    ]


def test_a_span_may_be_a_part_of_a_word() -> None:
    text = "«alpha», beta; gamma"
    assert doubtful_words(text, [(1, 3), (16, 17)]) == [(0, 8), (15, 20)]
    assert doubtful_words(text, [(8, 9)]) == []


def test_each_character_of_chinese_counts_as_a_word() -> None:
    truth = "灯塔建于1874年"
    assert drop_doubtful("灯塔健于1874年", truth, [(2, 3)]) == ("灯塔于1874年",) * 2


@pytest.mark.parametrize("most", [0, 40])
def test_a_long_page_is_cut_at_words_that_both_have_once(monkeypatch, most: int) -> None:
    truth = " ".join(f"w{number} the" for number in range(60))
    read = truth.replace("w7 ", "w 7 ").replace("w30", "other")
    monkeypatch.setattr(holes, "MOST_CELLS", most)
    monkeypatch.setattr(holes, "_MOST_PAIRS", 0)
    texts = drop_doubtful(read, truth, spans_of(truth, "w7", "w30"))
    if most:
        assert default.wer(*texts) == 0
    else:
        assert texts[1] == known_truth(truth, Holes(tuple(spans_of(truth, "w7", "w30"))))


def test_two_long_texts_with_nothing_in_common_stay(monkeypatch) -> None:
    monkeypatch.setattr(holes, "MOST_CELLS", 3)
    assert drop_doubtful("a b c", "x y z", [(0, 1)]) == ("a b c", " y z")
