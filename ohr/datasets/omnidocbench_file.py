"""Reads the JSON file of OmniDocBench: a list of pages, each an image with annotated blocks.

Source: L. Ouyang et al., OmniDocBench: Benchmarking Diverse PDF Document Parsing with
Comprehensive Annotations, 2025; the data's own description of its fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ohr.collection import ValidationReport
from ohr.datasets.json_text import parse_records
from ohr.datasets.values import name_of, reason_of, text_of
from ohr.errors import DatasetError
from ohr.markup.blocks import Block, BlockKind, write_markdown

KINDS: dict[str, BlockKind] = {
    "title": "heading",
    "table": "table",
    "equation_isolated": "formula",
    "code_txt": "code",
    "page_footnote": "note",
    "header": "furniture",
    "footer": "furniture",
    "page_number": "furniture",
}
DOMAIN_FIELDS = ("data_source", "domain")
"""Attributes of a page that may give its domain; the first one present counts."""
LEFT_OUT = frozenset({"figure", "abandon"})
"""Kinds of blocks without text; masks (``…_mask``) are left out too."""


@dataclass(frozen=True)
class AnnotatedPage:
    """A page of the file. ``image`` is the image's path; ``attributes`` are the page's."""

    image: str
    attributes: Mapping[str, Any]
    blocks: tuple[Block, ...]
    problems: tuple[str, ...]
    """Parts that could not be read, one line each."""

    @property
    def stem(self) -> str:
        """The image's name without its suffix; predictions use it as their name."""
        name = PurePosixPath(self.image.replace("\\", "/")).name
        return name[: -len(PurePosixPath(name).suffix)] if PurePosixPath(name).suffix else name

    @property
    def markdown(self) -> str:
        """The page's text in reading order, without headers, footers and page numbers."""
        return write_markdown(self.blocks, furniture=False)


def is_omnidocbench(content: object) -> bool:
    """Whether parsed JSON has the file's form."""
    if not isinstance(content, list) or not content:
        return False
    first = content[0]
    return isinstance(first, dict) and "layout_dets" in first and "page_info" in first


def read_annotations(data: bytes, name: str) -> list[AnnotatedPage]:
    """The pages of a file. Raises DatasetError for a file of another form."""
    report = ValidationReport()
    pages = list(annotations_of(data, name, report))
    if report:
        raise DatasetError(report.summary())
    return pages


def annotations_of(data: bytes, name: str, report: ValidationReport) -> Iterator[AnnotatedPage]:
    """The pages of a file, which is a list or a single page; malformed ones go into the report.

    Raises DatasetError if the file is not JSON of that form.
    """
    try:
        content = parse_records(data)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{name} is not JSON: {error}") from error
    entries = content if isinstance(content, list) else [content]
    if not is_omnidocbench(entries):
        raise DatasetError(f"{name} is no list of pages with layout_dets and page_info")
    for number, entry in enumerate(entries):
        try:
            yield annotated_page(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            report.add("unreadable_document", f"page {number} of {name}: {reason_of(error)}")


def annotated_page(entry: Mapping[str, Any]) -> AnnotatedPage:
    """The page of an entry. Raises KeyError, TypeError, ValueError and AttributeError."""
    info = entry["page_info"]
    problems: list[str] = []
    return AnnotatedPage(
        name_of(info["image_path"], "image_path"),
        _attributes(info.get("page_attribute") or {}),
        tuple(_blocks(entry["layout_dets"], _truncated(entry), problems)),
        tuple(problems),
    )


def _attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """A page's attributes. Raises ValueError if a domain is no text."""
    for field in DOMAIN_FIELDS:
        text_of(attributes.get(field), field)
    return dict(attributes)


def _truncated(entry: Mapping[str, Any]) -> dict[Any, Any]:
    """Id of a block that a column or figure cuts -> id of the block that continues it."""
    relations = (entry.get("extra") or {}).get("relation") or []
    return {
        relation.get("source_anno_id"): relation.get("target_anno_id")
        for relation in relations
        if relation.get("relation_type") == "truncated"
    }


def _blocks(
    annotations: Sequence[Mapping[str, Any]], truncated: Mapping[Any, Any], problems: list[str]
) -> Iterator[Block]:
    """Blocks in reading order; blocks without an order, such as headers, come last.

    The parts of a paragraph form one block, in the place of the first part.
    """
    blocks = [
        annotation
        for annotation in annotations
        if not annotation.get("ignore") and not _left_out(annotation)
    ]
    blocks.sort(key=_order)
    texts: dict[Any, Mapping[str, Any]] = {}
    for annotation in blocks:
        if _kind(annotation) == "text" and annotation.get("anno_id") is not None:
            texts.setdefault(annotation["anno_id"], annotation)
    paragraphs = _paragraphs(texts, truncated)
    for annotation in blocks:
        kind, anno_id = _kind(annotation), annotation.get("anno_id")
        parts = paragraphs.get(anno_id, ()) if texts.get(anno_id) is annotation else (annotation,)
        if not parts:
            continue
        if not (text := "\n".join(filter(None, (_text(part, kind) for part in parts)))):
            problems.append(f"a {annotation.get('category_type')} without a text")
        yield Block(kind, text)


def _paragraphs(
    texts: Mapping[Any, Mapping[str, Any]], truncated: Mapping[Any, Any]
) -> dict[Any, list[Mapping[str, Any]]]:
    """Id of a paragraph's first part -> its parts; each block of text is in one paragraph.

    Blocks other than text continue no text. If blocks continue each other in a circle, the
    paragraph begins with the first in reading order.
    """
    followers = {source: target for source, target in truncated.items() if source in texts}
    later = set(followers.values())
    paragraphs: dict[Any, list[Mapping[str, Any]]] = {}
    seen: set[Any] = set()
    for first in sorted(texts, key=later.__contains__):
        parts, position = [], first
        while position in texts and position not in seen:
            seen.add(position)
            parts.append(texts[position])
            position = followers.get(position)
        if parts:
            paragraphs[first] = parts
    return paragraphs


def _kind(annotation: Mapping[str, Any]) -> BlockKind:
    return KINDS.get(str(annotation.get("category_type")), "text")


def _left_out(annotation: Mapping[str, Any]) -> bool:
    kind = str(annotation.get("category_type"))
    return kind in LEFT_OUT or kind.endswith("_mask")


def _order(annotation: Mapping[str, Any]) -> tuple[bool, float]:
    order = annotation.get("order")
    return (True, 0.0) if order is None else (False, float(order))


def _text(annotation: Mapping[str, Any], kind: BlockKind) -> str:
    """HTML of a table (LaTeX if it has none), LaTeX of a formula, otherwise the text.

    A formula's brackets are removed, since it is written in dollars.
    """
    keys = {"table": ("html", "latex", "text"), "formula": ("latex", "text")}.get(kind, ("text",))
    texts = (text_of(annotation.get(key), key).strip() for key in keys)
    text = next(filter(None, texts), "")
    inner = text[2:-2]
    bracketed = text == rf"\[{inner}\]" and "\\]" not in inner
    return inner.strip() if bracketed and kind == "formula" else text
