"""The JSON file of OmniDocBench: a list of pages, each an image with its annotated blocks.

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
from ohr.datasets.values import name_of, said, text_of
from ohr.errors import DatasetError
from ohr.markup.blocks import Block, BlockKind, to_markdown

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
"""Attributes of a page that its domain may be taken from, the first that is there."""
LEFT_OUT = frozenset({"figure", "abandon"})
"""Blocks without a text of their own; masks (``…_mask``) are left out too."""


@dataclass(frozen=True)
class AnnotatedPage:
    """A page of the file. ``image`` is the path in it; ``attributes`` are the page's own."""

    image: str
    attributes: Mapping[str, Any]
    blocks: tuple[Block, ...]
    problems: tuple[str, ...]
    """What could not be taken from it, a line each."""

    @property
    def stem(self) -> str:
        """The image's name without its suffix, by which predictions are named."""
        name = PurePosixPath(self.image.replace("\\", "/")).name
        return name[: -len(PurePosixPath(name).suffix)] if PurePosixPath(name).suffix else name

    @property
    def markdown(self) -> str:
        """The page's text in reading order, without headers, footers and page numbers."""
        return to_markdown(self.blocks, furniture=False)


def is_omnidocbench(content: object) -> bool:
    """Whether JSON has the file's form."""
    if not isinstance(content, list) or not content:
        return False
    first = content[0]
    return isinstance(first, dict) and "layout_dets" in first and "page_info" in first


def read_annotations(data: bytes, name: str) -> list[AnnotatedPage]:
    """The pages of a file. Raises DatasetError for one that has another form."""
    report = ValidationReport()
    pages = list(annotations_of(data, name, report))
    if report:
        raise DatasetError(report.summary())
    return pages


def annotations_of(data: bytes, name: str, report: ValidationReport) -> Iterator[AnnotatedPage]:
    """The pages of a file, which may be a list or one page; what is none goes into the report.

    Raises DatasetError for what is not JSON of that form.
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
            report.add("unreadable_document", f"page {number} of {name}: {said(error)}")


def annotated_page(entry: Mapping[str, Any]) -> AnnotatedPage:
    """One entry. Raises KeyError, TypeError, ValueError and AttributeError."""
    info = entry["page_info"]
    problems: list[str] = []
    return AnnotatedPage(
        name_of(info["image_path"], "image_path"),
        _attributes(info.get("page_attribute") or {}),
        tuple(_blocks(entry["layout_dets"], _truncated(entry), problems)),
        tuple(problems),
    )


def _attributes(given: Mapping[str, Any]) -> dict[str, Any]:
    """A page's attributes. Raises ValueError for a domain that is no text."""
    for field in DOMAIN_FIELDS:
        text_of(given.get(field), field)
    return dict(given)


def _truncated(entry: Mapping[str, Any]) -> dict[Any, Any]:
    """The block that goes on each block which a column or a figure cuts, by their ids."""
    relations = (entry.get("extra") or {}).get("relation") or []
    return {
        relation.get("source_anno_id"): relation.get("target_anno_id")
        for relation in relations
        if relation.get("relation_type") == "truncated"
    }


def _blocks(
    annotations: Sequence[Mapping[str, Any]], truncated: Mapping[Any, Any], problems: list[str]
) -> Iterator[Block]:
    """Blocks in reading order; those without an order, as headers have none, come last.

    The parts of one paragraph are one block, where its first part stands.
    """
    kept = [one for one in annotations if not one.get("ignore") and not _left_out(one)]
    kept.sort(key=_order)
    texts: dict[Any, Mapping[str, Any]] = {}
    for one in kept:
        if _kind(one) == "text" and one.get("anno_id") is not None:
            texts.setdefault(one["anno_id"], one)
    paragraphs = _paragraphs(texts, truncated)
    for one in kept:
        kind, anno_id = _kind(one), one.get("anno_id")
        parts = paragraphs.get(anno_id, ()) if texts.get(anno_id) is one else (one,)
        if not parts:
            continue
        if not (text := "\n".join(filter(None, (_text(part, kind) for part in parts)))):
            problems.append(f"a {one.get('category_type')} without a text")
        yield Block(kind, text)


def _paragraphs(
    texts: Mapping[Any, Mapping[str, Any]], truncated: Mapping[Any, Any]
) -> dict[Any, list[Mapping[str, Any]]]:
    """The parts of each paragraph by the id of its first: each block of text is one, once.

    What is no text goes on no text. Blocks that go on one another in a ring begin with the first
    in reading order.
    """
    followers = {source: one for source, one in truncated.items() if source in texts}
    later = set(followers.values())
    paragraphs: dict[Any, list[Mapping[str, Any]]] = {}
    taken: set[Any] = set()
    for first in sorted(texts, key=later.__contains__):
        parts, at = [], first
        while at in texts and at not in taken:
            taken.add(at)
            parts.append(texts[at])
            at = followers.get(at)
        if parts:
            paragraphs[first] = parts
    return paragraphs


def _kind(one: Mapping[str, Any]) -> BlockKind:
    return KINDS.get(str(one.get("category_type")), "text")


def _left_out(one: Mapping[str, Any]) -> bool:
    kind = str(one.get("category_type"))
    return kind in LEFT_OUT or kind.endswith("_mask")


def _order(one: Mapping[str, Any]) -> tuple[bool, float]:
    order = one.get("order")
    return (True, 0.0) if order is None else (False, float(order))


def _text(one: Mapping[str, Any], kind: BlockKind) -> str:
    """HTML of a table (LaTeX where it has none), LaTeX of a formula, else the text.

    A formula's brackets are left out: dollars are written round it.
    """
    keys = {"table": ("html", "latex", "text"), "formula": ("latex", "text")}.get(kind, ("text",))
    texts = (text_of(one.get(key), key).strip() for key in keys)
    text = next(filter(None, texts), "")
    inner = text[2:-2]
    bracketed = text == rf"\[{inner}\]" and "\\]" not in inner
    return inner.strip() if bracketed and kind == "formula" else text
