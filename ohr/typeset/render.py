"""Page texts to one PDF, one page each, with the boxes of their blocks; refusals become text."""

from __future__ import annotations

import contextlib
import datetime
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import typst

from ohr.errors import DatasetError
from ohr.markup.tables.content import Break, Node, Text
from ohr.sample.typesetting.boxes import QUERY
from ohr.sample.typesetting.faces import is_wide
from ohr.typeset.formulas import convert
from ohr.typeset.joining import forget, join_pdfs
from ohr.typeset.looks import LookName, chinese_family, columns_of, fonts
from ohr.typeset.page_blocks import Block, page_blocks
from ohr.typeset.source import Place, Printed, Source, formulas_in

_EPOCH = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
_ROUNDS = 40
MOST_PAGES = 60
"""Pages that Typst lays out at once, in about 400 MB; longer documents are joined from parts."""
_AT_LINE = re.compile(r"__typst_py_bytes__\.typ:(\d+):\d+")
_NO_GLYPH = re.compile(r'the text `"((?:[^"\\]|\\.)*)"` could not be displayed')
_OVER, _UNDER = 2.0, 3.0
"""Points: for Typst a block begins at its capitals and ends at its last baseline."""
_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}")


@dataclass(frozen=True, slots=True)
class Fallback:
    """What is printed as text on a page, and what was refused by whom.

    ``kind`` is ``formula`` for a formula that is printed as its LaTeX, ``page`` for a page that is
    printed as plain text, ``character`` for one that no font has.
    """

    page: int
    kind: str
    detail: str


@dataclass
class Typeset:
    """A document: its PDF, the boxes of each page's blocks (see the data guide), fallbacks."""

    pdf: bytes
    boxes: list[dict[str, Any]]
    fallbacks: list[Fallback] = field(default_factory=list)


def typeset(texts: Sequence[str], look: LookName) -> Typeset:
    """Typeset a document's page texts; the same texts give the same bytes.

    Raises ConfigError if a font for Chinese is needed and missing, MissingDependencyError without
    Pandoc, DatasetError if not even plain text can be set.
    """
    parts = [_part(texts[i : i + MOST_PAGES], look) for i in range(0, len(texts), MOST_PAGES)]
    if not parts:
        raise DatasetError("the document has no pages")
    if len(parts) == 1:
        return parts[0]
    whole = Typeset(join_pdfs([part.pdf for part in parts]), [])
    for part in parts:
        first = len(whole.boxes)
        whole.boxes += [page | {"page_idx": first + page["page_idx"]} for page in part.boxes]
        whole.fallbacks += [replace(each, page=first + each.page) for each in part.fallbacks]
    return whole


def _part(texts: Sequence[str], look: LookName) -> Typeset:
    """A document of at most :data:`MOST_PAGES`."""
    pages = [page_blocks(text) for text in texts]
    formulas = convert(formula for blocks in pages for formula in formulas_in(blocks))
    chinese = chinese_family() if any(map(is_wide, "".join(texts))) else ""
    printed = Printed(pages, formulas, look, chinese)
    plain_pages: dict[int, str] = {}
    for _ in range(_ROUNDS):
        source = Source(printed)
        try:
            pdf, boxes = _compiled(source, look, chinese)
        except typst.TypstError as error:
            printed = _print_refused_as_text(printed, texts, source, error, plain_pages)
            continue
        forget(len(texts))
        return Typeset(pdf, boxes, _fallbacks(texts, printed, formulas, plain_pages))
    raise DatasetError("the pages cannot be typeset: Typst refuses something in every round")


@cache
def _empty_folder() -> str:
    """The only folder in which Typst may look for files."""
    folder = tempfile.TemporaryDirectory(prefix="ohr-typeset-")
    _FOLDERS.append(folder)
    return folder.name


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


