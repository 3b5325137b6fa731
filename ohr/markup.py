"""Removes Markdown, HTML and LaTeX mark-up and keeps what a reader of the page would see.

Used for ``r_noise_content``: an engine that writes plain text must not be charged for not
writing LaTeX, so mark-up is removed from the evidence and from the page alike. Linear in the
length of the text, and safe on unbalanced mark-up.
"""

from __future__ import annotations

import re

from ohr.symbols import COMMAND_TO_CHAR

_DELIMITER = re.compile(r"\\[()\[\]]|\$\$?")
_CLOSERS = {"$": "$", "$$": "$$", r"\(": r"\)", r"\[": r"\]"}
_LONGEST_FORMULA = 20_000
_HTML_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,15})\b[^<>]{0,1000}>")
_INLINE_TAGS = {"b", "i", "u", "em", "strong", "sup", "sub", "span", "font"}
_ENVIRONMENT = re.compile(
    r"\\(?:begin|end)\s*\{[a-zA-Z*]{1,30}\}(?:\s*\[[^\]\n]{0,100}\])?"
    r"(?:\s*\{[|lcrpmbXS@!><*\s\d.,{}\\a-z]{0,300}?\}(?=\s|\\|$))?"
)
_DROPPED_ARGUMENTS = re.compile(
    r"\\(?:multicolumn\s*\{[^{}]{0,20}\}\s*\{[^{}]{0,60}\}"
    r"|multirow\s*(?:\[[^\]]{0,20}\])?\s*\{[^{}]{0,20}\}\s*\{[^{}]{0,60}\}"
    r"|(?:cline|cmidrule|hspace|vspace|label|ref|tag|includegraphics|rule|color)\*?"
    r"(?:\s*[\[(][^\])\n]{0,200}[\])])?\s*\{[^{}]{0,200}\})"
)
_LINE_BREAK = re.compile(r"\\\\(?:\s*\[[^\]\n]{0,20}\])?")
_COMMAND = re.compile(r"\\(?!q?quad(?![a-zA-Z]))([a-zA-Z]+)\*?")
_ESCAPED = re.compile(r"\\([%&$#_{}])")
_SPACING = re.compile(r"(?:\\(?:q?quad ?|[,;:!> ]))+")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE)
_LIST_MARK = re.compile(r"^[ \t]*[*+-][ \t]+", re.MULTILINE)
_RULE_ROW = re.compile(r"^[ \t|:=-]{3,}$", re.MULTILINE)
_STARS = re.compile(r"\*{1,3}")
_UNDERSCORES = re.compile(r"(?<!\w)_{1,3}|_{1,3}(?!\w)")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,500}\)")

# What reads the same reads as the same character, however it was written.
_SAME_LOOK = str.maketrans(
    {
        "ϵ": "ε", "ϕ": "φ", "ϑ": "θ", "ϱ": "ρ", "ϖ": "π", "ϰ": "κ", "∘": "°", "⋅": "·", "∙": "•",
        "∗": "*", "⋆": "*", "∼": "~", "∣": "|", "‖": "|", "′": "'", "…": "...", "⋯": "...",
    }
)  # fmt: skip
# Marks of a script in a formula that lost its delimiters.
_SCRIPT = re.compile(r"\^|_(?=\s?[{\\])")
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc log ln exp lim max min sup inf det dim ker deg gcd arg mod".split()
)
# Stand-ins from the private use area: they survive until the mark-up around them is gone.
_STAND_INS = {char: chr(0xE000 + i) for i, char in enumerate("%&$#_{}")}
_RESTORE = {stand_in: char for char, stand_in in _STAND_INS.items()}
_STAND_IN = re.compile("[\ue000-\ue006]")


def strip_markup(text: str) -> str:
    """The text without mark-up; lines and the order of words stay."""
    # Each group of patterns is skipped where the character that it needs is absent: most
    # pages of an OCR engine are plain.
    has_latex = "\\" in text
    has_cells = has_latex and ("tabular" in text or "\\hline" in text or "array}" in text)
    if "<" in text:
        text = _HTML_TAG.sub(lambda m: "" if m.group(2).lower() in _INLINE_TAGS else " ", text)
    if has_latex:
        text = _ESCAPED.sub(lambda match: _STAND_INS[match.group(1)], text)
        text = _ENVIRONMENT.sub(" ", text)
        text = _DROPPED_ARGUMENTS.sub(" ", text)
        text = _LINE_BREAK.sub("\n", text)
    if has_latex or "$" in text:
        text = _strip_formulas(text)
        if has_latex:
            text = _SCRIPT.sub("", text)
    if "](" in text:
        text = _IMAGE_OR_LINK.sub(r"\1", text)
    text = _LIST_MARK.sub("", _RULE_ROW.sub("", text))
    if "#" in text:
        text = _HEADING.sub("", text)
    if "*" in text:
        text = _STARS.sub("", text)
    if "_" in text:
        text = _UNDERSCORES.sub("", text)
    text = _strip_commands(text)
    if "&" in text or "|" in text:
        text = text.replace("|", " ").replace("&", " ") if has_cells else _loose_cells(text)
    text = text.replace("$", "")
    if not text.isascii():
        text = text.translate(_SAME_LOOK)
    return _STAND_IN.sub(lambda match: _RESTORE[match.group()], text) if has_latex else text


def _loose_cells(text: str) -> str:
    """Cell separators of a row without its environment stand between spaces or at an end."""
    return re.sub(r"(?:(?<=\s)|^)[&|](?=\s|$)", " ", text, flags=re.MULTILINE)


def _strip_formulas(text: str) -> str:
    """Remove the delimiters of formulas and the marks of their super- and subscripts."""
    pieces: list[str] = []
    done = 0
    opening: re.Match[str] | None = None
    for mark in _DELIMITER.finditer(text):
        if opening is not None and mark.end() - opening.start() > _LONGEST_FORMULA:
            opening = None
        if opening is not None and mark.group() == _CLOSERS[opening.group()]:
            pieces.append(text[done : opening.start()])
            formula = text[opening.end() : mark.start()]
            pieces.append(formula.replace("^", "").replace("_", ""))
            done = mark.end()
            opening = None
        elif mark.group() in _CLOSERS:
            opening = mark
    return "".join([*pieces, text[done:]])


def _strip_commands(text: str) -> str:
    if "~" in text:
        text = text.replace("~", " ")
    if "\\" in text:
        text = _COMMAND.sub(lambda match: _command(match.group(1)), text)
        text = _SPACING.sub(_space, text)
    return text.replace("{", "").replace("}", "").replace("\\", "")


def _space(spacing: re.Match[str]) -> str:
    """Spacing parts two words; beside any other symbol it is only beauty."""
    text, (start, end) = spacing.string, spacing.span()
    return " " if _is_plain(text[start - 1 : start]) and _is_plain(text[end : end + 1]) else ""


def _is_plain(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _command(name: str) -> str:
    if name in COMMAND_TO_CHAR:
        return COMMAND_TO_CHAR[name]
    if name in _FUNCTIONS:
        return name
    return " " if name in ("hline", "frac", "tfrac", "dfrac") else ""
