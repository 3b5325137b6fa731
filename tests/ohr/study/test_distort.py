"""Distorting a page: one draw for one plug-in, however a configuration names it."""

import numpy as np
import pytest
from PIL import Image

from experiments.noisy.one_page import DistortTask, distort_page
from ohr.errors import ConfigError, PluginError
from ohr.ocr.distort import distort_image
from ohr.ocr.noise import Noise
from ohr.ocr.sources import PageSource
from ohr.ocr.worker import PageTask, distort
from ohr.plugins import Applied, ImagePerturbation
from ohr.registry import PluginSpec, image_perturbation
from ohr.types import PageRef

REF = PageRef("law/contract", 3)
PAGE = np.random.default_rng(0).integers(0, 256, (120, 90), dtype=np.uint8)
NAMES = ("salt_and_pepper", "perturb.image.salt_and_pepper.SaltAndPepper")


def read_in_a_study(name: str, tmp_path) -> np.ndarray:
    task = PageTask(REF, tmp_path / "page.png", 150, PluginSpec.parse(name), 0.5, 7, {})
    image, record = distort(task, PAGE)
    assert record is not None
    return image


def test_a_dotted_path_draws_the_same_noise_as_the_name(tmp_path):
    """Both have one identity, so one key: it must stand for one image."""
    by_name, by_path = (read_in_a_study(name, tmp_path) for name in NAMES)
    assert (by_name != PAGE).any()
    np.testing.assert_array_equal(by_name, by_path)


def test_distorted_pages_are_those_that_a_study_reads(tmp_path):
    Image.fromarray(PAGE).save(tmp_path / "contract.png")
    source = PageSource(tmp_path / "contract.png", "law/contract", None, 150, None, "contract.png")
    noise = Noise(PluginSpec.parse(NAMES[1]), "", 0.5)
    distort_page(DistortTask(source, ((noise, "out.png"),), 7, tmp_path, "png", 90))
    operator = image_perturbation(PluginSpec.parse(NAMES[0]))
    ref = PageRef("law/contract", 0)
    wanted = distort_image(operator, PAGE, intensity=0.5, seed=7, ref=ref).value
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "out.png")), wanted)


class Halving(ImagePerturbation):
    """Returns another size than it was given."""

    name = "halving"

    def apply(self, x, *, intensity, rng):
        return Applied(x[::2], {})

    def replay(self, x, record):
        return x[::2]

    def move(self, boxes, record):
        return boxes


def test_another_size_is_the_distortions_fault():
    with pytest.raises(PluginError, match="size and dtype must not change"):
        distort_image(Halving(), PAGE, intensity=1, seed=0, ref=REF)


def test_rewriting_text_distorts_no_image():
    with pytest.raises(ConfigError, match="distorts no page image"):
        image_perturbation(PluginSpec(name="formatting"))
