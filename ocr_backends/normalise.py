"""From an engine's output to the toolkit's Markdown, by steps that can each be switched off.

The defaults are what brings engines nearest to the ground truth of OHR-Bench, which writes
``$`` and ``$$`` round formulas, keeps page numbers where a page has them, and has words whole
(10 of 5,723 pages have a line that ends in a hyphen). Every step is linear in the text's length.
"""

from __future__ import annotations

import re

from ocr_backends.loops import cut_loops
from ohr import plugins
from ohr.markup.hyphenation import join_cut_words
from ohr.types import Outcome


class Normalise(plugins.Params):
    """The steps.

    ``headings``: LaTeX, HTML and underlined (``===``) headings, and ``##`` without a space,
    become ``#`` headings. ``formulas``: ``\\(…\\)`` becomes ``$…$``; ``\\[…\\]`` and equation
    environments become ``$$…$$``. ``hyphenation``: words cut at the end of a line are joined,
    and compounds keep their hyphen (:mod:`ohr.markup.hyphenation`).
    ``furniture``: running headers and footers, where the engine tells them apart, and page
    numbers that stand alone in the first or last line are dropped. ``loops``: text that repeats
    itself (:mod:`ocr_backends.loops`) is cut, and the outcome's detail says so; by default what a
    generative engine wrote, since any other repeats what stands on the page.
    """

    headings: bool = True
    formulas: bool = True
    hyphenation: bool = True
    furniture: bool = False
    loops: bool | None = None


