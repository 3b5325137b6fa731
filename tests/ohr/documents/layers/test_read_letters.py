"""Letters of joined scripts, by what an engine reads in their place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ohr.documents.layers import judge_layers
from ohr.documents.layers import lines as reading
from ohr.documents.layers.glyphs import Glyph
from ohr.documents.layers.lines import choose_lines, lines_of
from ohr.documents.layers.read_letters import ReadLetters
from ohr.documents.layers.states import suspects
from ohr.types import Outcome
from tests.ohr.documents.layers.test_verdict import layer_of, verdict_on

BOOK = "\u0915\u0932\u092e \u0928\u0917\u0930 \u0932\u0917\u0928 \u0915\u092e\u0932"
"""Words of six letters, most of which stand there more than once."""
FONT = {"font": "Hindi/4"}


def exchanged(text, first, second):
    return text.translate(str.maketrans(first + second, second + first))


def state_of_letter(letter, reading):
    """What is known of a letter in whose place an engine reads something."""
    read = ReadLetters({("Hindi/4", letter): {"Tesseract": reading}})
    return read.state(Glyph("Hindi/4", letter, (20, 20, 0)), {"Tesseract": reading})


def test_letters_that_an_engine_reads_are_right():
    verdict = verdict_on(layer_of(BOOK, **FONT), [{"Tesseract": BOOK}])
    assert verdict.note == ""
    assert verdict.unknown == 0
    [unread] = judge_layers([Outcome(layer_of(BOOK, **FONT))])
    assert unread.note == "4 of 4 words could not be checked"


def test_letters_that_have_changed_places_are_named():
    printed = f"{BOOK} {BOOK}"
    layer = layer_of(exchanged(printed, "\u0932", "\u0917"), **FONT)
    verdict = verdict_on(layer, [{"Tesseract": printed}])
    assert "are not those that the page shows" in verdict.fault
    assert "'\u0932' is read as '\u0917'" in verdict.fault


def test_what_else_such_a_font_says_is_doubtful_unless_it_is_read():
    letters = {
        ("Hindi/4", "\u0932"): {"Tesseract": reading.Testimony(others=Counter({"\u0917": 3}))},
        ("Hindi/4", "\u0930"): {"Tesseract": reading.Testimony(2)},
        ("Hindi/4", "\u092e"): {"Tesseract": reading.Testimony(missing=1)},
    }
    read = ReadLetters(letters)
    states = [
        read.state(Glyph("Hindi/4", letter, (20, 20, 0)), {}) for letter in "\u0932\u0930\u092e"
    ]
    assert states == ["wrong", "right", "doubtful"]
    assert read.state(Glyph("Other/5", "\u092e", (20, 20, 0)), {}) is None


@pytest.mark.parametrize(
    ("letter", "reading", "state"),
    [
        ("\u0932", reading.Testimony(others=Counter({"\u0917": 3})), "wrong"),
        ("\u0932", reading.Testimony(others=Counter({"\u0917": 2})), None),
        ("\u0932", reading.Testimony(2, Counter({"\u0917": 2})), None),
        ("\u0932", reading.Testimony(others=Counter({"\u0917": 2, "\u0928": 2})), None),
        ("\u060c", reading.Testimony(others=Counter({".": 5})), None),
        ("\u0627", reading.Testimony(variants=Counter({"\u0623": 2})), "wrong"),
        ("\u0627", reading.Testimony(variants=Counter({"\u0623": 1})), None),
        ("\u0623", reading.Testimony(variants=Counter({"\u0627": 5})), None),
    ],
)
def test_one_letter(letter, reading, state):
    """Other letters count if they are read often, and accents if an engine reads more of them."""
    assert state_of_letter(letter, reading) == state


def test_lines_of_joined_letters_are_read_until_each_letter_is_there_often():
    layer = layer_of("\n".join([BOOK] * 9), **FONT)
    lines = choose_lines([layer], suspects([layer]), only_suspects=False)
    assert len(lines) == 5
    assert all(line.in_doubt for line in lines)


def test_each_font_of_joined_letters_is_read():
    """A title has the letters of the text, in a font that may call them by other names."""
    title = layer_of(BOOK, font="Title/5")
    text = layer_of("\n".join([f"{BOOK} {BOOK}"] * 9), **FONT)
    lines = choose_lines([text, title], set(), only_suspects=False)
    assert {line.page for line in lines} == {0, 1}


def test_lines_that_no_engine_reads_say_which_data_would_help(monkeypatch):
    monkeypatch.setattr("ohr.documents.layers.witnesses._tesseract", lambda script: None)
    layer = layer_of(BOOK, **FONT)
    lines = lines_of(layer, 0)
    unread = choose_lines([layer], set(), only_suspects=False)
    [verdict] = judge_layers([Outcome(layer)], unread, [{} for _ in lines])
    assert (
        "no OCR engine could read 1 line in doubt: Tesseract with its data for 'hin'"
        in verdict.note
    )
    greek = [replace(line, shown="\u03b1\u03b2\u03b3") for line in unread]
    [verdict] = judge_layers([Outcome(layer)], greek, [{} for _ in lines])
    assert (
        "Tesseract with its data for 'ell'" in verdict.note
    )  # it is chosen by what a line looks like
