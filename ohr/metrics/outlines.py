"""How much of a document's structure a reading kept: its tree beside that of the ground truth.

Pages are known to be the same, so headings, tables and captions are matched on their page. The
measures are of documents; shares of nothing are NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from statistics import fmean

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from ohr.markup.folding import fold
from ohr.markup.outline.tree import DocumentTree, FigureNode, Place, Section, TableNode
from ohr.markup.strip import strip_markup
from ohr.metrics.default import tokens
from ohr.metrics.matching import assign_by
from ohr.types import PageRef

ALIKE = 0.8
"""Normalised Levenshtein similarity from which on two titles or captions are the same."""
SHARED = 0.3
"""The same of two tables' words."""
LARGEST = 1_500
"""Headings of a tree up to which the edit distance is computed: it takes the product of two."""

Captioned = TableNode | FigureNode


@dataclass(frozen=True, slots=True)
class OutlineScores:
    """Of one document, in [0, 1]; 1 is best, but for ``tree_distance``.

    ``heading_*``: headings with alike titles on the same page. ``parent_agreement``: share of
    these in the same heading as in truth, or in none as there. ``section_overlap``: mean over the
    truth's sections of the overlap (intersection over union) of the stretch of pages that each
    fills with that of its match, 0 without one. ``table_*``: tables on the same page that share
    most words. ``caption_*``: captions of tables and figures. ``tree_distance``: ordered tree
    edit distance of the two trees of headings over the number of both; changing a heading costs
    the normalised Levenshtein distance of its titles, losing or adding one costs 1.
    """

    headings: int
    tables: int
    captions: int
    heading_recall: float
    heading_precision: float
    parent_agreement: float
    section_overlap: float
    table_recall: float
    table_precision: float
    caption_recall: float
    caption_precision: float
    tree_distance: float


MEASURES = tuple(name for name in OutlineScores.__dataclass_fields__ if "_" in name)
"""The names of the measures of :class:`OutlineScores`."""


def compare_trees(read: DocumentTree, true: DocumentTree) -> OutlineScores:
    """How much of the truth's structure a reading has. A document without headings in its ground
    truth has no heading recall, and so on: NaN.
    """
    pairs = _matched(
        [(_page(read, s.start), _title(s)) for s in read.sections],
        [(_page(true, s.start), _title(s)) for s in true.sections],
        ALIKE,
    )
    tables = _matched(
        [(_page(read, t.start), _words(read, t)) for t in read.tables],
        [(_page(true, t.start), _words(true, t)) for t in true.tables],
        SHARED,
    )
    said, stands = _captions(read), _captions(true)
    captions = _matched(
        [(_page(read, node.start), fold(node.caption).lower()) for node in said],
        [(_page(true, node.start), fold(node.caption).lower()) for node in stands],
        ALIKE,
    )
    match = {0: 0} | {i + 1: j + 1 for i, j in pairs}
    parents = [match.get(read.sections[i].parent) == true.sections[j].parent for i, j in pairs]
    return OutlineScores(
        headings=len(true.sections),
        tables=len(true.tables),
        captions=len(stands),
        heading_recall=_share(len(pairs), len(true.sections)),
        heading_precision=_share(len(pairs), len(read.sections)),
        parent_agreement=fmean(parents) if parents else nan,
        section_overlap=_overlap(read, true, pairs),
        table_recall=_share(len(tables), len(true.tables)),
        table_precision=_share(len(tables), len(read.tables)),
        caption_recall=_share(len(captions), len(stands)),
        caption_precision=_share(len(captions), len(said)),
        tree_distance=heading_distance(read.sections, true.sections),
    )


def _share(found: int, of: int) -> float:
    return found / of if of else nan


def _page(tree: DocumentTree, place: Place) -> PageRef:
    return tree.pages[place.page].ref


def _title(section: Section) -> str:
    return fold(section.title).lower()


def _words(tree: DocumentTree, table: TableNode) -> tuple[str, ...]:
    return tuple(tokens(strip_markup(tree.text(table.start, table.end))))


def _captions(tree: DocumentTree) -> list[Captioned]:
    nodes: list[Captioned] = [*tree.tables, *tree.figures]
    return [node for node in nodes if node.caption]


def _matched(
    one: Sequence[tuple[PageRef, Sequence[str]]],
    other: Sequence[tuple[PageRef, Sequence[str]]],
    least: float,
) -> list[tuple[int, int]]:
    """Pairs of what is alike on the same page, each used once."""
    by_page: dict[PageRef, tuple[list[int], list[int]]] = {}
    for side, nodes in enumerate((one, other)):
        for index, (page, _) in enumerate(nodes):
            by_page.setdefault(page, ([], []))[side].append(index)
    pairs = []
    for ours, theirs in by_page.values():
        if ours and theirs:
            similarity = np.array(
                [
                    [Levenshtein.normalized_similarity(one[i][1], other[j][1]) for j in theirs]
                    for i in ours
                ]
            )
            # A title that is lost is no title's match.
            similarity[[not len(one[i][1]) for i in ours], :] = 0.0
            pairs += [(ours[i], theirs[j]) for i, j in assign_by(similarity, least=least - 1e-9)]
    return sorted(pairs)


