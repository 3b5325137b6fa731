"""Which text layers of a sample are checked before it is seen whether more need be."""

from __future__ import annotations

from pathlib import Path

import pytest

from ohr.adviser import sampling
from ohr.adviser.recommend.layers import summarise_layers
from ohr.adviser.sampling import Draw, check_sample, page_ref
from ohr.documents.layers import LayerVerdict
from ohr.ocr.sources import PageSource
from ohr.types import Outcome

CLEAN, WRONG, IMAGE = Path("clean.pdf"), Path("wrong.pdf"), Path("photo.png")


@pytest.fixture
def checked(monkeypatch):
    """The pages whose layers are checked, call by call; on every second page of one PDF the layer
    is wrong."""
    calls = []

    def verdicts(paths, limits, pages):
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


def test_where_the_first_layers_are_usable_no_more_are_checked(checked):
    sample = check_sample(draw_of(clean=100), first=10)
    assert checked == [{"clean.pdf": list(range(0, 100, 10))}]
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
