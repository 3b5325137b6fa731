"""Blocks as Typst source. Text is only ever in string literals, which Typst does not interpret."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from ohr.markup.strip import strip_markup
from ohr.markup.tables.content import Break, Inner, Math, Node, Raw, Styled, Text, plain
from ohr.sample.typesetting.faces import is_wide
from ohr.typeset.formulas import plain_formula, source_of
from ohr.typeset.looks import LINES, LookName, rules
from ohr.typeset.page_blocks import Block, Kind
from ohr.typeset.tables import Layout, content_of, table_layout

MISSING = "\u25a1"
"""Printed for a character that no font has."""
LONGEST_WORD = 40
"""A longer run without a place to break gets some."""

_ABOVE: dict[Kind, float] = {
    "heading": 1.25, "paragraph": 0.85, "list": 0.85, "table": 1.1, "formula": 0.95, "code": 0.95,
    "figure": 1.2,
}  # fmt: skip
_STYLES = {
    "bold": "#strong", "italic": "#emph", "underline": "#underline",
    "code": "#text(font: mono-fonts)", "superscript": "#super(typographic: false)",
    "subscript": "#sub(typographic: false)",
}  # fmt: skip
_RUN = re.compile(rf"\S{{{LONGEST_WORD},}}")
_BREAKABLE = re.compile(r"(?<=[^\w\s])(?=.)|(?<=\w{24})(?=\w)")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line of the source comes from: a page, or a formula."""

    page: int = -1
    formula: str = ""


@dataclass
class Printed:
    """What a document is printed from.

    ``pages`` are the blocks of each page, ``formulas`` LaTeX -> Typst, None for those that are
    printed as text. ``missing`` are the characters that no font has.
    """

    pages: Sequence[Sequence[Block]]
    formulas: Mapping[str, str | None]
    look: LookName
    chinese: str = ""
    missing: Set[str] = field(default_factory=frozenset)


class Source:
    """The source of a document, and the place of each of its lines."""

    def __init__(self, printed: Printed) -> None:
        self.printed = printed
        self.names: dict[str, str] = {}
        self.missing = str.maketrans(dict.fromkeys(printed.missing, MISSING))
        self.lines: list[str] = []
        self.places: dict[int, Place] = {}
        head = [
            "#set document(date: datetime(year: 2024, month: 1, day: 1))",
            *rules(printed.look, printed.chinese).splitlines(),
        ]
        body: list[tuple[int, str]] = []
        for number, blocks in enumerate(printed.pages):
            long = str(_may_be_long(blocks, printed.look)).lower()
            body.append((number, f"#sheet({number}, {long}, ("))
            body += [(number, self._item(number, place, blocks)) for place in range(len(blocks))]
            body.append((number, "))"))
        for latex, name in self.names.items():
            self._line(f"#let {name} = {printed.formulas[latex]}", Place(formula=latex))
        formulas, self.lines = self.lines, []
        shift = len(head)
        self.places = {line + shift: place for line, place in self.places.items()}
        self.lines = [*head, *formulas]
        for page, line in body:
            self._line(line, Place(page))

    def encoded(self) -> bytes:
        """The source as UTF-8."""
        return ("\n".join(self.lines) + "\n").encode("utf-8", "replace")

    def _line(self, line: str, place: Place) -> None:
        self.lines.append(line)
        self.places[len(self.lines)] = place

    def _item(self, page: int, place: int, blocks: Sequence[Block]) -> str:
        block = blocks[place]
        before = blocks[place - 1].kind if place else None
        above = _ABOVE[block.kind]
        if block.kind == before == "list":
            above = 0.5
        elif before == "heading":
            above = 0.75
        # A key of two numbers: the marks of a block are found by it.
        key = f"({page}, {place})"
        kind = "title" if block.kind == "heading" and block.level == 1 else block.kind
        fields = f'id: {key}, kind: "{kind}", above: {above}'
        if block.table is not None:
            layout = table_layout(block.table)
            caption = f"[{self.inline(layout.caption)}]" if layout.caption else "none"
            return f"({fields}, caption: {caption}, table: {self._table(layout)}),"
        longest = max(_words(block.nodes), key=len, default="")
        more = f", longest: {self._string(longest)}" if len(longest) > 12 else ""
        return f"({fields}, body: [{self._body(block)}]{more}),"

    def _body(self, block: Block) -> str:
        body = self.inline(block.nodes)
        match block.kind:
            case "heading":
                return f"#heading(level: {block.level})[{body}]"
            case "list":
                return f"#par(hanging-indent: 1.4em)[{body}]"
            case "formula":
                [node] = block.nodes
                assert isinstance(node, Math)
                return self._formula(node)
            case "code":
                return f"#set par(justify: false);#set text(font: mono-fonts, size: 0.86em);{body}"
            case "figure":
                return (
                    "#align(center)[#rect(width: 60%, height: 7em, stroke: 0.5pt, "
                    f"fill: luma(215))#v(-0.4em){body}]"
                )
        return body

    def inline(self, nodes: Iterable[Node], depth: int = 0) -> str:
        """Content mark-up of nodes, every part of which is one expression."""
        return "".join(self._node(node, depth) for node in nodes)

    def _node(self, node: Node, depth: int) -> str:
        match node:
            case Text(value):
                return f"#{self._string(value)};" if value else ""
            case Math():
                return self._formula(node)
            case Styled(style, children):
                inner = self.inline(children, depth + 1)
                return inner if depth > _DEEPEST else f"{_STYLES[style]}[{inner}];"
            case Break():
                return "#linebreak();"
            case Raw(source):
                return f"#{self._string(' '.join(strip_markup(source).split()))};"
            case Inner(parsed):
                if depth > 1 or parsed.table.is_too_large:
                    return f"#{self._string(plain((node,)))};"
                layout = table_layout(parsed)
                cells = "".join(self._cells(layout, depth + 2))
                return f"#table(columns: {layout.n_columns}, {cells});"

    def _formula(self, node: Math) -> str:
        latex = node.source.strip()
        simple = plain_formula(latex)
        if simple is not None:
            body = self.inline(simple)
            return f"#align(center)[{body}];" if node.display else body
        typst = self.printed.formulas.get(latex)
        if typst is None:
            return f"#{self._string(source_of(node))};"
        name = self.names.setdefault(latex, f"formula-{len(self.names)}")
        return f"#math.equation(block: true, {name}.body);" if node.display else f"#{name};"

    def _table(self, layout: Layout) -> str:
        words = ", ".join(self._string(word) for word in layout.words)
        texts = ", ".join(self._string(text) for text in layout.texts)
        last = f"table.hline(y: {layout.n_rows}, stroke: last-rule)"
        return (
            f"(columns: {layout.n_columns}, words: ({words},), texts: ({texts},), "
            f"rules: rules + (if last-rule != none {{ {last} }},).filter(r => r != none), "
            f"cells: ({''.join(self._cells(layout, 1))}))"
        )

    def _cells(self, layout: Layout, depth: int) -> Iterator[str]:
        for cell in layout.cells:
            spans = "".join(
                f"{name}: {count}, "
                for name, count in (("colspan", cell.colspan), ("rowspan", cell.rowspan))
                if count > 1
            )
            side = layout.side(cell)
            body = self.inline(content_of(layout.format, cell), depth)
            if cell.header:
                body = f"#strong[{body}]"
            yield f"table.cell(x: {cell.column}, y: {cell.row}, {spans}align: {side})[{body}], "

    def _string(self, value: str) -> str:
        """A Typst string literal of printable characters."""
        value = "".join(
            char if char == "\u200b" or unicodedata.category(char) not in _UNPRINTED else " "
            for char in unicodedata.normalize("NFC", value)
        )
        value = value.translate(self.missing)
        value = _RUN.sub(lambda run: _BREAKABLE.sub("\u200b", run[0]), value)
        value = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{value}"'


