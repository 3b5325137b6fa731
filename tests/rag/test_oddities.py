from __future__ import annotations

import pytest

from rag.readers._oddities import oddities

QUESTION, PAGE = "Which harbour was built in 1902?", "The harbour of Ostend was built in 1902."


@pytest.mark.parametrize(
    ("written", "odd"),
    [
        ("Ostend", []),
        ("", []),
        ("1902", []),
        ("the harbour the harbour the harbour the harbour", ["looping"]),
        ("So: no no no no", ["looping"]),
        ("no no no", []),
        ("100 100 100 kg", []),
        ("Q: which harbour was built in 1902? A: Ostend", ["echoing"]),
        ("Антверпен", ["in_another_script"]),
        ("港口", ["in_another_script"]),
        ("the port of Ostend (Οστάνδη)", []),
        ("Ζεεβρύγγη (Ostend)", ["in_another_script"]),
    ],
)
def test_what_is_odd_is_named(written, odd):
    assert oddities(written, QUESTION, PAGE) == odd


def test_a_script_of_the_page_is_not_another():
    assert oddities("奥斯坦德", "港口在哪里?", "") == []
    assert oddities("奥斯坦德", QUESTION, PAGE + " 奥斯坦德港") == []
    assert oddities("α", "What is the angle?", "the angle " * 200 + "α") == ["in_another_script"]
    assert oddities("什么", "12 + 5?", "17") == []


def test_a_short_question_is_no_echo():
    assert oddities("who is it", "Who is it?", PAGE) == []
