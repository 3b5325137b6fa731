from __future__ import annotations

import pandas as pd
import pytest
from PIL import Image

from experiments.config import load_config
from experiments.figures import benchmark_bars, noise_curves, noise_strength
from experiments.progress import Progress
from experiments.study import run_study
from experiments.tables import benchmark_table, noise_table
from tests.builders import write_corpus

HOSTILE = "$x_{1$ \x1b[31m & <b>"


@pytest.fixture(scope="module")
def cells(tmp_path_factory) -> pd.DataFrame:
    root = tmp_path_factory.mktemp("figures")
    settings = [
        *write_corpus(root, documents=2, pages=2),
        "engines=[tests.fakes.LoggingEngine]",
        "noise=[salt_and_pepper,rotation]",
        "ground_truth=true",
    ]
    cells = run_study(load_config(settings), root / "run", progress=Progress()).cells
    cells["engine"] = cells["engine"].replace("tests.fakes.LoggingEngine", HOSTILE)
    return cells


@pytest.mark.parametrize("draw", [noise_curves, noise_strength, benchmark_bars])
def test_figures_repeat_to_the_byte_whatever_the_names(cells, tmp_path, draw):
    first = draw(cells, tmp_path / "one")
    second = draw(cells, tmp_path / "two")
    assert [path.suffix for path in first] == [".png", ".svg"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    width, height = Image.open(first[0]).size
    assert min(width, height) > 300
    assert "<dc:date>" not in first[1].read_text()


def test_nothing_to_draw_draws_nothing(cells, tmp_path):
    clean = cells[cells["noise"] == "none"]
    assert noise_curves(clean, tmp_path) == noise_strength(clean, tmp_path) == []
    ocr_alone = cells[cells["stage"] == "ocr"]
    assert benchmark_bars(ocr_alone, tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_tables_hold_every_knowledge_base_and_escape_names(cells):
    table = noise_table(cells)
    assert table.row_count == 2 + 2 * 3
    assert len(table.columns) == 3 + 6
    assert benchmark_table(cells).row_count == 2 * 4  # no rows by answer form
    assert "\x1b" not in "".join(str(cell) for cell in table.columns[0].cells)


def test_levels_that_share_an_intensity_stand_side_by_side(cells, tmp_path):
    mixture = cells.assign(intensity=(cells["noise"] != "none").astype(float))
    svg = noise_strength(mixture, tmp_path)[1].read_text()
    assert "requested level" in svg
    assert all(f">{name}<" in svg for name in ("clean", "mild", "moderate", "severe"))
    assert "requested level" not in noise_strength(cells, tmp_path)[1].read_text()
