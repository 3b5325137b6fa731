"""Challenging attributes: dense, scanned, multilingual and handwritten documents."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from ohr import registry
from ohr.errors import ConfigError
from ohr.sample import corpus
from ohr.sample.attributes import ATTRIBUTES, attributes_of_pages, check_attributes, count_tokens
from ohr.sample.markdown import page_text
from ohr.sample.typesetting import fonts
from ohr.sample.typesetting.fonts import family_for
from ohr.sample.typesetting.printing import print_document
from ohr.sample.typesetting.render import render


def load(cache, **params):
    spec = {"name": "sample", "params": {"cache": cache, **params}}
    return registry.create("dataset", spec).load()


@pytest.mark.parametrize(
    "n_pages", [pytest.param(6, id="few"), pytest.param(21, id="many", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(("attribute", "seed"), [("handwriting", 4), ("multilingual", 2)])
def test_documents_in_an_installed_font_fit_and_can_be_asked_about(
    tmp_path, attribute, seed, n_pages
):
    try:
        family_for(attribute)
    except ConfigError as error:
        pytest.skip(str(error))
    dataset = load(
        tmp_path, n_pages=n_pages, n_questions=2 * n_pages, seed=seed, attributes=[attribute]
    )
    assert len(dataset.pages) == n_pages
    assert len(dataset.questions) == 2 * n_pages
    assert not dataset.report
    for question in dataset.questions:
        page = "\n".join(dataset.pages[ref].text for ref in question.evidence_pages)
        assert all(part in page for part in question.evidence_text.split("\n") if part.strip())


@pytest.mark.slow
def test_a_dense_document_whose_end_makes_a_page_of_space_is_set_smaller(tmp_path):
    dataset = load(tmp_path, n_pages=42, seed=5, attributes=["dense"])
    assert len(dataset.pages) == 42


def documents_with(attribute: str) -> Iterator[corpus.Written]:
    for number in range(28):
        written = corpus.document(1, number, 3, (attribute,))
        if attribute in written.attributes:
            yield written


@pytest.mark.slow
def test_dense_pages_have_more_tokens_than_the_papers_threshold() -> None:
    dense = list(documents_with("dense"))
    assert 5 <= len(dense) <= 23
    for written in dense[:6]:
        (page,) = written.pages
        said = page_text(page.blocks, written.layout)
        assert count_tokens(said) > 770
        boxes = print_document(written, images=False).arrangement.boxes
        (found,) = attributes_of_pages(written.layout, [said], boxes, [page.blocks])
        assert "dense_text" in found


@pytest.mark.slow
def test_scanned_documents_are_images_that_turn_with_their_boxes() -> None:
    written = next(documents_with("scanned"))
    clean = render(
        written.title,
        written.domain,
        [page.blocks for page in written.pages],
        layout=written.layout,
    )
    scanned = print_document(written, images=True)
    assert scanned == print_document(written, images=True)
    pdf = pypdfium2.PdfDocument(scanned.pdf)
    assert len(pdf) == len(written.pages)
    assert [round(side) for side in pdf[0].get_size()] == [595, 842]
    assert not pdf[0].get_textpage().get_text_range().strip()
    with Image.open(io.BytesIO(scanned.images[0])) as image:
        assert (image.size, image.mode) == ((1240, 1754), "L")
        pixels = np.asarray(image)
    assert 190 < np.median(pixels) < 245
    # The ink of every block is where its turned box says it is.
    for box, before in zip(scanned.arrangement.boxes, clean.arrangement.boxes, strict=True):
        if box.page_no == 0:
            x0, y0, x1, y1 = (round(side * 150 / 72) for side in box.box)
            assert pixels[y0:y1, x0:x1].min() < 110
            assert abs(box.box[0] - before.box[0]) < 8


def test_multilingual_documents_are_chinese() -> None:
    try:
        fonts.family_for("multilingual")
    except ConfigError:
        pytest.skip("no Chinese font is installed")
    written = next(documents_with("multilingual"))
    rendered = print_document(written, images=False)
    shown = pypdfium2.PdfDocument(rendered.pdf)[0].get_textpage().get_text_range()
    said = page_text(written.pages[0].blocks, written.layout)
    chinese = re.findall(r"[\u4e00-\u9fff]", said)
    assert len(chinese) > 200
    assert set(chinese) <= set(shown)
    assert any("？" in str(one.content) for one in written.pages[0].candidates)


@pytest.mark.parametrize(
    ("attribute", "package"), [("multilingual", "fonts-noto-cjk"), ("handwriting", "fonts-breip")]
)
def test_a_font_that_is_not_installed_is_named_with_its_package(
    attribute: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fonts, "installed", fonts._embedded)
    with pytest.raises(ConfigError, match=f"{attribute}.*apt-get install {package}"):
        corpus.document(0, 0, 1, (attribute,))


def test_unknown_attribute_lists_the_known() -> None:
    with pytest.raises(ConfigError, match="'blurred'; known: dense, scanned"):
        check_attributes(("blurred",))
    assert len(ATTRIBUTES) == 4
