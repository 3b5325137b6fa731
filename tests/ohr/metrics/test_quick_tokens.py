"""The quick way to the default tokens against the pattern of all writing systems."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.default_tokens import read_tokens, tokens
from tests.examples import examples

PIECES = (
    *(
        "a",
        "A",
        "an",
        "The",
        "aN",
        "tHe",
        "thE",
        "THe",
        "tHE",
        "the",
        "word",
        "Word",
        "x",
        "e",
        "é",
    ),
    *("5", "12", "1,234", "1{,}234", ",567", ".5", "3.14", "(917)", "(90)", "(1999)", "2nd", "H2O"),
    *("-", "--", "–", "−", "$", "\\$", "€", "£", "%", "‰", "+", "=", "<", "<=", ">", "≤", "×", "°"),
    *("\\", "\\alpha", "\\leq", "\\the", "\\an", "\\text{", "\\hline", "\\begin{tabular}{|l|}"),
    *(
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "^",
        "_",
        "_2",
        "^{2}",
        "$_2$",
        "<sub>2</sub>",
        "<td>",
        "&",
        "|",
    ),
    *(".", ",", ":", "'", "’", "“", "”", "…", "•", "*", "**", "/", "~", "#", "@", '"'),
    *(
        " ",
        "  ",
        "\n",
        "\t",
        "\r",
        "\x0b",
        "\x1c",
        "\x00",
        "\x01",
        "\x07",
        "\x7f",
        "\xa0",
        "\u2028",
    ),
    *(
        "中",
        "文",
        "ー",
        "・",
        "한",
        "한국",
        "½",
        "²",
        "₂",
        "ﬁ",
        "ß",
        "İ",
        "ſ",
        "Ⅳ",
        "①",
        "〇",
        "１",
    ),
    *("क", "कि", "ไทย", "٣", "е\u0301", "\u0301", "\u200b", "\xad", "\ud800", "𝐱", "😀"),
)
PARTS = st.sampled_from(PIECES) | st.text(max_size=3) | st.text("aAnNtThHeE1.,-() $", max_size=6)


@examples(2000)
@given(st.lists(PARTS, max_size=14).map("".join), st.integers(0, 2))
def test_the_quick_way_gives_the_tokens_of_the_pattern(text, times):
    # Filled up with plain words, so that what is rare in it does not send all of it the slow way.
    text = "plain words of a page " * 20 * times + text
    assert tokens(text) == read_tokens(text)


@examples(1000)
@given(st.text(max_size=40))
def test_any_text_has_the_tokens_of_the_pattern(text):
    assert tokens(text) == read_tokens(text)


@pytest.mark.skipif("OHR_DATA" not in os.environ, reason="OHR_DATA is not set")
@pytest.mark.parametrize("base", ["gt", "MinerU"])
def test_pages_of_the_benchmark_have_the_tokens_of_the_pattern(base):
    folder = Path(os.environ["OHR_DATA"], "ohrbench", "retrieval_base", base)
    files = sorted(folder.rglob("*.json"))[::20]
    assert files
    for file in files:
        for page in json.loads(file.read_text("utf-8")):
            assert tokens(page["text"]) == read_tokens(page["text"])
