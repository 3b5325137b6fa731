from __future__ import annotations

import pandas as pd
import pytest

from experiments.analyse_errors import main
from ohr.analysis.curves.table import axis_of
from ohr.analysis.error_analysis.table import CASES, case_shares, distinct
from ohr.errors import OhrError
from ohr.study.results import StudyRun, rows_of
from tests.builders import CliRunner


def test_shares_of_the_four_cases(formatting_run):
    found = case_shares(formatting_run, 0.5, "generation")
    assert found[list(CASES)].sum(axis=1).to_numpy() == pytest.approx(1)
    mine = found[(found["group"] == "all") & (found["level"] == "moderate")].set_index("reader")
    rows = rows_of(formatting_run.rows, "ocr", "r_noise_reference")
    noise = rows[rows["level"] == "moderate"]["value"].mean()
    misread = mine["ocr_wrong_answer_right"] + mine["ocr_wrong_answer_wrong"]
    assert list(misread) == pytest.approx([noise, noise])
    fact, steady = (f"tests.fakes.{name}Reader" for name in ("Fact", "Steady"))
    # A hidden fact is misread evidence, and lost on the one reader only.
    assert mine.loc[fact, "ocr_wrong_answer_right"] == 0
    assert mine.loc[fact, "right_despite_ocr"] == 0
    assert mine.loc[steady, "ocr_wrong_answer_right"] > 0.1
    assert mine.loc[fact, "ocr_right_answer_right_ci_low"] < 1 - noise
    answers = rows_of(formatting_run.rows, "generation", "f1")
    answers = answers[(answers["level"] == "moderate") & (answers["reader"] == steady)]
    right = mine.loc[steady, ["ocr_right_answer_right", "ocr_wrong_answer_right"]].sum()
    assert right == pytest.approx((answers["value"] >= 0.5).mean())


def test_each_case_is_divided_among_the_kinds_of_evidence(formatting_run):
    found = case_shares(formatting_run, 0.5, "generation")
    found = found[(found["level"] == "moderate") & found["reader"].str.endswith("SteadyReader")]
    whole = found[found["group"] == "all"].iloc[0]
    sources = found[found["group"].str.startswith("source:")]
    assert len(sources) > 1
    for case in CASES:
        if whole[case]:
            expected = sources[case] * sources["n"] / (whole[case] * whole["n"])
            assert sources[f"{case}_of_all"].to_numpy() == pytest.approx(expected.to_numpy())


@pytest.mark.slow
def test_the_threshold_decides_what_is_right(formatting_run):
    strict, lenient = (case_shares(formatting_run, right, "overall") for right in (1.0, 0.0))
    assert (lenient["ocr_right_answer_wrong"] == 0).all()
    assert (strict["ocr_right_answer_wrong"] >= 0).all()
    assert strict["ocr_right_answer_wrong"].sum() > 0