def _overlap(read: DocumentTree, true: DocumentTree, pairs: Sequence[tuple[int, int]]) -> float:
    if not true.sections:
        return nan
    total = 0.0
    for i, j in pairs:
        (a, b), (c, d) = _stretch(read, read.sections[i]), _stretch(true, true.sections[j])
        inside, around = min(b, d) - max(a, c), max(b, d) - min(a, c)
        total += max(0.0, inside) / around if around > 0 else 1.0
    return total / len(true.sections)


def _stretch(tree: DocumentTree, section: Section) -> tuple[float, float]:
    """Where a section begins and ends, in pages and parts of a page's text."""
    begin, end = section.start, section.end
    return _position(tree, begin), _position(tree, end)


def _position(tree: DocumentTree, place: Place) -> float:
    page = tree.pages[place.page]
    return page.ref.page_no + (place.at / len(page.text) if page.text else 0.0)


def heading_distance(read: Sequence[Section], true: Sequence[Section]) -> float:
    """Ordered tree edit distance of two trees of headings, over the headings of both: 0 to 1.

    Source: Zhang and Shasha, Simple fast algorithms for the editing distance between trees and
    related problems, 1989. NaN where there are no headings, or more than :data:`LARGEST`.
    """
    if not read and not true:
        return nan
    if max(len(read), len(true)) > LARGEST:
        return nan
    return _tree_edit_distance(_Tree.of(read), _Tree.of(true)) / (len(read) + len(true))


@dataclass(frozen=True)
class _Tree:
    """Headings below one root, in postorder; ``leftmost``: of each node, the first node in
    postorder among those below it, or itself.
    """

    titles: list[str]
    leftmost: np.ndarray

    @classmethod
    def of(cls, sections: Sequence[Section]) -> _Tree:
        sizes = np.ones(len(sections) + 1, dtype=np.int64)
        for section in reversed(sections):
            sizes[section.parent] += sizes[section.number]
        preorder = np.arange(len(sizes))
        order = np.lexsort((-preorder, preorder + sizes))  # by where each ends, parents last
        titles = ["", *map(_title, sections)]
        return cls([titles[node] for node in order], preorder - sizes[order] + 1)

    def keyroots(self) -> list[int]:
        """Nodes that begin where no node above them does, in order."""
        last = {int(first): node for node, first in enumerate(self.leftmost)}
        return sorted(last.values())


def _tree_edit_distance(one: _Tree, other: _Tree) -> float:
    costs = cdist(
        one.titles, other.titles, scorer=Levenshtein.normalized_distance, dtype=np.float64
    )
    # A node with none below becomes that of a tree which it is most like; the others are added.
    distance = _of_single_nodes(other, costs)
    alone = one.leftmost == np.arange(len(one.titles))
    distance[~alone] = _of_single_nodes(one, costs.T).T[~alone]
    for root in one.keyroots():
        for against in other.keyroots():
            if one.leftmost[root] < root and other.leftmost[against] < against:
                _forests(one, other, root, against, costs, distance)
    return float(distance[-1, -1])


def _of_single_nodes(tree: _Tree, costs: np.ndarray) -> np.ndarray:
    """Distances of single nodes, a row each, to each of a tree's trees; ``costs``: to its nodes."""
    distance = np.empty_like(costs)
    for node, first in enumerate(tree.leftmost):
        distance[:, node] = node - first + costs[:, first : node + 1].min(axis=1)
    return distance


def _forests(
    one: _Tree, other: _Tree, root: int, against: int, costs: np.ndarray, distance: np.ndarray
) -> None:
    """Fills in the distances of all pairs of trees that begin where these two do."""
    first, start = int(one.leftmost[root]), int(other.leftmost[against])
    columns = np.arange(start, against + 1)
    lefts = other.leftmost[columns] - start  # of each column, the forest before its tree
    spine = lefts == 0
    steps = np.arange(len(columns) + 1, dtype=float)
    table = np.empty((root - first + 2, len(columns) + 1))
    table[0] = steps
    for node in range(first, root + 1):
        row = node - first + 1
        left = int(one.leftmost[node]) - first
        # The two nodes' trees matched as wholes ...
        match = table[left, lefts] + distance[node, columns]
        if left == 0:  # ... or, where both trees are all of the forests, the two nodes.
            match = np.where(spine, table[row - 1, :-1] + costs[node, columns], match)
        best = np.empty(len(columns) + 1)
        best[0] = row
        best[1:] = np.minimum(table[row - 1, 1:] + 1, match)
        table[row] = np.minimum.accumulate(best - steps) + steps
        if left == 0:
            distance[node, columns[spine]] = table[row, 1:][spine]
