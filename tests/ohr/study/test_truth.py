"""A folder study says what readings are held against, and measures nothing where there is none."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typst

from ohr.analysis.attribution.table import left_out_line, make_losses
from ohr.analysis.benchmark.report import report
from ohr.analysis.curves import study_report as noise_curve
from ohr.errors import ConfigError
from ohr.figures.bars import benchmark_bars
from ohr.ocr.progress import Progress, Silent
from ohr.study.notices.truth import same_as_truth, same_lines, truth_note
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.types import Outcome
from tests.builders import load_config, write_pdf
from tests.fakes import LoggingEngine

HEADER = "question,answer,document,page,evidence\n"
TYPED = "Fact 0 is answer 0. Sales were 12 euros in the year."


class Perfect(LoggingEngine):
    """Reads the typed page as it is."""

    name = "perfect"

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        return Outcome.of_text(TYPED)


class Lines(Progress):
    """Keeps what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def folder_study(root: Path, csv: str, out: Path | str, *settings: str):
    (root / "q.csv").write_text(HEADER + csv)
    arguments = [
        "dataset.kind=folder",
        f"dataset.path={root}",
        f"dataset.questions={root / 'q.csv'}",
        "engines=[pdf_text,tests.fakes.LoggingEngine]",
        f"cache={root.parent / 'cache'}",
        "bootstrap=100",
        "dpi=30",
        *settings,
    ]
    said = Lines()
    return run_study(load_config(arguments), out, progress=said), said.lines


def value(cells: pd.DataFrame, engine: str, stage: str, metric: str) -> tuple[float, int]:
    chosen = cells[(cells["engine"] == engine) & (cells["group"] == "all")]
    (cell,) = chosen[(chosen["stage"] == stage) & (chosen["metric"] == metric)].to_dict("records")
    return cell["mean"], cell["n"]


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "own"
    root.mkdir()
    (root / "typed.pdf").write_bytes(typst.compile(TYPED.encode(), format="pdf"))
    write_pdf(root / "scan.pdf", 1)
    return root


@pytest.mark.slow
def test_the_engine_that_reads_nothing_is_not_rewarded(folder, tmp_path, capsys):
    csv = "How much?,12 euros,typed,1,\nWhat is it?,answer 0,scan,1,\n"
    csv += "What is 0?,answer 0,scan,1,Fact 0 is answer 0.\nLost?,no,typed,9,\n"
    result, lines = folder_study(folder, csv, str(tmp_path / "run"))
    cells = result.cells
    assert value(cells, "pdf_text", "ocr", "edit_distance") == (0, 1)
    # Of three questions, the one without evidence has none to be found.
    assert value(cells, "pdf_text", "ocr", "r_noise") == (0.5, 2)
    assert value(cells, "tests.fakes.LoggingEngine", "ocr", "r_noise") == (0.5, 2)
    assert value(cells, "pdf_text", "retrieval", "lcs")[1] == 2
    assert value(cells, "pdf_text", "retrieval", "hit@2")[1] == 3
    assert value(cells, "pdf_text", "overall", "f1")[1] == 3
    assert any(line.startswith("truth: the text layer of the PDFs") for line in lines)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["dataset"]["truth"] == "text layer of the PDFs"
    assert manifest["dataset"]["pages_without_truth"] == 1
    assert manifest["same_as_truth"] == ["pdf_text"]
    problems = pd.read_csv(tmp_path / "run" / "problems.csv")
    assert problems.values.tolist() == [
        ["empty_evidence", "line-3: no evidence, and page 1 of documents/scan has no usable text"],
        ["missing_evidence_page", "line 5: page 9 of documents/typed, which has pages 1 to 1"],
        ["unusable_text_layer", "page 1 of documents/scan: it has no text"],
    ]
    report(result)
    assert "pdf_text *" in capsys.readouterr().out
    assert same_lines(cells)[0].startswith("* pdf_text: every page equals the text layer")
    table = (tmp_path / "run" / "tables" / "table2.md").read_text()
    assert "measured against the text layer of the PDFs, not ground truth" in table
    assert "\\* pdf\\_text: every page equals" in table
    assert "**" not in next(line for line in table.splitlines() if line.startswith("| pdf"))
    again = open_run(tmp_path / "run").cells
    assert truth_note(again) == [
        "measured against the text layer of the PDFs, not ground truth",
        "the text layer of the PDFs itself has an r_noise of 0.50",
    ]
    assert same_as_truth(again) == ["pdf_text"]


