"""Engines that write what is not on the page are never taken, and honest ones are not accused."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from ohr.adviser.invented import InventionJudge, Inventions, drop_engines, judged_outputs
from ohr.adviser.own_pages import SampleOutputs
from ohr.adviser.quality.study import predict_errors
from ohr.adviser.recommend.decision import decide
from ohr.adviser.recommend.verdicts import basis, error_verdict
from ohr.adviser.routes.table import Pair, page_routes
from ohr.adviser.sampling import PageSample, page_ref
from ohr.ocr.sources import PageSource
from ohr.quality.table import Observation, signal_table
from ohr.quality.witness import InventedPassage, PageJudgement
from ohr.types import Outcome, PageRef, Word
from tests.ohr.quality.page_pictures import draw_page

PAGES = 8
BLANK = (3, 6)
INVENTED = (
    "Insurance premiums doubled because hurricanes damaged electronics factories near Kaohsiung"
)
FLUENT = (
    "Annual report of the water company. The directors are pleased to state that reservoirs of the "
    "northern valley were filled, and that no restrictions were needed during summer."
)


def lines(page: int) -> list[str]:
    return [
        f"The pump number {7 * page + line} was checked on day {line + 11} and found to be in order"
        for line in range(6)
    ]


def read(page, boxes):
    """A recogniser that reads every line of a page rightly."""
    page_no = next(n for n, grey in enumerate(read.pages) if np.array_equal(grey, page))
    numbers = [round(((box[1] + box[3]) / 2 - 50) / 34) for box, _ in boxes]
    return [
        {"one": lines(page_no)[number] if page_no not in BLANK and 0 <= number < 6 else ""}
        for number in numbers
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages")
    read.pages, read.words = [], []
    for page in range(PAGES):
        grey, words = draw_page([] if page in BLANK else lines(page))
        read.pages.append(grey)
        read.words.append(words)
        Image.fromarray(grey).save(path / f"{page}.png")
    return path


def sampled(folder, **engines) -> SampleOutputs:
    """The outputs of engines: functions of the page's number that give a text."""
    sources = [
        PageSource(folder / f"{page}.png", f"d/{page}", None, 150, None, f"{page}.png")
        for page in range(PAGES)
    ]
    refs = [page_ref(source) for source in sources]
    layers = dict.fromkeys(refs)
    sample = PageSample(sources, layers, {}, {}, dict.fromkeys(map(str, range(PAGES)), 1), {})
    seen = {}
    for name, text_of in engines.items():
        has_words = name.startswith("boxes")
        seen[name] = {
            ref: Observation(
                Outcome.of_text(text_of(page)), (), read.words[page] if has_words else None
            )
            for page, ref in enumerate(refs)
        }
    table = signal_table(seen, layers)
    table["has_layer"], table["wall_s"], table["cpu_s"] = False, 1.0, 1.0
    return SampleOutputs(sample, table, seen, {name: {"wall_s": 1.0} for name in seen})


def honest(page):
    return "" if page in BLANK else "\n".join(lines(page))


def inventing(page):
    real = honest(page).splitlines()
    return FLUENT if not real else "\n".join([*real[:3], INVENTED, *real[3:]])


def only_on_blank(page):
    return FLUENT if page in BLANK else honest(page)


def on_some(page):
    return inventing(page) if page in (1, 4) else honest(page)


def changing(page):
    return re.sub(r"\d+", lambda m: m[0][:-1] + str((int(m[0][-1]) + 3) % 10), honest(page))


def repeating(page):
    return "\n".join([honest(page)] * 3)


def as_table(page):
    rows = [f"| {' | '.join(line.split())} |" for line in honest(page).splitlines()]
    return "# Pumps\n\n![A photograph of a pump house at night](img-0.jpeg)\n\n" + "\n".join(rows)


def judge(folder, **engines):
    outputs = sampled(folder, boxes=honest, **engines)
    return judged_outputs(outputs, InventionJudge(read), lambda each: predict_errors(each, {}))


def decision(outputs, table, inventions):
    rows, _ = basis(table[~table["engine"].isin(list(inventions.vetoes))], outputs.of_layer)
    verdict = error_verdict(rows, "edit_distance_content")
    return decide([verdict], outputs.seconds, vetoed=list(inventions.vetoes))


