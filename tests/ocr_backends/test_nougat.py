"""Nougat: margins cut within reason, the end of its positions, the authors' post-processing."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ocr_backends.nougat import crop_margin
from ohr.errors import MissingDependencyError
from ohr.types import Status
from tests.ocr_backends.checkpoints import needs_torch, written
from tests.ocr_backends.test_transformers import engine, page, read


@needs_torch
@pytest.mark.parametrize("shape", [(200, 150), (90, 260), (64, 64), (300, 90)])
def test_margin_is_cut_as_the_processor_cuts_it(shape: tuple[int, int]) -> None:
    made = engine("nougat", written("nougat"))
    processor = made._loaded.processor
    image = Image.fromarray(page(*shape))
    ours = made.inputs(processor, [image])["pixel_values"]
    theirs = processor(images=[image], return_tensors="pt")["pixel_values"]
    assert (ours == theirs).all()


def test_rule_is_cut_to_a_strip_that_the_page_holds() -> None:
    for row in (0, 700, 1753):
        image = np.full((1754, 1240, 3), 255, np.uint8)
        image[row, 100:1140] = 0
        cut = np.asarray(crop_margin(Image.fromarray(image), 8.0))
        assert cut.shape == (130, 1040, 3)
        assert (cut == 0).all(axis=2).sum() == 1040
    blank = Image.fromarray(np.full((50, 40, 3), 255, np.uint8))
    assert crop_margin(blank, 8.0) is blank


@needs_torch
def test_rule_takes_little_memory() -> None:
    image = np.full((1754, 1240, 3), 255, np.uint8)
    image[700, 100:1140] = 0
    seen: list[tuple[int, ...]] = []
    made = engine("nougat", written("nougat"))
    processor = made._loaded.processor.image_processor
    resize = type(processor).resize

    def watched(self: Any, image: Any, *args: Any, **named: Any) -> Any:
        found = resize(self, image, *args, **named)
        seen.append(found.shape)
        return found

    type(processor).resize = watched
    try:
        assert read(made, image)[0].status in (Status.OK, Status.EMPTY)
    finally:
        type(processor).resize = resize
    assert max(np.prod(shape) for shape in seen) < 10**6


@needs_torch
def test_generation_ends_with_the_positions() -> None:
    made = engine("nougat", written("nougat", "loop"), max_new_tokens=4096, postprocess=False)
    assert read(made, page(90, 120))[0].detail.startswith("cut at 63 tokens")


@needs_torch
def test_unknown_token_is_never_written() -> None:
    made = engine("nougat", written("nougat", "loop"), postprocess=False)
    assert "loop" in (read(made, page(90, 120))[0].value or "")
    loaded = made._loaded
    loaded.processor.tokenizer.unk_token = "loop "
    loaded.model.generation_config = made._greedy(
        loaded.model,
        loaded.processor.tokenizer,
        **made.generation(loaded.model, loaded.processor),
    )
    assert "loop" not in (read(made, page(90, 120))[0].value or "")


@needs_torch
def test_postprocessing_can_be_switched_off() -> None:
    text = "## \n\nThe text.\n\n* [leftmargin=*]\n* item\n\n# Next"
    on = engine("nougat", written("nougat"))
    off = engine("nougat", written("nougat"), postprocess=False)
    processor = on._loaded.processor
    assert on.finish(processor, text) == "The text.\n\n* item"
    assert off.finish(processor, text) == text
    assert on.identity() != off.identity()


@needs_torch
@pytest.mark.parametrize("package", ["nltk", "Levenshtein"])
def test_postprocessing_names_what_it_lacks(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ocr_backends.nougat.importlib.util.find_spec",
        lambda name: None if name == package else sys.modules,
    )
    with pytest.raises(MissingDependencyError, match=f"needs {package}: pip install {package}"):
        read(engine("nougat", written("nougat")), page(60, 60))
    assert read(engine("nougat", written("nougat"), postprocess=False), page(60, 60))
