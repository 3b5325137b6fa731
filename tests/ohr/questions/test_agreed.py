"""What one engine alone has read is no ground for a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.questions import agreed_texts, make_question_set
from ohr.questions.agreed import UNSURE, mark_unsure
from ohr.types import Page, PageRef
from tests.patience import ends

REF = PageRef("law/lease", 0)
LINE = "The Brill Mill was sold to Ada Crane by the Osk Museum for $12,500 on March 4, 2019."


@given(st.text())
def test_a_page_agrees_with_itself(text):
    assert mark_unsure(text, [text]) == text


def test_a_word_that_one_alone_has_read_is_unsure():
    other = LINE.replace("12,500", "17,500")
    assert mark_unsure(LINE, [other]) == LINE.replace("$12,500", UNSURE)
    assert mark_unsure(LINE, [other, LINE]) == LINE


def test_columns_may_be_read_in_another_order():
    first, second = "Ada Crane sold the mill.", "Osk Museum bought the wheel."
    assert UNSURE not in mark_unsure(f"{first}\n{second}", [f"{second}\n{first}"])


def test_markup_of_one_engine_is_no_difference():
    table = r"\begin{tabular}{lc} Upper floor & 1,200 \\ Water wheel & 300 \\ \end{tabular}"
    plain = "Upper floor 1,200\nWater wheel 300"
    assert mark_unsure(table, [plain]) == table


def test_options_that_are_never_closed_take_linear_time():
    mark_up = r"\begin{a}[" * 60_000
    with ends(cpu_s=20):
        assert mark_unsure(mark_up, [LINE]) == mark_up  # no word of it is in doubt


def test_nothing_unsure_is_asked_or_quoted():
    other = LINE.replace("12,500", "17,500")
    texts = agreed_texts([{REF: LINE}, {REF: other}])
    question_set = make_question_set([Page(REF, "")], texts)
    questions = [*question_set.accepted, *(one.question for one in question_set.rejected)]
    assert not questions
    assert make_question_set([Page(REF, "")], {REF: LINE}).accepted


def test_one_reading_is_refused_and_a_page_of_one_is_left_out():
    with pytest.raises(ValueError, match="two"):
        agreed_texts([{REF: LINE}])
    assert agreed_texts([{REF: LINE}, {}]) == {}
