"""InternVL: a general vision-language model, prompted to transcribe a page."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ocr_backends._transformers import INSTALL
from ocr_backends._vision_language import VisionLanguageEngine, VisionLanguageParams


class InternVlParams(VisionLanguageParams):
    """``max_patches``: a page is cut into at most so many tiles of 448 x 448 pixels (256 tokens
    of the prompt each), with a small picture of the whole page beside them.
    """

    model: str = Field("OpenGVLab/InternVL3-8B-hf", min_length=1)
    max_patches: int = Field(12, ge=1, le=40)


class InternVl(VisionLanguageEngine[InternVlParams]):
    """InternVL 2.5 and 3, in the checkpoints made for transformers (``-hf``)."""

    name = "internvl"
    license = "MIT (language model: Apache-2.0 or Qwen)"
    languages = ("en", "zh")
    returns = "markdown"
    install = INSTALL
    model_type = "internvl"
    model_class = "InternVLForConditionalGeneration"
    processor_class = "InternVLProcessor"
    max_ratio = 12.0

    def image_options(self) -> dict[str, Any]:
        return {"crop_to_patches": True, "max_patches": self.params.max_patches}
