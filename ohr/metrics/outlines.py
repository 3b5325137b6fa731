"""How much of a document's outline OCR output keeps, compared with the ground truth.

The pages are the same, so headings, tables and captions are matched page by page. Each metric is of
a whole document; a share of nothing is NaN.
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
"""Least normalised Levenshtein similarity of titles or captions that match."""
SHARED = 0.3
"""Least similarity of the words of tables that match."""
LARGEST = 1_500
"""Largest number of headings for a tree edit distance: its time grows with the product of both."""

Captioned = TableNode | FigureNode


@dataclass(frozen=True, slots=True)
class OutlineScores:
    """The scores of one document, in [0, 1]; 1 is best, except for ``tree_distance``.

    - ``heading_*``: headings with similar titles on the same page.
    - ``parent_agreement``: share of these under the same heading as in the ground truth, or at the
      top level as there.
    - ``section_overlap``: mean over the true sections of the overlap (intersection over union) of
      their pages with those of the matched section; 0 without a match.
    - ``table_*``: tables on the same page that share most words.
    - ``caption_*``: captions of tables and figures.
    - ``tree_distance``: ordered tree edit distance of the two trees of headings, over the number
      of headings in both. Changing a heading costs the normalised Levenshtein distance of the
      titles; removing or adding one costs 1.
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


OUTLINE_METRICS = tuple(name for name in OutlineScores.__dataclass_fields__ if "_" in name)
"""The names of the metrics in :class:`OutlineScores`, without the counts."""


def compare_trees(tree: DocumentTree, gold_tree: DocumentTree) -> OutlineScores:
    """Compare a document's tree with that of the ground truth.

    Recall is NaN if the ground truth has no headings, tables or captions.
    """
    pairs = _matched(
        [(_page(tree, s.start), _title(s)) for s in tree.sections],
        [(_page(gold_tree, s.start), _title(s)) for s in gold_tree.sections],
        ALIKE,
    )
    tables = _matched(
        [(_page(tree, t.start), _words(tree, t)) for t in tree.tables],
        [(_page(gold_tree, t.start), _words(gold_tree, t)) for t in gold_tree.tables],
        SHARED,
    )
    captioned, gold_captioned = _captions(tree), _captions(gold_tree)
    captions = _matched(
        [(_page(tree, node.start), fold(node.caption).lower()) for node in captioned],
        [(_page(gold_tree, node.start), fold(node.caption).lower()) for node in gold_captioned],
        ALIKE,
    )
    match = {0: 0} | {i + 1: j + 1 for i, j in pairs}
    parents = [match.get(tree.sections[i].parent) == gold_tree.sections[j].parent for i, j in pairs]
    return OutlineScores(
        headings=len(gold_tree.sections),
        tables=len(gold_tree.tables),
        captions=len(gold_captioned),
        heading_recall=_share(len(pairs), len(gold_tree.sections)),
        heading_precision=_share(len(pairs), len(tree.sections)),
        parent_agreement=fmean(parents) if parents else nan,
        section_overlap=_overlap(tree, gold_tree, pairs),
        table_recall=_share(len(tables), len(gold_tree.tables)),
        table_precision=_share(len(tables), len(tree.tables)),
        caption_recall=_share(len(captions), len(gold_captioned)),
        caption_precision=_share(len(captions), len(captioned)),
        tree_distance=heading_distance(tree.sections, gold_tree.sections),
    )


def _share(matched: int, of: int) -> float:
    return matched / of if of else nan


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
    first: Sequence[tuple[PageRef, Sequence[str]]],
    second: Sequence[tuple[PageRef, Sequence[str]]],
    least: float,
) -> list[tuple[int, int]]:
    """One-to-one pairs of similar nodes on the same page."""
    by_page: dict[PageRef, tuple[list[int], list[int]]] = {}
    for side, nodes in enumerate((first, second)):
        for index, (page, _) in enumerate(nodes):
            by_page.setdefault(page, ([], []))[side].append(index)
    pairs = []
    for ours, theirs in by_page.values():
        if ours and theirs:
            similarity = np.array(
                [
                    [Levenshtein.normalized_similarity(first[i][1], second[j][1]) for j in theirs]
                    for i in ours
                ]
            )
            # An empty title matches none.
            similarity[[not len(first[i][1]) for i in ours], :] = 0.0
            pairs += [(ours[i], theirs[j]) for i, j in assign_by(similarity, least=least - 1e-9)]
    return sorted(pairs)


