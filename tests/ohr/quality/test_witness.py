"""Who is right where two outputs differ: the ink decides, and lines that are read again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ohr.quality.page_ink import PageInk
from ohr.quality.witness import SCORE, Seen, judge_page
from tests.ohr.quality.page_pictures import SIZE, draw_page

LINES = [
    "The harbour board met in March to discuss the new crane",
    "It was delivered by rail and lifts about forty tons",
    "The members approved the contract with the foundry",
    "Every clerk received a copy of the printed minutes",
    "Revenue of the harbour rose and dividends remain unchanged",
]
INVENTED = (
    "Insurance premiums doubled because hurricanes damaged electronics factories near Kaohsiung"
)


def with_invention(lines=LINES, place=3):
    return "\n".join([*lines[:place], INVENTED, *lines[place:]])


def reads(page_lines):
    """Recognisers that read a line of the drawn page rightly, by its place."""

    def read(page, boxes):
        numbers = [round(((box[1] + box[3]) / 2 - 50) / 34) for box, _ in boxes]
        return [
            {"one": page_lines[number] if 0 <= number < len(page_lines) else ""}
            for number in numbers
        ]

    return read


def reads_nothing(page, boxes):
    return [{} for _ in boxes]


def never(page, boxes):
    raise AssertionError("no line is to be read again")


def judge(output, witness, image, reader=never, words=None):
    return judge_page(Seen(output), [Seen(witness, words)], lambda: image, reader)


def test_a_sentence_for_which_there_is_no_ink_is_invented():
    image, words = draw_page(LINES)
    result = judge(with_invention(), "\n".join(LINES), image, words=words)
    [passage] = result.invented
    assert passage.text.startswith("Insurance premiums doubled")
    assert (passage.evidence, passage.room) == ("no ink", 0)
    assert result.is_judged
    assert result.invented_words >= 8


def test_the_same_outputs_have_nothing_invented():
    image, words = draw_page(LINES)
    result = judge("\n".join(LINES), "\n".join(LINES), image, words=words)
    assert (result.suspects, result.share, result.is_judged) == ((), 0, True)


def test_an_engine_that_reads_more_than_the_witness_is_not_accused():
    lines = [*LINES[:3], INVENTED, *LINES[3:]]
    image, words = draw_page(lines)
    missed = tuple(word for word in words if word.text not in INVENTED.split())
    result = judge("\n".join(lines), "\n".join(LINES), image, reads(lines), missed)
    assert not result.invented
    assert result.is_judged
    assert result.share > 0.1


def test_where_nobody_can_read_the_ink_nothing_is_judged():
    lines = [*LINES[:3], INVENTED, *LINES[3:]]
    image, words = draw_page(lines)
    missed = tuple(word for word in words if word.text not in INVENTED.split())
    result = judge(
        "\n".join(lines),
        "\n".join(LINES),
        image,
        reads_nothing,
        missed,
    )
    assert not result.invented
    assert not result.is_judged
    assert result.reason == "ink that nobody can read well"


def test_without_boxes_all_lines_are_read_again():
    image, _ = draw_page(LINES)
    result = judge(with_invention(), "\n".join(LINES), image, reads(LINES))
    assert [passage.evidence for passage in result.invented] == ["glyphs"]


def test_a_stretch_that_the_engine_misread_is_not_invented():
    image, words = draw_page(LINES)
    garbled = "Tho mcmbors apprvd te cntroct wlth thc foondry"
    output = "\n".join([*LINES[:2], garbled, *LINES[3:]])
    assert not judge(output, "\n".join(LINES), image, reads(LINES), words).invented


@pytest.mark.parametrize("speckled", [False, True])
def test_what_is_written_of_a_blank_page_is_invented_and_nothing_is_right(speckled):
    image = np.full((800, 600), 248, np.uint8)
    if speckled:
        for x, y in np.random.default_rng(1).integers(10, 590, (40, 2)):
            image[y : y + 3, x : x + 3] = 120
    assert not PageInk(image).lines()
    invented = judge(with_invention(), "", image, words=())
    assert invented.invented
    assert invented.is_blank
    empty = judge("", with_invention(), image, words=())
    assert (empty.invented, empty.is_blank, empty.is_judged) == ((), True, True)


def test_a_blank_page_needs_no_witness_and_any_other_does():
    blank = np.full((800, 600), 248, np.uint8)
    assert judge_page(Seen(INVENTED), [], lambda: blank, never).invented
    image, _ = draw_page(LINES)
    result = judge_page(Seen("\n".join(LINES)), [], lambda: image, never)
    assert (result.is_judged, result.reason) == (False, "there is no witness")


def test_words_whose_box_has_no_ink_are_counted():
    image, words = draw_page(LINES)
    moved = (
        tuple(word.__class__(word.text, 0.9, (700, 420, 760, 440)) for word in words[:5])
        + words[5:]
    )
    output = Seen(with_invention(), moved)
    result = judge_page(output, [Seen("\n".join(LINES), words)], lambda: image, never)
    assert result.without_ink == sum(len(word.text) > 2 for word in words[:5])
    no_boxes = judge_page(
        Seen(with_invention()), [Seen("\n".join(LINES), words)], lambda: image, never
    )
    assert no_boxes.without_ink is None
    honest = judge_page(Seen("\n".join(LINES), words), [Seen("\n".join(LINES))], lambda: image)
    assert honest.without_ink is None  # nothing is without support, so nobody looked


def test_boxes_on_ink_do_not_make_invented_words_right():
    """An engine that replaces a line keeps its boxes: the glyphs there say something else."""
    image, words = draw_page(LINES)
    replaced = LINES[3].split()
    start = len(" ".join(LINES[:3]).split())
    boxes = [word.box for word in words[start : start + len(replaced)]]
    on_ink = tuple(
        words[0].__class__(text, 0.9, boxes[min(place, len(boxes) - 1)])
        for place, text in enumerate(INVENTED.split())
    )
    own = (*words[:start], *on_ink, *words[start + len(replaced) :])
    output = Seen("\n".join([*LINES[:3], INVENTED, *LINES[4:]]), own)
    witness = Seen("\n".join(LINES), words)
    assert judge_page(output, [witness], lambda: image, reads(LINES)).invented
    without_boxes = replace(output, words=None)
    assert judge_page(without_boxes, [witness], lambda: image, reads(LINES)).invented


def test_the_score_of_a_few_words_is_below_that_of_many():
    image, words = draw_page(LINES)

    def score(count):
        output = "\n".join([*LINES[:3], " ".join(INVENTED.split()[:count]), *LINES[3:]])
        return judge(output, "\n".join(LINES), image, words=words).score

    assert 0 < score(4) < score(6) < score(9)
    assert score(9) > SCORE


def test_ink_is_grouped_to_lines_with_about_as_many_letters_as_there_are():
    image, words = draw_page(LINES)
    lines = PageInk(image, words).lines()
    assert len(lines) == len(LINES)
    for line, text in zip(lines, LINES, strict=True):
        assert line.letters == pytest.approx(len(text.replace(" ", "")), rel=0.35)
        assert line.box[3] - line.box[1] < 2 * SIZE
    assert not PageInk(image, words).lines([word.box for word in words])
