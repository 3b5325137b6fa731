"""Writes the content of a cell in each format, and records what the format cannot express."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence

from ohr.markup.tables.content import SPACES, Break, Inner, Math, Node, Raw, Style, Styled, Text
from ohr.markup.tables.latex_lexer import is_one_cell

_LATEX_STYLES: dict[Style, str] = {
    "bold": "textbf", "italic": "textit", "underline": "underline", "code": "texttt",
    "superscript": "textsuperscript", "subscript": "textsubscript",
}  # fmt: skip
_HTML_STYLES: dict[Style, str] = {
    "bold": "b", "italic": "i", "underline": "u", "code": "code", "superscript": "sup",
    "subscript": "sub",
}  # fmt: skip
_MARKDOWN_STYLES = {"bold": "**", "italic": "*", "code": "`"}
_LATEX_ESCAPES = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", **SPACES,
}  # fmt: skip
_LATEX_SPECIAL = re.compile("[" + re.escape("".join(_LATEX_ESCAPES)) + "]")
_ENTITIES = {
    "\u00a0": "&nbsp;", "\u2003": "&emsp;", "\u2009": "&thinsp;", "\u2004": "&emsp13;",
    "\u2005": "&emsp14;",
}  # fmt: skip
_WIDE_SPACE = re.compile("[" + "".join(_ENTITIES) + "]")
_MARKDOWN_SPECIAL = re.compile(
    r"(?P<entity><(?=[a-zA-Z/!])|&(?=#?\w{1,31};))|[\\`*|]|(?<![^\W_])_|_(?![^\W_])"
)
_BAR = re.compile(r"\\\|(?=([a-zA-Z])?)|\\.|\|")
_BARS = {"|": r"\|", r"\|": r"\Vert"}
# At the start of a cell these would be read as part of the table.
_LATEX_START = re.compile(
    r"[*\[]|\\(?:hline|cline|cmidrule|cdashline|hdashline|toprule|midrule|bottomrule|rowcolor|"
    r"cellcolor|multicolumn|multirow|noalign|end(?:head|firsthead|foot|lastfoot))(?![a-zA-Z])"
)

InnerTable = Callable[[Inner], str]
"""Writes an inner table in the format of the outer one."""


def write_latex_content(nodes: Sequence[Node], lost: set[str], inner: InnerTable) -> str:
    """A cell's LaTeX, written so that nothing splits the row or ends the table."""
    text = _latex(nodes, lost, inner)
    if any(isinstance(node, Break) for node in _all_nodes(nodes)):
        text = rf"\makecell{{{text}}}"
    return "{}" + text if _LATEX_START.match(text) else text


def _latex(nodes: Sequence[Node], lost: set[str], inner: InnerTable) -> str:
    pieces: list[str] = []
    for i, node in enumerate(nodes):
        match node:
            case Text(value):
                if i and _swallows(nodes[i - 1], value):
                    pieces.append("{}")
                pieces.append(_LATEX_SPECIAL.sub(lambda m: _LATEX_ESCAPES[m[0]], value))
            case Math(source, display):
                pieces.append(_latex_formula(source, display, lost))
            case Styled(style, children):
                pieces.append(f"\\{_LATEX_STYLES[style]}{{{_latex(children, lost, inner)}}}")
            case Break():
                pieces.append(r" \\ ")
            case Raw(source):
                pieces.append(source if is_one_cell(source) else _escape_text(source, lost))
            case Inner():
                pieces.append(inner(node))
    return "".join(pieces)


def _swallows(before: Node, value: str) -> bool:
    """Whether a command would take the text after it into its name or its arguments."""
    match before:
        case Raw(source) if source[-1:].isalpha():
            return re.match(r"[a-zA-Z\[*]", value) is not None
        case Raw():
            return value.startswith("[")
        case Break():
            return value.startswith(("[", "*"))
    return False


def _latex_formula(source: str, display: bool, lost: set[str]) -> str:
    if re.search(r"(?<!\\)(?:\\\\)*\$", source):
        pair = (r"\[", r"\]") if display else (r"\(", r"\)")
    else:
        pair = ("$$", "$$") if display else ("$", "$")
    written = source.join(pair)
    if is_one_cell(written):
        return written
    if is_one_cell("{" + written + "}"):
        return "{" + written + "}"
    return _escape_text(written, lost)


def _escape_text(source: str, lost: set[str]) -> str:
    """Escape LaTeX that would break the table, so that it is text."""
    lost.add("formula or command that does not balance")
    return _LATEX_SPECIAL.sub(lambda m: _LATEX_ESCAPES[m[0]], source)


def write_html_content(nodes: Sequence[Node], lost: set[str], inner: InnerTable) -> str:
    """A cell's HTML; formulas stay LaTeX between dollars, and unknown commands stay LaTeX."""
    return _html(nodes, _bare_dollar(nodes), lost, inner)


