"""The verdict of each measure, and the engine that is chosen by them."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.adviser.recommend.decision import Decision, cheapest, decide
from ohr.adviser.recommend.layers import LayerSummary, summarise_layers
from ohr.adviser.recommend.report import (
    doubts,
    further_units,
    take_sentence,
    verdict_sentence,
)
from ohr.adviser.recommend.table import choose
from ohr.adviser.recommend.verdicts import (
    CLOSE,
    TARGETS_OF,
    TITLES,
    Candidate,
    MeasureVerdict,
    error_verdict,
    not_assessed,
    retrieval_verdict,
    speak_for_ocr,
)
from ohr.adviser.sampling import PageSample
from ohr.quality.predictor import shipped
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
    columns = {"engine": np.repeat(names, 20), "layer": 0.1, "status": "ok", "has_layer": False}
    columns["assessed"] = ~np.isnan(np.repeat(errors, 20))
    columns["doc_id"] = [f"d{n}" for n in range(20)] * len(errors)
    columns["page_no"] = 0
    # So unsure that no difference is shown to be within the margin, however little the shipped
    # model doubts: what is tested is what follows from doubt, not how much there is.
    doubts_of = shipped().doubt["layer"]
    columns |= {f"{name}_spread": 1.5 * CLOSE / doubts_of[name] for name in TARGETS}
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
    assert take == "Take a (shown to be best by retrieval LCS; 100 questions of 20 documents)."
    assert retrieval.startswith("Retrieval LCS: best by a, 0.90")
    assert re.search(r"; b, 0\.\d+ \[.*\]: shown to be worse, by 0\.2", retrieval)
    assert "On 100 questions of 20 documents; measured against questions made of" in retrieval


def test_what_is_not_shown_has_a_bound_and_a_number_of_documents():
    run = Scored({"a": {"clean": 0.90}, "b": {"clean": 0.898}})
    take, _, retrieval, more = said_of(run, a=1.0, b=2.0)
    assert "(best mean of retrieval LCS; b may be better; " in take
    assert re.search(r"no significant difference \(none larger than 0\.0\d\)", retrieval)
    assert re.search(r"Retrieval LCS: about [\d,]+ more documents like these would", more)
    few = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.2}}, documents=3)
    _, _, retrieval, more = said_of(few, a=1.0, b=2.0)
    assert "shown to be worse" not in retrieval
    assert "nothing can be shown (3 documents: the smallest possible p is 0.250)" in retrieval
    assert "Retrieval: 3 documents: the smallest possible p is 0.250; use 6 " in more


def test_the_engine_is_chosen_under_the_noise_that_was_asked_for():
    values = {
        "a": {"clean": 0.9, "mild": 0.6, "severe": 0.2},
        "b": {"clean": 0.8, "mild": 0.7, "severe": 0.6},
    }
    clean = Scored({name: {"clean": levels["clean"]} for name, levels in values.items()})
    assert said_of(clean)[0].startswith("Take a ")
    take, _, retrieval, _ = said_of(Scored(values))
    assert take.startswith("Take b ")
    assert retrieval.startswith("Retrieval LCS under mild and severe noise: best by b, 0.6")


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
    near, far = (
        Scored({"a": {"clean": 0.9}, "b": {"clean": low}}, documents=100) for low in (0.897, 0.6)
    )
    assert said_of(near, a=2.0, b=1.0)[0] == (
        "Take b (faster than a, and at most 0.02 from the best by retrieval LCS, wrong characters "
        "and content r_noise; 500 questions of 20 documents)."
    )
    assert said_of(far, a=2.0, b=1.0)[0].startswith("Take a (shown to be best by retrieval LCS;")
    assert said_of(None, 0.1, 0.3, a=2.0, b=1.0)[0].startswith("Take a (shown to be best by")


def test_a_faster_engine_whose_interval_leaves_the_margin_is_not_taken():
    """Not shown to be worse, and near by its mean, is not as good."""
    few = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.88}}, documents=8)
    take = said_of(few, a=2.0, b=1.0)[0]
    assert take.startswith(
        "No OCR engine is shown to be best; for now take a (best mean of retrieval LCS; b may be "
        "better; 40"
    )
    take = said_of(None, 0.1, 0.11, a=2.0, b=1.0)[0]  # predictions are in doubt by more than that
    assert take.startswith(
        "No OCR engine is shown to be best; for now take a (best mean of wrong characters; b may "
        "be better;"
    )


def test_an_engine_that_is_only_ahead_is_not_named_beside_layers_either():
    decision = Decision("a", "", "best mean of wrong characters; b may be better")
    ahead = f"no OCR engine is shown to be best; for now take a ({decision.reason})."
    everywhere, somewhere = (
        SimpleNamespace(is_usable=True, is_everywhere=every, checked=9, usable=8, caution="")
        for every in (True, False)
    )
    assert take_sentence(everywhere, decision, several=False).endswith(
        f"For a page without one: {ahead}"
    )
    assert take_sentence(somewhere, decision, several=False) == (
        "Take the text layer where it is usable (8 of 9 checked pages). For the other pages "
        f"{ahead}"
    )


def test_a_faster_engine_has_to_be_as_good_by_every_measure():
    near = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.897}}, documents=100)
    assert said_of(near, 0.1, 0.1, a=2.0, b=1.0)[0].startswith("Take b (faster than a")
    as_good = "Take a (as good as b within 0.02 by retrieval LCS"
    assert said_of(near, 0.1, 0.11, a=2.0, b=1.0)[0].startswith(f"{as_good};")
    assert said_of(near, 0.1, 0.11, a=1.0, b=2.0)[0].startswith(f"{as_good}, and faster;")
    unknown = said_of(near, 0.1, math.nan, 0.1, a=2.0, b=1.0, c=3.0)[0]
    assert unknown.startswith(f"{as_good};")


@given(
    st.lists(
        st.tuples(st.floats(-0.1, 0.1), st.floats(0, 0.1)).map(lambda t: (t[0], t[0] + t[1])),
        min_size=3,
        max_size=3,
    )
)
def test_speed_decides_only_if_every_whole_interval_is_within_the_margin(intervals):
    verdicts = [
        MeasureVerdict(
            measure,
            (
                Candidate("slow", "slow", 0.5, 0.4, 0.6),
                Candidate("fast", "fast", 0.5, 0.4, 0.6, behind=ends),
            ),
            *(100, 20, "", {}),
        )
        for measure, ends in zip(TITLES, intervals, strict=True)
    ]
    taken = decide(verdicts, {"slow": 2.0, "fast": 1.0}).engine
    within = all(low >= -CLOSE and high <= CLOSE for low, high in intervals)
    assert taken == ("fast" if within else "slow")


def test_equal_scores_on_every_question_are_said_to_be_the_same():
    run = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.9}})
    run.rows["value"] = np.tile(run.rows["value"].to_numpy()[:100], 2)
    take, _, retrieval, _ = said_of(run, a=2.0, b=1.0)
    assert take.startswith(
        "Take b (by retrieval LCS the same as a on every question, and faster; 100"
    )
    assert ": the same on every question." in retrieval
    run.rows.loc[[0, 1], "value"] = run.rows.loc[[1, 0], "value"].to_numpy()  # of one document
    take, _, retrieval, _ = said_of(run, a=2.0, b=1.0)
    assert "the same" not in take + retrieval


@pytest.mark.parametrize(
    ("values", "limit"), [((0.9999, 0.998), "ceiling"), ((0.001, 0.0), "floor")]
)
def test_a_measure_at_the_end_of_its_scale_decides_nothing(values, limit):
    a, b = ({"clean": value} for value in values)
    run = Scored({"a": a, "b": b})
    run.rows["value"] = run.rows["engine"].map({"a": values[0], "b": values[1]})
    take, _, retrieval, _ = said_of(run, 0.3, 0.1, a=1.0, b=2.0)
    assert take == "Take b (shown to be best by wrong characters; 20 pages of 20 documents)."
    assert f"all engines are at the {limit}, so this measure decides nothing: a, " in retrieval
    assert "shown to be worse" not in retrieval
    take = said_of(run, math.nan, math.nan, a=1.0, b=2.0)[0]
    assert f"by retrieval LCS all engines are at the {limit}, so nothing decides" in take
    assert ("(a is the fastest)" in take) == (limit == "ceiling")


def test_engines_without_errors_are_at_the_ceiling():
    take, characters, *_ = said_of(None, 0.0, 0.004, a=1.0, b=2.0)
    assert take.startswith("No OCR engine is recommended: by wrong characters all engines are at")
    assert "all engines are at the ceiling, so this measure decides nothing" in characters
    assert "at the floor" in said_of(None, 1.0, 0.997, a=1.0, b=2.0)[1]


def test_from_one_page_no_engine_is_named():
    table = predicted(0.1, 0.9)
    one = table[table["doc_id"] == "d0"]
    verdict = error_verdict(one, "edit_distance_content")
    decision = decide([verdict], {"a": 2.0, "b": 1.0}, 30.0)
    assert decision.engine == ""
    take = take_sentence(None, decision, several=False)
    assert take.endswith("better cannot be said from 1 page: 8 are needed, 7 more, 4 min.")
    sentence = verdict_sentence(verdict)
    assert "1 page: too few to compare engines, at least 8 are needed" in sentence
    assert "shown to be worse" not in sentence
    few = decide([verdict], {}, 30.0, unread=1)
    assert few.clause.endswith("8 are needed, and these files have 1 more")
    last = decide([verdict], {}, 30.0, unread=0)
    assert take_sentence(None, last, several=False).endswith("and these files have no more.")
    eight = table[table["doc_id"].isin([f"d{n}" for n in range(8)])]
    assert decide([error_verdict(eight, "edit_distance_content")], {}).engine == "a"


def test_retrieval_of_five_documents_names_no_engine():
    run = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.2}}, documents=5)
    take, *_ = said_of(run, math.nan, math.nan)
    assert take == (
        "Which engine is better cannot be said from 5 documents: the smallest possible p is 0.063; "
        "use 6 or more."
    )
    more = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.2}}, documents=6)
    take, *_ = said_of(more, math.nan, math.nan)
    assert take.startswith("Take a (shown to be best by retrieval LCS; 30 questions")


def test_without_a_page_of_the_kind_nothing_is_said_of_it():
    table = predicted(0.1, 0.5).assign(has_layer=True)
    decision = decide([error_verdict(table, target) for target in TARGETS_OF], {})
    assert decision.engine == ""
    layers = summarise_layers(sample_of({"a": [""]}, {"a": 1}))
    assert take_sentence(layers, decision, several=False) == (
        "Take the text layer (usable on the one checked page). For a page without one: which "
        "engine is better is not known: no page without a usable text layer was read."
    )
    table.loc[table["doc_id"] == "d3", "has_layer"] = False
    one = decide([error_verdict(table, target) for target in TARGETS_OF], {})
    assert take_sentence(layers, one, several=False).endswith(
        "For a page without one: which engine is better is not known: 1 such page was read, 8 are "
        "needed."
    )
    few = table[table["doc_id"].isin(["d2", "d3", "d4"])]
    verdicts = [error_verdict(few, target) for target in TARGETS_OF]
    assert decide(verdicts, {}, unread=0).clause == (
        "which engine is better is not known: 1 such page was read, 8 are needed, and these files "
        "have no more"
    )
    table.loc[table["doc_id"].isin([f"d{n}" for n in range(8)]), "has_layer"] = False
    assert decide([error_verdict(table, target) for target in TARGETS_OF], {}).engine == "a"
    assert [speak_for_ocr(*pair) for pair in ((0, 0), (2, 2), (7, 9), (8, 9))] == [0, 1, 0, 1]


def test_retrieval_on_other_pages_does_not_decide():
    run = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.6}})
    retrieval = retrieval_verdict(choose(run, "ab"), "", 20, 0, needs_ocr=False)
    characters = error_verdict(predicted(0.3, 0.1), "edit_distance_content")
    decision = decide([characters, retrieval], {})
    assert (decision.engine, decision.by) == ("b", "characters")
    assert "but by retrieval LCS a is better" in decision.reason


def test_another_measure_that_says_the_opposite_is_named():
    run = Scored({"a": {"clean": 0.9}, "b": {"clean": 0.6}})
    take = said_of(run, 0.9, 0.1, a=1.0, b=1.0)[0]
    assert take == (
        "Take a (shown to be best by retrieval LCS; but by wrong characters b is better and by "
        "content r_noise b is better; 100 questions of 20 documents)."
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


def test_what_one_page_of_a_document_leaves_open_is_said():
    faults = {"a": ["", "it has no text"], "b": [""], "leaf": [""]}
    layers = summarise_layers(sample_of(faults, {"a": 5, "b": 3, "leaf": 1, "c": 2}))
    assert layers is not None
    assert layers.caution == (
        "one page decides for each of 1 PDF; 1 PDF not checked; "
        "of 1 PDF with two or more checked pages, 1 is mixed"
    )
    assert "3 of 4 checked pages of 3 PDFs" in layers.sentences()[0]
    assert layers.json_content()["mixed"] == 1
