"""Figures of repairs and of made errors: what is compared stands out, and nothing else is drawn."""

from __future__ import annotations

import pandas as pd
import pytest

from ohr.analysis.mitigations import figure as repairs
from ohr.analysis.ocr_errors import figure as errors
from ohr.analysis.ocr_errors.table import LEARNED, REAL, UNIFORM


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are saved."""
    figures = []
    for module in (repairs, errors):
        monkeypatch.setattr(
            module, "save", lambda fig, folder, name, notes="": figures.append(fig) or []
        )
    return figures


def gain(arm: str, stage: str, value: float, p: float = 1.0) -> dict[str, object]:
    return {
        **{"engine": "tesseract", "noise": "camera 0.5", "retriever": "", "arm": arm},
        **{"stage": stage, "metric": "m", "gain": value, "loss": 0.2, "p_adjusted": p},
        **{"gain_low": value - 0.1, "gain_high": value + 0.1},
    }


def test_arms_are_ranked_and_the_loss_is_a_line(drawn, tmp_path):
    rows = [
        gain("identity", "ocr", 0.0),
        gain("oracle", "ocr", 0.2),
        gain("weak", "ocr", 0.01),
        gain("strong", "ocr", 0.15, p=0.01),
        gain("search", "retrieval", 0.05),
    ]
    titles = {("ocr", "m"): "text recall", ("retrieval", "m"): "LCS"}
    names = ["identity", "oracle", "weak", "strong", "search"]
    repairs.gains_figure(pd.DataFrame(rows), titles, names, tmp_path)
    [fig] = drawn
    first = fig.axes[0]
    assert [label.get_text() for label in first.get_yticklabels()] == ["strong", "search", "weak"]
    faces = {
        round(float(line.get_xdata()[0]), 2): line.get_markerfacecolor()
        for line in first.lines
        if line.get_linestyle() == "None"
    }
    assert set(faces) == {0.15, 0.01}  # no arm that changes nothing, and none that cannot be had
    assert faces[0.01] == "white" != faces[0.15]
    dotted = [line for line in first.lines if line.get_linestyle() == ":"]
    assert [float(line.get_xdata()[0]) for line in dotted] == [0.2]


def test_nothing_is_drawn_of_arms_that_change_nothing(drawn, tmp_path):
    rows = pd.DataFrame([gain("identity", "ocr", 0.0)])
    assert repairs.gains_figure(rows, {("ocr", "m"): "r"}, ["identity"], tmp_path) == []
    assert drawn == []


def test_the_engine_is_black_and_a_colour_belongs_to_a_kind(drawn, tmp_path):
    def table(*kinds: str) -> pd.DataFrame:
        return pd.DataFrame(
            {"kind": kind, "edit_distance": x, "lcs_loss": x, "words_wrong": 2 * x}
            for kind in kinds
            for x in (0.1, 0.2)
        )

    errors.check_figure(table(REAL, LEARNED, UNIFORM), tmp_path, "check", "3 parts")
    errors.check_figure(table(REAL, UNIFORM), tmp_path, "check", "3 parts")
    colours = [{line.get_label(): line.get_color() for line in fig.axes[0].lines} for fig in drawn]
    assert colours[0][REAL] == "#000000"
    assert colours[0][UNIFORM] == colours[1][UNIFORM] != colours[0][LEARNED]
    assert len(drawn[0].axes) == 2
    assert all(ax.get_ylim()[0] == 0 for ax in drawn[0].axes)
