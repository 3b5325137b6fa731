"""What independent parsers find on a page, beside what the scan finds.

markdown-it-py (CommonMark with tables) is given ``x`` for each formula and a word for each LaTeX or
HTML table, since it knows neither; formulas are also read by pylatexenc, to which a bare ``%`` is
no comment here. Why they differ is in the reference, "How page text is parsed".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexMathNode, LatexNode, LatexWalker

from ohr.markup.page import MarkupPage
from ohr.markup.scanner import MATH_ENVIRONMENTS, MarkupKind, MarkupRegion

# To the scan, only tables and code are blocks of HTML: what lies in others is Markdown.
MARKDOWN = MarkdownIt("commonmark").enable("table").disable("html_block")
_LIST_MARK = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
Counts = Counter[tuple[str, str]]
"""(kind, content) -> how often."""


def compared(text: str) -> Iterator[tuple[Counts, Counts]]:
    """What the scan finds on a page beside what another parser does, for each parser."""
    page = MarkupPage(text)
    bare = replace_latex(page)
    yield scan_counts(MarkupPage(bare)), markdown_counts(bare)
    if "\\" in text or "$" in text:
        yield (
            Counter(("formula", _squeezed(text[f.start : f.end])) for f in page.formulas),
            Counter(("formula", _squeezed(source)) for source in latex_formulas(text)),
        )


def replace_latex(page: MarkupPage) -> str:
    """The page with a letter for each formula, a word for each table that is not Markdown's."""
    spans = [(table.span, "table") for table in page.tables if table.format != "markdown"]
    tables = sorted(span for span, _ in spans)
    spans += [
        ((f.start, f.end), "x")
        for f in page.formulas
        if not any(start <= f.start < end for start, end in tables)
    ]
    pieces, done = [], 0
    for (start, end), stand_in in sorted(spans):
        pieces += [page.text[done:start], stand_in]
        done = end
    return "".join([*pieces, page.text[done:]])


def scan_counts(page: MarkupPage) -> Counts:
    """The Markdown of a page, as the scan has it."""
    text, counts = page.text, Counter[tuple[str, str]]()
    # What lies in an indented line is code to Markdown.
    walked = (r for region in page.regions for r in _markdown_region(region).walk())
    for region in walked:
        kind, source = region.kind, text[region.start : region.end]
        inner = _squeezed(text[region.inner_start : region.inner_end])
        if kind is MarkupKind.HEADING and not source.startswith("\\"):
            counts["heading", inner] += 1
        elif kind is MarkupKind.CODE and not source.startswith(("<", "\\")):
            fenced = source.lstrip().startswith(("```", "~~~")) and "\n" in source
            counts["fenced code" if fenced else "code span", inner] += 1
        elif kind is MarkupKind.INDENTED:
            counts["indented line", inner] += 1
        elif kind in (MarkupKind.LINK, MarkupKind.IMAGE) and region.inner_start > region.start:
            counts[kind.name.lower(), _squeezed(source[source.rindex("(") + 1 : -1])] += 1
        elif kind is MarkupKind.EMPHASIS and not source.startswith("\\"):
            counts["emphasis", inner] += 1
        elif kind is MarkupKind.LIST and _LIST_MARK.match(source):
            counts["list item", _line(text, region)] += 1
    counts.update(("table", _squeezed(text[slice(*table.span)])[:20]) for table in page.tables)
    return counts


def _markdown_region(region: MarkupRegion) -> MarkupRegion:
    return replace(region, inside=()) if region.kind is MarkupKind.INDENTED else region


def markdown_counts(text: str) -> Counts:
    """The Markdown of a page, as markdown-it-py has it."""
    lines, counts = text.split("\n"), Counter[tuple[str, str]]()
    tokens = MARKDOWN.parse(text)
    for token, following in pairwise([*tokens, None]):
        if token is None:
            break
        first = lines[token.map[0]] if token.map is not None else ""
        if token.type == "heading_open" and following is not None:
            kind = "heading" if token.markup.startswith("#") else "underlined heading"
            counts[kind, _squeezed(following.content)] += 1
        elif token.type == "fence":
            counts["fenced code", _squeezed(token.content)] += 1
        elif token.type == "code_block":
            counts.update(
                ("indented line", _squeezed(line)) for line in token.content.split("\n") if line
            )
        elif token.type == "table_open":
            counts["table", _squeezed("".join(lines[slice(*(token.map or (0, 0)))]))[:20]] += 1
        elif token.type == "list_item_open":
            counts["list item", _squeezed(first)] += 1
        counts.update(_line_counts(token.children or []))
    return counts


def _line_counts(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    depth, content = 0, ""
    for token in tokens:
        if token.type == "code_inline":
            yield "code span", _squeezed(token.content)
        elif token.type == "link_open" and token.markup != "autolink":
            yield "link", _squeezed(str(token.attrGet("href")))
        elif token.type == "image":
            yield "image", _squeezed(str(token.attrGet("src")))
        # "***a***" is one emphasis to the scan, and two to the parser.
        elif token.type in ("em_open", "strong_open"):
            depth += 1
        elif token.type in ("em_close", "strong_close"):
            depth -= 1
            if not depth:
                yield "emphasis", _squeezed(content)
                content = ""
        if depth:
            content += token.content or (" " if token.type == "softbreak" else "")


def latex_formulas(text: str) -> Iterator[str]:
    """The formulas of a page, as pylatexenc has them."""
    walker = LatexWalker(_BARE_PERCENT.sub(r"\\%", text), tolerant_parsing=True)
    nodes: list[LatexNode] = list(walker.get_latex_nodes()[0])
    while nodes:
        node = nodes.pop()
        if node is None:
            continue
        if isinstance(node, LatexMathNode) or (
            isinstance(node, LatexEnvironmentNode) and node.environmentname in MATH_ENVIRONMENTS
        ):
            yield node.latex_verbatim().replace(r"\%", "%")
            continue
        nodes += getattr(node, "nodelist", None) or []
        arguments = getattr(node, "nodeargd", None)
        nodes += (arguments.argnlist or []) if arguments is not None else []


def _line(text: str, region: MarkupRegion) -> str:
    end = text.find("\n", region.start)
    return _squeezed(text[region.start : len(text) if end < 0 else end])


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace(r"\%", "%")
