"""GOT-OCR2: a small end-to-end model; in format mode it writes Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PIL import Image
from pydantic import Field

from ocr_backends._transformers import INSTALL, ModelParams, TransformersEngine

END = "<|im_end|>"


class GotParams(ModelParams):
    """``max_patches``: 1 shows the model the whole page at 1,024 x 1,024 pixels, as published;
    more cut it into so many tiles. ``no_repeat_ngram``: no run of so many tokens is written
    twice; 0 switches it off.
    """

    model: str = Field("stepfun-ai/GOT-OCR-2.0-hf", min_length=1)
    max_patches: int = Field(1, ge=1, le=36)
    no_repeat_ngram: int = Field(20, ge=0)


class Got(TransformersEngine[GotParams]):
    """GOT-OCR2 (580 million parameters) in format mode."""

    name = "got"
    license = "Apache-2.0"
    languages = ("en", "zh")
    returns = "markdown"
    install = INSTALL
    model_type = "got_ocr2"
    model_class = "GotOcr2ForConditionalGeneration"
    processor_class = "GotOcr2Processor"
    # The page is squeezed into a square: a strip would be stretched beyond reading.
    max_ratio = 8.0

    def inputs(self, processor: Any, pages: list[Image.Image]) -> Mapping[str, Any]:
        patches: int = self.params.max_patches
        inputs: Mapping[str, Any] = processor(
            images=pages,
            format=True,
            images_kwargs={"crop_to_patches": patches > 1, "max_patches": patches},
            text_kwargs={"padding": True},
            return_tensors="pt",
        )
        return inputs

    def generation(self, model: Any, processor: Any) -> dict[str, Any]:
        tokenizer = processor.tokenizer
        ends = [tokenizer.convert_tokens_to_ids(END), tokenizer.eos_token_id]
        return {
            "eos_token_id": [end for end in ends if end is not None],
            "no_repeat_ngram_size": self.params.no_repeat_ngram,
        }
