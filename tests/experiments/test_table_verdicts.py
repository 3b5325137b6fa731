"""Whether tables and headings are worth an engine of their own: decided by retrieval."""

from __future__ import annotations

import pytest

from ohr.adviser.recommend.table_questions import PLAIN, STRUCTURED, table_verdict
from tests.experiments.test_verdicts import Scored


@pytest.mark.parametrize(
    ("structured", "better", "words"),
    [
        (0.9, "structured", "use structured over the layer (words=pdfminer), this project's own"),
        (0.3, "plain", "plain text is enough"),
        (0.601, "", "do not differ significantly"),
    ],
)
def test_tables_are_decided_by_retrieval(structured, better, words):
    run = Scored({PLAIN.label: {"clean": 0.6}, STRUCTURED.label: {"clean": structured}})
    verdict = table_verdict(run, sorted(set(run.rows["qid"])))
    assert verdict.better == better
    assert words in verdict.sentences()[0]
    assert "not assessed: no questions." in table_verdict(None, [], "no questions").sentences()[0]


def test_tables_of_few_documents_or_at_the_ceiling_decide_nothing():
    few = Scored({PLAIN.label: {"clean": 0.2}, STRUCTURED.label: {"clean": 0.9}}, documents=4)
    verdict = table_verdict(few, sorted(set(few.rows["qid"])))
    assert verdict.better == ""
    assert "(4 documents: the smallest possible p is 0.125)" in verdict.sentences()[0]
    most = Scored({PLAIN.label: {"clean": 1.0}, STRUCTURED.label: {"clean": 1.0}})
    most.rows["value"] = most.rows["engine"].map({PLAIN.label: 0.997, STRUCTURED.label: 1.0})
    verdict = table_verdict(most, sorted(set(most.rows["qid"])))
    assert verdict.better == ""
    assert "both at the ceiling, so this decides nothing" in verdict.sentences()[0]
