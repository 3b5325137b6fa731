"""GOT-OCR2: format mode, tiles, and runs of tokens that are not written twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from tests.ocr_backends.checkpoints import needs_torch, written
from tests.ocr_backends.test_transformers import engine, page, read

pytestmark = needs_torch


def inputs(height: int, width: int, **params: Any) -> tuple[Any, Any]:
    made = engine("got", written("got"), **params)
    processor = made._loaded.processor
    return made.inputs(processor, [Image.fromarray(page(height, width))]), processor


def test_format_mode_is_asked_for() -> None:
    made, processor = inputs(90, 120)
    assert "OCR with format: " in processor.tokenizer.decode(made["input_ids"][0])


def test_whole_page_or_tiles() -> None:
    whole, processor = inputs(600, 300)
    assert whole["pixel_values"].shape[0] == 1
    tiled, _ = inputs(600, 300, max_patches=6)
    tiles = tiled["pixel_values"].shape[0]
    assert 2 < tiles <= 7  # six and the whole
    image_token = processor.image_token_id
    assert (tiled["input_ids"] == image_token).sum() == 256 * tiles


def test_tiles_in_a_batch_read_as_single_pages() -> None:
    pages = [page(600, 300), page(90, 90, 1)]
    singly = read(engine("got", written("got"), max_patches=4), *pages)
    assert read(engine("got", written("got"), max_patches=4, batch_size=2), *pages) == singly


def test_no_run_of_tokens_is_written_twice() -> None:
    made = engine("got", written("got", "loop"), max_new_tokens=40, no_repeat_ngram=3)
    value = read(made, page(90, 120))[0].value or ""
    assert value.startswith("loop loop loop")
    assert not value.startswith("loop loop loop loop")


def test_strip_is_not_stretched() -> None:
    made = engine("got", written("got"))
    strip = np.full((40, 10_000, 3), 255, np.uint8)
    strip[:, ::2] = 0
    seen: list[Image.Image] = []
    made.inputs = lambda processor, pages: seen.extend(pages) or {}
    read(made, strip)
    assert seen[0].size == (10_000, 1250)
