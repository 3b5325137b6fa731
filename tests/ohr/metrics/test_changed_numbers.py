"""Numbers of a page: found however they are written, and what became of them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.changed_numbers import compare_numbers
from ohr.metrics.invented_text import find_invented
from ohr.metrics.page_numbers import find_numbers

WORDS = ("revenue", "costs", "pump", "valve", "reservoir", "agents", "northern", "district")


def written(text: str) -> list[str]:
    return [text[number.start : number.end] for number in find_numbers(text)]


def test_numbers_are_found_however_they_are_written() -> None:
    text = "$6,000 or 4.812,50, 1'234.50, .5, 12kg, No.5, 12/03/2021 and 2019-2023; 10:30 (917)"
    assert written(text) == [
        *("6,000", "4.812,50", "1'234.50", ".5", "12", "5", "12/03/2021"),
        *("2019", "2023", "10", "30", "917"),
    ]


@pytest.mark.parametrize(
    "text", ["Q3", "A4", "4,8l2", "6,O00", "l,234", "v1.2", "S6,000", "DH-600"]
)
def test_codes_and_misread_numbers_are_no_numbers(text: str) -> None:
    assert written(text) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,234.50", "1234.5"),
        ("1,234,567", "1 234 567"),
        ("1234", "1 234"),
        ("(1,234)", "-1,234"),
        ("−5.2 %", "-5.2%"),
        ("１２", "12"),
        ("$ 6,000", "$6000"),
        ("(2019)", "2019"),
        ("12'000", "12,000"),
        ("**98.5**", "98.5"),
        ("$1{,}200$", "1200"),
    ],
)
def test_other_ways_to_write_a_number_change_nothing(one: str, other: str) -> None:
    for text, truth in ((one, other), (other, one)):
        fates = compare_numbers(f"net of {text} in all", f"net of {truth} in all")
        assert not fates.changed, fates
        assert not fates.dropped
        assert not fates.added


@pytest.mark.parametrize(
    ("truth", "text", "change"),
    [
        ("$6,000", "$60,000", "digit"),
        ("18.40", "18.90", "digit"),
        ("(1,234)", "1,234", "sign"),
        ("-7", "7", "sign"),
        ("12.5", "125", "point"),
        ("4,812", "4.812", "point"),
        ("4,812", "9,377", "other"),
        ("12/03/2021", "12/08/2021", "digit"),
    ],
)
def test_a_changed_number_has_a_kind(truth: str, text: str, change: str) -> None:
    fates = compare_numbers(f"the net is {text} in all", f"the net is {truth} in all")
    assert [each.change for each in fates.changed] == [change]
    assert [each.truth for each in fates.changed] == [truth]
    assert fates.total == 1


def test_a_number_that_cannot_be_read_is_dropped() -> None:
    for text in ("net of 4,8l2 in all", "net of in all", ""):
        fates = compare_numbers(text, "net of 4,812 in all")
        assert (len(fates.changed), fates.dropped) == (0, ("4,812",))


def test_numbers_that_the_page_has_nowhere_are_added() -> None:
    truth = "The pump of 1998 is in order."
    fates = compare_numbers("The pump of 1998 is in order. It cost 4,500 in 1998.", truth)
    assert (fates.right, fates.added) == (1, ("4,500",))


def test_numbers_in_another_order_are_right() -> None:
    rows = [f"{word} {100 + 7 * i} {31 * i + 2}" for i, word in enumerate(WORDS)]
    columns = [*WORDS, *(row.split()[1] for row in rows), *(row.split()[2] for row in rows)]
    for text in ("\n".join(reversed(rows)), " ".join(columns)):
        fates = compare_numbers(text, "\n".join(rows))
        assert (fates.right, fates.total) == (2 * len(WORDS), 2 * len(WORDS))


def test_labels_along_an_axis_are_neither_changed_nor_added() -> None:
    data = "\\begin{tabular}{lr} 2020 & 36,183 \\\\ 2021 & 37,443 \\\\ \\end{tabular}"
    truth = f"Inhabitants grew.\n<chart>\n{data}\n</chart>\nIn 2019 there were 35,000."
    text = "Inhabitants grew.\n40,000 30,000 36,183 20,000 37,943\n2020\nIn 2019 there were 35,000."
    fates = compare_numbers(text, truth)
    assert (fates.right, fates.changed, fates.added) == (4, (), ())
    assert set(fates.dropped) == {"2021", "37,443"}
    assert find_invented(text, truth).share == 0
    fates = compare_numbers(text.replace("35,000", "85,000"), truth)
    assert [each.output for each in fates.changed] == ["85,000"]


def page(rng: random.Random, numbers: int) -> list[str]:
    """Words with numbers among them, at the even places."""
    return [
        f"{rng.randrange(10_000, 99_999):,}" if place % 2 else rng.choice(WORDS)
        for place in range(2 * numbers)
    ]


@pytest.mark.parametrize("rate", [0.01, 0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("kind", ["digit", "dropped", "unreadable", "added"])
def test_planted_errors_are_found_at_their_rate(rate: float, kind: str) -> None:
    rng = random.Random(f"{rate} {kind}")
    count = {"digit": 0, "dropped": 0, "unreadable": 0, "added": 0}
    planted = total = 0
    for _ in range(20):
        truth = page(rng, 60)
        output: list[str] = []
        for place, word in enumerate(truth):
            if not place % 2 or rng.random() >= rate:
                output.append(word)
                continue
            planted += 1
            last = str((int(word[-1]) + rng.randrange(1, 10)) % 10)
            new = {
                "digit": [word[:-1] + last],
                "dropped": [],
                "unreadable": [word[:-1] + "l" + last],
            }
            output += new.get(kind, [word, f"{rng.randrange(200_000, 999_999):,}"])
        fates = compare_numbers(" ".join(output), " ".join(truth))
        total += fates.total
        count["digit"] += len(fates.changed)
        count["dropped"] += len(fates.dropped)
        count["added"] += len(fates.added)
    count["unreadable"] = count["dropped"]
    assert abs(count[kind] - planted) / total < 0.01
    rest = {"digit": "dropped", "dropped": "digit", "unreadable": "digit", "added": "digit"}[kind]
    assert count[rest] / total < 0.01


@given(st.lists(st.sampled_from([*WORDS, "12", "1,500", "(7.5)", "3 %", "2019"]), max_size=40))
def test_a_perfect_reader_is_accused_of_nothing(words: list[str]) -> None:
    truth = " ".join(words)
    for text in (truth, truth.upper(), f"# {truth}", truth.replace(" ", "\n")):
        fates = compare_numbers(text, truth)
        assert not fates.changed
        assert not fates.dropped
        assert not fates.added


@given(st.text(max_size=80), st.text(max_size=80))
def test_every_number_has_one_fate(text: str, truth: str) -> None:
    fates = compare_numbers(text, truth)
    assert fates.right >= 0
    assert fates.total >= len(fates.changed) + len(fates.dropped)