def _html(nodes: Sequence[Node], bare: bool, lost: set[str], inner: InnerTable) -> str:
    pieces: list[str] = []
    for i, node in enumerate(nodes):
        match node:
            case Text(value):
                if i and _swallows_more(nodes[i - 1], value):
                    pieces.append("{}")
                value = value.replace("\\", r"\textbackslash{}")
                value = html.escape(value if bare else value.replace("$", r"\$"), quote=False)
                pieces.append(_WIDE_SPACE.sub(lambda m: _ENTITIES[m[0]], value))
            case Math(source, display):
                pieces.append(html.escape(_formula(source, display, nodes[i + 1 :]), quote=False))
            case Styled(style, children):
                tag = _HTML_STYLES[style]
                pieces.append(f"<{tag}>{_html(children, bare, lost, inner)}</{tag}>")
            case Break():
                pieces.append("<br>")
            case Raw(source):
                lost.add(_command_name(source))
                pieces.append(html.escape(source, quote=False))
            case Inner():
                pieces.append(inner(node))
    return "".join(pieces)


def write_markdown_content(nodes: Sequence[Node], lost: set[str], inner: InnerTable) -> str:
    """A cell's Markdown on one line; styles without a mark become inline HTML."""
    return _markdown(nodes, _bare_dollar(nodes), lost, inner).replace("\n", " ")


def _markdown(nodes: Sequence[Node], bare: bool, lost: set[str], inner: InnerTable) -> str:
    pieces: list[str] = []
    for i, node in enumerate(nodes):
        match node:
            case Text(value):
                if i and _swallows_more(nodes[i - 1], value):
                    pieces.append("{}")
                value = _MARKDOWN_SPECIAL.sub(_markdown_escape, value)
                value = value if bare else value.replace("$", r"\$")
                pieces.append(_WIDE_SPACE.sub(lambda m: _ENTITIES[m[0]], value))
            case Math(source, display):
                pieces.append(_barred(_formula(source, display, nodes[i + 1 :])))
            case Styled(style, children):
                written = _markdown(children, bare, lost, inner)
                mark = _MARKDOWN_STYLES.get(style, "")
                if style == "code" and (literal := _code(children)):
                    pieces.append(f"`{literal}`")
                elif mark and style != "code" and _stands_free(pieces, written, nodes[i + 1 :]):
                    pieces.append(f"{mark}{written}{mark}")
                else:
                    tag = _HTML_STYLES[style]
                    pieces.append(f"<{tag}>{written}</{tag}>")
            case Break():
                pieces.append("<br>")
            case Raw(source):
                lost.add(_command_name(source))
                pieces.append(_barred(source))
            case Inner():
                pieces.append(inner(node))
    return "".join(pieces)


def _markdown_escape(mark: re.Match[str]) -> str:
    return html.escape(mark[0], quote=False) if mark["entity"] else f"\\{mark[0]}"


def _barred(source: str) -> str:
    r"""Escape LaTeX for a pipe table: ``\|`` is a bar there, so a double bar becomes ``\Vert``."""
    return _BAR.sub(lambda mark: _BARS.get(mark[0], mark[0]) + " " * bool(mark[1]), source)


def _code(children: Sequence[Node]) -> str:
    """The text if it can be written between single backticks, otherwise empty."""
    if len(children) != 1 or not isinstance(children[0], Text):
        return ""
    value = children[0].value
    return "" if "`" in value or "\\" in value else value.replace("|", r"\|")


def _stands_free(pieces: Sequence[str], written: str, after: Sequence[Node]) -> bool:
    """Whether marks of emphasis around ``written`` would be recognised."""
    before = pieces[-1][-1:] if pieces else ""
    beside = after[0] if after else None
    return (
        bool(written)
        and written == written.strip(" *_")
        and not before.isalnum()
        and before not in ("*", "_", "\\")
        and (beside is None or (isinstance(beside, Text) and not re.match(r"[\w*]", beside.value)))
    )


def _formula(source: str, display: bool, after: Sequence[Node]) -> str:
    """A formula in text that may have prices."""
    if display:
        return f"$${source}$$"
    if re.search(r"(?<!\\)(?:\\\\)*\$", source) or (
        after and isinstance(after[0], Text) and re.match(r"\d", after[0].value)
    ):
        return rf"\({source}\)"
    return f"${source}$"


def _swallows_more(before: Node, value: str) -> bool:
    """:func:`_swallows` for formats in which braces are not escaped and a break is a tag."""
    return isinstance(before, Raw) and (value.startswith("{") or _swallows(before, value))


def _bare_dollar(nodes: Sequence[Node]) -> bool:
    """Whether a dollar sign needs no escape: a single one opens no formula."""
    everything = list(_all_nodes(nodes))
    dollars = sum(node.value.count("$") for node in everything if isinstance(node, Text))
    return dollars < 2 and not any(isinstance(node, Math | Raw | Inner) for node in everything)


def _all_nodes(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        if isinstance(node, Styled):
            yield from _all_nodes(node.children)


def _command_name(source: str) -> str:
    mark = re.match(r"\\(?:begin\s*\{[a-zA-Z*]+\}|[a-zA-Z]+|.)", source, re.DOTALL)
    return mark[0] if mark else "group"
