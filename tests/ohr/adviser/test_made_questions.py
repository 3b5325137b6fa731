"""Questions of PDFs without a text layer are made of what engines agree on."""

from __future__ import annotations

import json
from types import SimpleNamespace

from ohr.adviser.recommend.made_questions import Request, make_questions
from ohr.adviser.sampling import PageSample, page_ref
from ohr.ocr.sources import PageSource
from tests.builders import write_pdf

REQUEST = Request(budget=4, questions=4, retrievers=(), levels=(), dpi=72, seed=0, truth=None)
TEXT = "The harbour board of Varna met in 1931. The harbour of Varna cost 4,200 euros."


def exam(tmp_path, *outputs, layer=None):
    """The source of the questions, and the texts of the pages that are written with them."""
    path = write_pdf(tmp_path / "a.pdf", 2)
    pages = [PageSource(path, "a.pdf", number, 72, None, "a.pdf") for number in (0, 1)]
    refs = [page_ref(page) for page in pages]
    sample = PageSample(pages, {refs[0]: layer, refs[1]: None}, {}, {}, {}, {})
    seen = {
        f"engine{n}": {refs[number]: SimpleNamespace(text=text) for number, text in read.items()}
        for n, read in enumerate(outputs)
    }
    _, origin = make_questions(sample, SimpleNamespace(seen=seen), REQUEST, tmp_path / "out")
    truth = tmp_path / "out" / "exam" / "retrieval_base" / "gt"
    (file,) = truth.rglob("*.json")
    return origin, [page["text"] for page in json.loads(file.read_text())]


def test_a_page_that_two_engines_read_has_the_text_on_which_they_agree(tmp_path):
    origin, texts = exam(tmp_path, {0: TEXT, 1: TEXT}, {0: TEXT})
    assert origin == "of the text layers, and of what engines agree on for 1 page without"
    assert texts == [TEXT, ""]


def test_a_text_layer_comes_before_what_engines_read(tmp_path):
    origin, texts = exam(tmp_path, {0: "x", 1: TEXT}, {0: "x", 1: TEXT}, layer="A layer.")
    assert origin.endswith("for 1 page without")
    assert texts == ["A layer.", TEXT]


def test_one_engine_agrees_with_nothing(tmp_path):
    origin, texts = exam(tmp_path, {0: TEXT, 1: TEXT})
    assert origin == "of the text layers"
    assert texts == ["", ""]