_UNPRINTED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def _may_be_long(blocks: Iterable[Block], look: LookName) -> bool:
    """Whether a page may not have room for its blocks; counted in lines, on the safe side."""
    per_line, lines = LINES[look]
    needed = 0.0
    for block in blocks:
        if block.table is not None:
            layout = table_layout(block.table)
            text = sum(len(cell.content) for cell in layout.cells)
            needed += max(1.5 * layout.n_rows, 2.2 * text / per_line) + 1
        else:
            breaks = sum(isinstance(node, Break) for node in block.nodes)
            text = _length(block.nodes)
            needed += text / per_line + breaks + 2
            needed += 3 if block.kind == "formula" else 9 if block.kind == "figure" else 0
    return needed > 0.75 * lines


def formulas_in(blocks: Iterable[Block]) -> Iterator[str]:
    """The LaTeX of the formulas that Pandoc has to convert."""
    for block in blocks:
        parts: list[Sequence[Node]] = [block.nodes]
        if block.table is not None:
            layout = table_layout(block.table)
            parts.append(layout.caption)
            parts += [content_of(layout.format, cell) for cell in layout.cells]
        for nodes in parts:
            for node in _all_nodes(nodes):
                if isinstance(node, Math) and plain_formula(node.source.strip()) is None:
                    yield node.source.strip()


def _all_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        if isinstance(node, Styled):
            yield from _all_nodes(node.children)
        elif isinstance(node, Inner) and not node.parsed.table.is_too_large:
            layout = table_layout(node.parsed)
            for cell in layout.cells:
                yield from _all_nodes(content_of(layout.format, cell))


def _words(nodes: Iterable[Node]) -> Iterator[str]:
    for node in _all_nodes(nodes):
        if isinstance(node, Text) and not any(map(is_wide, node.value)):
            yield from node.value.split()


def _length(nodes: Iterable[Node]) -> int:
    """About how many letters nodes have."""
    return sum(
        len(node.value) + sum(map(is_wide, node.value))
        if isinstance(node, Text)
        else len(node.source) // 2
        for node in _all_nodes(nodes)
        if isinstance(node, Text | Math | Raw)
    )
