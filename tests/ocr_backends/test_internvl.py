"""InternVL: tiles, prompts, settings of its processor."""

from __future__ import annotations

from typing import Any

import pytest
from PIL import Image

from ocr_backends.prompts import prompt_text
from tests.ocr_backends.checkpoints import needs_torch, written
from tests.ocr_backends.test_transformers import engine, page

pytestmark = needs_torch


def inputs(height: int, width: int, **params: Any) -> tuple[Any, str]:
    made = engine("internvl", written("internvl"), **params)
    processor = made._loaded.processor
    found = made.inputs(processor, [Image.fromarray(page(height, width))])
    return found, processor.tokenizer.decode(found["input_ids"][0])


@pytest.mark.parametrize("most", [1, 4, 12])
@pytest.mark.parametrize("shape", [(300, 300), (900, 300), (200, 1000)])
def test_tiles(most: int, shape: tuple[int, int]) -> None:
    found, text = inputs(*shape, max_patches=most)
    tiles = found["pixel_values"].shape[0]
    assert tiles <= most + 1 if most > 1 else tiles == 1
    assert found["pixel_values"].shape[1:] == (3, 28, 28)
    # One token a tile, as the checkpoint's processor settings say; 256 is the default.
    assert text.count("<IMG_CONTEXT>") == tiles


def test_prompt_follows_the_page() -> None:
    _, text = inputs(60, 60, prompt="simple")
    assert text.index("</img>") < text.index(prompt_text("simple"))
    assert text.endswith("<|im_start|>assistant\n")
