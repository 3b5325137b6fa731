"""The verdict of each measure, and the engine that is chosen by them."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest

from ohr.adviser.recommend.decision import cheapest, decide
from ohr.adviser.recommend.layers import LayerSummary, summarise_layers
from ohr.adviser.recommend.report import (
    doubts,
    further_units,
    take_sentence,
    verdict_sentence,
)
from ohr.adviser.recommend.table import choose
from ohr.adviser.recommend.table_questions import PLAIN, STRUCTURED, table_verdict
from ohr.adviser.recommend.verdicts import (
    TARGETS_OF,
    error_verdict,
    not_assessed,
    retrieval_verdict,
)
from ohr.adviser.sampling import PageSample
from ohr.quality.truth import TARGETS
from ohr.types import PageRef


def test_of_engines_that_do_as_well_the_fastest_is_taken():
    seconds = {"a": 3.0, "b": 1.0, "c": 2.0}
    assert cheapest(["a", "c"], seconds) == "c"
    assert cheapest(["a"], seconds) == "a"
    assert cheapest(["a", "b"], seconds | {"b": math.nan}) == "a"
    assert cheapest(["a", "d"], seconds) == "a"


class Scored:
    """A run of retrieval: each engine's score of a question, of 20 documents with 5 questions.

    ``values`` are by engine and level: ``clean`` and, where there was noise, levels of it.
    """

    seed = 0

    def __init__(self, values, documents=20):
        rng = np.random.default_rng(0)
        number = np.arange(5 * documents)
        units = {"qid": number.astype(str), "doc_id": (number // 5).astype(str), "page_no": 0.0}
        units |= {"stage": "retrieval", "metric": "lcs", "retriever": "bm25"}
        parts = []
        for engine, by_level in values.items():
            for level, value in by_level.items():
                noise = {"noise": "none", "level": ""}
                if level != "clean":
                    noise = {"noise": "semantic", "level": level}
                near = rng.normal(value, 0.05, len(number))
                parts.append(pd.DataFrame(units | noise | {"engine": engine, "value": near}))
        self.rows = pd.concat(parts, ignore_index=True)


def predicted(*errors):
    """A table of predicted errors: 20 documents of a page, engines a, b and so on."""
    names = list("abcdefghi"[: len(errors)])
    columns = {"engine": np.repeat(names, 20), "layer": 0.1, "status": "ok", "has_layer": True}
    columns["assessed"] = ~np.isnan(np.repeat(errors, 20))
    columns["doc_id"] = [f"d{n}" for n in range(20)] * len(errors)
    columns["page_no"] = 0
    columns |= {f"{name}_spread": 0.1 for name in TARGETS}
    columns |= {f"{name}_mean": np.repeat(errors, 20) for name in TARGETS}
    columns |= {f"true_{name}": math.nan for name in TARGETS}
    return pd.DataFrame(columns)


def said_of(run, *errors, **seconds):
    """The line on what to take, the sentences on characters and retrieval, and the doubts."""
    table = predicted(*(errors or (0.1, 0.1)))
    verdicts = [error_verdict(table, target) for target in TARGETS_OF]
    choice = None
    if run is None:
        verdicts.append(not_assessed("retrieval", "no questions", ()))
    else:
        choice = choose(run, dict.fromkeys(table["engine"]))
        against = "questions made of the text layers"
        verdicts.append(retrieval_verdict(choice, against, 20, further_units(choice)))
    decision = decide(verdicts, seconds)
    several = run is not None and run.rows["retriever"].nunique() > 1
    return (
        take_sentence(None, decision, several=several),
        verdict_sentence(verdicts[0]),
        verdict_sentence(verdicts[2]),
        " ".join(doubts(verdicts, choice, "Transcribe.", "")),
    )


def test_an_engine_is_called_worse_where_that_is_shown():
    take, _, retrieval, _ = said_of(
        Scored({"a": {"clean": 0.9}, "b": {"clean": 0.6}}), a=1.0, b=2.0
    )
    assert take == "Take a (best by retrieval LCS)."
    assert retrieval.startswith("Retrieval LCS: best by a, .90")
    assert re.search(r"; b, \.\d+ \[.*\]: shown to be worse, by \.2", retrieval)
    assert "On 100 questions of 20 documents; measured against questions made of" in retrieval


def test_what_is_not_shown_has_a_bound_and_a_number_of_documents():
    run = Scored({"a": {"clean": 0.90}, "b": {"clean": 0.898}})
    take, _, retrieval, more = said_of(run, a=1.0, b=2.0)
    assert "though not shown to be better than b" in take
    assert re.search(r"no significant difference \(none larger than \.0\d\d\)", retrieval)
    assert re.search(r"Retrieval LCS: about [\d,]+ more documents like these would", more)
    few = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.2}}, documents=3)
    _, _, retrieval, more = said_of(few, a=1.0, b=2.0)
    assert "shown to be worse" not in retrieval
    assert "of fewer than 6 documents nothing can be shown" in more


def test_the_engine_is_chosen_under_the_noise_that_was_asked_for():
    values = {
        "a": {"clean": 0.9, "mild": 0.6, "severe": 0.2},
        "b": {"clean": 0.8, "mild": 0.7, "severe": 0.6},
    }
    clean = Scored({name: {"clean": levels["clean"]} for name, levels in values.items()})
    assert said_of(clean)[0].startswith("Take a ")
    take, _, retrieval, _ = said_of(Scored(values))
    assert take.startswith("Take b ")
    assert retrieval.startswith("Retrieval LCS under mild and severe noise: best by b, .6")


def test_an_engine_that_is_not_distorted_is_no_candidate_under_noise():
    values = {"a": {"clean": 0.9, "mild": 0.5}, "b": {"clean": 0.95}, "c": {"mild": 0.4}}
    values["c"]["clean"] = 0.8
    take, *_ = said_of(Scored(values), 0.1, 0.1, 0.1, a=1.0, b=0.1, c=1.0)
    assert take.startswith("Take a ")


def test_retrievers_are_compared_with_the_engines():
    run = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.5}})
    other = run.rows.assign(retriever="other", value=run.rows["value"] - 0.4)
    run.rows = pd.concat([run.rows, other], ignore_index=True)
    take, _, retrieval, _ = said_of(run)
    assert take.startswith("Take a with bm25")
    assert "b with bm25, " in retrieval


def test_a_cheaper_engine_is_taken_only_where_it_does_as_well():
    near, far = (Scored({"a": {"clean": 0.9}, "b": {"clean": low}}) for low in (0.893, 0.6))
    assert said_of(near, a=2.0, b=1.0)[0].startswith("Take b (faster than a and not shown")
    assert said_of(far, a=2.0, b=1.0)[0].startswith("Take a (best by retrieval LCS)")
    assert said_of(None, 0.1, 0.11, a=2.0, b=1.0)[0].startswith("Take b (faster than a")
    assert said_of(None, 0.1, 0.3, a=2.0, b=1.0)[0].startswith("Take a (best by wrong characters)")


def test_another_measure_that_says_the_opposite_is_named():
    run = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.6}})
    take = said_of(run, 0.9, 0.1, a=1.0, b=1.0)[0]
    assert take == (
        "Take a (best by retrieval LCS; but by wrong characters b is better and by content r_noise "
        "b is better)."
    )


def test_what_is_not_assessed_is_no_reason_to_take_an_engine():
    nan = math.nan
    take, characters, *_ = said_of(None, nan, nan, a=1.0, b=2.0)
    assert take == "No OCR engine is recommended: none was assessed."
    assert characters == "Wrong characters: not assessed: no page has a prediction."
    take, characters, *_ = said_of(Scored({"a": {"clean": 0.9}, "b": {"clean": 0.6}}), nan, nan)
    assert take.startswith("Take a ")
    assert "%" not in characters
    assert "only b was assessed" in said_of(None, nan, 0.1, a=1.0, b=2.0)[0]


def test_the_projects_own_engine_is_said_to_be_its_own():
    verdicts = [error_verdict(predicted(0.1, 0.9).replace({"a": "structured"}), "r_noise_content")]
    table = predicted(0.1, 0.9).replace({"engine": {"a": "structured"}})
    verdicts = [error_verdict(table, "edit_distance_content")]
    line = take_sentence(None, decide(verdicts, {}), several=False)
    assert "structured is this project's own engine" in line


def sample_of(faults, counts):
    """A sample whose checked pages have these faults, by document."""
    checked = {PageRef(name, n): why for name, each in faults.items() for n, why in enumerate(each)}
    return PageSample([], {}, {}, {}, counts, {}, checked=checked, pdfs=frozenset(counts))


def test_layers_are_counted_and_extrapolated():
    every = summarise_layers(sample_of({"a": ["", ""], "b": [""]}, {"a": 2, "b": 1}))
    assert isinstance(every, LayerSummary)
    assert (every.estimated, every.low, every.high) == (3, 3, 3)
    assert every.sentences()[0].endswith("on all 3 checked pages of 2 PDFs.")
    some = summarise_layers(sample_of({"a": [""] * 9 + ["it has no text"]}, {"a": 100}))
    assert some is not None
    assert some.estimated == 90
    assert 9 <= some.low < 90 < some.high <= 99
    assert "9 of 10 checked pages of 1 PDF; of all 100 pages about 90" in some.sentences()[0]
    assert "with OCR; of the checked pages: 1 without text." in some.sentences()[0]
    assert summarise_layers(sample_of({}, {})) is None


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
