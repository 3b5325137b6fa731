"""One page at a time: ``ohr.read``, ``ohr.perturb``, ``ohr.lcs``, ``ohr.r_noise``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import ohr
from ohr.errors import ConfigError, EngineError, OhrError
from ohr.types import Outcome

PAGE = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
WORDS = st.lists(st.sampled_from(["rent", "sales", "rose", "by", "twelve"]), min_size=1, max_size=8)


class Size(ohr.plugins.Engine):
    """Says how large a page is; fails on a page that is 41 pixels wide."""

    name = "size"
    languages = ("en",)

    def read(self, image: np.ndarray) -> Outcome[str]:
        if image.shape[1] == 41:
            return Outcome.error("too narrow")
        return Outcome.of_text("" if image.shape[1] == 42 else str(image.shape))

    def engine_version(self) -> str:
        return "1"


@pytest.fixture
def picture(tmp_path) -> Path:
    Image.fromarray(PAGE).save(tmp_path / "page.png")
    return tmp_path / "page.png"


def test_a_page_is_read_in_whatever_form(picture):
    forms = [picture, str(picture), PAGE, Image.fromarray(PAGE), Image.fromarray(PAGE, "RGB")]
    assert {ohr.read(form, Size) for form in forms} == {"(60, 80, 3)"}
    assert ohr.read(Image.fromarray(PAGE).convert("RGBA"), Size) == "(60, 80, 3)"
    assert ohr.read(Image.fromarray(PAGE).convert("L"), Size) == "(60, 80)"


def test_a_page_that_fails_is_an_error_and_one_without_text_is_empty():
    with pytest.raises(EngineError, match="engine 'size': too narrow"):
        ohr.read(np.zeros((50, 41), np.uint8), Size)
    assert ohr.read(np.zeros((50, 42), np.uint8), Size) == ""


def test_noise_returns_what_it_is_given_and_is_that_of_a_study(picture):
    expected = ohr.perturbation("camera")(PAGE, intensity=0.5, seed=3).value
    assert np.array_equal(ohr.perturb(PAGE, "camera", 0.5, seed=3), expected)
    assert np.array_equal(ohr.perturb(picture, "camera", 0.5, seed=3), expected)
    assert np.array_equal(ohr.perturb(str(picture), "camera", 0.5, seed=3), expected)
    noisy = ohr.perturb(Image.fromarray(PAGE), "camera", 0.5, seed=3)
    assert isinstance(noisy, Image.Image)
    assert np.array_equal(np.asarray(noisy), expected)
    assert not np.array_equal(ohr.perturb(PAGE, "camera", 0.5, seed=4), expected)
    text = "# Rent\n\nThe **rent** is $x^2$.\n"
    severe = ohr.perturbation("formatting")(text, level="severe").value
    assert ohr.perturb(text, "formatting", "severe") == severe


@pytest.mark.parametrize("noise", ["camera", "formatting"])
def test_intensity_0_changes_nothing(noise):
    page = PAGE if noise == "camera" else "# Rent\n\nThe **rent** is $x^2$.\n"
    assert np.array_equal(ohr.perturb(page, noise, 0), page)


@given(WORDS, WORDS)
def test_lcs_is_the_share_of_the_second_text_and_r_noise_its_threshold(a, b):
    first, second = " ".join(a), " ".join(b)
    assert 0 <= ohr.lcs(first, second) <= 1
    assert ohr.lcs(first, first) == 1
    assert ohr.lcs(f"{first} {second}", second) == 1
    assert ohr.lcs(first, second) == ohr.metric("lcs")(first, second)
    assert ohr.r_noise(first, second) == float(ohr.lcs(first, second) <= 0.95)
    assert ohr.r_noise([first, first], [first, second]) == ohr.r_noise(first, second) / 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ohr.perturb(PAGE, "camera", 2), "a number in .0, 1., got 2"),
        (lambda: ohr.perturb(PAGE, "camera", float("nan")), "a number in"),
        (lambda: ohr.perturb(PAGE, "camera", "sever"), "unknown level 'sever'"),
        (lambda: ohr.perturb(PAGE, "camra", 0.5), "did you mean 'camera'"),
        (lambda: ohr.perturb(PAGE, "formatting", 0.5), "rewrites text"),
        (lambda: ohr.perturb("The rent", "camera", 0.5), "cannot read the image The rent"),
        (lambda: ohr.perturb("a.pdf", "camera", 0.5), "give a page of it"),
        (lambda: ohr.perturb(PAGE.astype(float), "camera", 0.5), "is no page: give uint8"),
        (lambda: ohr.perturb(PAGE[:9], "camera", 0.5), "a page side is 32"),
        (lambda: ohr.perturb(None, "camera", 0.5), "is no page"),
        (lambda: ohr.read(PAGE, "gt"), "reads no pages"),
        (lambda: ohr.read(PAGE, "tessaract"), "did you mean 'tesseract'"),
        (lambda: ohr.read(PAGE, "pdf_text"), "give it a path"),
        (lambda: ohr.lcs(1, "a"), "a is int, not a text"),
        (lambda: ohr.lcs("a", "b", scoring="mine"), "unknown scoring 'mine'"),
        (lambda: ohr.r_noise(["a"], ["a", "b"]), "one truth for each page"),
        (lambda: ohr.r_noise([], []), "one truth for each page"),
        (lambda: ohr.r_noise("a", ["a"]), "not a text"),
    ],
)
def test_what_does_not_fit_is_one_clear_line(call, message):
    with pytest.raises(OhrError, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_metrics_systems_and_mitigations_are_loaded_by_name():
    assert ohr.metric("f1", protocol="reference")("12", "12 euros") < 1
    assert ohr.system("pages").name == "pages"
    assert ohr.mitigation("upright").name == "upright"
    for load, name, near in (
        (ohr.metric, "rouge", "rouge_l"),
        (ohr.system, "drx", "drc"),
        (ohr.mitigation, "uprigt", "upright"),
    ):
        with pytest.raises(ConfigError, match=f"did you mean '{near}'"):
            load(name)
