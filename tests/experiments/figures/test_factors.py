"""The figure of all settings: each curve once, one sign for each part that varies."""

from __future__ import annotations

from itertools import product

import pytest

from ohr.display.settings import Setting
from ohr.figures.factors import draw_settings
from ohr.figures.loss import Panel, Series
from tests.experiments.figures.test_loss import HOSTILE, curve

READERS = ("extractive", HOSTILE)


def study(retrievers=("bm25", "dense"), readers=READERS, costs=(0.6, 0.0)):
    """Settings whose loss depends on the reader alone."""
    result = []
    for retriever, reader in product(retrievers, readers):
        cost = dict(zip(readers, costs, strict=False))[reader]
        series = [Series("gt", "formatting", curve(cost), 0.0, 90, 30)]
        panels = [
            Panel(stage, metric, title, series)
            for stage, metric, title in (
                ("retrieval", "lcs", "retrieval LCS"),
                ("generation", "f1", "answer F1, right pages given"),
                ("overall", "f1", "answer F1, whole system"),
            )
        ]
        result.append((Setting("tokens", retriever, "2", reader), panels))
    return result


@pytest.fixture
def saved(monkeypatch):
    """The figure, saved when it is saved."""
    figures = []

    def keep(fig, folder, name, **options):
        figures.append(fig)
        return [folder / f"{name}.png"]

    monkeypatch.setattr("ohr.figures.factors.save", keep)
    return figures


def ends(ax):
    """The lines that are only a mark; two for each curve."""
    return [line for line in ax.lines if line.get_linestyle() == "None"]


def test_curves_that_a_stage_cannot_distinguish_are_drawn_once(saved, tmp_path):
    assert draw_settings(study(), tmp_path, "r_noise")
    retrieval, generation, overall = saved[0].axes
    assert [len(ends(ax)) // 2 for ax in (retrieval, generation, overall)] == [2, 2, 4]
    legend = [text.get_text() for text in saved[0].legends[0].get_texts()]
    assert legend[:3] == ["retriever bm25", "retriever dense", "reader extractive"]
    colours = {line.get_color() for line in overall.lines}
    # Answers from the right pages depend on no retriever: they are grey.
    assert {line.get_color() for line in generation.lines}.isdisjoint(colours)


def test_the_last_mark_is_hollow_where_no_loss_is_shown(saved, tmp_path):
    draw_settings(study(), tmp_path, "r_noise")
    generation = saved[0].axes[1]
    _, lossy, _, stable = ends(generation)
    assert lossy.get_markerfacecolor() != "white"
    assert stable.get_markerfacecolor() == "white"


def test_one_setting_has_no_figure_and_files_repeat_to_the_byte(tmp_path):
    assert draw_settings(study(("bm25",), ("extractive",)), tmp_path, "r_noise") == []
    first = draw_settings(study(), tmp_path / "a", "r_noise", ["A note."])
    second = draw_settings(study(), tmp_path / "b", "r_noise", ["A note."])
    assert [path.suffix for path in first] == [".png", ".svg", ".pdf", ".txt"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert "A note." in first[-1].read_text()


def test_many_values_of_one_part_have_signs_of_their_own(saved, tmp_path):
    names = tuple(f"reader {number}" for number in range(6))
    draw_settings(study(("bm25",), names, (0.1,) * 6), tmp_path, "r_noise")
    overall = saved[0].axes[2]
    signs = {(line.get_color(), line.get_linestyle()) for line in overall.lines}
    assert len({colour for colour, _ in signs}) == 6


def test_a_system_without_retriever_has_no_retrievers_colour(saved, tmp_path):
    whole = Panel(
        "overall", "f1", "answer F1", [Series("gt", "formatting", curve(0.5), 0.0, 90, 30)]
    )
    systems = [(Setting("", "", "", "", "chunks"), [whole])]
    draw_settings([*study(), *systems], tmp_path, "r_noise")
    overall = saved[0].axes[2]
    legend = [text.get_text() for text in saved[0].legends[0].get_texts()]
    assert {"system rag", "system chunks"} <= {*legend}
    assert len({line.get_color() for line in overall.lines}) == 3
