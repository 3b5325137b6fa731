"""P0: the full text of the documents, without mark-up, in one prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ohr.markup.outline.tree import DocumentTree
from ohr.markup.strip import strip_markup
from ohr.types import Document
from rag.systems._full_text import FullText


class P0(FullText):
    """The baseline of Noe, Breier and Nuredini: plain text, read without retrieval.

    Headings are known as far as plain text shows them.
    """

    name = "p0"

    def trees(self, documents: Sequence[Document]) -> list[DocumentTree]:
        return super().trees([_plain(document) for document in documents])


def _plain(document: Document) -> Document:
    pages = [replace(page, text=strip_markup(page.text)) for page in document.pages]
    return replace(document, pages=pages)
