"""Qwen2.5-VL: a general vision-language model, prompted to transcribe a page."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ocr_backends._transformers import INSTALL
from ocr_backends._vision_language import VisionLanguageEngine, VisionLanguageParams


class QwenVlParams(VisionLanguageParams):
    """``min_pixels``, ``max_pixels``: a page is scaled into these limits; each 28 x 28 pixels
    are one token of the prompt (3 million pixels: about 3,800).
    """

    model: str = Field("Qwen/Qwen2.5-VL-7B-Instruct", min_length=1)
    min_pixels: int = Field(56 * 56, ge=784)
    max_pixels: int = Field(3_000_000, ge=784)


class QwenVl(VisionLanguageEngine[QwenVlParams]):
    """Qwen2.5-VL of any size that fits on one device."""

    name = "qwen_vl"
    license = "Apache-2.0 (7B, 32B), Qwen Research (3B), Qwen (72B)"
    languages = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "pt", "ru", "vi", "zh")
    returns = "markdown"
    install = INSTALL
    model_type = "qwen2_5_vl"
    model_class = "Qwen2_5_VLForConditionalGeneration"
    processor_class = "Qwen2_5_VLProcessor"
    max_ratio = 100.0  # beyond 200 its image processor refuses

    def image_options(self) -> dict[str, Any]:
        limits = {
            "shortest_edge": self.params.min_pixels,
            "longest_edge": self.params.max_pixels,
        }
        return {"size": limits}
