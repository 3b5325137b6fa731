"""Nougat: reads pages of scientific papers into Markdown with LaTeX."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from pydantic import Field

from ocr_backends._transformers import INSTALL, ModelParams, TransformersEngine
from ohr.errors import MissingDependencyError

INK = 200
"""Grey levels below this, on a page stretched to 0 ... 255, are ink."""


class NougatParams(ModelParams):
    """``postprocess``: the authors' own correction of the text (headings, lists, references that
    the model made up, repetitions at the end).
    """

    model: str = Field("facebook/nougat-base", min_length=1)
    max_new_tokens: int = Field(3584, ge=1)
    postprocess: bool = True


class Nougat(TransformersEngine[NougatParams]):
    """Nougat: a Swin encoder and an mBART decoder (350 million parameters)."""

    name = "nougat"
    license = "CC-BY-NC-4.0 (weights), MIT (code)"
    languages = ("en",)
    returns = "markdown"
    install = INSTALL
    model_type = "vision-encoder-decoder"
    model_class = "VisionEncoderDecoderModel"
    processor_class = "NougatProcessor"
    max_ratio = 8.0

    def processor(self, folder: Path) -> Any:
        if self.params.postprocess:
            for package in ("nltk", "Levenshtein"):
                if importlib.util.find_spec(package) is None:
                    raise MissingDependencyError(
                        f"nougat: postprocess needs {package}: pip install {package}"
                    )
        return super().processor(folder)

    def inputs(self, processor: Any, pages: list[Image.Image]) -> Mapping[str, Any]:
        if processor.image_processor.do_crop_margin:
            pages = [crop_margin(page, self.max_ratio) for page in pages]
        inputs: Mapping[str, Any] = processor(
            images=pages, do_crop_margin=False, return_tensors="pt"
        )
        return inputs

    def generation(self, model: Any, processor: Any) -> dict[str, Any]:
        # Learned positions end: one token more would be an index out of range.
        most = model.config.decoder.max_position_embeddings - 1
        return {
            "max_new_tokens": min(self.params.max_new_tokens, most),
            "bad_words_ids": [[processor.tokenizer.unk_token_id]],
        }

    def finish(self, processor: Any, text: str) -> str:
        if not self.params.postprocess or not text.strip():
            return text
        return str(processor.post_process_generation(text, fix_markdown=False)).strip()


def crop_margin(page: Image.Image, max_ratio: float) -> Image.Image:
    """The page cut to its ink, as Nougat's image processor cuts it, but no thinner than a strip.

    The processor enlarges what it has cut to a short side of 672 pixels: a page with nothing
    but a rule would take gigabytes.
    """
    grey = np.asarray(page.convert("L"))
    low, high = int(grey.min()), int(grey.max())
    if low == high:
        return page
    ink = (grey - low) / (high - low) * 255 < INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    top, bottom, left_edge, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    height = max(bottom - top, math.ceil((right - left_edge) / max_ratio))
    width = max(right - left_edge, math.ceil(height / max_ratio))
    top, left_edge = min(top, page.height - height), min(left_edge, page.width - width)
    return page.crop((left_edge, top, left_edge + width, top + height))
