"""What a report says of a page's text: its status, and why it is missing."""

from __future__ import annotations

from typing import Any

import pytest

from ohr.report.texts import TRUTH, Texts
from ohr.types import PageRef

REF, FAILED, UNREAD = PageRef("law/a", 0), PageRef("law/a", 1), PageRef("law/a", 2)


class Loaded(Texts):
    """Texts as if they had been read from a run."""

    bases = {TRUTH: {REF: "the truth"}, "gt, severe": {REF: "noise"}}  # noqa: RUF012
    _outcomes = {("gt, severe", FAILED): ("timeout", "used 60 s")}  # noqa: RUF012


@pytest.mark.parametrize(
    ("base", "ref", "outcome"),
    [
        ("gt, severe", REF, ("ok", "")),
        ("gt, severe", FAILED, ("timeout", "used 60 s")),
        ("gt, severe", UNREAD, ("error", "not in the knowledge base")),
        ("gt, mild", REF, ("error", "not in the knowledge base")),
    ],
)
def test_a_page_that_is_in_no_knowledge_base_is_an_error(base, ref, outcome):
    run: Any = None
    assert Loaded(run).outcome(base, ref) == outcome


def test_the_truth_is_that_of_the_run():
    run: Any = None
    assert Loaded(run).truth(REF) == "the truth"
    assert Loaded(run).truth(UNREAD) is None
