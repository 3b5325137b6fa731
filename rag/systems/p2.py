"""P2: pieces of a fixed number of characters, retrieved."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from ohr.markup.outline.tree import DocumentTree
from rag.systems._passages import Passage, pieces_of_length
from rag.systems._retrieving import RetrievalParams, Retrieving


class P2Params(RetrievalParams):
    """``size``: characters per piece, within a page."""

    size: int = Field(1000, ge=50)


class P2(Retrieving[P2Params]):
    """Retrieval over pieces of fixed length (Noe, Breier and Nuredini).

    Only headings inside a piece are known.
    """

    name = "p2"

    def passages(self, tree: DocumentTree) -> Iterable[Passage]:
        return pieces_of_length(tree, self.params.size)