@pytest.mark.slow
def test_the_command_writes_table_and_figure(formatting_run, tmp_path):
    arguments = [str(formatting_run.path), "--out", str(tmp_path), "--stage", "generation"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    printed = " ".join(done.output.split())
    assert "F1 of at least 0.5" in printed
    assert "adds up to 100 % over the kinds of evidence" in printed
    table = pd.read_csv(tmp_path / "error_analysis.csv")
    assert {"all", "source:chart", "domain:manual"} < set(table["group"])
    for suffix in ("md", "tex", "png", "svg", "pdf"):
        assert (tmp_path / f"error_analysis.{suffix}").stat().st_size > 0
    svg = (tmp_path / "error_analysis.svg").read_text()
    assert all(
        f">{part}<" in svg
        for label in CASES.values()
        for part in label.replace(", ", ",\n").split("\n")
    )


@pytest.mark.slow
def test_each_whole_system_is_counted_by_itself(systems_run):
    shares = distinct([case_shares(systems_run, 0.5, "overall")], ["run"])
    for number, name in enumerate(("Fact", "Steady")):
        whole = shares[shares["setting"] == f"whole{number}"].set_index("name")
        parts = shares[shares["setting"] == f"bm25, tests.fakes.{name}Reader"].set_index("name")
        assert len(whole) == 4
        for column in ("n", *CASES):
            assert list(whole[column]) == list(parts[column])


@pytest.mark.slow
def test_the_measure_is_the_axis_of_the_curves_and_can_be_chosen(formatting_run, tmp_path):
    shares = {}
    for measure in ("", "r_noise_reference", "r_noise", "r_noise_content"):
        table = case_shares(formatting_run, 0.5, "generation", measure).set_index(
            ["engine", "level", "reader", "group"]
        )
        shares[measure] = table["ocr_wrong_answer_right"] + table["ocr_wrong_answer_wrong"]
        name = measure or axis_of(formatting_run)
        assert shares[measure].to_numpy() == pytest.approx(table[f"ocr_wrong_by_{name}"].to_numpy())
    assert shares[""].equals(shares["r_noise_reference"])
    rows = formatting_run.drawn
    blind = StudyRun(
        formatting_run.path, formatting_run.manifest, formatting_run.cells
    ).cache_values(drawn=rows.assign(value=rows["value"].mask(rows["metric"] == "r_noise", 0.0)))
    by_axis, by_own = (case_shares(blind, 0.5, "generation", name) for name in ("", "r_noise"))
    wrong = ["ocr_wrong_answer_right", "ocr_wrong_answer_wrong"]
    assert (by_own[wrong] == 0).all(axis=None)
    assert by_axis[wrong].sum(axis=None) > 0
    arguments = [str(formatting_run.path), "--out", str(tmp_path), "--axis", "r_noise_content"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    text = " ".join((tmp_path / "error_analysis.md").read_text().split()).replace("\\", "")
    assert "or less by content r_noise," in text
    assert "r_noise (the axis of curves)," in text
    line = "OCR wrong: content r_noise; axis of curves: r_noise"
    assert line in (tmp_path / "error_analysis.txt").read_text()


@pytest.mark.parametrize("measure", ["edit_distance", "r_nois"])
def test_another_measure_is_refused(formatting_run, measure):
    with pytest.raises(OhrError, match=r"r_noise_reference|did you mean"):
        case_shares(formatting_run, 0.5, "overall", measure)


def test_what_was_not_measured_is_said(formatting_run):
    rows = formatting_run.rows
    without = StudyRun(formatting_run.path, {}, formatting_run.cells).cache_values(
        drawn=rows[rows["stage"] != "ocr"]
    )
    with pytest.raises(OhrError, match="did not measure the stage ocr"):
        case_shares(without, 0.5, "overall")


@pytest.mark.slow
def test_runs_that_differ_stand_beside_each_other(seed_runs, formatting_run, tmp_path):
    arguments = [str(run.path) for run in seed_runs]
    done = CliRunner().invoke(main, [*arguments, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "error_analysis.md").read_text()
    labels = [line.split("|")[1:3] for line in text.splitlines() if "moderate" in line]
    assert len(labels) == 4
    assert len({tuple(label) for label in labels}) == 4
    assert sum("seed 1" in label[1] for label in labels) == 2
    found = pd.read_csv(tmp_path / "error_analysis.csv")
    assert set(found["run"]) == {run.name for run in seed_runs}
    # Twice the same clean pages are shown once; the same questions scored otherwise are not.
    other = formatting_run.drawn.assign(value=1.0 - formatting_run.drawn["value"])
    shares = [case_shares(formatting_run, 0.5, "overall")]
    changed = StudyRun(
        formatting_run.path, formatting_run.manifest, formatting_run.cells
    ).cache_values(drawn=other)
    shares += [case_shares(formatting_run, 0.5, "overall"), case_shares(changed, 0.5, "overall")]
    assert len(distinct(shares[:2], ["a", "b"])) == len(shares[0][shares[0]["group"] == "all"])
    three = distinct(shares, ["a", "b", "c"])
    assert set(three["run"]) == {"a", "c"}
    assert not three.duplicated(["name", "setting"]).any()
