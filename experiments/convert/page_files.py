"""Knowledge bases as files for other OCR tools; ``precomputed`` can read them back.

Only formats that can hold page texts in Markdown are written. hOCR, ALTO, PAGE and Docling's JSON
need the place of every block, which a page text does not have.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ocr_backends.precomputed import document_file
from ohr.errors import OhrError
from ohr.markup.page import read_page
from ohr.markup.scanner import MarkupKind
from ohr.markup.tables.convert import convert_tables
from ohr.store.atomic import write_text
from ohr.types import PageRef

Pages = Mapping[PageRef, str]


def write_pages(pages: Pages, folder: Path) -> None:
    """Write ``<domain>/<document>.json``, as in OHR-Bench."""
    for doc_id, texts in _documents(pages).items():
        entries = [{"page_idx": number, "text": text} for number, text in texts.items()]
        _write_json(folder / document_file(doc_id), entries)


def write_markdown(pages: Pages, folder: Path) -> None:
    """Write ``<domain>/<document>/page_0001.md``, with pages counted from 1."""
    for doc_id, texts in _documents(pages).items():
        inside = (folder / document_file(doc_id)).with_suffix("")
        for number, text in texts.items():
            write_text(inside / f"page_{number + 1:04d}.md", text)


def write_predictions(pages: Pages, folder: Path) -> None:
    """Write ``<image>.md``, the predictions for OmniDocBench's evaluation.

    An image is named after its document, and its page (from 0) if there are several. Raises
    OhrError if two documents have the same name.
    """
    owners: dict[str, str] = {}
    for doc_id, texts in _documents(pages).items():
        for number, text in texts.items():
            stem = document_file(doc_id).stem + (f"_{number}" if len(texts) > 1 else "")
            if owners.setdefault(stem, doc_id) != doc_id:
                raise OhrError(f"{owners[stem]} and {doc_id} would both be the image {stem}")
            write_text(folder / f"{stem}.md", text)


def write_content_lists(pages: Pages, folder: Path) -> None:
    """Write ``<domain>/<document>/<document>_content_list.json`` as MinerU does, without places."""
    for doc_id, texts in _documents(pages).items():
        file = folder / document_file(doc_id)
        items = [
            item | {"page_idx": number}
            for number, text in texts.items()
            for item in content_items(text)
        ]
        _write_json(file.with_suffix("") / f"{file.stem}_content_list.json", items)


WRITERS: dict[str, Callable[[Pages, Path], None]] = {
    "pages": write_pages,
    "markdown": write_markdown,
    "omnidocbench": write_predictions,
    "mineru": write_content_lists,
}


def content_items(text: str) -> Iterator[dict[str, Any]]:
    """The blocks of a page as items of a content list: tables in HTML, paragraphs, formulas."""
    text, _ = convert_tables(text, "html")
    plain: list[str] = []
    for region in read_page(text).regions:
        whole = text[region.start : region.end]
        signs = len(whole.lstrip()) - len(whole.lstrip().lstrip("#"))
        if region.kind is MarkupKind.TABLE:
            item: dict[str, Any] = {"type": "table", "table_body": whole.strip()}
        elif region.kind is MarkupKind.DISPLAY:
            inner = text[region.inner_start : region.inner_end].strip()
            item = {"type": "equation", "text": f"$$\n{inner}\n$$", "text_format": "latex"}
        elif region.kind is MarkupKind.HEADING and signs:
            title = " ".join(whole.split()).lstrip("#").strip()
            item = {"type": "text", "text": title, "text_level": signs}
        else:
            plain.append(whole)
            continue
        yield from _paragraphs(plain)
        plain.clear()
        yield item
    yield from _paragraphs(plain)


def _paragraphs(plain: list[str]) -> Iterator[dict[str, Any]]:
    for paragraph in "".join(plain).split("\n\n"):
        if paragraph.strip():
            yield {"type": "text", "text": paragraph.strip()}


def _documents(pages: Pages) -> dict[str, dict[int, str]]:
    documents: dict[str, dict[int, str]] = {}
    for ref, text in pages.items():
        documents.setdefault(ref.doc_id, {})[ref.page_no] = text
    return documents


def _write_json(path: Path, content: object) -> None:
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