@pytest.mark.slow
def test_an_engine_that_sees_the_page_has_earned_what_it_reads(folder, tmp_path):
    engine = "{name: tests.ohr.study.test_truth.Perfect, label: perfect}"
    result, _ = folder_study(
        folder, "How much?,12 euros,typed,1,\n", tmp_path / "run", f"engines=[pdf_text,{engine}]"
    )
    assert value(result.cells, "perfect", "ocr", "edit_distance") == (0, 1)
    assert same_as_truth(result.cells) == ["pdf_text"]


@pytest.mark.slow
def test_the_figure_says_what_is_the_truth(folder, tmp_path):
    result, _ = folder_study(folder, "How much?,12 euros,typed,1,\n", tmp_path / "run")
    _, svg, _ = sorted(benchmark_bars(result.cells, tmp_path / "figures"))
    texts = " ".join(re.sub("<[^>]+>", " ", svg.read_text()).split())
    assert "measured against the text layer of the PDFs, not ground truth" in texts


@pytest.mark.slow
def test_without_any_truth_what_needs_none_is_measured(folder, tmp_path, capsys):
    (folder / "typed.pdf").unlink()
    csv = "What is 0?,answer 0,scan,1,\n"
    result, lines = folder_study(folder, csv, tmp_path / "run", "noise=[rotation]", "levels=mild",
                                 "engines=[tests.fakes.LoggingEngine]")  # fmt: skip
    said = [line for line in lines if line.startswith("truth: none of the 1 pages has a usable")]
    assert len(said) == 1
    ocr = result.cells[result.cells["stage"] == "ocr"]
    assert ocr["mean"].isna().all()
    assert (ocr["n"] == 0).all()
    overall = result.cells[(result.cells["stage"] == "overall") & (result.cells["metric"] == "f1")]
    assert (overall["n"] == 1).all()
    assert not result.missing
    report(result)
    noise_curve.report(result)


@pytest.mark.slow
def test_a_curve_of_pages_with_and_without_truth(folder, tmp_path):
    (folder / "more.pdf").write_bytes((folder / "typed.pdf").read_bytes())
    csv = "How much?,12 euros,typed,1,\nWhat is it?,answer 0,scan,1,\nMore?,12,more,1,\n"
    result, _ = folder_study(folder, csv, tmp_path / "run", "noise=[rotation]", "intensities=[1]",
                             "engines=[tests.fakes.LoggingEngine]")  # fmt: skip
    noise_curve.report(result)
    assert (tmp_path / "run" / "figures" / "noise_curve.svg").is_file()
    curves = pd.read_csv(tmp_path / "run" / "curves.csv")
    assert curves[curves["group"] == "all"]["x_to"].notna().all()


@pytest.mark.slow
def test_a_file_name_that_is_not_utf_8_ends_no_study(folder, tmp_path):
    path = os.fsdecode(os.fsencode(folder) + b"/caf\xe9.pdf")
    os.rename(folder / "typed.pdf", path)
    result, _ = folder_study(folder, "How much?,12 euros,café,1,\n", tmp_path / "run")
    rows = pd.read_parquet(tmp_path / "run" / "rows.parquet")
    assert set(rows["doc_id"]) == {"documents/café", "documents/scan"}
    assert not result.missing


@pytest.mark.slow
def test_attribution_puts_no_empty_page_in_the_place_of_one_without_truth(folder, tmp_path):
    engine = "engines=[{name: tests.ohr.study.test_truth.Perfect, label: perfect}]"
    on_scan = "What is 0?,answer 0,scan,1,Fact 0 is answer 0.\n"
    csv = f"How much?,12 euros,typed,1,\n{on_scan}"
    run, _ = folder_study(folder, csv, tmp_path / "run", engine)
    losses = make_losses(run.plan, Silent())
    everyone = losses[losses["group"] == "all"].set_index("cause")
    assert set(everyone["n"]) == {1}
    assert everyone.loc["ocr", "f1_lost"] == 0
    assert left_out_line(run.plan) == "left out: 1 of 2 questions, without ground truth"
    run, _ = folder_study(folder, on_scan, tmp_path / "scan", engine)
    with pytest.raises(ConfigError, match="no question's pages have one"):
        make_losses(run.plan, Silent())