@pytest.mark.slow
@pytest.mark.parametrize("text_of", [inventing, only_on_blank, on_some])
def test_an_engine_that_invents_is_never_taken(folder, text_of):
    outputs, table, inventions = judge(folder, other=text_of)
    assert list(inventions.vetoes) == ["other"]
    veto = inventions.vetoes["other"]
    assert {ref.doc_id for ref in veto.pages} == {
        f"d/{page}" for page in range(PAGES) if text_of(page) != honest(page)
    }
    assert "invents text, so it is never taken" in veto.sentence
    chosen = decision(outputs, table, inventions)
    assert chosen.engine == "boxes"
    assert chosen.reason == "the only engine that is left: other invents what is not on the pages"


@pytest.mark.slow
def test_a_veto_says_how_many_words_are_where_there_is_no_ink(folder):
    outputs = sampled(folder, boxes=honest, boxes_too=inventing)
    invented = tuple(
        Word(text, 0.9, (60 * place, 270, 60 * place + 50, 290))
        for place, text in enumerate(INVENTED.split())
    )
    outputs.seen["boxes_too"].update(
        (ref, replace(each, words=(*each.words, *invented)))
        for page, (ref, each) in enumerate(outputs.seen["boxes_too"].items())
        if page not in BLANK
    )
    inventions = InventionJudge(read).judge(outputs)
    words = len(invented) * (PAGES - len(BLANK))
    veto = inventions.vetoes["boxes_too"]
    assert veto.without_ink == veto.json_content()["words_without_ink"] == words
    assert f" {words} of its words there are where the page has no ink." in veto.sentence
    table = inventions.add_columns(outputs.table).groupby("engine")["words_without_ink"]
    assert table.sum()["boxes_too"] == words
    assert table.sum()["boxes"] == 0


@pytest.mark.slow
def test_a_blank_page_that_is_read_as_nothing_is_right(folder):
    _, table, inventions = judge(folder, other=inventing)
    blank = table[(table["engine"] == "boxes") & (table["status"] == "empty")]
    assert len(blank) == len(BLANK)
    assert (blank["edit_distance_content_high"] == 0).all()
    assert blank["assessed"].all()
    assert "no invented text was found in the output of boxes" in inventions.lines()


def test_one_page_is_too_few_for_a_veto():
    """RapidOCR was never taken for a faint Chinese line on the only receipt of a folder."""
    passage = InventedPassage("words that nobody else has", 12, 15, 0.0, 40.0, "glyphs")
    accused, other = PageJudgement((passage,)), PageJudgement()

    def inventions(*pages):
        refs = {PageRef("d", number): page for number, page in enumerate(pages)}
        return Inventions({"a": refs}, {"a": {}})

    assert not inventions(accused).vetoes
    assert "too little to tell invention from misreading" in inventions(accused).lines()[0]
    assert inventions(accused).invents("a", PageRef("d", 0))
    assert inventions(accused, accused).vetoes
    assert not inventions(accused, other).vetoes


@pytest.mark.slow
def test_an_engine_that_changes_numbers_is_never_taken(folder):
    outputs, table, inventions = judge(folder, other=changing)
    veto = inventions.vetoes["other"]
    # A few of the changed numbers are also on a line close by.
    numbers = 2 * 6 * (PAGES - len(BLANK))
    assert 0.9 * numbers <= veto.numbers <= numbers
    assert "writes other numbers than the page" in veto.sentence
    assert decision(outputs, table, inventions).engine == "boxes"
    contradicted = table.groupby("engine")["contradicted_numbers"].sum()
    assert contradicted["boxes"] == 0
    assert contradicted["other"] >= 0.9 * numbers


@pytest.mark.slow
def test_recognisers_see_one_grey_of_a_page_in_colour(folder, tmp_path):
    # Yellow paper: its greys differ by rounding.
    for page, grey in enumerate(read.pages):
        yellow = np.stack([grey, grey, np.uint8(0.83 * grey)], axis=-1)
        Image.fromarray(yellow).save(tmp_path / f"{page}.png")
    greys = []

    def note(page, boxes):
        greys.append(page)
        return [{} for _ in boxes]

    def other_text_below(page):
        return "\n".join([*changing(page).splitlines()[:3], INVENTED, FLUENT])

    outputs = sampled(folder, boxes=honest, other=other_text_below)
    sources = [replace(each, path=tmp_path / each.path.name) for each in outputs.sample.pages]
    outputs = replace(outputs, sample=replace(outputs.sample, pages=sources))
    InventionJudge(note).judge(outputs)
    same = {id(grey) for grey in greys}
    assert len(greys) > len(same) == len({grey.tobytes() for grey in greys})


