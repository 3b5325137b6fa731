"""Edits of a page: none repaired is the output, all repaired is the truth; kinds by example."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.ocr_errors.compare import compare_page
from ohr.ocr_errors.error_kinds import ERROR_KINDS

PIECES = st.sampled_from(
    [
        *("alpha", "beta", "gamma", "delta", "1,234.50", "(5)", "17", "re", "port", "report"),
        *("# Head\n", "**bold**", "$x^2$", "$$\na+b\n$$", "\\%", "&", "|", "\\\\\n", "\n\n", "\n"),
        *(" ", "\u00a0", "  ", "国土", "的", "<td>", "</td>", "<table><tr><td>a</td></tr></table>"),
        *(
            "\\begin{tabular}{ll}\n1 & 2 \\\\\n\\end{tabular}\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
        ),
        *("one two three four five six seven ", "eight nine ten eleven twelve thirteen "),
        "the quick brown fox jumps over ",
    ]
)
PAGES = st.lists(PIECES, max_size=25).map("".join)


@settings(max_examples=300, deadline=None)
@given(PAGES | st.text(max_size=60), PAGES | st.text(max_size=60))
def test_no_repair_is_the_output_and_all_repairs_are_the_truth(truth: str, output: str) -> None:
    difference = compare_page(truth, output)
    assert difference.text(()) == output
    assert difference.text(range(len(difference.edits))) == truth
    assert (not difference.edits) == (truth == output)
    assert all(edit.kind in ERROR_KINDS for edit in difference.edits)


@settings(max_examples=100, deadline=None)
@given(PAGES, PAGES, st.integers(0, 2**32 - 1))
def test_some_repairs_keep_every_word_of_one_side(truth: str, output: str, seed: int) -> None:
    difference = compare_page(truth, output)
    drawn = np.random.default_rng(seed).random(len(difference.edits)) < 0.5
    text = difference.text(set(np.flatnonzero(drawn).tolist()))
    for segment in difference.segments:
        expected = segment.truth if segment.edit < 0 or drawn[segment.edit] else segment.output
        assert expected in text


@pytest.mark.parametrize(
    ("truth", "output", "kinds"),
    [
        ("the brown fox", "the brawn fox", ["letters"]),
        ("the BROWN fox", "the Brown fox", ["capitals"]),
        ("sales of 1,234 rose", "sales of 1,284 rose", ["digits_changed"]),
        ("sales of 1,234 rose", "sales of 1,2E4 rose", ["digits_dropped"]),
        ("sales of 1,234 rose", "sales of rose", ["digits_dropped"]),
        ("a report on it", "a re port on it", ["split_joined"]),
        ("a report on it", "areport on it", ["split_joined"]),
        ("the brown fox", "the fox", ["word_lost"]),
        ("one line\n\nsecond line here\n\nthird", "one line\n\nthird", ["line_lost"]),
        ("the fox", "the red fox", ["text_added"]),
        ("the **fox** ran", "the fox ran", ["markup", "markup"]),
        ("the fox\nran", "the fox ran", ["line_breaks"]),
        ("so $x^2$ is", "so $x^3$ is", ["formulas"]),
        (
            "\\begin{tabular}{ll}\na & b \\\\\nccc & 2 \\\\\n\\end{tabular}",
            "\\begin{tabular}{ll}\na & b \\\\\n\\end{tabular}",
            ["table_cells"],
        ),
    ],
)
def test_each_kind(truth: str, output: str, kinds: list[str]) -> None:
    assert [edit.kind for edit in compare_page(truth, output).edits] == kinds


def test_a_passage_in_another_order_is_one_edit() -> None:
    first = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
    second = "one two three four five six seven eight nine ten eleven twelve"
    difference = compare_page(f"{first}\n\n{second}", f"{second}\n\n{first}")
    assert [edit.kind for edit in difference.edits] == ["order", "line_breaks"]
    assert difference.text([0]).split() == f"{first} {second}".split()


def test_words_that_no_text_has_side_by_side_get_a_space() -> None:
    difference = compare_page("one two three", "one")
    lost = [i for i, edit in enumerate(difference.edits) if edit.kind == "word_lost"]
    assert difference.text(lost[:1]).strip() == "one two"


def test_capitals_are_no_wrong_characters_where_the_truth_has_only_capitals() -> None:
    [edit] = compare_page("THE FOX", "the FOX").edits
    [folded] = compare_page("THE FOX", "the FOX", folds_case=True).edits
    assert (edit.characters, folded.characters) == (3, 0)


def test_an_added_word_has_no_length_in_the_truth() -> None:
    [edit] = compare_page("the fox", "the red fox").edits
    assert (edit.start, edit.end) == (4, 4)
    assert edit.characters == 3
