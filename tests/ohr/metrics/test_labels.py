"""The names of measures: two names for two quantities, everywhere."""

from __future__ import annotations

import json
import re

import pytest

from ohr.display.labels import STAGE_METRICS, mathematical, noise_title
from ohr.metrics.labels import heading, stage_label
from ohr.study.metrics import metric_info, read_metric_infos
from tests.conftest import ROOT

MANIFEST_ENTRY = {"stage": "ocr", "of": "evidence", "higher_is_better": False}


@pytest.mark.parametrize(
    ("stage", "metric", "label"),
    [
        ("retrieval", "lcs", "retrieval LCS"),
        ("retrieval", "hit@2", "retrieval hit@2"),
        ("retrieval", "page_not_found", "page not found"),
        ("generation", "f1", "answer F1, right pages given"),
        ("generation", "em", "exact match, right pages given"),
        ("generation", "f1_no_context", "answer F1 without context"),
        ("overall", "f1", "answer F1, whole system"),
        ("ocr", "r_noise_reference", "r_noise"),
        ("ocr", "r_noise_content", "content r_noise"),
        ("ocr", "r_noise", "r_noise (default tokens)"),
    ],
)
def test_each_measure_has_one_name(stage, metric, label):
    assert metric_info(stage, metric).label == label


def test_figures_of_the_paper_have_the_same_names():
    for stage, metric, label in STAGE_METRICS:
        assert metric_info(stage, metric).label == label
    assert heading(stage_label("overall", "F1")) == "Answer F1, whole system"
    assert heading("r_noise") == "r_noise"
    assert mathematical(noise_title("r_noise_content")) == "Content $r_{noise}$"


@pytest.mark.parametrize(
    ("metric", "before", "scoring", "title"),
    [
        ("r_noise_reference", "published r_noise", "default", "r_noise"),
        ("r_noise_content", "r_noise of the content", "default", "content r_noise"),
        ("r_noise", "r_noise", "default", "r_noise (default tokens)"),
        ("r_noise", "r_noise", "reference", "r_noise"),
        ("mine", "published r_noise", "default", "published r_noise"),
    ],
)
def test_runs_of_earlier_versions_get_todays_names(metric, before, scoring, title):
    entry = MANIFEST_ENTRY | {"metric": metric, "title": before, "basis": ""}
    manifest = json.loads(json.dumps({"config": {"scoring": scoring}, "measures": [entry]}))
    infos = read_metric_infos(manifest)
    assert infos is not None
    assert [info.title for info in infos] == [title]


FORMER = re.compile(
    r"\b(generation|overall) F1\b|r_noise of (the )?content|F1 over gold pages", re.IGNORECASE
)


def test_no_page_has_another_name_for_them():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert [f"{p.name}: {m[0]}" for p in pages for m in FORMER.finditer(p.read_text("utf-8"))] == []
