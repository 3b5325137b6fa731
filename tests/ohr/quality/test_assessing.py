"""Which pages are assessed: by their writing system, their kind and their signals."""

from __future__ import annotations

import math
from dataclasses import replace

from ohr import registry
from ohr.quality.assessing import ONLY_TEXT, page_pairs, reason_against
from ohr.quality.bounds import apart, write_apart
from ohr.quality.predictor import shipped
from ohr.quality.table import Observation, signal_table
from ohr.quality.truth import TARGETS
from ohr.quality.writing import page_script, scripts_in
from ohr.registry import PluginSpec
from ohr.types import Outcome, PageRef

LATIN, BOTH = frozenset({"Latin"}), frozenset({"Latin", "Chinese and Japanese"})
CHINESE, ENGLISH = (
    "本公司二零二三年度营业收入与净利润均有所增长超过预期" * 3,
    "the cat sat on a mat " * 5,
)


def model(**kinds: float):
    of = {name: dict.fromkeys(TARGETS, share) for name, share in kinds.items()}
    return replace(shipped(), page_kinds=of, scripts={"Latin": 40, "Greek": 2})


def test_only_kinds_whose_intervals_hold_are_assessed():
    a_model = model(scan=0.86, photograph=0.84)
    row = {"disagreement": 0.1, "script": "Latin", "writes_script": True}
    assert reason_against(row | {"page_kind": "scan"}, a_model) == ""
    assert "photographs" in reason_against(row | {"page_kind": "photograph"}, a_model)
    assert "slips" in reason_against(row | {"page_kind": "slip"}, a_model)
    assert reason_against(row, a_model) == ""


def test_too_few_documents_of_a_writing_system_were_fitted():
    row = {"disagreement": 0.1, "writes_script": True}
    assert "Greek" in reason_against(row | {"script": "Greek"}, model(scan=0.9))
    assert reason_against(row | {"script": ""}, model(scan=0.9)) == ""


def test_without_a_signal_beside_the_text_the_reason_is_only_text():
    nothing = {"disagreement": math.nan, "layer": math.nan, "confidence": math.nan}
    assert reason_against(nothing, model(scan=0.9)) == ONLY_TEXT


def test_the_engine_that_can_write_both_says_which_writing_system_it_is():
    scripts = {"first": LATIN, "second": BOTH}
    assert page_script({"first": ENGLISH, "second": CHINESE}, scripts) == "Chinese and Japanese"
    assert page_script({"first": ENGLISH, "second": ENGLISH}, scripts) == "Latin"
    # Without alphabets, both count: the engines disagree, and neither is set aside by a guess.
    assert page_script({"first": ENGLISH, "second": "12"}, {}) == "Latin"
    assert page_script({"first": "12", "second": ""}, scripts) == ""


def test_an_engine_without_the_letters_is_compared_with_no_other():
    ref = PageRef("d/a", 0)
    texts = {"first": ENGLISH, "second": CHINESE, "third": CHINESE[:-2]}
    seen = {name: {ref: Observation(Outcome(text))} for name, text in texts.items()}
    scripts = {"first": LATIN, "second": BOTH, "third": BOTH}
    table = signal_table(seen, {}, scripts=scripts).set_index("engine")
    assert table["writes_script"].tolist() == [False, True, True]
    assert math.isnan(signal_table({k: seen[k] for k in ("first", "second")}, {}, scripts=scripts)
                      .set_index("engine").loc["second", "disagreement"])  # fmt: skip
    assert table.loc["second", "disagreement"] < 0.2
    assert table.loc["first", "apart"] == ""
    assert "cannot write Chinese" in reason_against(
        {"engine": "first"} | table.loc["first"].to_dict(), shipped()
    )


def test_pairs_are_of_the_engines_of_one_page():
    rows = [
        {"engine": "a", "apart": write_apart({"b": apart("one", "two"), "gone": apart("", "x")})},
        {"engine": "b", "apart": write_apart({"a": apart("two", "one")})},
        {"engine": "c", "apart": float("nan")},
    ]
    assert page_pairs(rows) == {("0", "1"): apart("one", "two")}


def test_alphabets_are_those_of_the_models():
    found = {
        name: scripts_in(registry.ocr_engine(PluginSpec(name=name)).alphabet())
        for name in ("tesseract", "rapidocr")
    }
    assert found["tesseract"] == {"Latin"}
    assert {"Latin", "Chinese and Japanese"} <= found["rapidocr"]
    assert "Hangul" not in found["rapidocr"]
