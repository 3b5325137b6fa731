"""Invented text: words that no part of a page supports, and none of a reader's own mistakes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.invented_text import find_invented

LETTERS = "abcdefghijklmnopqrstuvwxyz"
COMMON = ("of", "the", "and", "in", "is")


def vocabulary(seed: int, count: int = 400) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(LETTERS, k=rng.randrange(4, 10))) for _ in range(count)]


OF_PAGE, OF_OTHER_PAGES = vocabulary(1), vocabulary(2)


def sentence(rng: random.Random, words: list[str], length: int) -> list[str]:
    """Words with a common one in every third place."""
    return [rng.choice(COMMON if place % 3 == 1 else words) for place in range(length)]


def page(rng: random.Random, lines: int = 30) -> list[list[str]]:
    return [sentence(rng, OF_PAGE, 12) for _ in range(lines)]


def joined(lines: list[list[str]]) -> str:
    return "\n".join(" ".join(line) for line in lines)


@pytest.mark.parametrize("rate", [0.01, 0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("length", [6, 18])
def test_inserted_sentences_are_found_at_their_rate(rate: float, length: int) -> None:
    rng = random.Random(f"{rate} {length}")
    planted = counted = words = 0
    for _ in range(20):
        lines = page(rng)
        output = list(lines)
        for _ in range(100):
            if rng.random() < rate / (1 - rate) * 360 / length / 100:
                line = sentence(rng, OF_OTHER_PAGES, length)
                output.insert(rng.randrange(len(output) + 1), line)
                planted += length
        result = find_invented(joined(output), joined(lines))
        counted += len(result.spans)
        words += result.words
    assert abs(counted - planted) / words < 0.01
    assert planted


@pytest.mark.parametrize("rate", [0.01, 0.02, 0.05, 0.1, 0.2])
def test_replaced_words_are_found_at_their_rate(rate: float) -> None:
    rng = random.Random(str(rate))
    planted = counted = words = 0
    for _ in range(20):
        lines = page(rng)
        output = [
            [rng.choice(OF_OTHER_PAGES) if rng.random() < rate else word for word in line]
            for line in lines
        ]
        planted += sum(
            a != b for first, other in zip(lines, output, strict=True)
            for a, b in zip(first, other, strict=True)
        )  # fmt: skip
        result = find_invented(joined(output), joined(lines))
        counted += len(result.spans)
        words += result.words
    assert abs(counted - planted) / words < 0.015  # a replaced word may resemble the one before


def misread(rng: random.Random, text: str, rate: float = 0.04) -> str:
    return "".join(
        rng.choice(LETTERS) if char in LETTERS and rng.random() < rate else char for char in text
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_readers_own_mistakes_are_no_inventions(seed: int) -> None:
    rng = random.Random(seed)
    lines = page(rng)
    truth = joined(lines)
    moved = joined(sorted(lines))
    dropped = joined(lines[5:20])
    split = truth.replace("e", "e ")
    glued = truth.replace(" of ", "of")
    marked = "\n\n".join(f"**{line}**" for line in truth.split("\n"))
    for text in (truth, moved, dropped, marked, truth.upper()):
        assert find_invented(text, truth).share == 0
    for text in (split, glued, misread(rng, truth), misread(rng, moved)):
        result = find_invented(text, truth)
        assert result.share < 0.015  # of words of which a sixth is misread
        assert result.longest < 8


def test_repeated_text_is_counted_apart() -> None:
    rng = random.Random(3)
    lines = page(rng)
    result = find_invented(joined([*lines, *lines[3:6], *lines[3:6]]), joined(lines))
    assert result.spans == ()
    assert 0.7 * 72 < result.repeated <= 72  # words of fewer than three letters are not judged


def test_everything_on_a_blank_page_is_invented() -> None:
    rng = random.Random(4)
    words = sentence(rng, OF_PAGE, 20)
    result = find_invented(" ".join(words), "")
    assert (result.share, result.longest) == (1.0, 20)
    assert find_invented("", "").share == 0
    assert find_invented("", " ".join(words)).share == 0


def test_the_spans_are_the_invented_words() -> None:
    truth = "The pump of the northern valley was checked in May and found to be in order."
    invented = "The insurance premium of 18,440 falls due on the first of November."
    text = f"{truth} {invented}"
    result = find_invented(text, truth)
    spans = [text[start:end] for start, end in result.spans]
    assert spans[0] == "The"
    assert {"insurance", "premium", "18,440", "November"} <= {word.strip(".") for word in spans}
    assert result.longest == len(invented.split()) == len(spans)


def test_a_changed_number_is_no_invented_word() -> None:
    truth = "The revenue of the year was 4,812 thousand, and costs were 3,977 thousand."
    assert find_invented(truth.replace("4,812", "9,376"), truth).share == 0


def test_chinese_is_judged_by_letters_in_a_row() -> None:
    truth = "水库的水位在夏季保持稳定，泵站的检查表明设备状态良好。"
    invented = "保险费应于十一月一日缴清"
    result = find_invented(truth + invented, truth)
    assert len(result.spans) >= 9
    assert find_invented(truth, truth).share == 0
    assert find_invented(truth[13:] + truth[:13], truth).share == 0


@given(st.text(max_size=120), st.text(max_size=120))
def test_shares_are_shares(text: str, truth: str) -> None:
    result = find_invented(text, truth)
    assert 0 <= result.share <= 1
    assert 0 <= result.repeated_share <= 1
    assert result.longest <= result.words
    assert sum(result.runs) == len(result.spans)
    assert find_invented(text, text).share == 0
