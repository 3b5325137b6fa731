from __future__ import annotations

import json
import string

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from ohr.metrics import reference

WORDS = st.lists(st.sampled_from("lorem ipsum dolor sit amet".split()), max_size=12)


@pytest.mark.slow
def test_golden_vectors_of_the_published_code_hold_exactly(data_dir):
    lines = (data_dir / "reference" / "metric_golden.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 150
    for line in lines:
        golden = json.loads(line)
        pair = golden["prediction"], golden["reference"]
        assert reference.normalise(pair[0]) == golden["norm_prediction"]
        assert reference.normalise(pair[1]) == golden["norm_reference"]
        assert reference.f1(*pair) == golden["f1"]
        assert reference.em(*pair) == golden["em"]
        assert reference.lcs(*pair) == golden["lcs"]


def textbook_lcs(one: list[str], other: list[str]) -> int:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


@given(WORDS, WORDS.filter(bool))
def test_lcs_agrees_with_the_textbook_table(predicted, expected):
    got = reference.token_lcs(predicted, expected)
    assert got == textbook_lcs(expected, predicted) / len(expected)


BESIDE_WORDS = "\u0301\u0327\u200b\u200c\u200d\uff3f\u203f²½ⅷⒶ一é’“ß"
ASSIGNED = st.characters(exclude_categories=["Cs", "Cn"])


@given(
    st.text("aAn tThHe.,_-'|\t\n\x0b\x1c\x00é“”", max_size=30) | st.text(ASSIGNED, max_size=30)
    | st.lists(st.sampled_from(["a", "An", "the", "A.", "-", "x_y", " ", "\n"])).map("".join)
    | st.lists(st.sampled_from(["a", "an", "The", " ", *BESIDE_WORDS])).map("".join)
    | st.builds("{}a{} the{}".format, ASSIGNED, ASSIGNED, ASSIGNED)
)  # fmt: skip
@example("a\u0301")
@example("a\u200d")
@example("\uff3fthe")
@example("½a²")
def test_tokens_are_those_of_the_published_patterns(text):
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    assert reference.tokens(text) == regex.sub(r"\b(a|an|the)\b", " ", bare).split()


def test_quirks_are_kept():
    assert reference.f1("-5", "5") == 1.0
    assert reference.em("3.14", "314") == 1.0
    assert reference.f1("Option A", "Option B") == pytest.approx(2 / 3)
    assert (reference.em("", ""), reference.f1("", "")) == (1.0, 0.0)
    assert reference.lcs("anything", "") == 0.5
    assert reference.f1("Yes, it is", "Yes") == 0.0


def test_chinese_is_segmented_for_f1_but_not_for_lcs():
    assert 0 < reference.f1("公司总部位于北京", "总部位于上海") < 1
    assert reference.lcs("公司总部位于北京", "总部位于北京") == 0.0


@pytest.mark.slow
@given(st.text(max_size=40), st.text(max_size=40))
def test_edit_distance_is_a_share_of_the_longer_text(one, other):
    distance = reference.edit_distance(one, other)
    assert 0 <= distance <= 1
    assert distance == reference.edit_distance(other, one)
    assert reference.edit_distance(one, f"  {one}\n") == 0
