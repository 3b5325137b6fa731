"""The record of a noise as it is shown."""

from ohr.report.again import LONGEST, shown_record


def test_a_long_record_is_cut_and_says_so():
    said = shown_record({"name": "x" * (LONGEST + 500)})
    assert len(said) < LONGEST + 50
    assert said.endswith("more characters")
