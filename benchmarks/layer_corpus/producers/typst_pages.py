"""Pages as Typst sets them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

import typst as compiler

from benchmarks.layer_corpus.fonts import FONTS, Family
from benchmarks.layer_corpus.page import Block, Line, Page
from benchmarks.layer_corpus.producers.split import split

STYLES = {
    "bold": "strong",
    "italic": "emph",
    "small_caps": "smallcaps",
    "raised": "super",
    "lowered": "sub",
    "": "",
}
HEAD = '#set page(paper: "a4", margin: (x: 2cm, y: 2.2cm))\n#set par(leading: .7em)\n'


def _line(line: Line) -> str:
    return "".join(
        f"#{STYLES[run.style]}[#{json.dumps(run.text, ensure_ascii=False)}]"
        if run.style
        else f"#{json.dumps(run.text, ensure_ascii=False)};"
        for run in line
    )


def _lines(lines: Sequence[Line]) -> str:
    return " \\\n".join(map(_line, lines))


def _blocks(blocks: Sequence[Block], weight: str) -> Iterator[str]:
    for kind, same in groupby(blocks, key=lambda block: block.kind):
        matches = list(same)
        if kind == "row":
            cells = "".join(f"[{_line(cell)}], " for block in matches for cell in block.lines)
            width = len(matches[0].lines)
            yield f"#table(columns: {width}, stroke: none, inset: (x: 11pt, y: 4pt), {cells})"
        elif kind == "heading":
            yield f'#text(size: 17pt, weight: "{weight}")[{_line(matches[0].lines[0])}]'
        elif kind == "columns":
            for block in matches:
                yield (
                    f"#grid(columns: (8.5cm, auto), [{_lines(block.lines)}], "
                    f"[{_lines(block.right)}])"
                )
        else:
            yield _lines([line for block in matches for line in block.lines])


def document(pages: Sequence[tuple[Page, Family]]) -> str:
    """All pages as one Typst document."""
    parts = []
    for page, family in pages:
        size = f"{page.size}pt"
        options = f"font: {json.dumps(family.name)}, fallback: false, size: {size}, "
        options += f'lang: "{page.language}", hyphenate: false, tracking: {page.tracking}em'
        body = "\n\n".join(_blocks(page.blocks, "bold" if family.bold else "regular"))
        parts.append(f"#[#set text({options})\n{body}\n]\n")
    return HEAD + "#pagebreak()\n".join(parts)


def typst(pages: Sequence[tuple[Page, Family]]) -> list[bytes]:
    """The pages as Typst sets them."""
    folders = sorted(
        {str(family.path(style).parent) for _, family in pages for style in ("", "bold", "italic")}
    )
    assert all(folder.startswith(str(FONTS)) for folder in folders)
    outputs = compiler.compile(document(pages).encode(), font_paths=folders, timestamp=0)
    return split(outputs, len(pages))
