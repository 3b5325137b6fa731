"""What a model is told of documents before it asks for any of them: JSON within a token budget.

What does not fit is cut in this order, and only as far as it must be: the deepest sections, level
by level; lists; captions and titles past 60 characters; figures; tables; the last sections. How
many there are of each in all is said in any case.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from ohr.markup.outline.tree import DocumentTree, FigureNode, TableNode
from rag.systems._frames import harmless
from rag.systems.triage.library import Shelf

SHORT = 60
_LONG = 200


@dataclass(frozen=True)
class Cut:
    """How much of a document's metadata is shown; ``level``: of the deepest sections."""

    level: int
    lists: bool = True
    width: int = _LONG
    figures: bool = True
    tables: bool = True
    sections: int | None = None
    """So many of the first sections; None: all."""


def metadata(
    shelves: Sequence[Shelf], budget: int, count: Callable[[str], int]
) -> tuple[str, bool]:
    """The metadata of documents as JSON of at most ``budget`` tokens, and whether it was cut.

    Each document has an equal share; what one leaves, those after it have too. A document of
    which not even the name fits is left out.
    """
    shown, was_cut, left = [], False, budget
    for at, shelf in enumerate(shelves):
        text, is_cut = _of_one(shelf, left // (len(shelves) - at), count)
        was_cut |= is_cut
        if text:
            shown.append(text)
            left -= count(text)
    return "[" + ",\n".join(shown) + "]", was_cut


def _of_one(shelf: Shelf, budget: int, count: Callable[[str], int]) -> tuple[str, bool]:
    for number, cut in enumerate(_cuts(shelf.tree)):
        text = _json(shelf, cut)
        if count(text) <= budget:
            return text, number > 0
    bare = _json(shelf, Cut(0, False, SHORT, False, False, 0))
    room = budget - count(bare)
    if room < 0:
        return "", True
    outermost = _sections(shelf.tree, Cut(1, width=SHORT, sections=room))
    costs = accumulate(count(json.dumps(one, ensure_ascii=False)) + 2 for one in outermost)
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
    told: dict[str, object] = {
        "document": shelf.name,
        "pages": shelf.last_page,
        "sections_in_all": len(tree.sections),
        "tables_in_all": len(tree.tables),
        "figures_in_all": len(tree.figures),
    }
    sections = _sections(tree, cut)
    if sections:
        told["sections"] = sections
    if cut.tables and tree.tables:
        told["tables"] = _nodes(tree, tree.tables, cut.width)
    if cut.figures and tree.figures:
        told["figures"] = _nodes(tree, tree.figures, cut.width)
    if cut.lists and tree.lists:
        told["lists"] = [
            {"items": one.n_items, "page": tree.page_number(one.start)} for one in tree.lists
        ]
    return harmless(json.dumps(told, ensure_ascii=False))


def _sections(tree: DocumentTree, cut: Cut) -> list[dict[str, object]]:
    wanted = [section for section in tree.sections if section.level <= cut.level]
    told: list[dict[str, object]] = []
    for section in wanted[: cut.sections]:
        first, last = tree.page_number(section.start), tree.last_page_number(section)
        told.append(
            {
                "title": _cut(section.title, cut.width),
                "level": section.level,
                "pages": str(first) if first == last else f"{first}-{last}",
            }
        )
    return told


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
