from __future__ import annotations

import pytest

from ohr import registry
from ohr.errors import ConfigError
from ohr.sample.typesetting.fonts import family_for


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
