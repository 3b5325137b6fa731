"""Alignment of OCR output with the truth: moves first, then words, then characters."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.alignment import Fate, align
from ohr.ocr_errors.words import WORD_KINDS, page_layout, page_words
from tests.examples import examples

FIRST = "the pump must be stopped before its cover is opened by hand".split()
SECOND = "our revenue of last year rose while all costs fell in every region".split()
THIRD = "a tenant pays rent on the third working day of each month without delay".split()
WORDS = st.lists(st.text("abcde", min_size=1, max_size=5), max_size=30)


def fates(truth: str, output: str) -> list[str]:
    return [fate.name for fate in align(truth.split(), output.split()).fates]


def test_each_word_is_kept_rewritten_replaced_or_lost():
    truth = "alpha bravo charlie delta echo"
    assert fates(truth, truth) == ["RIGHT"] * 5
    assert fates(truth, "alpha brovo charlie delta echo")[1] == "REWRITTEN"
    assert fates(truth, "alpha charlie delta echo")[1] == "LOST"
    assert fates(truth, "alpha ~=:;% charlie delta echo")[1] == "RUBBISH"
    assert fates(truth, "") == ["LOST"] * 5


def test_a_missing_space_joins_two_words():
    assert fates("alpha bravo charlie delta", "alpha bravocharlie delta") == [
        "RIGHT", "JOINED", "RIGHT", "RIGHT",
    ]  # fmt: skip


def test_what_stands_for_no_word_is_inserted():
    aligned = align("alpha bravo".split(), "alpha ||| bravo".split())
    assert (aligned.fates, aligned.inserted) == ([Fate.RIGHT] * 2, [(1, "|||")])
    assert aligned.cost(["alpha", "bravo"]) == 4


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("alpha .bravo charlie", ".bravo"),
        ("alpha bravo- charlie", "bravo-"),
        (".alpha bravo charlie", ".alpha"),
        ("alpha bravo charlie'", "charlie'"),
    ],
)
def test_a_speck_that_touches_a_word_belongs_to_it(output, text):
    aligned = align("alpha bravo charlie".split(), output.split())
    assert aligned.inserted == []
    assert [t for t, fate in zip(aligned.texts, aligned.fates, strict=True) if fate] == [text]
    assert {fate for fate in aligned.fates if fate} == {Fate.REWRITTEN}


def test_a_speck_for_a_space_joins_two_words():
    aligned = align("alpha bravo charlie".split(), "alpha bravo'charlie".split())
    assert aligned.fates == [Fate.RIGHT, Fate.JOINED, Fate.RIGHT]
    assert aligned.texts[1] == "bravo'"
    assert aligned.inserted == []
    assert aligned.cost(["alpha", "bravo", "charlie"]) == 1


def test_lost_words_that_stand_elsewhere_have_moved():
    truth = [*FIRST, "Page", "12"]
    aligned = align(truth, ["Page", "12", *FIRST])
    assert set(aligned.fates) == {Fate.RIGHT}
    assert (aligned.inserted, aligned.moved_words) == ([], 2)
    aligned = align([*FIRST, "a"], ["a", *FIRST])
    assert aligned.fates[-1] is Fate.LOST, "a short word is no sign of a move"


@examples(60)
@given(truth=WORDS, output=WORDS)
def test_the_content_in_order_is_what_was_read(truth, output):
    content = align(truth, output).content(truth)
    assert sorted("".join(content.split())) == sorted("".join(output))


def test_a_moved_passage_is_no_loss():
    aligned = align([*FIRST, *SECOND, *THIRD], [*SECOND, *THIRD, *FIRST])
    assert set(aligned.fates) == {Fate.RIGHT}
    assert aligned.moved_passages == 1
    assert aligned.moved_words == len(FIRST)
    assert aligned.share([*FIRST, *SECOND, *THIRD]) == 0


def test_an_error_in_a_moved_passage_is_found():
    output = [*SECOND, *("pumq" if word == "pump" else word for word in FIRST)]
    aligned = align([*FIRST, *SECOND], output)
    assert [i for i, fate in enumerate(aligned.fates) if fate is not Fate.RIGHT] == [1]
    assert aligned.texts[1] == "pumq"


def test_lines_in_pieces_have_moved():
    """An engine that reads the left half of all lines before the right one."""
    lines = [FIRST, SECOND, THIRD]
    left_side = [word for line in lines for word in line[:6]]
    right = [word for line in lines for word in line[6:]]
    aligned = align([*FIRST, *SECOND, *THIRD], [*left_side, *right])
    assert set(aligned.fates) == {Fate.RIGHT}
    assert aligned.inserted == []
    assert aligned.moved_words > 0


@given(st.permutations(range(6)), st.lists(st.integers(1, 12), min_size=5, max_size=5))
def test_pieces_in_any_order_are_no_errors(order, lengths):
    words = [f"word{number}" for number in range(60)]
    cuts = [0, *accumulate(lengths), 60]
    pieces = [words[a:b] for a, b in pairwise(cuts)]
    aligned = align(words, [word for i in order for word in pieces[i]])
    assert set(aligned.fates) == {Fate.RIGHT}
    assert aligned.inserted == []


def test_a_short_word_that_stands_elsewhere_is_lost():
    truth = "alpha of bravo charlie".split()
    assert align(truth, "alpha bravo charlie of".split()).fates[1] is Fate.LOST
    truth = "alpha river bravo charlie".split()
    assert align(truth, "alpha bravo charlie river".split()).fates[1] is Fate.RIGHT


def test_a_repeated_phrase_is_no_move():
    aligned = align([*FIRST, *SECOND], [*FIRST, "the", "pump", *SECOND])
    assert aligned.moved_passages == 0
    assert set(aligned.fates) == {Fate.RIGHT}


@examples(60)
@given(truth=WORDS, output=WORDS)
def test_every_word_has_a_fate_and_the_distance_is_a_share(truth, output):
    aligned = align(truth, output)
    assert len(aligned.fates) == len(aligned.texts) == len(truth)
    assert 0 <= aligned.share(truth) <= 1
    if truth == output:
        assert aligned.cost(truth) == 0


PAGE = (
    "# A title\n\nSome **bold** text with $x^2$ in it.\n\n"
    "\\begin{tabular}{|c|c|}\n\\hline\nYear & Sum \\\\\n2017 & 39 \\\\\n\\end{tabular}\n"
)


def test_words_of_a_page_are_its_content():
    page = page_words(PAGE)
    assert page.words == "A title Some bold text with x2 in it. Year Sum 2017 39".split()
    kinds = [WORD_KINDS[kind] for kind in page.kinds]
    assert kinds[:2] == ["heading"] * 2
    assert kinds[6] == "formula"
    assert kinds[-4:] == ["table"] * 4


def test_words_have_their_places_in_the_source():
    page = page_words(PAGE)
    for number, word in enumerate(page.words):
        if page.kinds[number] != 3:
            assert PAGE[page.starts[number] : page.stops[number]] == word


def test_an_escape_is_mark_up():
    source = "a share of 5\\% in all"
    page = page_words(source)
    assert page.words == ["a", "share", "of", "5%", "in", "all"]
    assert [(mark.kind, source[mark.start : mark.end]) for mark in page.marks] == [("escape", "\\")]


def test_kinds_of_words_and_pages():
    chart = "<chart>\n\\begin{tabular}{|c|}\n2020 \\\\\n\\end{tabular}\n</chart>"
    source = f"Report 2020\n\n{' '.join(FIRST)}\n\n{chart}\n\n{' '.join(SECOND)}\n\nPage 3"
    page = page_words(source)
    kinds = dict(zip(page.words, (WORD_KINDS[kind] for kind in page.kinds), strict=True))
    assert (kinds["Report"], kinds["3"], kinds["pump"]) == ("edge", "page number", "text")
    assert kinds["2020"] == "chart"
    assert page_layout(page) == "charts"
    assert page_layout(page_words(" ".join(FIRST))) == "few words"
    assert page_layout(page_words("$x$ and $y$")) == "formulas"
    assert page_layout(page_words(" ".join(FIRST * 60))) == "long text"


def test_a_word_with_mark_up_inside_has_several_pieces():
    page = page_words("see **bold**, yes")
    assert page.words == ["see", "bold,", "yes"]
    assert page.others == {1: ((12, 13),)}


def test_mark_up_stands_apart():
    marks = {(mark.kind, PAGE[mark.start : mark.end].strip()) for mark in page_words(PAGE).marks}
    assert ("heading", "#") in marks
    assert ("emphasis", "**") in marks
    assert ("table", "&") in marks