def _compiled(source: Source, look: LookName, chinese: str) -> tuple[bytes, list[dict[str, Any]]]:
    encoded = source.encoded()
    folder = _empty_folder()
    compiler = typst.Compiler(
        encoded,
        root=folder,
        font_paths=fonts(chinese),
        package_path=folder,
        package_cache_path=folder,
    )
    # Marks first: once it has compiled, a compiler evaluates no more.
    answer = ""
    with contextlib.suppress(RuntimeError):  # it says less than the error of the compilation
        answer = compiler.eval(QUERY)
    # Only the archival standard makes a glyph that the fonts lack an error.
    pdf = compiler.compile(encoded, format="pdf", timestamp=_EPOCH, pdf_standards="a-2b")
    if not isinstance(pdf, bytes):
        raise DatasetError("the pages cannot be typeset: Typst made no PDF")
    return pdf, _boxes(json.loads(answer), source.printed, look)


def _print_refused_as_text(
    printed: Printed,
    texts: Sequence[str],
    source: Source,
    error: typst.TypstError,
    plain_pages: dict[int, str],
) -> Printed:
    """The document with what the error names as text. Raises DatasetError if it names nothing."""
    message = str(getattr(error, "diagnostic", "")) or str(error)
    characters = {
        char
        for quoted in _NO_GLYPH.findall(message + error.message)
        for char in _ESCAPE.sub(lambda code: chr(int(code[1], 16)), quoted)
        if not char.isspace()
    }
    if characters - printed.missing:
        return replace(printed, missing=printed.missing | characters)
    lines = [int(line) for line in _AT_LINE.findall(message)]
    places = [source.places.get(line, Place()) for line in lines]
    refused = {place.formula for place in places if place.formula}
    if refused:
        return replace(printed, formulas={**printed.formulas, **dict.fromkeys(refused)})
    numbers = {place.page for place in places if place.page >= 0} - plain_pages.keys()
    if not numbers:
        raise DatasetError(f"the pages cannot be typeset: {error.message}")
    for number in numbers:
        plain_pages[number] = error.message
    pages = [
        plain_text(texts[number]) if number in numbers else blocks
        for number, blocks in enumerate(printed.pages)
    ]
    return replace(printed, pages=pages)


def plain_text(text: str) -> list[Block]:
    """A page as one block of its lines, without any mark-up read."""
    nodes: list[Node] = []
    for line in text.strip().split("\n"):
        nodes += [Text(line), Break()]
    start = len(text) - len(text.lstrip())
    return [Block("paragraph", start, len(text.rstrip()), tuple(nodes[:-1]))] if nodes else []


def _fallbacks(
    texts: Sequence[str],
    printed: Printed,
    formulas: dict[str, str | None],
    plain_pages: dict[int, str],
) -> list[Fallback]:
    listed = [Fallback(page, "page", why) for page, why in plain_pages.items()]
    for page, blocks in enumerate(printed.pages):
        for latex in dict.fromkeys(formulas_in(blocks)):
            if printed.formulas[latex] is None:
                who = "Pandoc" if formulas[latex] is None else "Typst"
                listed.append(Fallback(page, "formula", f"{who} refuses {latex}"))
        for char in sorted(printed.missing & set(texts[page])):
            listed.append(Fallback(page, "character", f"{char} (U+{ord(char):04X})"))
    return sorted(listed, key=lambda fallback: (fallback.page, fallback.kind, fallback.detail))


def _boxes(marks: list[Any], printed: Printed, look: LookName) -> list[dict[str, Any]]:
    """The boxes of all pages, from the marks: points, origin at the top left."""
    corners = {((first, last), end): (x, y) for ((first, last), end), _, x, y in marks}
    count, left_edge, step = columns_of(look)
    pages = []
    for number, blocks in enumerate(printed.pages):
        width, height = corners[("page", number), 1]
        entries = []
        for place, block in enumerate(blocks):
            (x0, y0), (x1, y1) = corners[(number, place), 0], corners[(number, place), 1]
            y0, y1 = max(y0 - _OVER, 0.0), min(y1 + _UNDER, height)
            column = int((x0 - left_edge + 1) // step) if count > 1 else 0
            entries.append(
                {
                    "kind": block.kind,
                    "block": place,
                    "column": max(column, 0),
                    "box": [round(side, 2) for side in (x0, y0, x1, y1)],
                    "span": [block.start, block.end],
                }
            )
        pages.append(
            {
                "page_idx": number,
                "width": round(width, 2),
                "height": round(height, 2),
                "blocks": entries,
            }
        )
    return pages
