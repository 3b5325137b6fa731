"""Ranks, grades and the agreement of judges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.analysis.judging.table import (
    agreement,
    grade_differences,
    is_better,
    mean_grades,
    pair_counts,
    top_shares,
)
from ohr.statistics.agreement import cohens_kappa
from tests.examples import examples


def preferences(*rows: tuple[str, str, str, str, str]) -> pd.DataFrame:
    names = ["qid", "first", "second", "as_given", "swapped"]
    frame = pd.DataFrame(rows, columns=names)
    known_values = {"judge": "j", "knowledge_base": "kb", "category": "", "asked": True}
    return frame.assign(doc_id=frame["qid"], **known_values)


def test_ranks_are_by_wins_and_equal_ranks_share() -> None:
    table = preferences(
        *(("q1", "a", "b", "a", "a"), ("q1", "a", "c", "a", "c"), ("q1", "b", "c", "c", "c")),
        *(("q2", "a", "b", "tie", "tie"), ("q2", "a", "c", "a", "a"), ("q2", "b", "c", "b", "b")),
        *(("q3", "a", "b", "", "a"), ("q3", "a", "c", "a", "a"), ("q3", "b", "c", "b", "b")),
    )
    shares = top_shares(table).set_index("system")["share"]
    assert shares.to_dict() == {"a": 0.5, "b": 0.25, "c": 0.25}
    counts = pair_counts(table).set_index(["first", "second"])
    assert counts.loc[("a", "b"), "not_judged"] == 1
    assert counts.loc[("a", "c"), "orders_agree"] == pytest.approx(2 / 3)


def test_ungraded_aspects_are_left_out_and_counted() -> None:
    base = {
        "judge": "j",
        "knowledge_base": "kb",
        "system": "a",
        "doc_id": "d",
        "category": "",
        "aspect": "overall",
    }
    grades = pd.DataFrame([base | {"qid": n, "grade": g} for n, g in enumerate([5, np.nan, 2])])
    [row] = mean_grades(grades).to_dict("records")
    assert (row["mean"], row["n"], row["ungraded"]) == (3.5, 2, 1)
    assert np.isnan(row["ci_low"])  # of one document


def graded(first: list[float], second: list[float], documents: int) -> pd.DataFrame:
    """Overall grades of two systems on the same questions, in turn of so many documents."""
    return pd.DataFrame(
        [
            {"judge": "j", "knowledge_base": "kb", "system": system, "aspect": "overall"}
            | {
                "qid": f"q{index}",
                "doc_id": f"d{index % documents}",
                "category": "",
                "grade": grade,
            }
            for system, given in (("a", first), ("b", second))
            for index, grade in enumerate(given)
        ]
    )


def test_grades_are_compared_on_the_same_questions_by_document() -> None:
    hard = [1.0, 4.0] * 12  # questions differ more than systems do
    [row] = grade_differences(graded([one + 1 for one in hard], hard, 12)).to_dict("records")
    assert (row["difference"], row["ci_low"], row["ci_high"]) == (1, 1, 1)
    assert (row["n"], row["n_documents"], row["ci_unit"]) == (24, 12, "document")
    assert row["p_adjusted"] < 0.01
    assert is_better(row) == "a"
    [few] = grade_differences(graded([5.0] * 24, [1.0] * 24, 2)).to_dict("records")
    assert np.isnan([few["p"], few["ci_low"]]).all()
    assert is_better(few) == ""


def test_no_system_is_better_where_the_ungraded_could_turn_it_round() -> None:
    first, second = [3.0] * 24, [2.0] * 24
    [whole] = grade_differences(graded(first, second, 12)).to_dict("records")
    assert (whole["least"], whole["most"], is_better(whole)) == (1, 1, "a")
    [row] = grade_differences(graded([*first[:12], *[np.nan] * 12], second, 12)).to_dict("records")
    assert (row["n"], row["ungraded"]) == (12, 12)
    assert (row["difference"], row["least"], row["most"]) == (1, 0, 2)
    assert is_better(row) == ""


def test_preferences_are_tested_over_documents_and_corrected() -> None:
    table = preferences(
        *((f"q{position}", "a", "b", "a", "a") for position in range(10)),
        *((f"q{position}", "a", "c", *["ac"[position % 2]] * 2) for position in range(10)),
    )
    won, even = pair_counts(table).to_dict("records")
    assert won["difference"] == 1
    assert won["p_adjusted"] == pytest.approx(2 * won["p"])
    assert is_better(won) == "a"
    assert (even["difference"], is_better(even)) == (0, "")
    assert even["ci_low"] < 0 < even["ci_high"]
    shares = top_shares(table.head(10)).set_index("system")
    assert shares.loc["a", "ci_low"] < shares.loc["a", "share"] == 1


def test_agreement_of_one_judge_is_empty() -> None:
    base = {
        "judge": "j",
        "knowledge_base": "kb",
        "system": "a",
        "doc_id": "d",
        "category": "",
        "aspect": "overall",
    }
    grades = pd.DataFrame([base | {"qid": "q", "grade": 3}])
    assert agreement(grades, preferences(("q", "a", "b", "a", "a"))).empty


def test_kappa_is_agreement_beyond_chance() -> None:
    # 45 yes-yes, 15 yes-no, 25 no-yes, 15 no-no: seen .60, by chance .54
    first = ["yes"] * 60 + ["no"] * 40
    second = ["yes"] * 45 + ["no"] * 15 + ["yes"] * 25 + ["no"] * 15
    assert cohens_kappa(first, second) == pytest.approx((0.60 - 0.54) / 0.46)
    assert cohens_kappa(first, first) == 1
    assert np.isnan(cohens_kappa([], []))
    assert np.isnan(cohens_kappa([1, 1], [1, 1]))
    with pytest.raises(ValueError, match="1 and 2 ratings"):
        cohens_kappa([1], [1, 2])


@examples(100)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30))
def test_kappa_is_symmetric_and_bounded(pairs: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    kappa = cohens_kappa(first, second)
    if not np.isnan(kappa):
        assert kappa == pytest.approx(cohens_kappa(second, first))
        assert -1 <= kappa <= 1
