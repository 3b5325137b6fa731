"""A study hands an engine of PDFs the PDF, page by page, and keeps what it reads."""

from __future__ import annotations

import os

import pytest

from ohr.study.run import run_study
from tests.builders import load_config, write_corpus
from tests.fakes import LOG


def test_a_study_with_an_engine_of_pdfs(tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setitem(os.environ, LOG, str(log))
    settings = write_corpus(tmp_path, documents=1, pages=4)
    engine = "tests.pdf_fakes.PdfEngine"
    config = load_config([*settings, f"engines=[{engine}]", "stages=[ocr]", "ground_truth=false"])
    cells = run_study(config, tmp_path / "run").cells
    row = cells[(cells["metric"] == "edit_distance") & (cells["group"] == "all")].iloc[0]
    assert (row["n"], row["n_error"], row["n_empty"]) == (4, 0, 0)
    assert sorted(log.read_text().splitlines()) == [f"doc0.pdf [{number}]" for number in range(4)]
    run_study(config, tmp_path / "again")
    assert len(log.read_text().splitlines()) == 4


@pytest.mark.slow
@pytest.mark.workers
def test_a_page_that_fails_is_counted(tmp_path):
    settings = write_corpus(tmp_path, documents=1, pages=4)
    engine = "tests.pdf_fakes.TroubledPdfEngine"
    config = load_config([*settings, f"engines=[{engine}]", "stages=[ocr]", "ground_truth=false"])
    cells = run_study(config, tmp_path / "run").cells
    row = cells[(cells["metric"] == "edit_distance") & (cells["group"] == "all")].iloc[0]
    assert (row["n"], row["n_error"], row["n_empty"]) == (4, 2, 1)
