"""Parses the content of a cell in each format into nodes."""

from __future__ import annotations

import html
import re
import unicodedata

from ohr.markup.tables.content import (
    DEEPEST,
    Break,
    Collector,
    Inner,
    Node,
    Raw,
    Style,
    Styled,
    Text,
    formula,
    normal,
)
from ohr.markup.tables.latex_lexer import inner_environments
from ohr.markup.tables.model import ParsedTable, TableFormat
from ohr.markup.tables.parse import parse_tables

_STYLES: dict[str, Style] = {
    "textbf": "bold", "bf": "bold", "textit": "italic", "emph": "italic", "it": "italic",
    "underline": "underline", "uline": "underline", "texttt": "code",
    "textsuperscript": "superscript", "textsubscript": "subscript",
}  # fmt: skip
_TAG_STYLES: dict[str, Style] = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline",
    "ins": "underline", "code": "code", "tt": "code", "kbd": "code", "sup": "superscript",
    "sub": "subscript",
}  # fmt: skip
_TRANSPARENT = {
    "text", "textrm", "textnormal", "textsf", "mbox", "makecell", "thead", "shortstack",
}  # fmt: skip
_CHARACTERS = {
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<",
    "textgreater": ">", "textbar": "|", "textunderscore": "_", "textdollar": "$",
    "newline": "\n",
}  # fmt: skip
_LATEX_SPACES = {
    "\\ ": " ", "\\!": "", "~": "\u00a0", "\\,": "\u2009", "\\;": "\u2004", "\\:": "\u2005",
    "\\quad": "\u2003", "\\qquad": "\u2003\u2003", "\\enspace": " ", "\\thinspace": "\u2009",
}  # fmt: skip
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307",
}  # fmt: skip
_LONGEST = 4000
"""Most characters of a formula between brackets; longer ones are text."""

_BRACKETED = (
    rf"\\\((?:[^\\]|\\[^()]){{1,{_LONGEST}}}?\\\)|\\\[(?:[^\\]|\\[^\[\]]){{1,{_LONGEST}}}?\\\]"
)
_LATEX = re.compile(
    r"(?P<math>\$\$(?:[^$\\]|\\.|\$(?!\$))+\$\$|\$(?:[^$\\]|\\.)+\$|" + _BRACKETED + ")"
    r"|(?P<break>\\\\(?:\[[^\]\n]{0,20}\])?)"
    r"|(?P<environment>\\begin[ \t]*\{)"
    r"|\\(?P<escaped>[&%$#_{}])"
    r"|(?P<space>\\[ ,;:!]|(?:\\quad|\\qquad|\\enspace|\\thinspace)(?![a-zA-Z])\s*|~)"
    r"|\\hspace\*?\s*\{[^{}]{0,40}\}"
    r"|\\(?P<command>[a-zA-Z]+\*?)"
    r"|(?P<accent>\\.)"
    r"|(?P<brace>[{}])"
    r"|^[ \t]*%[^\n&\\]*(?=\n)"
    r"|(?P<text>[^\\${}~%]+|[\s\S])",
    re.MULTILINE | re.DOTALL,
)
_LETTER = re.compile(r"\{?([a-zA-Z])(\}?)")
_OPTIONAL = re.compile(r"\[[^\[\]{}\n]{0,60}\]")
_INNER = re.compile(r"\\begin[ \t]*\{tab|\\begin[ \t]*\{longtable|<table", re.IGNORECASE)
# In text that may hold prices, a formula has no space inside its dollars and no digit after.
_DOLLARS = (
    r"\$\$(?:[^$\\<]|\\.|<(?![a-zA-Z/!])|\$(?!\$))+\$\$"
    r"|\$(?![\s$])(?:[^$\\<]|\\.|<(?![a-zA-Z/!]))+(?<!\s)\$(?!\d)|"
)
_TAG = r"|<(?P<close>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]{0,15})(?P<attributes>(?:[\s/][^<>]*)?)>"
_BACKSLASHED = r"|\\(?P<escaped>[&%$#_{}])|\\(?P<command>[a-zA-Z]+\*?|[^a-zA-Z\s])"
_HTML = re.compile(
    "(?P<math>" + _DOLLARS + _BRACKETED + ")"
    r"|<!--.{0,4000}?-->" + _TAG + _BACKSLASHED + r"|(?P<text>[^\\$<]+|[\s\S])",
    re.DOTALL,
)
_MARKDOWN = re.compile(
    r"(?P<math>\$\$(?:[^$\\]|\\.|\$(?!\$))+\$\$|\$(?![\s$])(?:[^$\\]|\\.)+(?<!\s)\$(?!\d)|"
    + _BRACKETED
    + ")"
    r"|(?P<ticks>`++)(?P<code>[^`]+)(?P=ticks)(?!`)" + _TAG + r"|\\(?P<punctuation>[!-/:-@\[-`{-~])"
    r"|\\(?P<command>[a-zA-Z]+\*?)"
    r"|(?P<mark>\*\*|\*|__?)|(?P<text>[^\\$<`*_]+|`+|[\s\S])",
    re.DOTALL,
)


