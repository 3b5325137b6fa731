"""Alternative answers that bars part, and bars within formulas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.datasets.alternatives import alternatives, doubt, one_alternative


@pytest.mark.parametrize(
    ("field", "answers"),
    [
        ("a|b", ("a", "b")), (" a || b| ", ("a", "b")), ("", ()), ("|", ()),
        ("$|x|$", ("$|x|$",)), ("$|x|$ | $y$", ("$|x|$", "$y$")), ("$a$|$b$", ("$a$", "$b$")),
        ("$P(A|B)$", ("$P(A|B)$",)), ("$$|x|$$|y", ("$$|x|$$", "y")),
        (r"\(|x|\)|z", (r"\(|x|\)", "z")), (r"\[|x|\]", (r"\[|x|\]",)),
        ("$5 | $6", ("$5", "$6")), ("$5|$6|$7", ("$5", "$6", "$7")), ("5$|6$", ("5$", "6$")),
        ("US$5|US$6", ("US$5", "US$6")),
    ],
)  # fmt: skip
def test_a_bar_in_a_formula_parts_nothing(field: str, answers: tuple[str, ...]) -> None:
    assert alternatives(field) == answers
    assert not doubt(field)


@pytest.mark.parametrize("field", ["|x|", "$|x$", "$5|$x", "from $5 | to 6$", "$5|x|$"])
def test_what_is_doubtful_has_a_reason(field: str) -> None:
    assert doubt(field)


@given(st.text(alphabet="$|x5 \\()", max_size=12))
def test_one_alternative_is_read_back_as_one(answer: str) -> None:
    field = one_alternative(answer)
    assert len(alternatives(field)) <= 1
    assert alternatives(field) in [(), (field.strip(),)]


@pytest.mark.slow
def test_long_hostile_fields_are_read() -> None:
    """What is quadratic takes hours for so many signs."""
    for sign in ("$a$|", "\\(", "$|", "|", "\\[|", "$$"):
        assert isinstance(doubt(sign * 40_000), str)
