"""The prompts of vision-language models.

``simple`` and ``detailed`` have the intent of the two prompts compared in OHR-Bench (tables
S13 and S14), in words of our own; the detailed one read better there and is the default.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import AfterValidator

BUILT_IN = ("simple", "detailed")
OF_MODELS = (
    "deepseek_ocr",
    "dots_ocr",
    "glm_ocr",
    "mineru2_5",
    "monkeyocr",
    "nanonets_ocr2",
    "olmocr2",
    "paddleocr_vl",
    "qwen2_5_vl",
    "qwen3_vl",
)
"""Prompts that document models were trained with, to the letter."""


def _known(prompt: str) -> str:
    # A word alone is a name: a misspelt one must not be sent as a prompt.
    if prompt not in (*BUILT_IN, *OF_MODELS) and len(prompt.split()) < 2:
        raise ValueError(
            f"unknown prompt {prompt!r}; known: {', '.join((*BUILT_IN, *OF_MODELS))}; "
            "a prompt of your own has more than one word"
        )
    return prompt


Prompt = Annotated[str, AfterValidator(_known)]
"""``simple``, ``detailed``, that of a document model, or the user's own of two words or more."""


@cache
def prompt_text(prompt: str) -> str:
    """The words sent for a :data:`Prompt`."""
    if prompt not in (*BUILT_IN, *OF_MODELS):
        return prompt
    path = files("ocr_backends") / "prompt_texts" / f"{prompt}.txt"
    text = path.read_text(encoding="utf-8")
    # One begins with a line feed, which is part of it.
    return text.strip() if prompt in BUILT_IN else text.removesuffix("\n")
