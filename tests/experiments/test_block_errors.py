"""Blocks with errors, counted from the command line."""

import pandas as pd
import pytest

from experiments.block_errors import main
from experiments.papers.block_errors.report import FILE
from experiments.papers.block_errors.table import summarise
from ohr.metrics.blocks import BlockResult
from tests.builders import CliRunner, qa, write_corpus, write_kb, write_questions

TABLE = (
    r"\begin{tabular}{lr} item & cost \\ apples & 12 \\ pears & 17 \\ plums & 23 \\ \end{tabular}"
)
PROSE = " ".join(f"word{n}" for n in range(60))


@pytest.fixture
def settings(tmp_path):
    kb = tmp_path / "kb"
    pages = [f"{PROSE}\n\n{TABLE}\n\n$$ a^2 + b^2 = c^2 $$", PROSE]
    write_kb(kb / "gt", {"law/doc": pages})
    garbled = PROSE.replace("word1", "w0rd1")
    read = [f"{garbled}\n\n{TABLE.replace('12', '& 12')}\n\n\\textbf{{$a^2+b^2=c^2$}}"]
    write_kb(kb / "engine", {"law/doc": read})
    write_questions(tmp_path / "qas.json", [qa(1, "law/doc", 0)])
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={kb}",
        f"dataset.questions={tmp_path / 'qas.json'}",
        f"cache={tmp_path / 'cache'}",
    ]


def counted(*arguments) -> tuple[pd.DataFrame, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    out = arguments[list(arguments).index("--out") + 1]
    return pd.read_csv(out / FILE).set_index(["engine", "kind"]), result.output


def test_errors_are_counted_by_engine_and_kind_beside_the_paper_s(settings, tmp_path):
    out = tmp_path / "out"
    found, output = counted(*settings, "engines=[gt,precomputed:engine]", "--out", out)
    assert (found.loc["gt", ["textual", "any_textual"]] == 0).all(axis=None)
    assert found.loc["gt", "blocks"].to_dict() == {"text": 2, "formula": 1, "table": 1}
    engine = found.loc["precomputed:engine"]
    assert engine["found"].to_dict() == {"text": 1, "formula": 1, "table": 1}
    assert engine["textual"].to_dict() == {"text": 1, "formula": 0, "table": 0}
    assert engine["structural"].drop("text").to_dict() == {"formula": 0, "table": 1}
    assert engine["textual_or_lost"].to_dict() == {"text": 1, "formula": 0, "table": 0}
    assert (found.loc["gt", ["textual_or_lost"]] == 0).all(axis=None)
    assert engine.loc["formula", "differs_as_written"] == 0, "white space does not count"
    assert engine["redundant_commands"].unique() == [0.5]
    assert "paper: MinerU" in output
    assert "40.3 %" in output


def test_blocks_that_were_not_found_are_errors_of_the_second_share():
    lost, right = BlockResult("formula", 5, False), BlockResult("formula", 5, True, 1.0)
    counts = {str(row["kind"]): row for row in summarise([lost, right, right])}["formula"]
    assert (counts["textual"], counts["structural"]) == (0, 0)
    assert counts["textual_or_lost"] == counts["structural_or_lost"] == pytest.approx(1 / 3)


def test_noise_and_engines_that_read_pages_are_counted_too(tmp_path):
    settings = write_corpus(tmp_path, documents=1, pages=2)
    engine = "tests.fakes.LoggingEngine"
    found, _ = counted(*settings, f"engines=[{engine}]", "noise=[rotation]", "levels=[mild]",
                       "--out", tmp_path / "out")  # fmt: skip
    assert found["perturbation"].tolist() == ["none"] * 3 + ["rotation"] * 3
    assert set(found["pages"]) == {2}


def test_a_wrong_option_is_one_line(settings):
    result = CliRunner().invoke(main, [*settings, "engine=[gt]"])
    assert result.exit_code == 2
    assert "unknown option 'engine'" in result.output