@pytest.mark.slow
@pytest.mark.parametrize("text_of", [honest, repeating, as_table])
def test_repeats_tables_and_descriptions_of_pictures_are_not_invented(folder, text_of):
    _, _, inventions = judge(folder, other=text_of)
    assert not inventions.vetoes
    assert not any(each.invented for pages in inventions.pages.values() for each in pages.values())


@pytest.mark.slow
def test_of_three_engines_the_one_that_invents_is_found_and_charged_to_nobody(folder):
    outputs, table, inventions = judge(folder, second=honest, third=inventing)
    assert list(inventions.vetoes) == ["third"]
    own = outputs.table.set_index(["engine", "doc_id"])
    alone = sampled(folder, boxes=honest, second=honest).table.set_index(["engine", "doc_id"])
    for engine in ("boxes", "second"):
        pd.testing.assert_frame_equal(own.loc[engine], alone.loc[engine], check_like=True)
    assert list(outputs.table["engine"].unique()) == ["boxes", "second", "third"]
    assert decision(outputs, table, inventions).engine in ("boxes", "second", "")
    assert set(table[table["engine"] == "third"]["invented_words"] > 0) == {True}


@pytest.mark.slow
def test_an_engine_that_reads_with_others_is_no_witness_of_these(folder):
    outputs = sampled(folder, boxes=honest, second=only_on_blank, both=only_on_blank)
    assert not InventionJudge(read).judge(outputs).vetoes
    inventions = InventionJudge(read).judge(replace(outputs, composites=frozenset({"both"})))
    assert list(inventions.vetoes) == ["second"]


@pytest.mark.slow
def test_untrusted_text_is_shown_without_control_characters(folder):
    _, _, inventions = judge(
        folder, other=lambda page: inventing(page).replace("near", "\x1b[2Jnear")
    )
    assert "\x1b" not in "".join(inventions.lines())
    assert "\x1b" not in str(inventions.vetoes["other"].json_content())


def test_nothing_changes_without_a_veto(folder):
    outputs = sampled(folder, boxes=honest, other=honest)
    assert drop_engines(outputs, []) is outputs


def routed(**invents):
    page = {
        "doc_id": "d", "page_no": 0, "layer": False, "alone": 0.1, "fast": 0.1, "slow": 0.05,
        "fast_length": 900.0, "slow_length": 900.0, "fast_true": np.nan, "slow_true": np.nan,
    }  # fmt: skip
    for name in ("alone", "fast", "slow"):
        page |= {f"{name}_low": 0.0, f"{name}_high": 0.2}
    page |= {f"{name}_invents": invents.get(name, False) for name in ("fast", "slow")}
    [row] = page_routes(pd.DataFrame([page]), Pair("quick", "best"), 0.09).to_dict("records")
    return row["route"], row["reason"]


def test_no_page_is_routed_to_an_engine_that_invents_on_it():
    assert routed()[0] == "best"
    assert routed(fast=True)[0] == "best"
    assert routed(slow=True)[0] == "quick"
    assert "best invents text on it" in routed(slow=True)[1]
    assert routed(fast=True, slow=True) == ("person", "both engines invent text on it")


def test_a_page_of_a_single_engine_is_judged_by_its_ink_alone(folder):
    outputs = sampled(folder, other=only_on_blank)
    inventions = InventionJudge(read).judge(outputs)
    by_page = [inventions.pages["other"][page_ref(s)] for s in outputs.sample.pages]
    assert [bool(each.invented) for each in by_page] == [page in BLANK for page in range(PAGES)]
    assert [each.is_judged for each in by_page] == [page in BLANK for page in range(PAGES)]
    assert by_page[0].reason == "there is no witness"


def test_no_line_of_a_page_is_read_again_for_its_second_output(folder):
    calls = []

    def count(page, boxes):
        calls.extend((page.tobytes(), *each) for each in boxes)
        return read(page, boxes)

    def fluent_at_the_end(page):
        return f"{honest(page)}\n{FLUENT}"

    # Without boxes of words, all lines of a page are in doubt for either output.
    outputs = sampled(folder, first=inventing, second=fluent_at_the_end)
    InventionJudge(count).judge(outputs)
    assert len(calls) == len(set(calls)) == 6 * (PAGES - len(BLANK))