def _overlap(
    tree: DocumentTree, gold_tree: DocumentTree, pairs: Sequence[tuple[int, int]]
) -> float:
    if not gold_tree.sections:
        return nan
    total = 0.0
    for i, j in pairs:
        (a, b), (c, d) = (
            _stretch(tree, tree.sections[i]),
            _stretch(gold_tree, gold_tree.sections[j]),
        )
        inside, around = min(b, d) - max(a, c), max(b, d) - min(a, c)
        total += max(0.0, inside) / around if around > 0 else 1.0
    return total / len(gold_tree.sections)


def _stretch(tree: DocumentTree, section: Section) -> tuple[float, float]:
    """Where a section begins and ends, in pages and fractions of a page's text."""
    begin, end = section.start, section.end
    return _position(tree, begin), _position(tree, end)


def _position(tree: DocumentTree, place: Place) -> float:
    page = tree.pages[place.page]
    return page.ref.page_no + (place.at / len(page.text) if page.text else 0.0)


def heading_distance(sections: Sequence[Section], gold_sections: Sequence[Section]) -> float:
    """Ordered tree edit distance of two trees of headings, over the headings of both: 0 to 1.

    NaN without headings, or with more than :data:`LARGEST`. Source: Zhang and Shasha, Simple fast
    algorithms for the editing distance between trees and related problems, 1989.
    """
    if not sections and not gold_sections:
        return nan
    if max(len(sections), len(gold_sections)) > LARGEST:
        return nan
    return _tree_edit_distance(
        _Tree.from_sections(sections), _Tree.from_sections(gold_sections)
    ) / (len(sections) + len(gold_sections))


@dataclass(frozen=True)
class _Tree:
    """Headings below one root, in postorder.

    ``leftmost``: for each node, the first node in postorder among itself and those below it.
    """

    titles: list[str]
    leftmost: np.ndarray

    @classmethod
    def from_sections(cls, sections: Sequence[Section]) -> _Tree:
        sizes = np.ones(len(sections) + 1, dtype=np.int64)
        for section in reversed(sections):
            sizes[section.parent] += sizes[section.number]
        preorder = np.arange(len(sizes))
        order = np.lexsort((-preorder, preorder + sizes))  # by where each ends, parents last
        titles = ["", *map(_title, sections)]
        return cls([titles[node] for node in order], preorder - sizes[order] + 1)

    def keyroots(self) -> list[int]:
        """Nodes whose leftmost node is not that of a node above them, in order."""
        last = {int(first): node for node, first in enumerate(self.leftmost)}
        return sorted(last.values())


def _tree_edit_distance(first: _Tree, second: _Tree) -> float:
    costs = cdist(
        first.titles, second.titles, scorer=Levenshtein.normalized_distance, dtype=np.float64
    )
    # A leaf becomes the most similar node of the other tree; the tree's other nodes are added.
    distance = _node_distances(second, costs)
    alone = first.leftmost == np.arange(len(first.titles))
    distance[~alone] = _node_distances(first, costs.T).T[~alone]
    for root in first.keyroots():
        for against in second.keyroots():
            if first.leftmost[root] < root and second.leftmost[against] < against:
                _forests(first, second, root, against, costs, distance)
    return float(distance[-1, -1])


def _node_distances(tree: _Tree, costs: np.ndarray) -> np.ndarray:
    """Distances of single nodes (rows) to each subtree of a tree; ``costs``: to its nodes."""
    distance = np.empty_like(costs)
    for node, first in enumerate(tree.leftmost):
        distance[:, node] = node - first + costs[:, first : node + 1].min(axis=1)
    return distance


def _forests(
    first_tree: _Tree,
    second_tree: _Tree,
    root: int,
    against: int,
    costs: np.ndarray,
    distance: np.ndarray,
) -> None:
    """Fill in the distances of all pairs of subtrees with the same leftmost nodes as these two."""
    first, start = int(first_tree.leftmost[root]), int(second_tree.leftmost[against])
    columns = np.arange(start, against + 1)
    lefts = second_tree.leftmost[columns] - start  # of each column, the forest before its tree
    spine = lefts == 0
    steps = np.arange(len(columns) + 1, dtype=float)
    table = np.empty((root - first + 2, len(columns) + 1))
    table[0] = steps
    for node in range(first, root + 1):
        row = node - first + 1
        remaining = int(first_tree.leftmost[node]) - first
        # The two nodes' trees matched as wholes ...
        match = table[remaining, lefts] + distance[node, columns]
        if remaining == 0:  # ... or, where both trees are all of the forests, the two nodes.
            match = np.where(spine, table[row - 1, :-1] + costs[node, columns], match)
        best = np.empty(len(columns) + 1)
        best[0] = row
        best[1:] = np.minimum(table[row - 1, 1:] + 1, match)
        table[row] = np.minimum.accumulate(best - steps) + steps
        if remaining == 0:
            distance[node, columns[spine]] = table[row, 1:][spine]
