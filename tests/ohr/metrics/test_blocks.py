from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.tables import parse_tables
from ohr.metrics.blocks import judge_blocks, redundant_commands, shape
from ohr.metrics.matching import assign, best_window
from ohr.metrics.regions import KINDS, regions, text_blocks
from ohr.metrics.tables import Grid
from tests.examples import examples
from tests.patience import ends

WORDS = [f"word{i:03d}" for i in range(230)]
TEXT = " ".join(WORDS[:110]) + ".\n\n" + " ".join(WORDS[110:200]) + "."
FORMULA = r"$$ \frac{a}{b} = \sum_{i=1}^{n} x_i^2 $$"
TABLE = r"""\begin{tabular}{lrr}
& 2016 & 2017 \\
Net sales & 135,987 & 177,866 \\
Operating income & 4,186 & 4,106 \\
\end{tabular}"""
PAGE = f"{TEXT}\n\n{FORMULA}\n\n{TABLE}\n"


def judged(read: str, truth: str = PAGE) -> dict:
    return {
        kind: [result for result in judge_blocks(read, truth) if result.kind == kind]
        for kind in KINDS
    }


def test_a_page_is_cut_into_blocks_by_kind():
    assert [region.kind for region in regions(PAGE)] == ["text", "formula", "table"]
    assert [len(block) for block in text_blocks(regions(PAGE))] == [110, 90]


@given(st.lists(st.integers(1, 400), max_size=12))
def test_blocks_of_running_text_keep_every_word_and_a_bounded_size(lengths):
    counter = iter(range(10_000))
    paragraphs = [[f"word{next(counter)}" for _ in range(n)] for n in lengths]
    blocks = text_blocks(regions("\n\n".join(map(" ".join, paragraphs))))
    kept = [word for block in blocks for word in block]
    total = sum(lengths)
    assert kept == ([f"word{i}" for i in range(total)] if total >= 5 else [])
    assert all(5 <= len(block) <= 155 for block in blocks)
    assert all(len(block) >= 50 for block in blocks[:-1])


@examples(50)
@given(st.lists(st.sampled_from([TEXT, FORMULA, TABLE, "Short.", "\n\n", "# Title\n"]), max_size=6))
def test_a_perfect_reading_has_no_errors(parts):
    page = "\n\n".join(parts)
    for result in judge_blocks(page, page):
        assert result.is_found
        assert result.share == 1
        assert not result.textual
        assert not result.structural


@examples(200)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_judged(read, truth):
    for result in judge_blocks(read, truth):
        assert 0 <= result.share <= 1
        assert result.size > 0


def test_blocks_are_found_wherever_they_stand():
    moved = f"{TABLE}\n\n{' '.join(WORDS[110:200])}\n\n{FORMULA}\n\n{' '.join(WORDS[:110])}"
    for results in judged(moved).values():
        assert not any(result.textual or result.structural for result in results)
        assert all(result.is_found for result in results)


def test_a_few_changed_words_are_an_error_and_one_is_not():
    few = TEXT.replace("word03", "ward03")  # ten words of the first block
    first, second = judged(PAGE.replace(TEXT, few))["text"]
    assert (first.textual, second.textual) == (True, False)
    one = judged(PAGE.replace("word003", "ward003"))["text"][0]
    assert one.share < 1
    assert not one.textual


@pytest.mark.parametrize(("wrong", "textual"), [(5, False), (6, True)])
def test_a_textual_error_is_more_than_five_in_a_hundred_words(wrong, textual):
    read = " ".join(["other"] * wrong + WORDS[wrong:100])
    (result,) = judge_blocks(read, " ".join(WORDS[:100]))
    assert (result.is_found, result.textual) == (True, textual)


def test_structure_of_tables():
    same = TABLE.replace("tabular}{lrr}", "tabular}{|l|r|r|}").replace("135,987", r"$135{,}987$")
    for read, structural in [
        (same, False),
        (TABLE.replace(" & 177,866", ""), False),  # a lost cell is a textual error
        (TABLE.replace("Operating income", "Operating & income"), True),
        (TABLE.replace("177,866 \\\\\n", "177,866 "), True),
        (TABLE.replace("& 2016 & 2017", r"& \multicolumn{2}{c}{2016 2017}"), True),
    ]:
        (result,) = judged(PAGE.replace(TABLE, read))["table"]
        assert result.is_found
        assert result.structural == structural, read
    plain = "2016 2017 Net sales 135,987 177,866 Operating income 4,186 4,106"
    (result,) = judged(PAGE.replace(TABLE, plain))["table"]
    assert (result.is_found, result.textual, result.structural) == (True, False, True)
    (result,) = judged(TEXT)["table"]
    assert not result.is_found


def test_formulas_may_say_or_be_built_otherwise():
    for read, textual, structural in [
        (r"\[\dfrac{a}{b} = \sum\limits^n_{i=1} x^2_i\]", False, False),
        (r"$\frac{a}{d} = \sum_{i=1}^{n} y_i^2$", True, False),
        (r"$\frac{a}{b} = \sum_{i=1}^{n} x_{i2}$", False, True),
        ("a c = \\sum i=1 n x i 2", True, True),
    ]:
        (result,) = judged(PAGE.replace(FORMULA, read))["formula"]
        assert result.is_found
        assert not result.as_written
        assert (result.textual, result.structural) == (textual, structural), read
    (result,) = judged(f"{TEXT}\n{TABLE}")["formula"]
    assert not result.is_found


def test_symbols_of_a_formula_may_be_written_as_characters():
    truth = r"$$ \alpha_{i} \leq \sum_{j} \beta_{j} \times \gamma $$"
    (result,) = judge_blocks("$$ α_i ≤ ∑_j β_j × γ $$", truth)
    assert (result.is_found, result.share, result.structural) == (True, 1, False)


def test_shape_leaves_out_what_is_empty():
    with_blanks = TABLE.replace("& 2016", "& & 2016").replace("sales &", "sales & &")
    with_blanks = with_blanks.replace("income &", "income & &").replace(
        "2017 \\\\", "2017 \\\\ & \\\\"
    )
    one, other = (Grid.from_table(parse_tables(text)[0]) for text in (with_blanks, TABLE))
    assert shape(one) == shape(other) == (3, 3, ())


def test_best_window_and_assignment():
    assert best_window("cd", ["a", "b", "c", "d", "e"])[0] == 1
    assert best_window("", ["a"]) == best_window("a", []) == (0.0, 0, 0)
    share, first, end = best_window("".join(WORDS[50:80]), WORDS)
    assert share == 1
    assert (first <= 50, end >= 80, end - first <= 60) == (True, True, True)
    assert assign(["aa", "bb", "cc"], ["cc", "aa"]) == [(0, 1), (2, 0)]
    assert assign(["aa", "aa"], ["aa", "aa"]) == [(0, 0), (1, 1)]
    assert assign([], ["a"]) == assign(["a"], ["b"]) == []


def test_redundant_commands_are_those_that_the_truth_does_not_have():
    assert redundant_commands(PAGE, PAGE) == 0
    assert redundant_commands(r"**bold** \quad \hline", "") == 4
    assert redundant_commands(r"\hline \hline", r"\hline \textbf{a}") == 1


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["word ", "a", "$x$ ", "| a | b |\n"])
def test_judging_a_reading_that_repeats_itself_comes_to_an_end(piece):
    with ends(cpu_s=30):
        results = judge_blocks(piece * (200_000 // len(piece)), PAGE)
    assert [one.size for one in results] == [110, 90, 11, 10]
    assert not any(result.is_found for result in results)