def read_content(content: str, kind: TableFormat, lost: set[str] | None = None) -> tuple[Node, ...]:
    """The nodes of a cell or caption; the names of tags without a node are added to ``lost``."""
    lost = set() if lost is None else lost
    inner = {}
    if _INNER.search(content):
        inner = {table.span[0]: table for table in parse_tables(content)}
    if kind == "latex":
        return normal(_Latex(content, inner).nodes(0, len(content), 0))
    if kind == "html":
        return _html(content, inner, lost)
    return _markdown(content.replace(r"\|", "|"), lost)


class _Latex:
    """Parses LaTeX between two positions; groups and environments are matched once."""

    def __init__(self, text: str, inner: dict[int, ParsedTable]) -> None:
        self.text = text
        self.inner = inner
        self.groups = _groups(text)
        self.environments = inner_environments(text, 0, len(text))

    def nodes(self, start: int, end: int, depth: int) -> list[Node]:
        content: list[Node] = []
        position = start
        while position < end and (mark := _LATEX.match(self.text, position, end)) is not None:
            table = self.inner.get(position)
            if table is not None and table.span[1] <= end:
                content.append(Inner(table, self.text[position : table.span[1]]))
                position = table.span[1]
                continue
            position = mark.end()
            kind = mark.lastgroup
            if kind == "text":
                content.append(Text(mark[0]))
            elif kind == "math":
                content.append(_formula(mark[0]))
            elif kind == "break":
                content.append(Break())
            elif kind == "escaped":
                content.append(Text(mark["escaped"]))
            elif kind == "space":
                space = mark[0] if mark[0] == "\\ " else mark[0].rstrip()
                content.append(Text(_LATEX_SPACES[space]))
            elif kind == "brace":
                close = self.groups.get(mark.start())
                if mark[0] == "{" and close is not None and close < end:
                    content += self._group(mark.start(), depth)
                    position = close + 1
            elif kind == "environment":
                close = self.environments.get(mark.start(), end + 1)
                opened = self.groups.get(mark.end() - 1, mark.end() - 1) + 1
                position = close if close <= end else min(opened, end)
                content.append(Raw(self.text[mark.start() : position]))
            elif kind == "accent":
                node, position = self._accent(mark[0][1], mark.start(), position, end)
                content.append(node)
            elif kind == "command":
                nodes, position = self._command(mark["command"], mark.start(), position, end, depth)
                content += nodes
            else:
                content.append(Text(" "))  # a comment, or a space of some width
        return content

    def _group(self, opening: int, depth: int) -> list[Node]:
        close = self.groups[opening]
        if depth >= DEEPEST:
            return [Raw(self.text[opening : close + 1])]
        return self.nodes(opening + 1, close, depth + 1)

    def _command(
        self, name: str, start: int, position: int, end: int, depth: int
    ) -> tuple[list[Node], int]:
        if name in _CHARACTERS:
            if self.text.startswith("{}", position):
                position += 2
            elif position < end and self.text[position] == " ":
                position += 1
            node = Break() if name == "newline" else Text(_CHARACTERS[name])
            return [node], position
        if name in _STYLES or name in _TRANSPARENT:
            opening = position
            if (optional := _OPTIONAL.match(self.text, opening, end)) is not None:
                opening = optional.end()
            while opening < end and self.text[opening].isspace():
                opening += 1
            close = self.groups.get(opening)
            if close is not None and close < end:
                children = self._group(opening, depth)
                if name in _STYLES:
                    children = [Styled(_STYLES[name], tuple(children))]
                return children, close + 1
        stop = _arguments_end(self.text, self.groups, position, end)
        source = self.text[start:stop]
        return [Raw(source.removesuffix("{}"))], stop

    def _accent(self, name: str, start: int, position: int, end: int) -> tuple[Node, int]:
        """The node of a backslash and a character other than a letter, and where it ends."""
        group = _LETTER.match(self.text, position, end)
        if name in _ACCENTS and group and (self.text[position] == "{") == bool(group[2]):
            composed = unicodedata.normalize("NFC", group[1] + _ACCENTS[name])
            if len(composed) == 1:
                return Text(composed), group.end()
        stop = _arguments_end(self.text, self.groups, position, end)
        return Raw(self.text[start:stop]), stop


