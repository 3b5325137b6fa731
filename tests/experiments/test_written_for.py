"""Questions that were written for a system's rules are no part of what compares it with others."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from experiments.papers.prototypes.table import paired_steps, run_means
from experiments.prototypes import main as prototypes
from experiments.systems import main as systems
from ohr.analysis.systems.written_for import find_written_for, written_for
from ohr.datasets.ohrbench import question_of
from ohr.sample.questions.categories import WRITTEN_FOR
from ohr.study.results import open_run
from tests.builders import CliRunner, qa, write_kb, write_questions

TEXT = "# Rules\n\n## Fees\n\nFact 0 is answer 0.\n\n## Notice\n\nFact 1 is answer 1."


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    names = [f"port/{name}" for name in "abc"]
    write_kb(tmp_path / "kb" / "gt", {name: [TEXT] for name in names})
    entries = [
        one
        for place, name in enumerate(names)
        for one in (
            qa(2 * place, name, 0, questions="What is fact 0?", answers="answer 0")
            | {"category": "text"},
            qa(2 * place + 1, name, 0, questions='Name the second section of "Rules".')
            | {"answers": "Fees", "category": "structure", "written_for": "pdftriage"},
        )
    ]
    questions = write_questions(tmp_path / "qas.json", entries)
    return [
        *("dataset.kind=ohrbench", f"dataset.path={tmp_path / 'kb'}", "scope=document"),
        *(f"dataset.questions={questions}", f"cache={tmp_path / 'cache'}", "engines=[gt]"),
        *("--out", str(tmp_path / "run")),
    ]


@pytest.mark.slow
def test_overall_figures_leave_them_out_and_stand_beside_those_with_them(
    arguments, tmp_path
) -> None:
    done = CliRunner().invoke(systems, [*arguments, "systems=[{name: pdftriage, label: tri},p4]"])
    assert done.exit_code == 0, done.output
    assert "leave out 3 of 6 questions (structure): they were written for" in done.stdout
    table = pd.read_csv(tmp_path / "run" / "tables" / "written_for.csv").set_index("system")
    assert set(table["n"]) == {3}
    assert set(table["n_all"]) == {6}
    drops = pd.read_csv(tmp_path / "run" / "systems.csv")
    drops = drops[drops["metric"] == "f1"].set_index("system")
    assert drops["n"].to_dict() == {"tri": 3, "p4": 3}
    assert drops["mean"].to_dict() == pytest.approx(table["f1"].to_dict())
    run = open_run(tmp_path / "run")
    cells = run.cells[(run.cells["stage"] == "overall") & (run.cells["metric"] == "f1")]
    whole = cells[cells["group"] == "all"].set_index("system")["mean"]
    assert whole.to_dict() == pytest.approx(table["f1_all"].to_dict()), "cells keep every question"
    assert written_for(run).systems == ("pdftriage",)


@pytest.mark.slow
def test_without_that_system_every_question_counts(arguments, tmp_path) -> None:
    done = CliRunner().invoke(systems, [*arguments, "systems=[p3,p4]"])
    assert done.exit_code == 0, done.output
    assert "leave out" not in done.stdout
    assert not (tmp_path / "run" / "tables" / "written_for.csv").exists()
    drops = pd.read_csv(tmp_path / "run" / "systems.csv")
    assert drops.loc[drops["metric"] == "f1", "n"].tolist() == [6, 6]


@pytest.mark.slow
def test_prototypes_beside_that_system_leave_them_out(arguments, tmp_path) -> None:
    done = CliRunner().invoke(prototypes, [*arguments, "systems=[p4,pdftriage]"])
    assert done.exit_code == 0, done.output
    assert "leave out 3 of 6 questions" in done.stdout
    run = open_run(tmp_path / "run")
    assert set(run_means(run)["n"]) == {3}
    assert set(paired_steps(run)["n"]) == {3}


def test_generated_questions_about_titles_say_for_whom_they_were_written() -> None:
    assert set(WRITTEN_FOR) == {"structure", "summarization", "rewrite"}
    made = [
        question_of(
            qa(number, "law/a", 0) | {"category": name} | ({"written_for": by} if by else {})
        )
        for number, (name, by) in enumerate({**WRITTEN_FOR, "text": ""}.items())
    ]
    assert find_written_for(made, ["pdftriage", "p4"]).categories == (
        "rewrite",
        "structure",
        "summarization",
    )
    assert not find_written_for(made, ["p4"]).qids
