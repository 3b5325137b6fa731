"""P1: the full text of the documents in Markdown, in one prompt."""

from __future__ import annotations

from rag.systems._full_text import FullText


class P1(FullText):
    """P0 with its mark-up, and so with its headings (Noe, Breier and Nuredini)."""

    name = "p1"
