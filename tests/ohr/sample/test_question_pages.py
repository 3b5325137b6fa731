"""Many questions on few pages of the sample, as the demo asks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ohr.sample import Sample, SampleParams
from ohr.study.config import config_of
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.presets import preset
from ohr.types import PageRef


def test_question_pages_keep_the_questions_on_first_pages(sample_cache: Path) -> None:
    sample = Sample(SampleParams(cache=sample_cache)).load()
    selected = Sample(SampleParams(cache=sample_cache, question_pages=2)).load()
    assert selected.documents == sample.documents
    assert 0 < len(selected.questions) < len(sample.questions)
    assert selected.questions == tuple(
        question
        for question in sample.questions
        if max(page.page_no for page in question.evidence_pages) < 2
    )


@pytest.mark.slow
def test_the_demo_asks_many_questions_about_sixty_pages(tmp_path: Path) -> None:
    config = config_of({"cache": tmp_path}, preset("demo"))
    plan = make_plan(config, load_dataset(config))
    documents = {question.doc_id for question in plan.questions}
    assert documents == set(plan.dataset.documents)
    assert len(documents) == 60
    assert set(plan.reread) == {PageRef(doc_id, 0) for doc_id in documents}
    assert len(plan.questions) > 600
