"""From what an engine writes to the toolkit's Markdown: one set of steps, each with its switch.

The defaults are what brings engines nearest to the ground truth of OHR-Bench, which writes
``$`` and ``$$`` round formulas, keeps page numbers where a page has them, and has words whole
(10 of 5,723 pages have a line that ends in a hyphen). Every step is linear in the text's length.
"""

from __future__ import annotations

import re

from ohr import plugins
from ohr.types import Outcome

TAIL = 40
"""Characters at the end of a page that must have come before for a loop to be looked for."""
LONGEST_UNIT = 4000
LOOP_CHARS = 300
LOOP_TIMES = 6
"""A loop is so many characters, of a unit that comes so many times."""
RULE_CHARS = 3000
"""The same for a unit without a letter or a digit: dotted lines are no loop."""
LOOP = "repeats itself"
"""In the detail of every outcome whose text was cut for a loop."""


class Normalise(plugins.Params):
    """The steps.

    ``headings``: LaTeX, HTML and underlined (``===``) headings, and ``##`` without a space,
    become ``#`` headings. ``formulas``: ``\\(…\\)`` becomes ``$…$``; ``\\[…\\]`` and equation
    environments become ``$$…$$``. ``hyphenation``: words cut at the end of a line are joined.
    ``furniture``: running headers and footers, where the engine tells them apart, and page
    numbers that stand alone in the first or last line are dropped. ``loops``: text that repeats
    itself to the end of the page is cut, and the outcome's detail says so.
    """

    headings: bool = True
    formulas: bool = True
    hyphenation: bool = True
    furniture: bool = False
    loops: bool = True


_TEX_HEADING = re.compile(
    r"^[ \t]*\\(title|chapter|section|subsection|subsubsection)\*?[ \t]*\{([^{}\n]*)\}[ \t]*$", re.M
)
_TEX_LEVELS = {"title": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
_HTML_HEADING = re.compile(r"^[ \t]*<h([1-6])\b[^<>\n]*>([^<>\n]*)</h\1>[ \t]*$", re.M | re.I)
_TIGHT_HEADING = re.compile(r"^(#{2,6})(?=[^#\s])", re.M)
_UNDERLINED = re.compile(r"^[ \t]*([^\n|]*[^\W_][^\n|]*)\n={3,}[ \t]*$", re.M)
_INLINE = re.compile(r"(?<!\\)\\\(\s*((?:[^\\\n]|\\[^()\n])*?)\s*(?<!\\)\\\)")
_DISPLAY = re.compile(r"(?<!\\)\\\[\s*((?:[^\\]|\\[^\[\]]|\\\\\[)*?)\s*(?<!\\)\\\]")
_EQUATION = re.compile(r"\\begin\{(equation|displaymath)(\*?)\}\s*(.*?)\s*\\end\{\1\2\}", re.S)
_HYPHEN = re.compile(r"(?<=[^\W\d_])(?:-[ \t]*\n[ \t]*|\xad[ \t]*\n?[ \t]*)(?=[^\W\d_])")
_PAGE_NUMBER = re.compile(
    r"[ \t]*(?:(?:page|seite|p\.)[ \t]*)?[-–—|(\[]?[ \t]*\d{1,4}"
    r"(?:[ \t]*(?:of|von|/)[ \t]*\d{1,4})?"
    r"[ \t]*[-–—|)\]]?[ \t]*|[ \t]*第[ \t]*\d{1,4}[ \t]*页[ \t]*",
    re.I,
)


def finished(text: str, steps: Normalise) -> Outcome[str]:
    """The outcome of a page that an engine has read: ``ok`` or ``empty``."""
    detail = ""
    if steps.loops:
        text, detail = without_loop(text)
    return Outcome.of_text(normalise(text, steps), detail)


def normalise(text: str, steps: Normalise) -> str:
    """The text after the steps that are switched on, loops aside."""
    if steps.headings:
        text = _headings(text)
    if steps.formulas and "\\" in text:
        text = _formulas(text)
    if steps.hyphenation and ("-" in text or "\xad" in text):
        text = _HYPHEN.sub(_joined, text)
    if steps.furniture:
        text = _without_page_numbers(text)
    return text


def without_loop(text: str) -> tuple[str, str]:
    """The text with the loop at its end cut to one turn, and a line that says so, or none.

    >>> without_loop("A page. " + "and so on, " * 100)
    ('A page. and so on,', "repeats itself: 11 characters 100 times, cut to one")
    """
    body = text.rstrip()
    end = len(body)
    tail = body[-TAIL:]
    at = body.rfind(tail, max(0, end - TAIL - LONGEST_UNIT), end - 1)
    if at < 0 or len(tail) < TAIL:
        return text, ""
    unit = end - TAIL - at
    start = _periodic_from(body, unit)
    turn = body[end - unit :]
    enough = LOOP_CHARS if any(char.isalnum() for char in turn) else RULE_CHARS
    times = (end - start) // unit
    if end - start < enough or times < LOOP_TIMES:
        return text, ""
    return (
        body[: start + unit].rstrip(),
        f"{LOOP}: {unit} characters {times} times, cut to one",
    )


def _periodic_from(text: str, unit: int) -> int:
    """Where the part begins that repeats every ``unit`` characters up to the end."""
    start, size = len(text) - unit, unit
    # Steps that double, then halve: slices compare fast, characters one by one do not.
    while size >= 1:
        first = start - size
        if first >= 0 and text[first:start] == text[first + unit : start + unit]:
            start -= size
            size *= 2
        else:
            size //= 2
    return start


def _headings(text: str) -> str:
    if "\\" in text:
        text = _TEX_HEADING.sub(lambda m: f"{'#' * _TEX_LEVELS[m[1]]} {m[2].strip()}", text)
    if "<" in text:
        text = _HTML_HEADING.sub(lambda m: f"{'#' * int(m[1])} {m[2].strip()}", text)
    if "#" in text:
        text = _TIGHT_HEADING.sub(r"\1 ", text)
    if "===" in text:
        text = _UNDERLINED.sub(lambda m: f"# {m[1].strip()}", text)
    return text


def _formulas(text: str) -> str:
    text = _INLINE.sub(r"$\1$", text)
    text = _DISPLAY.sub(r"$$\1$$", text)
    return _EQUATION.sub(r"$$\3$$", text)


def _joined(match: re.Match[str]) -> str:
    """Nothing between the halves of a word, but a hyphen before a capital (``Anglo-American``)."""
    following = match.string[match.end()]
    return "-" if following.isupper() and "\xad" not in match[0] else ""


def _without_page_numbers(text: str) -> str:
    lines = text.strip().split("\n")
    while lines and _PAGE_NUMBER.fullmatch(lines[-1]):
        lines = "\n".join(lines[:-1]).rstrip().split("\n") if len(lines) > 1 else []
    if lines and _PAGE_NUMBER.fullmatch(lines[0]):
        lines = "\n".join(lines[1:]).lstrip("\n").split("\n")
    return "\n".join(lines)
