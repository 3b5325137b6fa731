"""Descriptions of documents as JSON within a token budget, for a model's first prompt.

If the budget is too small, parts are cut in this order, only as far as needed: the deepest
sections, level by level; lists; captions and titles past 60 characters; figures; tables; the last
sections. The total numbers of each are always included.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from ohr.markup.outline.tree import DocumentTree, FigureNode, TableNode
from rag.systems._frames import defuse_document
from rag.systems.triage.library import Shelf

SHORT = 60
_LONG = 200


@dataclass(frozen=True)
class Cut:
    """How much of a document's metadata is included; ``level``: of the deepest sections."""

    level: int
    lists: bool = True
    width: int = _LONG
    figures: bool = True
    tables: bool = True
    sections: int | None = None
    """Number of first sections; None: all."""


def metadata(
    shelves: Sequence[Shelf], budget: int, count: Callable[[str], int]
) -> tuple[str, bool]:
    """The metadata of documents as JSON of at most ``budget`` tokens, and whether it was cut.

    Each document has an equal share; what one does not use is shared by those after it. A document
    whose name alone does not fit is left out.
    """
    descriptions, was_cut, remaining = [], False, budget
    for index, shelf in enumerate(shelves):
        text, is_cut = _describe(shelf, remaining // (len(shelves) - index), count)
        was_cut |= is_cut
        if text:
            descriptions.append(text)
            remaining -= count(text)
    return "[" + ",\n".join(descriptions) + "]", was_cut


def _describe(shelf: Shelf, budget: int, count: Callable[[str], int]) -> tuple[str, bool]:
    for number, cut in enumerate(_cuts(shelf.tree)):
        text = _json(shelf, cut)
        if count(text) <= budget:
            return text, number > 0
    bare = _json(shelf, Cut(0, False, SHORT, False, False, 0))
    room = budget - count(bare)
    if room < 0:
        return "", True
    outermost = _sections(shelf.tree, Cut(1, width=SHORT, sections=room))
    costs = accumulate(count(json.dumps(section, ensure_ascii=False)) + 2 for section in outermost)
    fitting = sum(cost <= room for cost in costs)
    return _json(shelf, Cut(1, False, SHORT, False, False, fitting)), True


def _cuts(tree: DocumentTree) -> Iterator[Cut]:
    deepest = max((section.level for section in tree.sections), default=1)
    cut = Cut(deepest)
    yield cut
    for level in range(deepest - 1, 0, -1):
        cut = Cut(level)
        yield cut
    for step in ({"lists": False}, {"width": SHORT}, {"figures": False}, {"tables": False}):
        cut = replace(cut, **step)
        yield cut


def _json(shelf: Shelf, cut: Cut) -> str:
    tree = shelf.tree
    fields: dict[str, object] = {
        "document": shelf.name,
        "pages": shelf.last_page,
        "sections_in_all": len(tree.sections),
        "tables_in_all": len(tree.tables),
        "figures_in_all": len(tree.figures),
    }
    sections = _sections(tree, cut)
    if sections:
        fields["sections"] = sections
    if cut.tables and tree.tables:
        fields["tables"] = _nodes(tree, tree.tables, cut.width)
    if cut.figures and tree.figures:
        fields["figures"] = _nodes(tree, tree.figures, cut.width)
    if cut.lists and tree.lists:
        fields["lists"] = [
            {"items": node.n_items, "page": tree.page_number(node.start)} for node in tree.lists
        ]
    return defuse_document(json.dumps(fields, ensure_ascii=False))


def _sections(tree: DocumentTree, cut: Cut) -> list[dict[str, object]]:
    sections = [section for section in tree.sections if section.level <= cut.level]
    entries: list[dict[str, object]] = []
    for section in sections[: cut.sections]:
        first, last = tree.page_number(section.start), tree.last_page_number(section)
        entries.append(
            {
                "title": _cut(section.title, cut.width),
                "level": section.level,
                "pages": str(first) if first == last else f"{first}-{last}",
            }
        )
    return entries


def _nodes(
    tree: DocumentTree, nodes: Sequence[TableNode] | Sequence[FigureNode], width: int
) -> list[dict[str, object]]:
    return [
        {
            **({"number": node.label} if node.label else {}),
            "caption": _cut(node.caption, width),
            "page": tree.page_number(node.start),
        }
        for node in nodes
    ]


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 1]}…"
