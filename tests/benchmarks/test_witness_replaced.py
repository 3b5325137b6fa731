"""Lines that are replaced by invented ones keep their boxes, and the judge finds them."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

from benchmarks._witness_pages import ENGINES, Reading, ReadPage, SourcePage
from benchmarks._witness_replaced import lines_of, replace_lines, replaced_rows, report_replaced
from ohr.types import PageRef, Word
from tests.ohr.quality.page_pictures import draw_page

SOURCE = (
    "insurance premiums doubled because hurricanes damaged electronics factories near kaohsiung "
    "while unions demanded pensions and mechanics welded bicycles behind abandoned cinemas"
).split()
LINES = [
    "The harbour board met in March to discuss the new crane",
    "It was delivered by rail and lifts about forty tons",
    "The members approved the contract with the foundry",
    "Every clerk received a copy of the printed minutes",
    "Revenue of the harbour rose and dividends remain unchanged",
]


def page(lines=6, words=5):
    return tuple(
        Word(f"w{line}{place}", 0.9, (60 + 100 * place, top, 150 + 100 * place, top + 24))
        for line, top in enumerate(range(0, 40 * lines, 40))
        for place in range(words)
    )


def test_words_are_put_in_lines_by_their_boxes():
    assert [len(line) for line in lines_of(page())] == [5] * 6
    assert lines_of(()) == []
    two_columns = (*page(2), *(Word("x", 0.9, (700, top, 760, top + 24)) for top in (0, 40)))
    assert [len(line) for line in lines_of(two_columns)] == [5, 5, 1, 1]


@pytest.mark.parametrize(("part", "count"), [(0.0, 0), (0.1, 1), (1 / 3, 2), (1.0, 6)])
def test_a_part_of_the_lines_is_replaced_in_their_boxes(part, count):
    own = page()
    seen, replaced = replace_lines(own, SOURCE, part, random.Random(1))
    before, after = lines_of(own), lines_of(seen.words)
    changed = [place for place in range(6) if before[place] != after[place]]
    assert replaced == len(changed) == count
    for place in changed:
        assert all(word.text in SOURCE for word in after[place])
        assert after[place][0].box[0] == before[place][0].box[0]
        assert after[place][-1].box[2] == before[place][-1].box[2]
        assert {word.box[1] for word in after[place]} == {before[place][0].box[1]}
    assert seen.text.split("\n")[0] == " ".join(word.text for word in after[0])


def test_a_larger_part_also_replaces_the_lines_of_a_smaller_one():
    few, many = (
        replace_lines(page(), SOURCE, part, random.Random(1))[0].text.split("\n")
        for part in (0.1, 0.5)
    )
    own = replace_lines(page(), SOURCE, 0.0, random.Random(1))[0].text.split("\n")
    for line, more, before in zip(few, many, own, strict=True):
        assert line in (before, more)


def test_the_judge_finds_them_and_accuses_no_honest_output(capsys):
    image, words = draw_page(LINES)
    source = SourcePage("receipt", PageRef("d", 0), Path("d.png"), True)
    reading = Reading("\n".join(LINES), words)
    read = ReadPage(source, "clean", dict.fromkeys(ENGINES, reading), Path("d.png"))

    def reader(_, boxes):
        return [{"one": LINES[round(((b[1] + b[3]) / 2 - 50) / 34)]} for b, _ in boxes]

    rows = pd.DataFrame(list(replaced_rows(read, {"other": SOURCE}, image, reader)))
    assert rows.groupby("part")["is_judged_invented"].sum().tolist() == [0, 2, 2]
    assert rows.groupby("part")["replaced"].sum().tolist() == [0, 2, 4]
    report_replaced(rows)
    printed = capsys.readouterr().out
    assert "clean, honest: 0 of 2 outputs of 1 documents called invented" in printed
    assert "clean, 33% of the lines replaced: 2 of 2 outputs" in printed
