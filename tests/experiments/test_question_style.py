from __future__ import annotations

import re
import shlex

import pandas as pd
import pytest

from experiments.dev_style import main
from experiments.report import main as report
from ohr.study.wordings import read_wordings, wordings_csv
from tests.builders import CliRunner, write_corpus
from tests.loopback import said, serving


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return [*write_corpus(tmp_path_factory.mktemp("corpus")), "engines=[gt]"]


def run(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, " ".join(result.output.split())


@pytest.mark.slow
def test_wordings_of_a_file_are_compared_question_by_question(corpus, tmp_path):
    path = tmp_path / "w.csv"
    wordings = {f"q{n}": f"Fact {n} is what?" for n in (0, 1, 10, 11)}
    path.write_text(wordings_csv(wordings | {"q1001": "Colours of the wind?"}), "utf-8")
    code, output = run(*corpus, f"dataset.rewritten={path}", "--out", tmp_path / "run")
    assert code == 0, output
    found = pd.read_csv(tmp_path / "run" / "differences.csv")
    overall = found[(found["stage"] == "overall") & (found["group"] == "all")].iloc[0]
    assert (overall["baseline"], overall["other"]) == ("original", "rewritten")
    assert overall["n"] == 5
    assert overall["difference"] < 0  # one question no longer says what is asked
    assert "27.2 to 23.2" in output
    shown = re.search(r"interactive report: ohr report (.+ --out \S+)", output)
    assert shown is not None
    result = CliRunner().invoke(report, [*shlex.split(shown.group(1)), "--cases", "worst:2"])
    assert result.exit_code == 0, result.output
    assert "original, rewritten" in (tmp_path / "run" / "report" / "index.html").read_text()


@pytest.mark.slow
def test_a_model_rewords_questions_drawn_with_the_seed(corpus, tmp_path):
    with serving() as server:
        server.answer = lambda body: said(
            f"<answer>Tell me: {body['messages'][-1]['content'].splitlines()[0]}</answer>"
        )
        model = f"{{name: openai, params: {{model: m, base_url: '{server.url}'}}}}"
        out = tmp_path / "run"
        code, output = run(*corpus, "--rewriter", model, "--number", 6, "--out", out)
    assert code == 0, output
    wordings = read_wordings(out / "rewritten.csv")
    assert len(wordings) == 6
    assert all(text.startswith("Tell me: ") for text in wordings.values())
    rows = pd.read_parquet(out / "rewritten/rows.parquet")
    assert set(rows["qid"]) - {""} == set(wordings)


def test_without_wordings_it_says_what_it_needs(corpus, tmp_path):
    code, output = run(*corpus, "--out", tmp_path / "run")
    assert code == 2
    assert "dataset.rewritten=FILE, or --rewriter" in output
    code, output = run(*corpus, "--rewriter", "extractive", "--out", tmp_path / "run")
    assert code == 2
    assert "takes no prompt" in output
