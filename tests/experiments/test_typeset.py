"""``ohr dataset typeset``: what it writes, prints and refuses, from the command line."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import Result

from experiments.dataset_typeset import main
from ohr.study.config import load_config
from ohr.study.loading import load_dataset
from ohr.typeset import formulas
from tests.builders import CliRunner


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def markdown(tmp_path: Path) -> Path:
    folder = tmp_path / "markdown"
    (folder / "law").mkdir(parents=True)
    (folder / "law" / "act.md").write_text(
        "# The act\n\nThe fee is $\\$ 5$.\fWith $\\nosuch{x}$ in it.", "utf-8"
    )
    return folder


@pytest.mark.slow
def test_own_markdown_is_typeset_counted_and_can_be_studied(markdown: Path, tmp_path: Path) -> None:
    pytest.importorskip("pypandoc", reason="pypandoc_binary is not installed")
    out = tmp_path / "my pages"
    result = run("--markdown", markdown, "--look", "manual", "--out", out)
    assert result.exit_code == 0, result.output
    assert "2 pages of 1 document typeset (1 manual), 1 without fallback; 2 questions" in (
        result.stdout
    )
    assert "1 page with a formula that is printed as its LaTeX:\n  law/act, page 2: " in (
        result.stdout
    )
    study = shlex.split(result.stdout.splitlines()[-1])
    assert study[:3] == ["ohr", "run", "ocr-benchmark"]
    loaded = load_dataset(load_config(study[3 : study.index("--out")]))
    assert [page.text.split()[0] for page in loaded.pages.values()] == ["#", "With"]
    assert loaded.documents["law/act"].source is not None
    record = json.loads((out / "typeset.json").read_text("utf-8"))
    assert record["documents"] == {"law/act": "manual"}

    again = run("--markdown", markdown, "--look", "manual", "--out", out)
    assert again.exit_code == 0
    assert again.stdout == f"the pages are already in {out}\n{result.stdout}"
    other = run("--markdown", markdown, "--look", "paper", "--out", out)
    assert other.exit_code == 2
    assert "holds no typeset pages of this dataset with these options" in other.stderr


def test_without_pandoc_the_error_names_the_extra(
    markdown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    formulas.pandoc.cache_clear()
    result = run("--markdown", markdown, "--out", tmp_path / "out")
    formulas.pandoc.cache_clear()
    assert result.exit_code == 2
    assert "pip install 'ohr[typeset]'" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("option", "why"),
    [("dataset.limit=3", "all pages are typeset"), ("dataset.path=x", "with --markdown")],
)
def test_an_option_without_effect_is_refused(
    markdown: Path, tmp_path: Path, option: str, why: str
) -> None:
    pytest.importorskip("pypandoc", reason="pypandoc_binary is not installed")
    result = run(option, "--markdown", markdown, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert f"{option.partition('=')[0]} has no effect" in result.stderr.replace("\n", " ")
    assert why.split()[-1] in result.stderr


@pytest.mark.slow
def test_pages_of_ohr_bench_are_typeset(data_dir: Path, tmp_path: Path) -> None:
    pytest.importorskip("pypandoc", reason="pypandoc_binary is not installed")
    real = data_dir / "ohrbench"
    if not real.is_dir():
        pytest.skip("no OHR-Bench in the data folder")
    folder = tmp_path / "base" / "gt" / "finance"
    folder.mkdir(parents=True)
    [source] = (real / "retrieval_base" / "gt" / "finance").glob("AMAZON_2017_10K.json")
    pages = json.loads(source.read_text("utf-8"))[40:46]
    (folder / source.name).write_text(json.dumps(pages), "utf-8")
    result = run(
        "dataset.kind=ohrbench",
        f"dataset.path={tmp_path / 'base'}",
        f"dataset.questions={real / 'qas_dev.json'}",
        *("--workers", 1, "--out", tmp_path / "out"),
    )
    assert result.exit_code == 0, result.output
    assert "6 pages of 1 document typeset" in result.stdout
