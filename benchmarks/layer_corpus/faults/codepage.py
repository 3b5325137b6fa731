"""Letters read by another code page than the one they were written in."""

from __future__ import annotations

from functools import partial

import pikepdf

from benchmarks.layer_corpus.faults.planted import Plant, Planted, plant_change
from benchmarks.layer_corpus.page import Page

CODE_PAGES = {
    "latin": ("utf-8", "cp1250", "cp1258"),
    "greek": ("cp1253", "mac-greek", "utf-8"),
    "cyrillic": ("cp1251", "koi8-r", "mac-cyrillic"),
    "hebrew": ("cp1255", "utf-8"),
    "arabic": ("cp1256", "utf-8"),
    "thai": ("cp874", "utf-8"),
    "chinese": ("gbk", "big5"),
    "japanese": ("shift_jis", "euc_jp"),
    "korean": ("cp949", "utf-8"),
}


def misread(text: str, code_page: str) -> str:
    """The text as Latin-1 shows its bytes; letters outside the code page stay."""
    matches = []
    for char in text:
        data = char.encode(code_page, "ignore") or char.encode("utf-16-be")
        known_values = char.encode(code_page, "ignore")
        matches.append(known_values.decode("cp1252", "replace") if data == known_values else char)
    return "".join(matches).replace("\ufffd", "\u00a4")


def _plant(turn: int, document: pikepdf.Pdf, page: Page) -> Planted | None:
    code_pages = CODE_PAGES.get(page.script, ("utf-8",))
    if turn >= len(code_pages):
        return None
    return plant_change(document, page, lambda text: misread(text, code_pages[turn]))


VARIANTS: dict[str, Plant] = {
    "first": partial(_plant, 0),
    "second": partial(_plant, 1),
    "third": partial(_plant, 2),
}
