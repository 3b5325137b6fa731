"""A truth that lacks evidence itself is named."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import pytest

from ohr.datasets.floor import truth_floor
from ohr.datasets.verify import Verification
from ohr.datasets.verify_report import findings_json, floor_table
from ohr.study.notices.truth import declare, floor_note, truth_note
from ohr.types import Page, PageRef, Question

TRUTH = "ground truth"


def question(number: int, domain: str, evidence: str) -> Question:
    doc_id = f"{domain}/d"
    return Question(
        qid=f"q{number}", text="What?", answers=("1",), doc_id=doc_id, domain=domain,
        evidence_pages=(PageRef(doc_id, 0),), evidence_text=evidence, evidence_source="text",
        answer_form="String",
    )  # fmt: skip


QUESTIONS = [
    *(question(number, "law", "the court finds for the tenant") for number in range(6)),
    *(question(number, "news", "the court finds for the tenant") for number in (6, 7)),
    *(question(number, "news", "nothing of this is printed there") for number in (8, 9)),
]
PAGES = {
    ref: Page(ref, "On appeal the court finds for the tenant in all points.")
    for ref in (PageRef("law/d", 0), PageRef("news/d", 0))
}


def test_the_floor_is_the_share_of_evidence_that_the_truth_lacks_by_domain():
    assert truth_floor(QUESTIONS, PAGES) == {"all": (0.2, 10), "law": (0, 6), "news": (0.5, 4)}
    assert truth_floor([replace(QUESTIONS[0], evidence_text=" ")], PAGES) == {}
    assert truth_floor(QUESTIONS, {}) == {}


@pytest.mark.parametrize(
    ("floor", "note"),
    [
        ({"all": 0.2, "law": 0.0, "news": 0.5}, "of 0.20 (news 0.50)"),
        ({"all": 0.09, "law": 0.0, "news": 0.5}, "of 0.09 (news 0.50)"),
        ({"all": 0.5, "news": 0.5}, "of 0.50"),
    ],
)
def test_a_noisy_truth_is_named_with_its_noisy_domains(floor, note):
    cells = pd.DataFrame()
    declare(cells, TRUTH, (), floor=floor)
    assert truth_note(cells) == [f"the ground truth itself has an r_noise {note}"]


def test_a_clean_truth_is_not_named():
    assert floor_note({"all": 0.1, "law": 0.02, "news": 0.1}, TRUTH) == []
    assert floor_note({}, TRUTH) == []


def test_verification_prints_and_writes_the_floor():
    floor = truth_floor(QUESTIONS, PAGES)
    table = floor_table(floor)
    assert list(table.columns[1].cells) == ["0.200 *", "0.000", "0.500 *"]
    written = json.loads(findings_json(Verification(10, ()), floor))
    assert written["truth_r_noise"]["news"] == {"r_noise": 0.5, "questions": 4}
