"""The noise that text received, by writing system, and the axis that can show it."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import ohr
from ohr.display.noise_axis import axis_note, default_axis
from ohr.errors import ConfigError
from ohr.ocr.dose import check_dose, dose_line, measure_doses, page_system, untouched_lines
from ohr.study.run import run_study
from tests.builders import load_config, qa, write_kb, write_questions


def test_doses_are_by_writing_system():
    doses = measure_doses(
        [
            ("The pier is old.", "The pier is **old**."),
            ("The ferry is new.", "The ferry is new."),
            ("渡船是新的", "渡船是新的"),
            ("Паром новый", "Ларом новый"),
            ("12 34", "12 34"),
        ]
    )
    assert {name: (dose.pages, dose.changed) for name, dose in doses.items()} == {
        "Latin": (2, 1),
        "Chinese and Japanese": (1, 0),
        "Cyrillic": (1, 1),
    }
    assert doses["Latin"].edit_distance == pytest.approx(4 / 20 / 2)
    assert "0.091 on 1 page in Cyrillic" in dose_line("x mild", doses)
    (line,) = untouched_lines("x mild", doses)
    assert "none of the 1 page in Chinese and Japanese" in line


@pytest.mark.parametrize(
    ("text", "system"),
    [("", ""), ("1 + 2", ""), ("µ 5", "Latin"), ("かなと漢字", "Chinese and Japanese")],
)
def test_the_writing_system_of_a_page(text, system):
    assert page_system(text) == system


class OnlyLatin(ohr.TextPerturbation):
    """Doubles each o."""

    name = "only_latin"

    def apply(self, x, *, intensity, rng):
        return ohr.Applied(x.replace("o", "oo") if intensity else x, {})

    def replay(self, x, record):
        return x

    def undo(self, value, record):
        return value


@pytest.fixture
def settings(tmp_path):
    texts = {
        "law/a": ["Some words on one page, again. " * 12],
        "law/b": ["港口关闭三天，渔民在家里等。" * 4],
    }
    write_kb(tmp_path / "kb/gt", texts)
    questions = [qa(0, "law/a", 0), qa(1, "law/b", 0)]
    questions[1]["evidence_context"] = "渔民在家里等"
    write_questions(tmp_path / "qas.json", questions)
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={tmp_path / 'kb'}",
        f"dataset.questions={tmp_path / 'qas.json'}",
        "stages=[ocr]",
        f"cache={tmp_path / 'cache'}",
    ]


def test_a_run_says_where_noise_did_nothing(settings, tmp_path, capsys):
    noise = f"noise=[{__name__}.OnlyLatin]"
    run_study(load_config([*settings, noise, "levels=[severe]"]), tmp_path / "run")
    said = capsys.readouterr().err
    assert "0.000 on 1 page in Chinese and Japanese, 0.1" in said
    assert "warning: " in said
    assert "changed none of the 1 page in Chinese and Japanese" in said
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    doses = [base["dose"] for base in manifest["knowledge_bases"].values() if "dose" in base]
    assert {dose["Chinese and Japanese"]["changed"] for dose in doses} == {0}


class OnlyGreek(OnlyLatin):
    """Doubles each omicron."""

    name = "only_greek"

    def apply(self, x, *, intensity, rng):
        return ohr.Applied(x.replace("ο", "οο") if intensity else x, {})


class OneDraw(OnlyLatin):
    """Doubles each o, in about half of the draws."""

    name = "one_draw"

    def apply(self, x, *, intensity, rng):
        return ohr.Applied(x.replace("o", "oo") if intensity and rng.random() < 0.5 else x, {})


def test_a_level_that_changes_no_page_ends_the_run(settings, tmp_path):
    noise = f"noise=[{__name__}.OnlyGreek]"
    with pytest.raises(ConfigError, match="changed none of the 2 pages"):
        run_study(load_config([*settings, noise, "levels=[severe]"]), tmp_path / "run")
    assert not (tmp_path / "run/manifest.json").exists()


def test_a_level_that_changes_pages_in_some_draws_is_measured(settings, tmp_path):
    noise = f"noise=[{__name__}.OneDraw]"
    seeds = "seeds=[0,1,2,3,4,5]"
    run_study(load_config([*settings, noise, "levels=[severe]", seeds]), tmp_path / "run")
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    doses = [base["dose"] for base in manifest["knowledge_bases"].values() if "dose" in base]
    assert len({dose["Latin"]["changed"] for dose in doses}) == 2


def test_check_dose():
    check_dose("x", {})
    check_dose("x", measure_doses([("pier", "pier"), ("port", "p0rt")]))
    with pytest.raises(ConfigError, match="x changed none of the 1 page"):
        check_dose("x", measure_doses([("pier", "pier"), ("12", "13")]))


def test_formatting_reaches_chinese_pages_in_a_run(settings, tmp_path, capsys):
    run_study(load_config([*settings, "noise=[formatting]"]), tmp_path / "run")
    said = capsys.readouterr().err
    assert said.count("in Chinese and Japanese") == 3
    assert "warning: formatting severe" not in said


def cells(**axes):
    rows = []
    for noise, values in (("none", 0), ("formatting", 1)):
        row = {"noise": noise, "group": "all", "engine": "gt"}
        rows.append(row | {name: pair[values] for name, pair in axes.items()})
    return pd.DataFrame(rows)


AXES = ("r_noise_reference", "r_noise", "r_noise_content", "edit_distance")


@pytest.mark.parametrize(
    ("values", "axis", "note"),
    [
        ([(0.1, 0.4), (0.0, 0.3), (0.0, 0.2), (0.0, 0.2)], "r_noise_reference", ""),
        ([(1.0, 1.0), (0.0, 0.3), (0.0, 0.2), (0.0, 0.2)], "r_noise", "1.00 on clean pages"),
        ([(1.0, 0.8), (0.0, 0.0), (0.0, 0.0), (0.0, 0.2)], "edit_distance", "not raised"),
        ([(0.1, 0.1), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)], "intensity", "not raised"),
    ],
)
def test_the_axis_can_rise(values, axis, note):
    table = cells(**dict(zip(AXES, values, strict=True)))
    assert default_axis(table, AXES) == axis
    assert note in axis_note(table, default_axis(table, AXES))
    assert bool(axis_note(table, axis)) == bool(note)
