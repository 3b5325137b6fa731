"""The figure of where the loss arises: one row of panels, no empty steps, intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ohr.analysis.attribution import figure
from ohr.analysis.attribution.table import CONDITION, ROWS

LOST = {"reading": 0.5, "retrieval": 0.05, "chunking": 0.002, "ocr": 0.1}


def losses(engine: str, ocr: float, group: str = "all") -> pd.DataFrame:
    setting = dict.fromkeys(CONDITION, "") | {"noise": "none", "perturbation": "none"}
    setting |= {"engine": engine, "chunker": "tokens", "retriever": "bm25", "reader": "extractive"}
    rows = [
        setting
        | {"intensity": 0.0, "group": group, "cause": cause, "f1_lost": lost, "n": 90}
        | {"ci_low": lost - 0.02, "ci_high": lost + 0.02, "ci_unit": "document"}
        for cause, lost in ((cause, ocr if cause == "ocr" else LOST[cause]) for cause in ROWS)
    ]
    return pd.DataFrame(rows)


CELLS = pd.DataFrame(
    {
        **{"stage": ["overall"], "metric": "f1", "group": "all", "n": 90, "system": "rag"},
        **{"chunker": "tokens", "retriever": "bm25", "reader": "extractive", "top_k": 2},
        **{"engine": "gt", "noise": "none", "kb_scope": "all", "protocol": "default"},
    }
)


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    figures: list[Any] = []

    def keep(fig: Any, *_: object, notes: Any = (), **__: object) -> list[Path]:
        figures.append((fig, notes))
        return []

    monkeypatch.setattr(figure, "save", keep)
    return figures


def test_the_truth_and_steps_of_no_length_are_left_out(saved, tmp_path):
    groups = ("all", "source:text")
    parts = [
        losses(engine, ocr, group)
        for engine, ocr in (("gt", 0.0), ("theirs", 0.1))
        for group in groups
    ]
    figure._waterfalls(pd.concat(parts, ignore_index=True), CELLS, tmp_path, "attribution", None)
    ((fig, notes),) = saved
    assert [ax.get_title() for ax in fig.axes] == ["all (n = 90)", "text (n = 90)"]
    names = [label.get_text() for label in fig.axes[0].get_yticklabels()]
    assert names == ["reading", "retrieval", "OCR", "system"]
    assert "theirs, clean; black lines: 95 % intervals over documents" in notes[0]
    assert "chunking costs less than 0.01 and is not drawn" in notes[0]
    widths = [bar.get_width() for bar in fig.axes[0].patches]
    assert widths == pytest.approx([0.5, 0.05, 0.1, 0.348])
    ends = [lines.get_paths()[0].vertices[:, 0] for lines in fig.axes[0].collections[::2]]
    assert list(ends[0]) == pytest.approx([0.48, 0.52])


def test_the_truth_alone_is_drawn(saved, tmp_path):
    figure._waterfalls(losses("gt", 0.0), CELLS, tmp_path, "attribution", None)
    ((fig, _),) = saved
    names = [label.get_text() for label in fig.axes[0].get_yticklabels()]
    assert names == ["reading", "retrieval", "OCR", "system"]


def test_several_knowledge_bases_are_rows_that_are_named(saved, tmp_path):
    both = pd.concat([losses("one", 0.1), losses("two", 0.2)], ignore_index=True)
    figure._waterfalls(both, CELLS, tmp_path, "attribution", None)
    ((fig, _),) = saved
    assert [ax.get_ylabel() for ax in fig.axes] == ["one\nclean", "two\nclean"]
