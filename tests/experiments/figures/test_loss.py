"""The figure of noise curves: quality above, loss below."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from ohr.figures.loss import Panel, Series, breakpoint_of, draw_losses
from ohr.statistics.clusters import Clusters
from ohr.statistics.loss_curves import LossCurve, loss_curve

HOSTILE = "$x_{1$ \x1b[31m & <b>"


def curve(cost: float, documents: int = 30, seed: int = 0) -> LossCurve:
    rng = np.random.default_rng(seed)
    index = np.repeat(np.arange(documents), 3)
    clean = (rng.random(len(index)) < 0.9).astype(float)
    noise, quality = [np.full(len(index), 0.1)], [clean]
    for step in (0.25, 0.5, 0.75, 1.0):
        for _ in range(2):
            noise.append(np.clip(0.1 + 0.6 * step * rng.gamma(9, 1 / 9, len(index)), 0, 1))
            quality.append(np.where(rng.random(len(index)) < cost * step, 0, clean))
    clusters = Clusters(index, documents, "document")
    floor = np.zeros(len(index))
    return loss_curve(np.array(noise), np.array(quality), floor, clusters, resamples=50)


def panels(*costs: float, names: tuple[str, ...] = (HOSTILE, "tesseract")) -> list[Panel]:
    def series(floor: float) -> list[Series]:
        curves = [curve(cost) for cost in costs]
        return [
            Series(name, "semantic", one, floor, 90, 30, one.fit / 2 if not floor else None)
            for name, one in zip(names, curves, strict=False)
        ]

    return [
        Panel("retrieval", "lcs", "retrieval LCS", series(0.0)),
        Panel("generation", "f1", "answer F1, right pages given", series(0.1)),
        Panel("overall", "f1", "answer F1, whole system", series(0.1)),
    ]


@pytest.mark.slow
@pytest.mark.arranged
def test_a_figure_has_its_files_and_repeats_to_the_byte(tmp_path):
    first = draw_losses(panels(0.5, 0.2), tmp_path / "a", "noise_curve", "r_noise_reference")
    second = draw_losses(panels(0.5, 0.2), tmp_path / "b", "noise_curve", "r_noise_reference")
    assert [path.name for path in first] == [
        "noise_curve.png",
        "noise_curve.svg",
        "noise_curve.pdf",
        "noise_curve.txt",
    ]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    width, _ = Image.open(first[0]).size
    assert width == pytest.approx(6.9 * 200, abs=2)
    svg = first[1].read_text()
    assert "simultaneous 95 % over 30 documents" in svg
    assert "<dc:description>" in svg
    assert "\x1b" not in svg


@pytest.mark.slow
def test_the_text_beside_a_figure_says_where_each_curve_breaks(tmp_path):
    files = draw_losses(panels(0.5, 0.0), tmp_path, "noise_curve", "r_noise_reference", ["A note."])
    text = files[3].read_text()
    assert "10 % of the clean score lost: retrieval LCS, tesseract, semantic: not up to 0." in text
    assert "semantic: at 0." in text
    assert text.endswith("A note.\n")
    assert "Thin lines" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("costs", "name", "legend"),
    [((0.6, 0.1), "ocr", False), ((0.3, 0.3), "ocr", False), ((0.6, 0.1), "ocr" * 30, True)],
)
def test_curves_are_named_at_their_ends_where_the_names_fit(tmp_path, costs, name, legend):
    svg = draw_losses(panels(*costs, names=("gt", name)), tmp_path, "x", "r_noise")[1].read_text()
    assert ('id="legend_1"' in svg) == legend
    assert f">{name}<" in svg.replace(" ", "")


@pytest.mark.slow
def test_a_single_curve_needs_no_name(tmp_path):
    svg = draw_losses(panels(0.5, names=("tesseract",)), tmp_path, "x", "r_noise")[1].read_text()
    assert 'id="legend_1"' not in svg


def test_draws_without_a_shown_loss_are_hollow():
    assert curve(0.6).are_lost.all()
    assert not curve(0.0).are_lost.any()
    harsh = curve(0.6)
    mild = LossCurve(
        harsh.x, harsh.fit, harsh.low - harsh.low[50], harsh.high, harsh.points_x,
        harsh.points_loss, harsh.clean, harsh.unit,
    )  # fmt: skip
    in_the_upper_half = mild.points_x - mild.x[0] > mild.added[50]
    assert (mild.are_lost == in_the_upper_half).all()


def test_a_break_without_a_band_has_no_interval():
    whole = curve(0.5)
    none = np.full_like(whole.low, np.nan)
    bare = LossCurve(
        whole.x,
        whole.fit,
        none,
        none,
        whole.points_x,
        whole.points_loss,
        whole.clean,
        "",
    )
    assert "95 % CI" in breakpoint_of(whole)
    assert "95 % CI" not in breakpoint_of(bare)


def test_an_axis_that_does_not_see_the_noise_says_so(tmp_path):
    whole = curve(0.5)
    gone = np.full_like(whole.fit, np.nan)
    blind = LossCurve(
        whole.x, gone, gone, gone, np.full(8, 0.05), whole.points_loss, whole.clean, "document"
    )
    series = [Series("tesseract", "formatting", blind, 0.0, 90, 30)]
    files = draw_losses([Panel("overall", "f1", "F1", series)], tmp_path, "x", "r_noise")
    text = files[3].read_text()
    assert "not assessed, since no draw has more noise than the clean pages" in text
    assert "8 of 8 draws have no more noise than the clean pages" in text
