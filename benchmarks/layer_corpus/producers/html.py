"""Pages as HTML, printed by Chromium and by WeasyPrint."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from benchmarks.layer_corpus.fonts import Family
from benchmarks.layer_corpus.page import Block, Line, Page
from benchmarks.layer_corpus.producers.split import split

STYLE = """
@page { size: A4; margin: 2.2cm 2cm }
section { break-after: page; font-size: 11pt; line-height: 1.5 }
section:last-child { break-after: auto }
h1 { font-size: 17pt; margin: 0 0 14pt }
h1.plain { font-weight: normal }
p { margin: 0; white-space: nowrap }
table { border-spacing: 0; margin: 8pt 0 }
td { padding: 0 22pt 0 0; white-space: nowrap }
[dir=rtl] td { padding: 0 0 0 22pt }
.two { display: flex } .two div { width: 8.5cm }
sup, sub { font-size: 62%; line-height: 0 }
.small { font-variant-caps: small-caps }
"""
TAGS = {
    "bold": ("<b>", "</b>"),
    "italic": ("<i>", "</i>"),
    "small_caps": ("<span class=small>", "</span>"),
    "raised": ("<sup>", "</sup>"),
    "lowered": ("<sub>", "</sub>"),
    "": ("", ""),
}


def _line(line: Line) -> str:
    return "".join(escape(run.text).join(TAGS[run.style]).replace("  ", " &nbsp;") for run in line)


def _lines(lines: Sequence[Line]) -> str:
    return "".join(f"<p>{_line(line)}</p>\n" for line in lines)


def _blocks(blocks: Sequence[Block], heading: str) -> Iterator[str]:
    for kind, same in groupby(blocks, key=lambda block: block.kind):
        if kind == "row":
            rows = ("".join(f"<td>{_line(cell)}</td>" for cell in block.lines) for block in same)
            yield "<table>" + "".join(f"<tr>{row}</tr>\n" for row in rows) + "</table>\n"
            continue
        for block in same:
            if kind == "heading":
                yield f"<h1{heading}>{_line(block.lines[0])}</h1>\n"
            elif kind == "columns":
                left_side, right = _lines(block.lines), _lines(block.right)
                yield f"<div class=two><div>{left_side}</div><div>{right}</div></div>\n"
            else:
                yield _lines(block.lines)


def document(pages: Sequence[tuple[Page, Family]]) -> str:
    """All pages as one HTML document, a section each."""
    sections = []
    for page, family in pages:
        spacing = f"; letter-spacing: {page.tracking}em" if page.tracking else ""
        size = f"; font-size: {page.size}pt"
        direction = "rtl" if page.right_to_left else "ltr"
        body = "".join(_blocks(page.blocks, "" if family.bold else " class=plain"))
        sections.append(
            f"<section lang={page.language} dir={direction} "
            f"style=\"font-family: '{family.name}'{spacing}{size}\">\n{body}</section>\n"
        )
    head = f"<meta charset=utf-8><style>{STYLE}</style>"
    return f"<!doctype html><html><head>{head}</head><body>\n{''.join(sections)}</body></html>"


def chromium(pages: Sequence[tuple[Page, Family]]) -> list[bytes]:
    """The pages as Chromium prints them."""
    program = shutil.which("chromium")
    if program is None:
        raise RuntimeError("Chromium is missing: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        source, printed = Path(folder, "pages.html"), Path(folder, "pages.pdf")
        source.write_text(document(pages), encoding="utf-8")
        command = [program, "--headless", "--no-sandbox", "--disable-gpu"]
        command += [f"--user-data-dir={folder}/profile", "--no-pdf-header-footer"]
        command += [f"--print-to-pdf={printed}", source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return split(printed.read_bytes(), len(pages))


def weasyprint(pages: Sequence[tuple[Page, Family]]) -> list[bytes]:
    """The pages as WeasyPrint prints them."""
    from weasyprint import HTML

    return split(HTML(string=document(pages)).write_pdf(), len(pages))
