"""Which text layers of a sample are checked before it is seen whether more need be."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ohr.adviser import sampling
from ohr.adviser.recommend.decision import Decision
from ohr.adviser.recommend.layers import LayerSummary, summarise_layers
from ohr.adviser.recommend.report import take_sentence
from ohr.adviser.sampling import Draw, check_sample, page_ref
from ohr.documents.layers import LayerVerdict
from ohr.ocr.sources import PageSource
from ohr.types import Outcome
from tests.conftest import ROOT

CLEAN, WRONG, IMAGE = Path("clean.pdf"), Path("wrong.pdf"), Path("photo.png")


@pytest.fixture
def checked(monkeypatch):
    """The pages whose layers are checked, call by call; on every second page of one PDF the layer
    is wrong."""
    calls = []

    def verdicts(paths, limits, pages, report):
        calls.append({path.name: list(pages[path]) for path in paths})
        return [
            Outcome(
                [
                    LayerVerdict(
                        fault="it is wrong" if path == WRONG and page % 2 else "", text="a"
                    )
                    for page in pages[path]
                ]
            )
            for path in paths
        ]

    monkeypatch.setattr(sampling, "verified_layers", verdicts)
    monkeypatch.setattr(sampling, "file_digest", str)
    return calls


def draw_of(**lengths: int) -> Draw:
    """A draw of all pages of PDFs, by name, and an image."""
    pages = [
        PageSource(Path(f"{name}.pdf"), f"{name}.pdf", page, 150, None, f"{name}.pdf")
        for name, length in lengths.items()
        for page in range(length)
    ]
    pages.append(PageSource(IMAGE, IMAGE.name, None, 150, None, IMAGE.name))
    files = {page_ref(page).doc_id: page.path for page in pages}
    counts = {page_ref(page).doc_id: 0 for page in pages}
    for page in pages:
        counts[page_ref(page).doc_id] += 1
    return Draw(pages, (), files, counts, {}, {})


@pytest.fixture
def draw_of_sources(monkeypatch):
    """Draws pages as for files with these pages."""

    def draw(sources, budget):
        monkeypatch.setattr(sampling, "find_pages", lambda inputs, dpi: sources)
        monkeypatch.setattr(sampling, "other_kinds", lambda inputs: {})
        return sampling.draw_pages([], 150, budget, 0)

    return draw


def test_where_the_first_layers_are_usable_no_more_are_checked(checked):
    sample = check_sample(draw_of(clean=100), first=10)
    [[first, *rest]] = [pages for [pages] in [each.values() for each in checked]]
    assert first in range(10)  # the start is drawn
    assert rest == list(range(first + 10, 100, 10))
    assert len(sample.checked) == 10
    assert [page.path for page in sample.pages] == [CLEAN] * 10 + [IMAGE]


def test_a_document_with_a_wrong_layer_is_checked_whole(checked):
    sample = check_sample(draw_of(clean=30, wrong=30), first=8)
    first, rest = checked
    assert {name: len(pages) for name, pages in first.items()} == {"clean.pdf": 4, "wrong.pdf": 4}
    assert rest == {"wrong.pdf": list(range(30))}
    assert sum(page.path == WRONG for page in sample.pages) == 30
    assert sum(page.path == CLEAN for page in sample.pages) == 4
    assert sum(map(bool, sample.checked.values())) == 15


def test_every_document_is_looked_at(checked):
    names = {f"file{number}": 2 for number in range(12)}
    sample = check_sample(draw_of(**names), first=5)
    assert len(checked[0]) == 12
    assert {Path(ref.doc_id).stem for ref in sample.checked} == set(names)


def test_one_page_a_document_is_never_always_the_first_one(checked):
    check_sample(draw_of(**{f"file{number}": 9 for number in range(60)}), first=60)
    places = [page for pages in checked[0].values() for page in pages[:1]]
    assert {place // 3 for place in places} == {0, 1, 2}


@pytest.mark.parametrize("documents", [60, 250])
def test_where_one_page_decides_for_a_document_it_is_said(checked, draw_of_sources, documents):
    names = [f"file{number}" for number in range(documents)]
    names[3] = "wrong"
    sources = [
        PageSource(Path(f"{name}.pdf"), f"{name}.pdf", page, 150, None, f"{name}.pdf")
        for name in names
        for page in range(4)
    ]
    draw = draw_of_sources(sources, budget=200)
    summary = summarise_layers(check_sample(draw, first=sampling.LAYERS_CHECKED))
    assert summary is not None
    drawn = min(documents, 200)
    assert summary.several >= sampling.SECOND_PAGES
    assert summary.single + summary.several == drawn
    assert summary.unchecked == documents - drawn
    assert summary.caution.startswith(f"one page decides for each of {summary.single} PDFs")
    unchecked = f"; {documents - drawn} PDFs not checked" if documents > drawn else ""
    assert unchecked in summary.caution
    assert summary.caution.capitalize()[:20] in summary.sentences()[1]
    decision = Decision("rapidocr", "", "best", is_shown=True)
    line = take_sentence(summary, decision, several=False)
    assert f"checked pages; {summary.caution})" in line


def test_of_few_documents_two_pages_are_checked_of_each(checked, draw_of_sources):
    sources = [
        PageSource(Path(f"{name}.pdf"), f"{name}.pdf", page, 150, None, f"{name}.pdf")
        for name, pages in (("long", 500), ("short", 2), ("leaf", 1))
        for page in range(pages)
    ]
    draw = draw_of_sources(sources, budget=200)
    summary = summarise_layers(check_sample(draw, first=sampling.LAYERS_CHECKED))
    assert summary is not None
    assert (summary.several, summary.single, summary.caution) == (2, 0, "")


def test_without_a_limit_every_layer_is_checked(checked):
    sample = check_sample(draw_of(clean=100))
    assert checked == [{"clean.pdf": list(range(100))}]
    assert len(sample.pages) == 101


def test_a_document_that_is_checked_more_closely_narrows_no_interval_of_the_others(checked):
    """All 30 pages of one PDF and 4 of 30 of another say about as much as 14 of both together."""
    summary = summarise_layers(check_sample(draw_of(clean=30, wrong=30), first=8))
    assert summary is not None
    assert (summary.checked, summary.usable, summary.estimated) == (34, 19, 45)
    assert summary.low == 29  # by 34 pages it would be 34


def test_the_summary_has_the_keys_of_the_documented_schema():
    schema = json.loads((ROOT / "docs/reference/recommendation.schema.json").read_text("utf-8"))
    summary = LayerSummary(2, 1, 1, 9, 4, 1, 8, {"it has no text": 1}, single=1)
    jsonschema.validate(summary.json_content(), schema["properties"]["text_layer"])
