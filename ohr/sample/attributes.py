"""Challenging attributes of documents, as in the paper's section II.3: asked for, and found.

Four can be asked for: ``dense`` (small type in narrow margins, two columns where a page has
one), ``scanned`` (grey paper, noise, a slight turn; the PDF has images only), ``multilingual``
(a page with Chinese passages) and ``handwriting`` (a font that looks like handwriting). The
others are found in what was written: tables, formulas, charts, a complex layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ohr.errors import ConfigError
from ohr.plugins.randomness import generator_for
from ohr.sample.blocks import Columns, PageBlocks, PageLayout
from ohr.sample.choices import ATTRIBUTES
from ohr.sample.typesetting.boxes import Box
from ohr.sample.typesetting.fonts import SERIF, family_for
from ohr.sample.typesetting.looks import Look, dense, look, set_in
from ohr.types import PageRef

NEED_FONTS = ("multilingual", "handwriting")
COMPLEX_BOXES = 20
DENSE_TOKENS = 770
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[A-Za-z]{1,6}|\d{1,3}|[^\sA-Za-z\d]")


def check_attributes(attributes: Sequence[str]) -> None:
    """Raise ConfigError for an attribute that is unknown or whose font is not installed."""
    for attribute in attributes:
        if attribute not in ATTRIBUTES:
            known_values = ", ".join(ATTRIBUTES)
            raise ConfigError(f"unknown sample attribute {attribute!r}; known: {known_values}")
        if attribute in NEED_FONTS:
            family_for(attribute)


def drawn_attributes(seed: int, number: int, allowed: Sequence[str]) -> tuple[str, ...]:
    """The attributes of document ``number``: one of those wanted, or none, equally often."""
    if not allowed:
        return ()
    options = [(), *((attribute,) for attribute in ATTRIBUTES if attribute in allowed)]
    rng = generator_for(seed, "sample.attributes", PageRef("", number))
    return options[int(rng.integers(len(options)))]


def look_of(domain: str, attributes: Sequence[str]) -> Look:
    """The look of a document of a domain with some attributes."""
    drawn = look(domain)
    if "dense" in attributes:
        drawn = dense(drawn)
    if "multilingual" in attributes:
        drawn = set_in(drawn, "Libertinus Serif", family_for("multilingual"))
    if "handwriting" in attributes:
        drawn = set_in(drawn, family_for("handwriting"), SERIF)
    return drawn


def attributes_of_pages(
    layout: PageLayout, texts: Sequence[str], boxes: Sequence[Box], pages: Sequence[PageBlocks]
) -> list[list[str]]:
    """For each page the paper's attributes that what was written has, whatever was asked for.

    ``table``, ``formula`` and ``chart``; ``dense_text``: more than 770 tokens as
    :func:`count_tokens` counts; ``complex_layout``: several columns, or more than 20
    boxes; ``multilingual``: Chinese among the English.
    """
    by_page = []
    for page_no, (text, blocks) in enumerate(zip(texts, pages, strict=True)):
        count = sum(box.page_no == page_no for box in boxes)
        columns = layout.columns > 1 or any(isinstance(block, Columns) for block in blocks)
        has = {
            "table": r"\begin{tabular}" in text.replace("<chart>\n\\begin{tabular}", ""),
            "formula": "$$" in text or r"\frac" in text,
            "chart": "<chart>" in text,
            "dense_text": count_tokens(text) > DENSE_TOKENS,
            "complex_layout": columns or count > COMPLEX_BOXES,
            "multilingual": _CHINESE.search(text) is not None,
        }
        by_page.append([name for name, present in has.items() if present])
    return by_page


def count_tokens(text: str) -> int:
    """Tokens as a language model counts them, nearly: pieces of up to six letters, three
    digits, or one mark or Chinese character."""
    return len(_TOKEN.findall(text))
