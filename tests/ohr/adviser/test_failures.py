"""Pages that engines could not read are named, with the reason."""

from __future__ import annotations

from ohr.adviser.failures import page_failures
from ohr.quality.table import Observation
from ohr.types import Outcome, PageRef

PAGE, OTHER = PageRef("d", 0), PageRef("d", 1)


def seen(**outcomes):
    return {
        label: {PAGE: Observation(outcome), OTHER: Observation(Outcome.of_text("text"))}
        for label, outcome in outcomes.items()
    }


def test_what_no_engine_can_read_is_one_reason():
    broken = Outcome.error("the image is cut off")
    assert page_failures(seen(a=broken, b=broken)) == {PAGE: "the image is cut off"}


def test_what_one_engine_cannot_read_names_it():
    outputs = seen(a=Outcome.of_text("text"), b=Outcome.error("too large"))
    assert page_failures(outputs) == {PAGE: "b: too large"}
    outputs = seen(a=Outcome.error("no memory"), b=Outcome.error("too large"))
    assert page_failures(outputs) == {PAGE: "a: no memory; b: too large"}


def test_pages_that_were_read_have_no_reason():
    assert page_failures(seen(a=Outcome.of_text("text"), b=Outcome.of_text(""))) == {}
