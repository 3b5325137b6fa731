"""Qwen2.5-VL: pixel limits, prompts, chat template."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from ocr_backends.prompts import prompt_text
from ohr.errors import MissingDependencyError
from tests.ocr_backends.checkpoints import needs_torch, written
from tests.ocr_backends.test_transformers import engine, page, read

pytestmark = needs_torch


def inputs(height: int, width: int, **params: Any) -> tuple[Any, str]:
    made = engine("qwen_vl", written("qwen_vl"), **params)
    processor = made._loaded.processor
    found = made.inputs(processor, [Image.fromarray(page(height, width))])
    return found, processor.tokenizer.decode(found["input_ids"][0])


@pytest.mark.parametrize(("low", "high"), [(784, 3136), (3136, 50_000), (100_000, 200_000)])
@pytest.mark.parametrize("shape", [(30, 30), (200, 150), (700, 1000)])
def test_pixel_limits(low: int, high: int, shape: tuple[int, int]) -> None:
    found, text = inputs(*shape, min_pixels=low, max_pixels=high)
    patches = int(found["image_grid_thw"][0].prod())
    assert low <= patches * 14 * 14 <= high
    assert text.count("<|image_pad|>") == patches // 4


def test_default_limit() -> None:
    found, _ = inputs(3508, 2480)
    assert 2_800_000 < int(found["image_grid_thw"][0].prod()) * 196 <= 3_000_000


@pytest.mark.parametrize("prompt", ["simple", "detailed", "Copy this page."])
def test_prompt_follows_the_page(prompt: str) -> None:
    _, text = inputs(60, 60, prompt=prompt)
    assert text.index("<|vision_end|>") < text.index(prompt_text(prompt))
    assert text.endswith("<|im_start|>assistant\n")


def test_prompt_is_part_of_the_identity() -> None:
    identities = [
        str(engine("qwen_vl", written("qwen_vl"), prompt=prompt).identity())
        for prompt in ("simple", "detailed", "Copy this page.")
    ]
    assert len(set(identities)) == 3


def test_checkpoint_without_a_chat_template_is_refused(tmp_path: Path) -> None:
    folder = shutil.copytree(written("qwen_vl"), tmp_path / "copy")
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(MissingDependencyError, match="has no chat template"):
        read(engine("qwen_vl", folder), page(60, 60))
