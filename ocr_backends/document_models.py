"""Well-known document models: the prompt, the limits on images and the form of reply of each.

Prompts and limits are those of the models' own documentation and code; a prompt that a model was
trained with is part of its interface. All are read at temperature 0, though some vendors sample:
OCR output must repeat. What the vendor's pipeline does besides, which a bare endpoint lacks, is in
``lacks``: figures of such an endpoint are not the vendor's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ocr_backends.document_replies import (
    Parser,
    deepseek_markdown,
    dots_blocks,
    html_markdown,
    nanonets_markdown,
    olmocr_markdown,
    plain_markdown,
    qwen_markdown,
)
from ocr_backends.wrappers import FRONT_MATTER, PLACE

SENT_PIXELS = 4_000_000
"""Pixels of a page for a model whose documentation names no limit: its server shrinks it
further."""
_QWEN_SYSTEM = (
    "You are an AI specialized in recognizing and extracting text from images. Your mission is to "
    "analyze the image document and generate the result in QwenVL Document Parser HTML format "
    "using specified tags while maintaining user privacy and data integrity."
)


@dataclass(frozen=True)
class DocumentModel:
    """How a model is served pages. ``prompt`` is a name of :mod:`ocr_backends.prompts`."""

    prompt: str
    max_tokens: int
    max_pixels: int
    max_side: int = 0
    """Pixels of the longer side at most; 0: no limit."""
    system: str = ""
    before: str = ""
    """Text before the prompt, in the same part."""
    stop: tuple[str, ...] = ()
    request: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the request, those of vLLM; other servers may not know them."""
    parse: Parser = plain_markdown
    form: frozenset[str] = frozenset()
    """Wrappers that it was asked for, by their names in :mod:`ocr_backends.wrappers`."""
    lacks: str = ""
    """What the vendor's own pipeline adds."""
    version: int = 1
    """Of this record and its parser; part of the identity."""


DOCUMENT_MODELS: dict[str, DocumentModel] = {
    "qwen2_5_vl": DocumentModel(
        prompt="qwen2_5_vl",
        max_tokens=8192,
        max_pixels=2048 * 28 * 28,
        system=_QWEN_SYSTEM,
        parse=html_markdown,
    ),
    "qwen3_vl": DocumentModel(
        prompt="qwen3_vl",
        max_tokens=8192,
        max_pixels=2048 * 32 * 32,
        parse=qwen_markdown,
    ),
    "internvl3": DocumentModel(
        # It has no prompt for documents. Twelve tiles of 448 x 448 is what its code cuts at most.
        prompt="detailed",
        max_tokens=8192,
        max_pixels=12 * 448 * 448,
    ),
    "mineru2_5": DocumentModel(
        prompt="mineru2_5",
        max_tokens=8192,
        max_pixels=SENT_PIXELS,
        system="You are a helpful assistant.",
        request={
            "presence_penalty": 1.0,
            "frequency_penalty": 0.05,
            "vllm_xargs": {"no_repeat_ngram_size": 100},
        },
        lacks="layout detection by the same model on the page at 1036 x 1036, then text, tables "
        "and formulas from crops, each with a prompt of its own",
    ),
    "paddleocr_vl": DocumentModel(
        prompt="paddleocr_vl",
        max_tokens=4096,
        max_pixels=SENT_PIXELS,
        lacks="layout and reading order by PP-DocLayoutV2, then text, tables, formulas and charts "
        "from crops, each with a prompt of its own",
    ),
    "dots_ocr": DocumentModel(
        prompt="dots_ocr",
        max_tokens=16_384,
        max_pixels=11_289_600,
        # Without it vLLM puts a line feed between image and prompt.
        before="<|img|><|imgpad|><|endofimg|>",
        parse=dots_blocks,
        version=2,
    ),
    "deepseek_ocr": DocumentModel(
        prompt="deepseek_ocr",
        # 8,192 with the page's own tokens (up to 1,200) is all that it was trained for.
        max_tokens=6144,
        max_pixels=SENT_PIXELS,
        request={
            "skip_special_tokens": False,
            "vllm_xargs": {
                "ngram_size": 30,
                "window_size": 90,
                "whitelist_token_ids": [128821, 128822],
            },
        },
        stop=("<｜end▁of▁sentence｜>",),
        parse=deepseek_markdown,
        form=frozenset({PLACE}),
    ),
    "olmocr2": DocumentModel(
        prompt="olmocr2",
        max_tokens=8000,
        max_pixels=1288 * 1288,
        max_side=1288,
        parse=olmocr_markdown,
        form=frozenset({FRONT_MATTER}),
        lacks="pages turned upright as its front matter says and read again, and failed replies "
        "asked for again at growing temperatures",
    ),
    "nanonets_ocr2": DocumentModel(
        prompt="nanonets_ocr2",
        max_tokens=15_000,
        max_pixels=SENT_PIXELS,
        system="You are a helpful assistant.",
        parse=nanonets_markdown,
    ),
    "glm_ocr": DocumentModel(
        prompt="glm_ocr",
        max_tokens=8192,
        max_pixels=71_372_800,
        lacks="layout by PP-DocLayoutV3, then text, tables and formulas from crops, each with a "
        "prompt of its own",
    ),
    "monkeyocr": DocumentModel(
        prompt="monkeyocr",
        max_tokens=4096,
        max_pixels=1600 * 1600,
        max_side=1600,
        request={"repetition_penalty": 1.05},
        lacks="layout by DocLayout-YOLO or PP-DocLayout, text, tables and formulas from crops, "
        "each with a prompt of its own, and reading order by LayoutReader",
    ),
}
