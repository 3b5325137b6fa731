r"""Formulas: a small LaTeX subset, parsed once and written as Typst mathematics.

The LaTeX is the ground truth as it stands; the Typst form is what is rendered. The subset is
letters, numbers, operators, ``^``, ``_``, ``{…}``, ``\frac``, ``\sqrt``, ``\text``,
``\left( … \right)`` and the symbols of :data:`SYMBOLS`. Anything else raises, so a formula
is never rendered as something its ground truth does not say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

SYMBOLS = {
    "times": "times",
    "cdot": "dot.op",
    "le": "<=",
    "ge": ">=",
    "ne": "!=",
    "approx": "approx",
    "pm": "plus.minus",
    "sum": "sum",
    "int": "integral",
    "infty": "infinity",
    "partial": "partial",
    "to": "->",
    "quad": "quad",
    ",": "thin",
    "%": "\\%",
} | {
    name: name
    for name in (
        "alpha beta gamma delta epsilon eta theta lambda mu nu pi rho sigma tau phi omega "
        "Gamma Delta Theta Lambda Pi Sigma Phi Omega"
    ).split()
}
"""LaTeX command (without its backslash) -> Typst symbol."""

# Typst gives these characters a meaning of their own in mathematics.
_LITERALS = {"/": "\\/", ",": "comma", ";": "\\;", "#": "\\#", "&": "\\&"}
_TOKEN = re.compile(
    r"\\text\{(?P<text>[^{}]*)\}|\\(?P<command>[A-Za-z]+|[,%])|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<letter>[A-Za-z])|(?P<mark>[{}^_()=+\-/,;.!|'\[\]])|(?P<space>\s+)"
)


@dataclass(frozen=True, slots=True)
class Atom:
    """A symbol, number or operator, as Typst writes it."""

    typst: str


@dataclass(frozen=True, slots=True)
class Row:
    """Things side by side."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A Typst function of some rows: ``frac(a, b)``, ``sqrt(a)``, ``lr(( a ))``."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A base with a subscript (``_``) or a superscript (``^``)."""

    base: Node
    mark: str
    script: Node


Node: TypeAlias = Atom | Row | Call | Script


def write_typst(latex: str) -> str:
    """Typst mathematics (without its dollar signs). Raises ValueError outside the subset."""
    return _write(parse(latex))


def parse(latex: str) -> Row:
    """Syntax tree of a formula. Raises ValueError for anything outside the subset."""
    parser = _Parser(latex)
    row = parser.row()
    if parser.position < len(parser.tokens):
        raise ValueError(f"formula {latex!r}: unexpected {parser.tokens[parser.position][1]!r}")
    return row


def _write(node: Node) -> str:
    match node:
        case Atom(typst):
            return typst
        case Row(items):
            return " ".join(_write(item) for item in items)
        case Call("lr", (inner,)):
            return f"lr(( {_write(inner)} ))"
        case Call(function, arguments):
            return f"{function}({', '.join(_write(argument) for argument in arguments)})"
        case Script(base, mark, script):
            return f"{_write(base)}{mark}({_write(script)})"


class _Parser:
    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens: list[tuple[str, str]] = []
        self.position = 0
        end = 0
        while end < len(latex):
            match = _TOKEN.match(latex, end)
            if match is None or match.lastgroup is None:
                raise ValueError(f"formula {latex!r}: {latex[end:][:12]!r} is outside the subset")
            if match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match[match.lastgroup]))
            end = match.end()

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.position] if self.position < len(self.tokens) else ("end", "")

    def take(self) -> tuple[str, str]:
        token = self.peek()
        if token[0] == "end":
            raise ValueError(f"formula {self.latex!r} ends too soon")
        self.position += 1
        return token

    def expect(self, value: str) -> None:
        token = self.take()[1]
        if token != value:
            raise ValueError(f"formula {self.latex!r}: {value!r} expected, {token!r} found")

    def row(self) -> Row:
        items: list[Node] = []
        while self.peek() not in (("end", ""), ("mark", "}"), ("command", "right")):
            node = self.item()
            while self.peek() in (("mark", "^"), ("mark", "_")):
                node = Script(node, self.take()[1], self.item())
            items.append(node)
        return Row(tuple(items))

    def group(self) -> Row:
        self.expect("{")
        row = self.row()
        self.expect("}")
        return row

    def item(self) -> Node:
        kind, value = self.peek()
        if (kind, value) == ("mark", "{"):
            return self.group()
        self.take()
        if kind == "text":
            quoted = value.replace("\\", "\\\\").replace('"', '\\"')
            return Atom(f'"{quoted}"')
        if kind != "command":
            return Atom(_LITERALS.get(value, value))
        if value == "frac":
            return Call("frac", (self.group(), self.group()))
        if value == "sqrt":
            return Call("sqrt", (self.group(),))
        if value == "left":
            self.expect("(")
            inner = self.row()
            self.expect("right")
            self.expect(")")
            return Call("lr", (inner,))
        if value not in SYMBOLS:
            raise ValueError(f"formula {self.latex!r}: unknown command '\\{value}'")
        return Atom(SYMBOLS[value])
