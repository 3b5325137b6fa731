r"""Removes Markdown, HTML and LaTeX mark-up and keeps what a person would see on the page.

Used for ``r_noise_content`` and ``lcs_stripped``. Mark-up is removed from the evidence and from the
page, so that plain text does not count as an error. Equal symbols become the same, however they are
written (``\leq``, ``≤``), and spacing in formulas without meaning is ignored. Linear in the length
of the text, also for unbalanced mark-up.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

from ohr.markup.page import read_page
from ohr.markup.scanner import MarkupKind
from ohr.markup.symbols import COMMAND_TO_CHAR

_MARKED = re.compile(r"[$`]|~~~|\]\(|\\[(\[]|\\begin[ \t]*\{(?!tab|longtable)")
"""A text without any of these has no formula, code or link."""
_FORMULA_SIGN = re.compile(r"\\.|([\^_<])", re.DOTALL)
_HTML_TAG = re.compile(
    r"<(?:/?([a-zA-Z][a-zA-Z0-9]{0,15})(?:\s[^<>]{0,1000})?/?|!--[^<>]{0,1000}--)>"
)
_ENTITY = re.compile(r"(?<!\\)&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6})|[a-zA-Z][a-zA-Z0-9]{1,31});")
_INLINE_TAGS = frozenset(
    "b i u em strong sup sub span font s small big mark del ins a code".split()
)
TAGS = _INLINE_TAGS | frozenset(
    "table thead tbody tfoot tr td th caption col colgroup p br hr div center h1 h2 h3 h4 h5 h6 "
    "ul ol li dl dt dd pre blockquote img figure figcaption html body head title chart details "
    "summary section article header footer nav main style script".split()
)
"""The names of tags that are mark-up; others, such as ``<username>``, are text."""
# Column specifications nest one level deep: "{|p{3cm}|>{\bf}l|}".
_SPECIFICATION = r"(?:[ \t]{0,3}\{(?:[^{}\n]|\{[^{}\n]{0,60}\}){0,300}\})"
_ENVIRONMENT = re.compile(
    r"\\begin\s{0,3}\{(?:(?:tabular|longtable|array)\}(?:[ \t]{0,3}\[[^\]\n]{0,100}\])?"
    rf"{_SPECIFICATION}?|tabular[xy*]\}}{_SPECIFICATION}{{0,2}}"
    r"|[a-zA-Z*]{1,30}\}(?:\[[^\]\n]{0,100}\])?)"
    r"|\\end\s{0,3}\{[a-zA-Z*]{1,30}\}"
)
_DROPPED_ARGUMENTS = re.compile(
    r"\\(?:multicolumn\s*\{[^{}]{0,20}\}\s*\{[^{}]{0,60}\}"
    r"|multirow\s*(?:\[[^\]]{0,20}\])?\s*\{[^{}]{0,20}\}\s*\{[^{}]{0,60}\}"
    r"|(?:cline|cmidrule|hspace|vspace|label|ref|tag|includegraphics|rule|color)\*?"
    r"(?:\s*[\[(][^\])\n]{0,200}[\])])?\s*\{[^{}]{0,200}\})"
)
_LINE_BREAK = re.compile(r"\\\\\*?(?:[ \t]*\[[ \t]*-?[\d.]{1,8}[ \t]*\\?[a-z]{2,12}[ \t]*\])?")
_COMMAND = re.compile(r"\\([a-zA-Z]+)\*?")
_ESCAPED = re.compile(r"\\([%&$#_{}])")
_SPACING = re.compile(r"\\(?:q?quad(?![a-zA-Z]) ?|[,;:!> ])")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE)
_LIST_MARK = re.compile(r"^[ \t]*[*+-][ \t]+", re.MULTILINE)
_RULE_ROW = re.compile(r"^[ \t|:=-]{3,}$", re.MULTILINE)
_UNDERSCORES = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_SCRIPT = re.compile(r"\^|_(?=\s?[{\\])")
_NUMBERS_SIDE_BY_SIDE = re.compile(r"(?<=\d)\}[ ]?\{(?=[+-]?\d)")

# Characters that look the same become the same character.
_SAME_LOOK = {
        "ϵ": "ε", "ϕ": "φ", "ϑ": "θ", "ϱ": "ρ", "ϖ": "π", "ϰ": "κ", "∘": "°", "⋅": "·", "∙": "•",
        "∗": "*", "⋆": "*", "∼": "~", "∣": "|", "‖": "|", "′": "'", "…": "...", "⋯": "...",
}  # fmt: skip
_LOOKS = re.compile(f"[{''.join(_SAME_LOOK)}]")  # searched for many times as fast as translated
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc log ln exp lim max min sup inf det dim ker deg gcd arg mod".split()
)
_SPACED = frozenset(("hline", "frac", "tfrac", "dfrac"))
# Stand-ins from the private use area: they survive until the mark-up around them is gone.
_STAND_INS = {char: chr(0xE010 + i) for i, char in enumerate("%&$#_{}*~^|<+-=:")}
_RESTORE = {stand_in: char for char, stand_in in _STAND_INS.items()}
_STAND_IN = re.compile(f"[{min(_RESTORE)}-{max(_RESTORE)}]")
_PROTECTED = str.maketrans(_STAND_INS)
_SPACING_STAND_IN = "\ue007"
_NOTHING = "\ue008"
_SCRIPT_STAND_IN = "\ue009"
_MARKS = "*{}\\" + _NOTHING + _SCRIPT_STAND_IN
_OF_A_NUMBER = re.compile(
    rf"(?<=[\d.,])[{{}}{_NOTHING}]{{0,6}}{_SCRIPT_STAND_IN}(?=[{{{_NOTHING}]{{0,4}}[+\u2212-]?\d)"
)
"""A power or note mark after a number and perhaps a full stop: it is not part of the number."""
_SPACINGS = re.compile(f"{_SPACING_STAND_IN}+")


def strip_markup(text: str) -> str:
    """The text without mark-up; lines and the order of words stay."""
    # Patterns are skipped if the text lacks a character that they need: most OCR output is plain.
    has_latex = "\\" in text
    has_cells = has_latex and ("tabular" in text or "\\hline" in text or "array}" in text)
    is_marked = _MARKED.search(text) is not None
    if is_marked:
        text = _drop_delimiters(text)
    if "<" in text:
        text = _HTML_TAG.sub(_tag, text)
    has_entities = "&" in text and _ENTITY.search(text) is not None
    if has_entities:
        text = _ENTITY.sub(_character, text)
    # List marks before formulas: a formula may begin with a plus sign.
    text = _LIST_MARK.sub("", _RULE_ROW.sub("", text))
    if "#" in text:
        text = _HEADING.sub("", text)
    if has_latex:
        text = _ESCAPED.sub(lambda match: _STAND_INS[match.group(1)], text)
        text = _ENVIRONMENT.sub(" ", text)
        text = _DROPPED_ARGUMENTS.sub(" ", text)
        text = _LINE_BREAK.sub("\n", text)
        text = _NUMBERS_SIDE_BY_SIDE.sub("} {", text)  # \frac{1}{2}
        text = _replace_commands(text)
    if "^" in text or "_" in text:
        text = _UNDERSCORES.sub("", _SCRIPT.sub(_SCRIPT_STAND_IN, text))
    if _SCRIPT_STAND_IN in text:
        text = _OF_A_NUMBER.sub(" ", text)
    for mark in _MARKS:  # five times as fast as str.translate
        text = text.replace(mark, "")
    text = text.replace("~", " ")
    if "&" in text or "|" in text:
        text = text.replace("|", " ").replace("&", " ") if has_cells else _loose_cells(text)
    if has_latex or is_marked or has_entities:
        text = _STAND_IN.sub(lambda match: _RESTORE[match.group()], text)
    return text if text.isascii() else _LOOKS.sub(lambda match: _SAME_LOOK[match.group()], text)


def _tag(match: re.Match[str]) -> str:
    name = (match.group(1) or "br").lower()
    if name not in TAGS:
        return match.group()
    if name in ("sup", "sub") and match.group()[1] != "/":
        return _SCRIPT_STAND_IN
    return "" if name in _INLINE_TAGS else " "


def _character(entity: re.Match[str]) -> str:
    """The character of an HTML entity, protected from later steps; an unknown entity stays."""
    name = entity[0][1:]
    char = html.unescape(entity[0]) if name[0] == "#" else html5.get(name, entity[0])
    return entity[0] if "\\" in char else char.translate(_PROTECTED)


def _loose_cells(text: str) -> str:
    """Remove the cell separators of a row without its environment: between spaces or at an end."""
    return re.sub(r"(?:(?<=\s)|^)[&|](?=\s|$)", " ", text, flags=re.MULTILINE)


def _drop_delimiters(text: str) -> str:
    """Remove the delimiters of formulas and links, and protect code from later steps."""
    edits: list[tuple[int, int, str]] = []
    for region in read_page(text).marked():
        start, end = region.inner_start, region.inner_end
        inner = text[start:end]
        by = inner
        if region.is_formula:
            if "_" in inner or "^" in inner or "<" in inner:
                by = _FORMULA_SIGN.sub(_formula_sign, inner)
            if not text.startswith("\\begin", region.start):
                by = f"{_NOTHING}{by}{_NOTHING}"
                start, end = region.start, region.end
            edits.append((start, end, by))
        elif start == region.start:
            continue
        elif region.kind is MarkupKind.CODE:
            edits.append((region.start, region.end, inner.translate(_PROTECTED)))
        elif region.kind is MarkupKind.LINK or region.kind is MarkupKind.IMAGE:
            edits += ((region.start, start, ""), (end, region.end, ""))
    edits.sort()
    pieces: list[str] = []
    done = 0
    for start, end, by in edits:
        pieces += (text[done:start], by)
        done = end
    return "".join([*pieces, text[done:]])


def _formula_sign(match: re.Match[str]) -> str:
    """Protect a script's mark, and a sign that could open a tag, from later steps."""
    if match[1] is None:
        return match[0]
    return _STAND_INS["<"] if match[1] == "<" else _SCRIPT_STAND_IN


def _replace_commands(text: str) -> str:
    r"""Replace commands by characters, or remove them.

    Spacing comes first, since ``\quad`` takes a space of the source and ``\frac`` leaves one.
    """
    text = _SPACING.sub(_SPACING_STAND_IN, text)
    text = _COMMAND.sub(lambda match: _command(match.group(1)), text)
    return _SPACINGS.sub(_space, text)


def _space(spacing: re.Match[str]) -> str:
    """A space between two words; next to any other symbol spacing has no meaning."""
    text, (start, end) = spacing.string, spacing.span()
    return " " if _is_plain(text[start - 1 : start]) and _is_plain(text[end : end + 1]) else ""


def _is_plain(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _command(name: str) -> str:
    if name in COMMAND_TO_CHAR:
        return COMMAND_TO_CHAR[name]
    if name in _FUNCTIONS:
        return name
    return " " if name in _SPACED else ""
