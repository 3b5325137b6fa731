"""Hits that are searched in one engine's texts and read from another's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import ConfigError
from ohr.scoring.elsewhere import move_hits
from ohr.study.run import run_study
from ohr.types import Hit, KnowledgeBase, Outcome, PageRef
from tests.builders import load_config, write_corpus, write_kb
from tests.examples import examples

REF = PageRef("a", 0)


def base(text):
    return KnowledgeBase({REF: Outcome.of_text(text)}, {})


def hit(text, span):
    return Hit(REF, text[slice(*span)], 1.0, 0, span)


@pytest.mark.parametrize(
    ("page", "span", "other", "text"),
    [
        ("a whole page", (0, 12), "the other page", "the other page"),
        ("one two", (0, 3), "eins zwei", "eins"),
        ("one two", (4, 7), "eins zwei", "zwei"),
        ("one two", (0, 3), "", ""),
        ("", (0, 0), "only there", "only there"),
    ],
)
def test_a_hit_has_the_same_part_of_the_page(page, span, other, text):
    [moved] = move_hits(base(page), base(other), [hit(page, span)])
    assert moved.text == text
    assert other[slice(*moved.span)] == text


@examples(80)
@given(st.text("ab \n", max_size=30), st.text("ab \n", max_size=30), st.data())
def test_hits_that_cover_a_page_cover_the_other(page, other, data):
    cut = data.draw(st.integers(0, len(page)))
    spans = [(0, cut), (cut, len(page))]
    moved = move_hits(base(page), base(other), [hit(page, span) for span in spans])
    covered = set().union(*(range(*each.span) for each in moved))
    assert covered == set(range(len(other)))


def test_a_study_answers_from_the_other_engines_texts(tmp_path):
    settings = write_corpus(tmp_path, documents=3, pages=2)
    for name in ("clear", "unclear"):
        pages = {
            f"{'law' if d % 2 else 'manual'}/doc{d}": [
                f"Fact {n} is answer {n}." if name == "clear" else f"Fact {n}, unknown."
                for n in (1000 * d, 1000 * d + 10)
            ]
            for d in range(3)
        }
        write_kb(tmp_path / "kb" / name, pages)
    engines = "engines=[precomputed:clear,precomputed:unclear]"
    reader = "tests.fakes.FactReader"
    options = [engines, f"readers=[{reader}]", "read_from=[precomputed:clear]"]
    run = run_study(load_config([*settings, *options]), tmp_path / "run")
    assert not run.missing
    cells = run.cells[(run.cells["metric"] == "f1") & (run.cells["group"] == "all")]
    overall = cells[cells["stage"] == "overall"].set_index(["engine", "reader"])["mean"]
    own = [("precomputed:clear", reader), ("precomputed:unclear", reader)]
    elsewhere = ("precomputed:unclear", f"{reader}, reading precomputed:clear")
    assert list(overall.index) == [*own, elsewhere]
    assert overall[elsewhere] == overall[own[0]] > overall[own[1]]
    assert set(cells[cells["stage"] == "generation"]["reader"]) == {reader}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["read_from=[tesserac]"], "not among the engines"),
        (["read_from=[tesseract,tesseract]"], "is given twice"),
        (["read_from=[tesseract]", "stages=[retrieval]"], "is for the stage overall"),
        (["read_from=[tesseract]", "engines=[tesseract]"], "no engine beside"),
    ],
)
def test_what_cannot_be_read_from_is_refused(tmp_path, settings, message):
    defaults = [*write_corpus(tmp_path, documents=1), "engines=[tesseract,rapidocr]"]
    with pytest.raises(ConfigError, match=message):
        run_study(load_config([*defaults, *settings]), tmp_path / "run")
