"""Blocks as Typst source, in the style of their domain."""

from __future__ import annotations

from collections.abc import Sequence

from ohr.datasets.sample.blocks import (
    Block,
    Formula,
    Heading,
    ListBlock,
    Math,
    PageBlocks,
    Paragraph,
    Strong,
    Table,
    Text,
)
from ohr.datasets.sample.mathematics import to_typst

# The fonts are the ones inside the typst package, the same on every machine. Nothing is
# hyphenated, numbered or quoted by Typst itself: every mark on the page is in the ground truth.
_PRELUDE = """\
#set document(title: {title}, date: datetime(year: 2024, month: 1, day: 1))
#set page(paper: "a4", numbering: none, fill: white)
#set text(lang: "en", hyphenate: false, fallback: false)
#set smartquote(enabled: false)
#set par(linebreaks: "optimized")
#set heading(numbering: none, outlined: false)
#show list: set block(above: 0.9em)
#show enum: set block(above: 0.9em)
#show math.equation: set text(font: "New Computer Modern Math")
#show math.equation.where(block: false): set math.frac(style: "horizontal")
"""

STYLES = {
    "finance": """\
#set page(margin: (x: 2.4cm, top: 2.2cm, bottom: 2cm))
#set text(font: "Libertinus Serif", size: 11.7pt)
#set par(justify: true, leading: 0.72em, spacing: 1.1em)
#show heading.where(level: 1): it => block(below: 1.3em)[
  #set text(size: 21pt, weight: 600)
  #it.body #v(-0.5em) #line(length: 100%, stroke: 1.2pt)]
#show heading.where(level: 2): it => block(above: 1.5em, below: 0.8em)[
  #set text(size: 13.5pt, weight: 600); #it.body]
#set table(inset: (x: 9pt, y: 5.2pt))
""",
    "law": """\
#set page(margin: (x: 2.8cm, top: 2.5cm, bottom: 2.3cm))
#set text(font: "New Computer Modern", size: 11.2pt)
#set par(justify: true, leading: 0.7em, spacing: 1.1em)
#show heading.where(level: 1): it => align(center, block(below: 1.6em)[
  #set text(size: 16pt, weight: 700); #it.body])
#show heading.where(level: 2): it => block(above: 1.5em, below: 0.8em)[
  #set text(size: 11pt, weight: 700); #it.body]
#set list(indent: 1em, spacing: 0.8em)
#set table(inset: (x: 8pt, y: 5pt))
""",
    "manual": """\
#set page(margin: (left: 3.2cm, right: 2.2cm, top: 2.2cm, bottom: 2cm))
#set text(font: "Libertinus Serif", size: 12pt)
#set par(justify: false, leading: 0.66em, spacing: 1.05em)
#show heading.where(level: 1): it => block(below: 1.2em)[
  #set text(font: "DejaVu Sans Mono", size: 15pt, weight: 700); #it.body]
#show heading.where(level: 2): it => block(above: 1.3em, below: 0.8em, width: 100%,
  stroke: (top: 0.8pt), inset: (top: 6pt))[
  #set text(font: "DejaVu Sans Mono", size: 11pt, weight: 700); #it.body]
#set enum(indent: 0.6em, spacing: 0.75em)
#set list(indent: 0.6em, spacing: 0.75em, marker: [•])
#set table(inset: (x: 8pt, y: 4.8pt))
""",
    "textbook": """\
#set page(margin: (x: 2.8cm, top: 2.4cm, bottom: 2cm))
#set text(font: "New Computer Modern", size: 10.9pt)
#set par(justify: true, leading: 0.66em, spacing: 0.9em, first-line-indent: 1.4em)
#show heading.where(level: 1): it => align(right, block(below: 2em)[
  #set text(size: 19pt, weight: 700); #it.body])
#show heading.where(level: 2): it => block(above: 1.5em, below: 0.9em)[
  #set text(size: 13pt, weight: 700); #it.body]
#show heading.where(level: 3): it => block(above: 1.3em, below: 0.7em)[
  #set text(size: 11pt, weight: 400, style: "italic"); #it.body]
#set table(inset: (x: 9pt, y: 5pt))
""",
}
"""Domain -> its Typst style."""


def document_source(title: str, domain: str, pages: Sequence[PageBlocks]) -> str:
    """Typst source of a document: one Typst page for each page of blocks, if they fit."""
    bodies = ("\n".join(_block(block) for block in page) for page in pages)
    prelude = _PRELUDE.format(title=_string(title))
    return prelude + STYLES[domain] + "\n#pagebreak()\n".join(bodies) + "\n"


def _string(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _inline(words: Text) -> str:
    """Words go in as string literals, which Typst does not read as markup."""
    parts: list[str] = []
    for span in words:
        if isinstance(span, Math):
            parts.append(f"${to_typst(span.latex)}$")
        elif isinstance(span, Strong):
            parts.append(f"#strong({_string(span.text)});")
        else:
            parts.append(f"#{_string(span.text)};")
    return "".join(parts)


def _block(block: Block) -> str:
    match block:
        case Heading(level, words):
            return f"#heading(level: {level})[{_inline(words)}]"
        case Paragraph(words):
            return f"#par[{_inline(words)}]"
        case ListBlock(items, ordered):
            body = ", ".join(f"[{_inline(item)}]" for item in items)
            return f"#{'enum' if ordered else 'list'}({body})"
        case Formula(latex):
            return f"$ {to_typst(latex)} $"
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    sides = {"l": "left", "c": "center", "r": "right"}
    aligns = ", ".join(sides[side] for side in table.align)
    columns = ", ".join(f"{share}fr" for share in table.widths) or ", ".join(
        "auto" for _ in table.header
    )
    last = len(table.rows) + 1
    stroke = "0.6pt" if table.grid else "none"
    header = ", ".join(f"[{_inline(cell)}]" for cell in table.header)
    cells = ",\n  ".join(", ".join(f"[{_inline(cell)}]" for cell in row) for row in table.rows)
    rules = (
        "" if table.grid else "".join(f"table.hline(y: {y}, stroke: 0.8pt), " for y in (0, 1, last))
    )
    return (
        "#align(center, block(above: 1.2em, below: 1.2em)["
        "#set par(justify: false, first-line-indent: 0pt)\n"
        f"#table(columns: ({columns},), align: ({aligns},), stroke: {stroke},\n  {rules}"
        f"table.header({header}),\n  {cells})])"
    )