_TEX_HEADING = re.compile(
    r"^[ \t]*\\(title|chapter|section|subsection|subsubsection)\*?[ \t]*\{([^{}\n]*)\}[ \t]*$", re.M
)
_TEX_LEVELS = {"title": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
_HTML_HEADING = re.compile(r"^[ \t]*<h([1-6])\b[^<>\n]*>([^<>\n]*)</h\1>[ \t]*$", re.M | re.I)
_TIGHT_HEADING = re.compile(r"^(#{2,6})(?=[^#\s])", re.M)
_UNDERLINE = re.compile(r"={3,}[ \t]*")
_LETTER = re.compile(r"[^\W_]")
# Nothing is given back (``*+``), so a formula that is not closed is read through once.
_INLINE = re.compile(r"(?<!\\)\\\(((?:[^\\]|\\[^()\n])*+)(?<!\\)\\\)")
_DISPLAY = re.compile(r"(?<!\\)\\\[((?:[^\\]|\\[^\[\]])*+)(?<!\\)\\\]")
# In brackets that Markdown escapes: numbers (``\\[12, 14–16\\]``), or words, of which one is long.
_CITATION = re.compile(r"\d{1,4}(?:[ \t]*[,;–-][ \t]*\d{1,4})*+")
_PROSE = re.compile(
    r"(?=[^\n]*[^\W\d_]{4})[^\W\d_]++(?:[.,;:'’-]?[ \t]++(?:[^\W\d_]++|\d{1,4}))*+[.,;:!?]?"
)
_EQUATION = re.compile(r"\\begin\{((?:equation|displaymath)\*?)\}")
_PAGE_NUMBER = re.compile(
    # Four digits alone may be a year or an amount, and a sign before a number alone is a minus.
    r"(?:page|seite|p\.)[ \t]*\d{1,4}(?:[ \t]*(?:of|von|/)[ \t]*\d{1,4})?"
    r"|\d{1,4}[ \t]*(?:of|von)[ \t]*\d{1,4}|\d{1,3}(?:[ \t]*/[ \t]*\d{1,3})?"
    r"|[-–—][ \t]*\d{1,4}[ \t]*[-–—]|\|[ \t]*\d{1,4}[ \t]*\|?|\d{1,4}[ \t]*\|"
    r"|\([ \t]*\d{1,3}[ \t]*\)|\[[ \t]*\d{1,3}[ \t]*\]|第[ \t]*\d{1,4}[ \t]*页",
    re.I,
)
_LONGEST_NUMBER = 40
"""Characters of the longest line that is looked at for a page number."""


def line_feeds(text: str) -> str:
    """The text with a line feed at the end of each line, whatever system ended it."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def finished(text: str, steps: Normalise, *, generative: bool = False) -> Outcome[str]:
    """The outcome of a page that an engine has read: ``ok`` or ``empty``.

    ``generative``: whether the engine writes token by token, as its class says.
    """
    text, detail = unlooped(text, steps, generative=generative)
    return Outcome.of_text(normalise(text, steps), detail)


def unlooped(text: str, steps: Normalise, *, generative: bool) -> tuple[str, str]:
    """The text without loops where the step is on, and a line that says so, or none."""
    cuts = generative if steps.loops is None else steps.loops
    return cut_loops(text) if cuts else (text, "")


def normalise(text: str, steps: Normalise) -> str:
    """The text after the steps that are switched on, loops aside."""
    if steps.headings:
        text = _headings(text)
    if steps.formulas and "\\" in text:
        text = _formulas(text)
    if steps.hyphenation:
        text = join_cut_words(text)
    if steps.furniture:
        text = _drop_page_numbers(text)
    return text


def _headings(text: str) -> str:
    if "\\" in text:
        text = _TEX_HEADING.sub(lambda m: f"{'#' * _TEX_LEVELS[m[1]]} {m[2].strip()}", text)
    if "<" in text:
        text = _HTML_HEADING.sub(lambda m: f"{'#' * int(m[1])} {m[2].strip()}", text)
    if "#" in text:
        text = _TIGHT_HEADING.sub(r"\1 ", text)
    if "===" in text:
        text = _underlined(text)
    return text


def _underlined(text: str) -> str:
    lines: list[str] = []
    may_be_heading = False
    for line in text.split("\n"):
        underlines = may_be_heading and _UNDERLINE.fullmatch(line) is not None
        if underlines:
            lines[-1] = f"# {lines[-1].strip()}"
        else:
            lines.append(line)
        may_be_heading = not underlines and "|" not in line and _LETTER.search(line) is not None
    return "\n".join(lines)


def _formulas(text: str) -> str:
    text = _INLINE.sub(_inline, text)
    text = _DISPLAY.sub(_display, text)
    return _equations(text)


def _inline(match: re.Match[str]) -> str:
    """A formula within a line may have breaks round it, and none in it."""
    formula = _trimmed(match[1])
    if "\n" in formula:
        return match[0]
    return f"({match[1]})" if _PROSE.fullmatch(formula) else f"${formula}$"


def _display(match: re.Match[str]) -> str:
    """A formula, or brackets that Markdown escapes, round a citation or words."""
    formula = _trimmed(match[1])
    escaped = _CITATION.fullmatch(formula) or _PROSE.fullmatch(formula)
    return f"[{match[1]}]" if escaped and "\n" not in match[1] else f"$${formula}$$"


def _trimmed(formula: str) -> str:
    """Without the spaces around it, except a last one that a backslash escapes."""
    whole = formula.lstrip()
    stripped = whole.rstrip()
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return whole[: len(stripped) + backslashes % 2]


def _equations(text: str) -> str:
    parts: list[str] = []
    position = 0
    not_closed: set[str] = set()
    for begins in _EQUATION.finditer(text):
        name = begins[1]
        if begins.start() < position or name in not_closed:
            continue
        closing = f"\\end{{{name}}}"
        ends = text.find(closing, begins.end())
        if ends < 0:
            not_closed.add(name)
            continue
        parts += [text[position : begins.start()], "$$", text[begins.end() : ends].strip(), "$$"]
        position = ends + len(closing)
    return "".join(parts) + text[position:]


def _drop_page_numbers(text: str) -> str:
    """The text without a page number in its first or last line, unless it is all there is."""
    text = text.strip()
    above, _, last = text.rpartition("\n")
    if above.strip() and _is_page_number(last):
        text = above.rstrip()
    first, _, below = text.partition("\n")
    return below.lstrip("\n") if below.strip() and _is_page_number(first) else text


def _is_page_number(line: str) -> bool:
    line = line.strip(" \t")
    return len(line) <= _LONGEST_NUMBER and _PAGE_NUMBER.fullmatch(line) is not None
