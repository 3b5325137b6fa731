"""Docling, by command line, in an environment of its own; its JSON says what is on which page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from ocr_backends._blocks import Block, GridCell, html_table, to_markdown
from ocr_backends._documents import DocumentEngine, DocumentParams
from ocr_backends._process import program_version, run
from ohr.errors import EngineError

INSTALL = (
    "python -m venv docling && docling/bin/pip install docling, then name "
    "executable: docling/bin/docling"
)
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
DEEPEST = 50


class DoclingParams(DocumentParams):
    """``executable``: ``docling``, a name or a path. ``options``: further arguments, such as
    ``--artifacts-path DIR``. ``offline``: it must not fetch its models.
    """

    executable: str = Field("docling", min_length=1)
    options: tuple[str, ...] = ()
    offline: bool = True


class Docling(DocumentEngine[DoclingParams]):
    """Docling's document, written in Markdown: tables in HTML, formulas in LaTeX if enriched."""

    name = "docling"
    accepts = frozenset({"image", "pdf"})
    license = "MIT"
    install = INSTALL

    def convert(self, file: Path, count: int, folder: Path) -> Sequence[str]:
        arguments = ["--to", "json", "--image-export-mode", "placeholder", "--output", str(folder)]
        run(
            [self.params.executable, str(file), *arguments, *self.params.options],
            timeout_s=self.params.timeout_s,
            install=INSTALL,
            folder=folder,
            environment=OFFLINE if self.params.offline else None,
        )
        files = sorted(folder.rglob("*.json"))
        if len(files) != 1:
            raise EngineError(f"Docling wrote {len(files)} JSON files, 1 expected")
        try:
            document = json.loads(files[0].read_text("utf-8", "replace"))
            pages = _Document(document).pages(count)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise EngineError(f"Docling's JSON cannot be read: {error!r}") from error
        furniture = not self.params.normalise.furniture
        return [to_markdown(blocks, furniture=furniture) for blocks in pages]

    def engine_version(self) -> str:
        """Version of docling. Raises MissingDependencyError."""
        return program_version(self.params.executable, "docling", INSTALL)


class _Document:
    """A DoclingDocument: trees of references to texts, tables, pictures and groups."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._seen: set[str] = set()

    def pages(self, count: int) -> list[list[Block]]:
        """Blocks of each page: headers and footers with the page whose they are."""
        pages: list[list[Block]] = [[] for _ in range(count)]
        for tree in ("body", "furniture"):
            for page_no, block in self._walk(self._document.get(tree) or {}, 0):
                if 1 <= page_no <= count:
                    pages[page_no - 1].append(block)
        return pages

    def _walk(self, node: Mapping[str, Any], depth: int) -> Iterator[tuple[int, Block]]:
        if depth > DEEPEST:
            raise ValueError("items nested too deeply")
        for reference in [*node.get("captions", []), *node.get("children", [])]:
            name = reference["$ref"]
            if name in self._seen:  # a caption is a child too
                continue
            self._seen.add(name)
            item = self._item(name)
            own = self._block(item)
            captions = {ref["$ref"] for ref in item.get("captions", [])}
            below = list(self._walk(item, depth + 1))
            if own is not None and not captions:
                yield _page(item), own
            yield from below
            if own is not None and captions:
                yield _page(item), own

    def _item(self, reference: str) -> Mapping[str, Any]:
        _, kind, number = reference.split("/")
        item: Mapping[str, Any] = self._document[kind][int(number)]
        return item

    def _block(self, item: Mapping[str, Any]) -> Block | None:
        label, text = str(item.get("label", "")), str(item.get("text") or "")
        if "data" in item and label in ("table", "document_index"):
            return Block("table", html_table(_cells(item["data"])))
        if label in ("page_header", "page_footer"):
            return Block("furniture", text)
        if label in ("title", "section_header"):
            level = 1 if label == "title" else int(item.get("level", 1)) + 1
            return Block("heading", text, level)
        if label == "list_item":
            marker = str(item.get("marker") or "")
            ordered = marker and any(char.isalnum() for char in marker)
            return Block("item", f"{marker} {text}" if ordered else text)
        if label == "formula":
            return Block("formula", text)
        if label == "code":
            return Block("code", text)
        return Block("text", text) if text else None


def _page(item: Mapping[str, Any]) -> int:
    """The page (from 1) on which an item begins; 0 for what has no place."""
    provenance = item.get("prov") or []
    return int(provenance[0]["page_no"]) if provenance else 0


def _cells(data: Mapping[str, Any]) -> list[GridCell]:
    return [
        GridCell(
            int(cell["start_row_offset_idx"]),
            int(cell["start_col_offset_idx"]),
            str(cell.get("text", "")),
            int(cell.get("row_span", 1)),
            int(cell.get("col_span", 1)),
        )
        for cell in data.get("table_cells", [])
    ]
