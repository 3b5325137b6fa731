"""How sure an answer is: from the reader to the rows."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pyarrow.parquet as pq
import pytest

from ohr.errors import PluginError
from ohr.plugins import Reader
from ohr.study.results import mean_over_draws, open_run
from ohr.types import Hit, Outcome
from tests.ohr.study.test_readers import run, write_small

SAYS = "tests.ohr.study.test_confidence.Says"
SILENT = "tests.ohr.study.test_confidence.Silent"
BOASTS = "tests.ohr.study.test_confidence.Boasts"


class Says(Reader):
    """As sure as the question is long; of the first fact it does not say."""

    name = "says"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        number = int(question.rstrip("?")[-1])
        return Outcome.of_text("1", confidence=None if number == 0 else number / 4)


class Silent(Reader):
    """Gives the same answers."""

    name = "silent"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        return Outcome.of_text("1")


class Boasts(Reader):
    """More than sure."""

    name = "boasts"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        return Outcome.of_text("1", confidence=1.5)


def test_rows_keep_the_confidence_also_from_stored_answers(tmp_path):
    settings = [*write_small(tmp_path), f"readers=[{{name: {SAYS}, label: r}}]"]
    for out in ("new", "again"):
        run(settings, tmp_path / out)
        rows = pd.read_parquet(tmp_path / out / "rows.parquet")
        assert rows.columns[-1] == "confidence"
        answers = rows[rows["stage"].isin(["generation", "overall"])]
        by_question = answers.groupby("qid", observed=True)["confidence"].agg(["min", "max"])
        assert (by_question["min"].dropna() == by_question["max"].dropna()).all()
        assert sorted(by_question["min"].dropna()) == [0.25, 0.5, 0.75]
        assert rows.loc[~rows.index.isin(answers.index), "confidence"].isna().all()
        assert "confidence" in open_run(tmp_path / out).rows
    first, again = (tmp_path / out / "rows.parquet" for out in ("new", "again"))
    assert first.read_bytes() == again.read_bytes()
    assert not list(tmp_path.rglob("*.before"))


def test_without_a_confidence_a_run_is_as_before(tmp_path):
    settings = write_small(tmp_path)
    run([*settings, f"readers=[{{name: {SILENT}, label: r}}]"], tmp_path / "silent")
    run([*settings, f"readers=[{{name: {SAYS}, label: r}}]"], tmp_path / "says")
    silent, says = (pq.read_table(tmp_path / name / "rows.parquet") for name in ("silent", "says"))
    assert "confidence" not in silent.column_names
    assert silent.equals(says.drop_columns("confidence"))
    assert (tmp_path / "silent" / "cells.csv").read_bytes() == (
        tmp_path / "says" / "cells.csv"
    ).read_bytes()


def test_a_confidence_above_one_is_an_error(tmp_path):
    with pytest.raises(PluginError, match=r"confidence 1\.5: it is a number from 0 to 1"):
        run([*write_small(tmp_path), f"readers=[{{name: {BOASTS}, label: r}}]"], tmp_path / "run")


def test_draws_have_their_mean_confidence():
    rows = pd.DataFrame(
        {
            **{"qid": ["a", "a", "b", "b"], "draw": [0, 1, 0, 1], "status": "ok"},
            **{"value": [0.0, 1.0, 1.0, 1.0], "confidence": [0.2, 0.6, float("nan"), 0.5]},
        }
    )
    means = mean_over_draws(rows).set_index("qid")
    assert means["confidence"].to_dict() == pytest.approx({"a": 0.4, "b": 0.5})
    assert means["value"].to_dict() == {"a": 0.5, "b": 1.0}


def test_a_damaged_confidence_is_asked_for_again():
    from ohr.scoring.answer_kinds import OfText

    kind = OfText()
    assert kind.parsed(["1", "ok", "", {}]) == (Outcome("1"), {})
    assert kind.parsed(["1", "ok", "", {}, 0.5]) == (Outcome("1", confidence=0.5), {})
    for damaged in (2, "x", None, True):
        assert kind.parsed(["1", "ok", "", {}, damaged]) is None
