"""P3: the sections of the documents, retrieved, with the headings above them."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field
from typing_extensions import TypeVar

from ohr.markup.outline.tree import DocumentTree
from rag.systems._passages import Passage, sections
from rag.systems._retrieving import RetrievalParams, Retrieving


class SectionsParams(RetrievalParams):
    """``longest``: most characters of a section; a longer one is cut."""

    longest: int = Field(4000, ge=200)


S = TypeVar("S", bound=SectionsParams, covariant=True, default=SectionsParams)


class SectionRetrieval(Retrieving[S], abstract=True):
    """Shows sections with the headings above them and the numbers of their pages."""

    def passages(self, tree: DocumentTree) -> Iterable[Passage]:
        return sections(tree, self.params.longest)


class P3(SectionRetrieval):
    """Retrieval over sections, split at headings (Noe, Breier and Nuredini)."""

    name = "p3"
