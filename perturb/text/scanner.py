"""Where a page's constructs are: formulas, code, links, tags, commands, emphasis, headings.

:func:`scan` walks a stretch of Markdown with LaTeX once, from left to right, and names what it
finds. Each pattern is possessive or looks no further than the next opener of its kind, so the
time is linear in the text whatever it holds. What is not closed, or does not look like what it
opens as (a dollar that is a price), is plain text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from perturb.text.structure import Structure


class MarkupKind(Enum):
    """What a region is. Text rules act outside all of them."""

    INLINE = "inline formula"
    DISPLAY = "block formula"
    CODE = "code"
    LINK = "link or URL"
    TAG = "HTML tag"
    COMMAND = "LaTeX command with its arguments"
    EMPHASIS = "emphasis"
    TITLE = "LaTeX heading"


@dataclass(frozen=True, slots=True)
class MarkupRegion:
    """``text[start:end]``; ``text[inner_start:inner_end]`` is what its delimiters enclose."""

    kind: MarkupKind
    start: int
    end: int
    inner_start: int
    inner_end: int


MATH_ENVIRONMENTS = frozenset(
    f"{name}{star}"
    for name in "equation align gather multline eqnarray flalign alignat displaymath math".split()
    for star in ("", "*")
) | frozenset("array aligned gathered cases matrix pmatrix bmatrix vmatrix split".split())
CODE_ENVIRONMENTS = frozenset(("verbatim", "verbatim*", "lstlisting", "minted"))
CODE_TAGS = frozenset("code pre script style textarea math svg smiles".split())
EMPHASIS_COMMANDS = frozenset(("textbf", "textit", "emph", "underline", "textsl", "uline"))
TITLE_COMMANDS = frozenset(
    ("title", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
)

# Within a paragraph: everything but the closer, an escape counting as one character.
_DOLLAR = re.compile(r"\$((?:[^\\$\n]++|\\[^\n]|\n(?![ \t]*\n))*+)\$")
_DOLLARS = re.compile(r"\$\$((?:[^\\$\n]++|\\[^\n]|\$(?!\$)|\\?\n(?![ \t]*\n))*+)\$\$")
_PAREN = re.compile(r"\\\(((?:[^\\\n]++|\\[^()\n]|\n(?![ \t]*\n))*+)\\\)")
_BRACKET = re.compile(r"\\\[((?:[^\\\n]++|\\[^\[\]\n]|\\?\n(?![ \t]*\n))*+)\\\]")
_TEX = re.compile(r"\\[a-zA-Z]|[\^_]")
_MATH = re.compile(r"\\[a-zA-Z]|[\^_={}+<>]")
_WORDS = re.compile(r"[^\W\d_]{2}.*\s|\s.*[^\W\d_]{2}", re.DOTALL)
_CELL = re.compile(r"(?<!\\)&")
_SHORT_FORMULA = 12

_SPECIAL = re.compile(r"[\\$`<\[*_]")
_COMMAND = re.compile(r"\\([a-zA-Z]+)\*?")
_ENVIRONMENT = re.compile(r"\\(begin|end)[ \t]*\{([a-zA-Z]+\*?)\}")
_BACKTICKS = re.compile(r"`+")
_LINK = re.compile(r"\[[^\[\]\n]{0,500}\]\([^()\s]{0,500}\)")
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9-]{0,30})(?:\s[^<>]{0,2000})?/?>")
_STARRED = re.compile(
    r"(?<![^\s(\[\"'“‘])(\*{1,3}|_{1,3})(?=[^\s*_])"
    r"((?:[^*_`$\\<>\[\]{}|\n]++|\\[$%&#]|\n(?![ \t]*\n))*+)(?<!\s)\1(?![\w*])"
)
_WORD_CHAR = re.compile(r"[^\W_]")


def scan(structure: Structure, start: int, end: int) -> list[MarkupRegion]:
    """The regions of ``text[start:end]``, in order and apart; nothing beyond it is looked at."""
    return _Scan(structure, start, end).run()


@dataclass
class _Scan:
    structure: Structure
    start: int
    end: int

    def __post_init__(self) -> None:
        self.text = self.structure.text
        self.absent: set[str] = set()

    def run(self) -> list[MarkupRegion]:
        regions: list[MarkupRegion] = []
        position, fixed = self.start, self.structure.fixed_spans(self.start, self.end)
        for kind, a, b in [*fixed, (MarkupKind.CODE.name, self.end, self.end)]:
            while position < a:
                special = _SPECIAL.search(self.text, position, a)
                if special is None:
                    break
                region = self._region(special.start(), special.group(), a)
                if region is None:
                    position = self._past(special.start(), special.group(), a)
                else:
                    regions.append(region)
                    position = region.end
            if a < b:
                regions.append(MarkupRegion(MarkupKind[kind], a, b, a, b))
            position = b
        return regions

    def _past(self, at: int, char: str, limit: int) -> int:
        """Where to go on after a special character that opens nothing."""
        if char == "\\" or self.text.startswith("$$", at):
            return min(at + 2, limit)
        run = at + 1
        while run < limit and self.text[run] == char and char in "`*_":
            run += 1
        return run

    def _region(self, at: int, char: str, limit: int) -> MarkupRegion | None:
        if char == "$":
            return self._dollar(at, limit)
        if char == "\\":
            return self._backslash(at, limit)
        if char == "`":
            return self._code_span(at, limit)
        if char == "<":
            return self._tag(at, limit)
        if char == "[":
            link = _LINK.match(self.text, at, limit)
            if link is None:
                return None
            image = at > self.start and self.text[at - 1] == "!"
            return _whole(MarkupKind.LINK, at - image, link.end())
        starred = _STARRED.match(self.text, at, limit)
        if starred is None or not _WORD_CHAR.search(starred.group(2)):
            return None
        return MarkupRegion(MarkupKind.EMPHASIS, *starred.span(), *starred.span(2))

    def _dollar(self, at: int, limit: int) -> MarkupRegion | None:
        if self.text.startswith("$$", at):
            display = _DOLLARS.match(self.text, at, limit)
            if display is not None and _is_display(display.group(1)):
                return MarkupRegion(MarkupKind.DISPLAY, *display.span(), *display.span(1))
            return None
        inline = _DOLLAR.match(self.text, at, limit)
        if inline is None or not _is_formula(inline.group(1), self.text[inline.end() :][:1]):
            return None
        return MarkupRegion(MarkupKind.INLINE, *inline.span(), *inline.span(1))

    def _backslash(self, at: int, limit: int) -> MarkupRegion | None:
        for pattern, kind in ((_PAREN, MarkupKind.INLINE), (_BRACKET, MarkupKind.DISPLAY)):
            formula = pattern.match(self.text, at, limit)
            if formula is not None and formula.group(1).strip():
                return MarkupRegion(kind, *formula.span(), *formula.span(1))
        environment = _ENVIRONMENT.match(self.text, at, limit)
        if environment is not None:
            return self._environment(environment, limit)
        command = _COMMAND.match(self.text, at, limit)
        if command is None:
            return None
        name = command.group(1)
        if name in EMPHASIS_COMMANDS or name in TITLE_COMMANDS:
            group = self.structure.group(command.end(), limit)
            if group is not None:
                kind = MarkupKind.EMPHASIS if name in EMPHASIS_COMMANDS else MarkupKind.TITLE
                return MarkupRegion(kind, at, group[1], group[0] + 1, group[1] - 1)
        return _whole(MarkupKind.COMMAND, at, self._past_arguments(command.end(), limit))

    def _environment(self, begin: re.Match[str], limit: int) -> MarkupRegion:
        name, at = begin.group(2), begin.start()
        end = self.structure.environments.get(at) if begin.group(1) == "begin" else None
        if end is not None and end[1] <= limit:
            inner = (begin.end(), end[0])
            if name in MATH_ENVIRONMENTS:
                return MarkupRegion(MarkupKind.DISPLAY, at, end[1], *inner)
            if name in CODE_ENVIRONMENTS:
                return MarkupRegion(MarkupKind.CODE, at, end[1], *inner)
        return _whole(MarkupKind.COMMAND, at, self._past_arguments(begin.end(), limit))

    def _past_arguments(self, position: int, limit: int) -> int:
        """The end of the bracketed and braced arguments that follow on the same line."""
        while (group := self.structure.group(position, limit)) is not None:
            position = group[1]
        return position

    def _code_span(self, at: int, limit: int) -> MarkupRegion | None:
        run = _BACKTICKS.match(self.text, at, limit)
        assert run is not None
        ticks = run.group()
        paragraph = self.structure.paragraph_end(at, limit)
        closer = re.compile(rf"(?<!`){ticks}(?!`)").search(self.text, run.end(), paragraph)
        if closer is None:
            return None
        return MarkupRegion(MarkupKind.CODE, at, closer.end(), run.end(), closer.start())

    def _tag(self, at: int, limit: int) -> MarkupRegion | None:
        if self.text.startswith("<!--", at):
            end = self._find("-->", at, limit)
            return None if end < 0 else _whole(MarkupKind.TAG, at, end)
        tag = _TAG.match(self.text, at, limit)
        if tag is None:
            return None
        name = tag.group(1).lower()
        if name in CODE_TAGS and not tag.group().startswith("</"):
            end = self._find(f"</{name}>", tag.end(), limit)
            if end >= 0:
                return _whole(MarkupKind.CODE, at, end)
        return _whole(MarkupKind.TAG, *tag.span())

    def _find(self, closer: str, position: int, limit: int) -> int:
        """The end of the next closer, or -1. One that is absent is looked for only once."""
        if closer in self.absent:
            return -1
        at = self.text.find(closer, position, limit)
        if at < 0:
            self.absent.add(closer)
            return -1
        return at + len(closer)


def _whole(kind: MarkupKind, start: int, end: int) -> MarkupRegion:
    return MarkupRegion(kind, start, end, start, end)


def _is_formula(inner: str, after: str) -> bool:
    """Whether what stands between two dollars is a formula and not text between two prices."""
    content = inner.strip()
    if not content or (_CELL.search(content) and "\\begin" not in content):
        return False
    tight = len(content) == len(inner)
    if (_MATH if tight else _TEX).search(content):
        return True
    if _WORDS.search(content) or (tight and after.isdigit()):
        return False
    return tight or (len(content) <= _SHORT_FORMULA and any(map(str.isalpha, content)))


def _is_display(inner: str) -> bool:
    return bool(inner.strip()) and not (_CELL.search(inner) and "\\begin" not in inner)