def _arguments_end(text: str, groups: dict[int, int], position: int, end: int) -> int:
    """Where the arguments right after a command end."""
    while position < end:
        close = groups.get(position)
        if close is not None and close < end:
            position = close + 1
        elif (optional := _OPTIONAL.match(text, position, end)) is not None:
            position = optional.end()
        else:
            break
    return position


def _groups(text: str) -> dict[int, int]:
    """Each opening brace of a balanced group -> its closing brace."""
    closed: dict[int, int] = {}
    if "{" not in text:
        return closed
    stack: list[int] = []
    for mark in re.finditer(r"\\.|([{}])", text, re.DOTALL):
        if mark[1] == "{":
            stack.append(mark.start())
        elif mark[1] == "}" and stack:
            closed[stack.pop()] = mark.start()
    return closed


def _formula(source: str) -> Node:
    if source.startswith(("$$", r"\[")):
        return formula(source[2:-2], display=True)
    width = 1 if source.startswith("$") else 2
    return formula(source[width:-width], display=False)


def _html(content: str, inner: dict[int, ParsedTable], lost: set[str]) -> tuple[Node, ...]:
    collector = Collector()
    groups = _groups(content)
    environments = inner_environments(content, 0, len(content))
    position = 0
    while position < len(content) and (mark := _HTML.match(content, position)) is not None:
        if position in inner:
            collector.add(Inner(inner[position], content[position : inner[position].span[1]]))
            position = inner[position].span[1]
            continue
        position = mark.end()
        if mark["text"] is not None:
            collector.add(Text(html.unescape(mark["text"])))
        elif mark["math"]:
            collector.add(_formula(html.unescape(mark["math"])))
        elif mark["tag"]:
            _tag(collector, mark, lost)
        elif mark["escaped"]:
            collector.add(Text(mark["escaped"]))
        elif mark["command"]:
            position = _backslash(collector, content, mark, environments, groups, True)
    return collector.finish()


def _backslash(
    collector: Collector,
    content: str,
    mark: re.Match[str],
    environments: dict[int, int],
    groups: dict[int, int],
    unescape: bool,
) -> int:
    """Add a LaTeX command in HTML or Markdown; returns where it ends."""
    start, position = mark.span()
    if start in environments:
        position = environments[start]
        collector.add(
            Raw(html.unescape(content[start:position]) if unescape else content[start:position])
        )
        return position
    if mark["command"] in _CHARACTERS:
        position += 2 if content.startswith("{}", position) else 0
    else:
        position = _arguments_end(content, groups, position, len(content))
    source = content[start:position]
    source = html.unescape(source) if unescape else source
    collector.add(*_Latex(source, {}).nodes(0, len(source), 0))
    return position


def _tag(collector: Collector, mark: re.Match[str], lost: set[str]) -> None:
    name = mark["tag"].lower()
    if name == "br":
        collector.add(Break())
    elif name in _TAG_STYLES:
        if mark["close"]:
            collector.close(f"<{name}>")
        else:
            collector.open(f"<{name}>", _TAG_STYLES[name])
    elif name in ("p", "div", "li"):
        collector.add(Text(" "))
    else:
        lost.add(f"<{name}>")


def _markdown(content: str, lost: set[str]) -> tuple[Node, ...]:
    collector = Collector()
    groups = _groups(content)
    environments = inner_environments(content, 0, len(content))
    position = 0
    while position < len(content) and (mark := _MARKDOWN.match(content, position)) is not None:
        position = mark.end()
        if mark["text"] is not None:
            collector.add(Text(html.unescape(mark["text"])))
        elif mark["math"]:
            collector.add(_formula(mark["math"]))
        elif mark["ticks"]:
            collector.add(Styled("code", (Text(mark["code"]),)))
        elif mark["tag"]:
            _tag(collector, mark, lost)
        elif mark["punctuation"]:
            collector.add(Text(mark["punctuation"]))
        elif mark["command"]:
            position = _backslash(collector, content, mark, environments, groups, False)
        elif mark["mark"]:
            _emphasis(collector, content, mark)
    return collector.finish(literal=True)


def _emphasis(collector: Collector, content: str, mark: re.Match[str]) -> None:
    """Handle a mark of emphasis if it is at the outer side of a word; otherwise it is text."""
    before, after = content[mark.start() - 1 : mark.start()], content[mark.end() : mark.end() + 1]
    inside_word = mark[0][0] == "_" and before.isalnum() and after.isalnum()
    if collector.is_open(mark[0]) and before and not before.isspace() and not inside_word:
        collector.close(mark[0])
    elif after and not after.isspace() and not inside_word:
        collector.open(mark[0], "bold" if len(mark[0]) == 2 else "italic")
    else:
        collector.add(Text(mark[0]))
