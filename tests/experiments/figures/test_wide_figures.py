"""Figures with many panels: wrapped into rows, no wider than a page, nothing covered or cut."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from experiments.papers.drc import figure as drc
from experiments.papers.prototypes import figure as prototypes
from ohr.adviser.confidence import figure as confidence
from ohr.analysis.error_analysis import figure as error_analysis
from ohr.analysis.error_analysis.table import CASES
from ohr.analysis.judging import figure as judging
from ohr.analysis.realism import figure as realism
from ohr.analysis.vision import figure as vision
from ohr.figures.style import WIDTH
from tests.experiments.figures.test_geometry import (
    cells_of_study,
    check_marks,
    check_texts,
    visible_texts,
)

pytestmark = pytest.mark.arranged

MODULES = (drc, prototypes, confidence, error_analysis, judging, realism, vision)
FOLDER = Path("unused")
ENGINES = ("tesseract", "rapidocr", "openai_vlm", "paddle")
BASES = ("gt, clean", "tesseract, clean", "tesseract, semantic severe")
SYSTEMS = ("rag", "pdftriage", "whole_document", "drc", "prototype_4")


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that are saved, instead of their files."""
    saved: list[Figure] = []

    def keep(made: Figure, *_: object, **__: object) -> list[Path]:
        saved.append(made)
        return []

    for module in MODULES:
        monkeypatch.setattr(module, "save", keep)
    return saved


def draw_preferences() -> None:
    groups = {"all": 96, "category:figure questions": 12, "category:cross-page tasks": 25}
    rows = [
        {"judge": judge, "knowledge_base": base, "group": group, "system": system, "n": n}
        | {"share": 0.2, "ci_low": 0.1, "ci_high": 0.35}
        for judge in ("gpt-4o-mini", "qwen2.5-vl-72b")
        for base in BASES
        for group, n in groups.items()
        for system in SYSTEMS
    ]
    judging.preference_dots(pd.DataFrame(rows), "Share of questions", FOLDER)


def draw_preference_differences() -> None:
    judging.preference_differences(preferences(0.01), FOLDER)


def preferences(p: float) -> pd.DataFrame:
    """Every first system is better than every second one, with this p."""
    rows = [
        {"judge": "gpt-4o-mini", "knowledge_base": base, "group": "all"}
        | {"first": first, "second": second, "n": 94, "difference": 0.3, "ci_low": 0.1}
        | {"ci_high": 0.5, "p": p, "p_adjusted": p, "least": 0.3, "most": 0.3}
        for base in BASES
        for first, second in combinations(SYSTEMS, 2)
    ]
    return pd.DataFrame(rows)


def draw_distances() -> None:
    values = np.linspace(0, 1, 20)
    kinds = ("clean", "semantic moderate", "natural")
    rows = [(engine, kind, x) for engine in ENGINES for kind in kinds for x in values]
    pages = pd.DataFrame(rows, columns=["engine", "noise", "value"])
    realism.distance_figure(pages, FOLDER, paired=True)


def draw_cases() -> None:
    shares = dict.fromkeys(CASES, 0.25)
    shares |= {f"{case}_ci_low": 0.2 for case in CASES}
    shares |= {f"{case}_ci_high": 0.3 for case in CASES}
    settings = ("bm25, extractive", "bge-m3, qwen2.5-7b", "bm25, llama-3-8b")
    rows = [
        {"setting": setting, "name": f"{base} (ocr_benchmark)", "n": 300} | shares
        for setting in settings
        for base in BASES
    ]
    error_analysis.case_dots(
        pd.DataFrame(rows), "OCR wrong: by r_noise", "Share of questions", FOLDER
    )


def draw_reliability() -> None:
    rows = [
        {"engine": engine, "noise": noise, "tenth": tenth, "n": 20 * (tenth + 1)}
        | {"right": 2 * (tenth + 1) * tenth, "confidence": 20 * (tenth + 1) * (tenth + 0.5) / 10}
        for engine in ENGINES
        for noise in ("clean", "semantic moderate", "semantic severe")
        for tenth in range(10)
    ]
    confidence.reliability_figure(pd.DataFrame(rows), FOLDER)


