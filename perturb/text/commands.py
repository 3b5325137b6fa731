r"""Counts of formatting commands on a page, by kind (OHR-Bench, table S2).

The paper gives one number per page and does not say what it counts. Here every command that a rule
of :mod:`perturb.text` may add, remove or exchange is counted, each under its kind;
:func:`paper_count` leaves out the line breaks, which are no commands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ohr.markup.scanner import MarkupKind
from ohr.markup.symbols import CHAR_TO_COMMAND, COMMAND_TO_CHAR
from perturb.text.formula import BOLD, CURSIVE
from perturb.text.page import EditablePage
from perturb.text.prose import line_joins

KINDS = (
    "bold", "italic", "underline", "heading", "line_break", "inline_formula", "block_formula",
    "spacing", "bold_symbol", "cursive_symbol", "symbol_command", "symbol_character",
    "hline", "cline",
)  # fmt: skip

_EMPHASIS = {
    "bold": ("**", "__", "***", "___", "\\textbf"),
    "italic": ("*", "\\textit", "\\emph", "\\textsl"),
    "underline": ("_", "\\underline", "\\uline"),
}
_STYLE_OF = {opener: kind for kind, openers in _EMPHASIS.items() for opener in openers}
_HTML_STYLE = {"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline"}
_OPENER = re.compile(r"\\[a-zA-Z]+|[*_]+")
_TAG_NAME = re.compile(r"<([a-zA-Z]+)")
_COMMAND = re.compile(r"\\([a-zA-Z]+|.)")
_SPACING = frozenset(("quad", "qquad", ";", ":", " ", ",", "!", ">"))
_CURSIVE = frozenset((*CURSIVE, "mathfrak", "EuScript"))
_BOLD = frozenset((*BOLD, "bm"))


def count_commands(text: str) -> dict[str, int]:
    """How often each of :data:`KINDS` occurs on a page, zeros included."""
    page = EditablePage(text)
    counts: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
    for area in page.body + page.cells:
        for region in area.regions:
            source = text[region.start : region.end]
            if region.kind in (MarkupKind.INLINE, MarkupKind.DISPLAY):
                counts[
                    "inline_formula" if region.kind is MarkupKind.INLINE else "block_formula"
                ] += 1
                _count_formula(text[region.inner_start : region.inner_end], counts)
            elif region.kind is MarkupKind.EMPHASIS:
                opener = _OPENER.match(source)
                counts[_STYLE_OF.get(opener.group() if opener else "", "bold")] += 1
            elif region.kind is MarkupKind.HEADING:
                counts["heading"] += 1
            elif region.kind is MarkupKind.TAG:
                tag = _TAG_NAME.match(source)
                if tag is not None and (style := _HTML_STYLE.get(tag.group(1).lower())):
                    counts[style] += 1
    counts["heading"] += len(page.headings)
    counts["line_break"] = len(line_joins(page, page.body))
    for table in page.tables:
        source = text[slice(*table.span)]
        counts["hline"] += source.count("\\hline")
        counts["cline"] += source.count("\\cline")
    return dict(counts)


def paper_count(counts: Mapping[str, int]) -> int:
    """The page's formatting commands: all kinds but line breaks."""
    return sum(count for kind, count in counts.items() if kind != "line_break")


def _count_formula(content: str, counts: Counter[str]) -> None:
    for match in _COMMAND.finditer(content):
        name = match.group(1)
        if name in _SPACING:
            counts["spacing"] += 1
        elif name in _BOLD:
            counts["bold_symbol"] += 1
        elif name in _CURSIVE:
            counts["cursive_symbol"] += 1
        elif name in COMMAND_TO_CHAR:
            counts["symbol_command"] += 1
    if not content.isascii():
        counts["symbol_character"] += sum(char in CHAR_TO_COMMAND for char in content)
