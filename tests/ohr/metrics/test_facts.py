"""Facts about a page: what is present, absent, in order, in its cell, or a formula."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from ohr import registry
from ohr.metrics.approximate import match_starts
from ohr.metrics.page_facts import is_true, make_fact, plain_text
from ohr.metrics.scores import SCORING
from ohr.plugins.metric import EvidenceCase
from ohr.types import PageRef, Question
from tests.examples import examples

PAGE = """Harbour Office — Yearly Statement

# Dues of 1874

The **pilots** were paid “by the tide”,
and the keeper by the month.

| Year | Ships | Dues |
| --- | --- | --- |
| 1873 | 412 | 9,120 |
| 1874 | 388 | 8,700 |

The depth is $d = h_0 + \\frac{a}{2}\\cos(\\omega t)$.
"""
HTML = """<table><tr><th rowspan="2">Port</th><th colspan="2">Catch</th></tr>
<tr><th>cod</th><th>eel</th></tr><tr><td>North</td><td>17</td><td>3</td></tr>
<tr><td>South</td><td>21</td><td>8</td></tr></table>"""


def holds(page: str = PAGE, /, **fact: Any) -> bool:
    return is_true(make_fact(fact), page)


@pytest.mark.parametrize(
    ("text", "more", "expected"),
    [
        ('pilots were paid "by the tide", and', {}, True),
        ("Harbour Office - Yearly", {}, True),
        ("harbour office", {}, False),
        ("harbour office", {"case_sensitive": False}, True),
        ("keeper by the mouth", {}, False),
        ("keeper by the mouth", {"max_diffs": 1}, True),
        ("Harbour", {"first_n": 10}, True),
        ("Harbour", {"last_n": 10}, False),
        ("Dues", {"first_n": 10, "last_n": 10}, False),
    ],
)
def test_a_text_is_present_or_absent(text, more, expected):
    assert holds(type="present", text=text, **more) is expected
    assert holds(type="absent", text=text, **more) is not expected


def test_a_page_shorter_than_the_text_does_not_have_it():
    assert not holds(" ", type="present", text="a long phrase")
    assert holds(" ", type="absent", text="a long phrase")


@pytest.mark.parametrize(
    ("before", "after", "edits", "expected"),
    [
        ("pilots were paid", "keeper by the month", 0, True),
        ("keeper by the month", "pilots were paid", 0, False),
        ("pi1ots were paid", "keeper by the month", 0, False),
        ("pi1ots were paid", "keeper by the month", 1, True),
        ("1874", "1874", 0, True),  # twice on the page
        ("Harbour Office", "Harbour Office", 3, False),  # once
    ],
)
def test_one_text_comes_before_another(before, after, edits, expected):
    fact = {"type": "order", "before": before, "after": after, "max_diffs": edits}
    assert holds(**fact) is expected


@pytest.mark.parametrize(
    ("page", "fact", "expected"),
    [
        (PAGE, {"cell": "388", "left": "1874", "right": "8,700", "up": "412"}, True),
        (PAGE, {"cell": "388", "down": "412"}, False),
        (PAGE, {"cell": "412", "down": "388", "top_heading": "Ships"}, True),
        (PAGE, {"cell": "388", "top_heading": "Dues"}, False),
        (PAGE, {"cell": "8,700", "left_heading": "1874"}, True),
        (PAGE, {"cell": "8,700", "left_heading": "388"}, False),
        (PAGE, {"cell": "8.700", "left": "388"}, False),
        (PAGE, {"cell": "8.700", "left": "388", "max_diffs": 1}, True),
        (HTML, {"cell": "21", "top_heading": "cod", "up": "17"}, True),
        (HTML, {"cell": "21", "top_heading": "Catch"}, True),
        (HTML, {"cell": "8", "top_heading": "cod"}, False),
        (HTML, {"cell": "8", "top_heading": "Catch", "left_heading": "South"}, True),
        ("North 17 3", {"cell": "17", "left": "North"}, False),
    ],
)
def test_a_cell_has_its_neighbours_and_headings(page, fact, expected):
    assert holds(page, type="table", **fact) is expected


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"d=h_{0}+\dfrac{a}{2}\cos(\omega t)", True),
        (r"\frac{a}{2}", True),
        (r"\frac{a}{3}", False),
        (r"h_0 \cos", False),
    ],
)
def test_a_formula_is_there_however_it_is_written(latex, expected):
    assert holds(type="math", math=latex) is expected


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        ({"type": "baseline"}, "known: present, absent, order, table, math"),
        ({"type": "present"}, "needs text"),
        ({"type": "present", "text": "<br><b></b>"}, "needs text"),
        ("present", "an object with a type"),
        ({"type": ["present"], "text": "a"}, "known: present"),
        ({"type": "present", "text": 4}, "give a text"),
        ({"type": "present", "text": "a", "max_diffs": -1}, "give a number from 0"),
        ({"type": "present", "text": "a", "first_n": True}, "give a number from 0"),
        ({"type": "table", "cell": "a"}, "needs one of up, down"),
    ],
)
def test_what_is_no_fact_is_named(fact, words):
    with pytest.raises(ValueError, match=words):
        make_fact(fact)


def test_a_fact_has_one_form():
    fact = {"max_diffs": 2, "type": "present", "text": "a", "pdf": "x", "page": 1, "left": ""}
    assert json.loads(make_fact(fact)) == {"max_diffs": 2, "type": "present", "text": "a"}
    assert make_fact(json.loads(make_fact(fact))) == make_fact(fact)


def test_metrics_measure_their_type_and_nothing_is_true_of_an_empty_page():
    facts = {
        "text_present": {"type": "present", "text": "keeper"},
        "text_absent": {"type": "absent", "text": "lighthouse"},
        "text_order": {"type": "order", "before": "pilots", "after": "keeper"},
        "table_cells": {"type": "table", "cell": "388", "left": "1874"},
        "formula_present": {"type": "math", "math": "h_0"},
    }
    ref = PageRef("d/x", 0)
    for name, fact in facts.items():
        question = Question("1", "?", (), "d/x", "d", (ref,), "", "text", fact=make_fact(fact))
        for metric in facts:
            made = registry.create("metric", metric)
            values = [
                made.measure(EvidenceCase((page,), question, SCORING["default"]))
                for page in (PAGE, "", " \n")
            ]
            assert values == [1, 0, 0] if metric == name else all(map(math.isnan, values))


@examples(200)
@given(st.text("ab ", min_size=1, max_size=5), st.text("abc ", max_size=16), st.integers(0, 2))
def test_matches_are_those_that_trying_every_substring_gives(pattern, text, edits):
    best = [
        min(Levenshtein.distance(pattern, text[start:end]) for end in range(start, len(text) + 1))
        for start in range(len(text))
    ]
    starts = match_starts(pattern, text, edits)
    possible = [start for start, distance in enumerate(best) if distance <= edits]
    assert set(starts) <= set(possible)
    assert bool(starts) == bool(possible)
    for start in starts:  # the best of its neighbours
        first = last = start
        while first - 1 in possible:
            first -= 1
        while last + 1 in possible:
            last += 1
        assert best[start] == min(best[first : last + 1])
        assert sum(first <= other <= last for other in starts) == 1


@given(st.text("a*_ b\n—“", max_size=20))
def test_a_plain_text_is_plain_already(text):
    plain = plain_text(plain_text(text))
    assert "\n" not in plain
    assert "—" not in plain
