"""Numbers in the documentation have one shape: a zero before the point, and a real minus."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from ohr.statistics.numbers import interval, number, p_value
from tests.conftest import ROOT

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
CODE = re.compile(
    r"```.*?```|``.+?``|`[^`\n]*(?:\n[^`\n]+)?`|\]\([^)]*\)|<[a-zA-Z/][^>]*>|https?://\S+",
    re.DOTALL,
)
"""What is typed as it stands: commands, addresses, tags."""
NO_ZERO = re.compile(r"(?<![\w.`/\\])\.\d\S*")
NO_MINUS = re.compile(r"(?<=[\[| ])-0?\.\d\S*")


def odd_numbers(text: str) -> Iterator[str]:
    """Numbers in prose and tables that begin with a point or a hyphen."""
    prose = CODE.sub("`", text)
    for pattern in (NO_ZERO, NO_MINUS):
        yield from pattern.findall(prose)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_numbers_of_a_page_have_one_shape(page):
    odd = list(odd_numbers(page.read_text("utf-8")))
    assert not odd, f"{page.name}: {', '.join(odd[:5])}"


@pytest.mark.parametrize("text", ["a loss of .05", "| −.093* |", "(p .031)", "| -0.031 |"])
def test_an_odd_number_is_noticed(text):
    assert list(odd_numbers(text))


@pytest.mark.parametrize(
    "text",
    ["0.05", "see `--right .5`", "3.14", "[a](b.2c)", "v.2", "```\np .05\n```", "a .md file"],
)
def test_what_is_no_number_of_prose_is_left_alone(text):
    assert not list(odd_numbers(text))


@pytest.mark.parametrize("written", [number(-0.05), interval(-0.1, 0.1), p_value(0.0002)])
def test_what_the_code_writes_has_that_shape(written):
    assert not list(odd_numbers(f"| {written} |"))
