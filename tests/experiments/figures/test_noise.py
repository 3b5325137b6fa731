from __future__ import annotations

import re

import pandas as pd
import pytest
from PIL import Image

from ohr.analysis.plots import noise_curve
from ohr.display.notes import note_lines, reader_notes
from ohr.display.terminal import benchmark_tables, noise_table
from ohr.figures.bars import benchmark_bars
from ohr.figures.noise import noise_strength
from ohr.figures.sources import source_curves
from ohr.ocr.progress import Progress
from ohr.study.results import open_run
from ohr.study.run import run_study
from tests.builders import load_config, write_corpus

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


@pytest.fixture(scope="module")
def comparison_run(tmp_path_factory):
    """A study of two retrievers, two readers of other names, and retrieval at a third k."""
    root = tmp_path_factory.mktemp("several")
    settings = [
        *write_corpus(root, documents=2, pages=2),
        "engines=[gt]",
        "noise=[{name: tests.fakes.HideFacts, label: formatting}]",
        "retrievers=[bm25,{name: bm25, label: grams/../x, params: {terms: ngrams}}]",
        "readers=[{name: extractive, label: offline},tests.fakes.SteadyReader]",
        "ks=[3]",
        "bootstrap=100",
    ]
    return run_study(load_config(settings), root / "run", progress=Progress())


def rows_of(table):
    return list(
        zip(*([str(cell) for cell in column.cells] for column in table.columns), strict=True)
    )


@pytest.mark.arranged
@pytest.mark.parametrize(
    "draw",
    [
        noise_strength,
        pytest.param(benchmark_bars, marks=pytest.mark.slow),
    ],
)
def test_figures_repeat_to_the_byte_whatever_the_names(cells, tmp_path, draw):
    first = draw(cells, tmp_path / "one")
    second = draw(cells, tmp_path / "two")
    assert [path.suffix for path in first] == [".png", ".svg", ".txt"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    width, height = Image.open(first[0]).size
    assert min(width, height) > 300
    assert "<dc:date>" not in first[1].read_text()


def test_nothing_to_draw_draws_nothing(cells, tmp_path):
    clean = cells[cells["noise"] == "none"]
    assert noise_strength(clean, tmp_path) == []
    ocr_alone = cells[cells["stage"] == "ocr"]
    assert benchmark_bars(ocr_alone, tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_tables_hold_every_knowledge_base_and_escape_names(cells):
    table = noise_table(cells)
    assert table.row_count == 2 + 2 * 3
    names = [str(column.header) for column in table.columns]
    assert names[:4] == ["engine", "noise", "n", "r_noise"]  # one noise ratio
    assert not {"content r_noise", "page not found"} & set(names)
    assert "edit distance: over 4 pages" in str(table.caption)
    by_source, by_domain = benchmark_tables(cells)
    assert by_source.row_count + by_domain.row_count == 2 * 5  # all questions come in both
    assert str(by_source.columns[1].header) == "evidence source"
    assert "\x1b" not in "".join(str(cell) for cell in table.columns[0].cells)


@pytest.mark.slow
def test_levels_that_share_an_intensity_stand_side_by_side(cells, tmp_path):
    mixture = cells.assign(intensity=(cells["noise"] != "none").astype(float))
    svg = noise_strength(mixture, tmp_path)[1].read_text()
    assert "requested level" in svg
    assert all(f">{name}<" in svg for name in ("clean", "mild", "moderate", "severe"))
    assert "differ in kind" in svg
    graded = noise_strength(cells, tmp_path)[1].read_text()
    assert "requested level" not in graded
    assert "differ in kind" not in graded


@pytest.mark.slow
def test_every_setting_has_its_row(comparison_run):
    table = noise_table(comparison_run.cells)
    names = [str(column.header) for column in table.columns]
    rows = rows_of(table)
    setting = names.index("setting")
    of_clean = [row for row in rows if row[1] == "clean"]
    fake = "tests.fakes.SteadyReader"
    assert [row[setting] for row in of_clean] == [
        "bm25, 2 hits, offline", f"bm25, 2 hits, {fake}", "bm25, 3 hits",
        "grams/../x, 2 hits, offline", f"grams/../x, 2 hits, {fake}", "grams/../x, 3 hits",
    ]  # fmt: skip
    assert of_clean[2][names.index("answer F1, whole system")] == "-"
    for table in benchmark_tables(comparison_run.cells):
        assert {row[2] for row in rows_of(table)} == {row[setting] for row in of_clean}


@pytest.mark.parametrize(
    "draw", [source_curves, pytest.param(benchmark_bars, marks=pytest.mark.slow)]
)
def test_every_setting_has_its_figure_which_names_it(comparison_run, tmp_path, draw):
    cells = comparison_run.cells
    if draw is source_curves:  # it takes two sources
        more = cells["group"].eq("source:text")
        cells = pd.concat([cells, cells[more].assign(group="source:table")], ignore_index=True)
    svgs = [path for path in draw(cells, tmp_path) if path.suffix == ".svg"]
    assert len(svgs) == len(set(svgs)) == 6
    assert all(path.parent == tmp_path for path in svgs)
    assert svgs[0].stem in ("noise_curve", "noise_by_source", "ocr_benchmark")
    assert "tokens, bm25, 2 hits" in words_of(svgs[0])
    assert "tokens, grams/../x, 3 hits" in words_of(svgs[5])


def words_of(svg):
    """What a figure says, without its line breaks."""
    return " ".join(re.sub(r"<[^>]*>", " ", svg.read_text()).split())


@pytest.mark.slow
def test_a_readers_note_stands_wherever_its_figures_stand(comparison_run, tmp_path):
    notes = reader_notes(comparison_run.readers)
    assert list(notes) == ["offline"]
    tables = (
        noise_table(comparison_run.cells, notes),
        benchmark_tables(comparison_run.cells, notes)[-1],
    )
    for table in tables:
        assert f"offline: {notes['offline']}" in str(table.caption)
    texts = [path for path in noise_curve([comparison_run], tmp_path) if path.suffix == ".txt"]
    assert len(texts) == 6
    assert all("fitted on" in path.read_text() for path in texts)


def test_a_run_that_is_read_back_has_its_notes(comparison_run):
    manifest = open_run(comparison_run.path).manifest
    assert reader_notes(manifest["readers"]) == reader_notes(comparison_run.readers)
    older = {label: {"identity": one["identity"]} for label, one in manifest["readers"].items()}
    assert reader_notes(older) == reader_notes(comparison_run.readers)


def test_notes_without_a_manifest_go_by_name():
    assert note_lines(["extractive", "mine", ""])[0].startswith(
        "extractive: a linear model fitted on"
    )
    assert note_lines(["mine", "tests.fakes.SteadyReader"]) == []


def test_a_mean_over_other_questions_says_so(cells):
    names = [str(column.header) for column in noise_table(cells).columns]
    assert "in brackets" not in str(noise_table(cells).caption)
    failed = (cells["metric"] == "f1") & (cells["engine"] == HOSTILE) & (cells["noise"] == "none")
    some = cells.assign(n=cells["n"].mask(failed, 5))
    table = noise_table(some)
    position = names.index("answer F1, right pages given")
    brackets = [row[position].endswith("(5)") for row in rows_of(table)]
    assert sum(brackets) == 1
    assert "in brackets" in str(table.caption)
