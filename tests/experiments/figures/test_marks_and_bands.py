"""What the marks of a figure say: hollow is not shown, a band is an interval, titles fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ohr.analysis.error_kinds import figure as error_kinds
from ohr.analysis.figure3 import figure as figure3


@pytest.fixture
def panels(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The panels of the figures that are saved while a test runs."""
    saved: list[Any] = []

    def keep(fig: Any, *_: object, **__: object) -> list[Path]:
        saved.extend(fig.axes)
        return []

    for module in (error_kinds, figure3):
        monkeypatch.setattr(module, "save", keep)
    return saved


def test_a_kind_without_a_shown_loss_is_hollow(panels, tmp_path):
    kinds = pd.DataFrame({"kind": ["letters", "order"], "share_of_characters": [0.4, 0.6]})
    losses = pd.DataFrame(
        {
            "group": "all",
            "outcome": "retrieval:lcs",
            "kind": ["letters", "order"],
            "share": [0.9, 0.1],
            "share_ci_low": [0.7, -0.2],
            "share_ci_high": [1.1, 0.4],
            "loss_p": [0.01, 0.4],
        }
    )
    error_kinds.draw_kinds(kinds, losses, tmp_path)
    (ax,) = panels
    faces = {
        float(x): line.get_markerfacecolor()
        for line in ax.lines
        if line.get_marker() == "o"
        for x in line.get_xdata()
    }
    assert faces[60.0] == "white" != faces[40.0]


def test_the_intervals_of_a_curve_are_a_band_from_the_clean_pages(panels, tmp_path):
    levels = {"clean": (0.1, 0.8), "mild": (0.2, 0.7), "severe": (0.4, 0.5)}
    points = pd.DataFrame(
        {
            "axis": "r_noise",
            "noise": "semantic",
            "stage": "retrieval",
            "metric": "lcs",
            "setting": "bm25",
            "level": list(levels),
            "engines": 1,
            "panel": "all",
            "r_noise": [x for x, _ in levels.values()],
            "mean": [y for _, y in levels.values()],
            "ci_low": [float("nan"), 0.65, 0.4],
            "ci_high": [float("nan"), 0.75, 0.6],
            "ci_unit": "document",
            "p_adjusted": [float("nan"), 0.2, 0.001],
            "n": 40,
            "floor": float("nan"),
        }
    )
    figure3.draw_figure3(points, [], tmp_path)
    (ax,) = panels
    (band,) = ax.collections
    corners = {(round(x, 3), round(y, 3)) for x, y in band.get_paths()[0].vertices}
    faces = {
        float(x): line.get_markerfacecolor()
        for line in ax.lines
        if line.get_linestyle() == "None"
        for x in line.get_xdata()
    }
    assert faces[0.2] == "white" != faces[0.1] == faces[0.4]
    assert {(0.1, 0.8), (0.2, 0.65), (0.2, 0.75), (0.4, 0.4), (0.4, 0.6)} <= corners