def draw_routes() -> None:
    operators = ("gaussian_blur", "rotation", "salt_and_pepper", "stains")
    noise, quality = (0.1, 0.2, 0.5, 0.9), (0.6, 0.55, 0.4, 0.2)
    cells = cells_of_study(dict.fromkeys(operators, noise), dict.fromkeys(operators, quality))
    answers = cells[(cells["stage"] == "overall") & (cells["group"] == "all")]
    answers = answers[answers["engine"] == "tesseract"]
    routes = ("bm25 > extractive", "bm25 > qwen2.5-vl", "colpali > qwen2.5-vl")
    points = pd.concat([answers.assign(route=route) for route in routes])
    vision.routes_figure(points, cells, FOLDER)


def draw_passages() -> None:
    levels = [("gt", "none", "", 0.0), ("tesseract", "none", "", 0.0)]
    levels += [("tesseract", "semantic", name, x) for name, x in (("mild", 0.25), ("severe", 1.0))]
    rows = [
        dict(zip(("engine", "perturbation", "level", "intensity"), level, strict=True))
        | {"retriever": retriever, "reader": "extractive", "k": k, "group": "all", "n": 214}
        | {"best": 0.2 + 0.01 * k, "chosen": 0.2}
        for level in levels
        for retriever in ("bm25", "rerank")
        for k in range(1, 21)
    ]
    drc.answers_figure(pd.DataFrame(rows), FOLDER)


def runs_of_prototypes(runs: int) -> pd.DataFrame:
    metrics = [name for names in prototypes.FIGURES.values() for name in names]
    rows = [
        {"knowledge_base": base, "prototype": f"prototype {number}", "run": run, "n": 120}
        | {"metric": metric, "title": metric.replace("_", " "), "mean": 0.5 + run / 100}
        | {"higher_is_better": not metric.endswith("flag")}
        for base in BASES
        for number in range(5)
        for run in range(1, runs + 1)
        for metric in metrics
    ]
    return pd.DataFrame(rows)


def draw_prototypes() -> None:
    prototypes.box_plots(runs_of_prototypes(3), FOLDER)


DRAWINGS = (
    draw_preferences, draw_preference_differences, draw_distances, draw_cases, draw_reliability,
    draw_routes, draw_passages, draw_prototypes,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWINGS)
def test_nothing_is_covered_or_cut(draw: Callable[[], None], figures: list[Figure]) -> None:
    draw()
    for fig in figures:
        fig.draw_without_rendering()
        assert fig.get_figwidth() <= WIDTH
        check_texts(fig)
        check_marks(fig)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [draw for draw in DRAWINGS if draw not in (draw_cases,)])
def test_the_better_direction_is_named(draw: Callable[[], None], figures: list[Figure]) -> None:
    draw()
    for fig in figures:
        texts = " ".join(text.get_text() for text in visible_texts(fig))
        assert "better" in texts or "diagonal" in texts


@pytest.mark.parametrize(("p", "face"), [(0.01, "#0072B2"), (0.2, "white")])
def test_only_significant_differences_are_filled(
    p: float, face: str, figures: list[Figure]
) -> None:
    judging.preference_differences(preferences(p), FOLDER)
    marks = [line for ax in figures[0].axes for line in ax.lines if line.get_marker() == "o"]
    assert len(marks) == len(BASES) * 10
    assert {line.get_markerfacecolor() for line in marks} == {face}


@pytest.mark.slow
def test_a_dot_lies_at_its_share_within_its_interval(figures: list[Figure]) -> None:
    draw_cases()
    for ax in figures[0].axes:
        assert ax.get_title().replace("\n", " ") in CASES.values()
        dots = [line for line in ax.lines if line.get_marker() not in ("None", None)]
        assert {float(line.get_xdata()[0]) for line in dots} == {0.25}
        assert len({float(line.get_ydata()[0]) for line in dots}) == len(dots) == 9
        ends = {tuple(path.vertices[:, 0]) for bars in ax.collections for path in bars.get_paths()}
        assert ends == {(0.2, 0.3)}


@pytest.mark.slow
def test_a_single_run_is_a_mark_and_says_that_it_has_no_interval(figures: list[Figure]) -> None:
    prototypes.box_plots(runs_of_prototypes(1), FOLDER)
    assert len(figures) == len(prototypes.FIGURES)
    for fig in figures:
        assert "no intervals" in fig.get_suptitle()
        assert all(sum(line.get_marker() in "os^Dv" for line in ax.lines) == 5 for ax in fig.axes)


def test_marks_of_few_words_are_small(figures: list[Figure]) -> None:
    draw_reliability()
    small = [
        line for line in figures[0].axes[0].lines
        if line.get_markersize() == 2.0 and len(line.get_xdata())
    ]  # fmt: skip
    assert [list(line.get_xdata()) for line in small] == [[0.05]] * 3  # 20 words; then 40
