"""Passages in frames for a model, so that no text of a page can end its frame or open another."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from rag.systems._passages import Passage

_NAME = r"(?=\s*+(?:/\s*+)?(?:documents?|passages?|pages?|sections?|question)\b)"
_TAG = re.compile(rf"<{_NAME}", re.IGNORECASE)
_ESCAPED_TAG = re.compile(rf"&lt;{_NAME}", re.IGNORECASE)


def defused(text: str) -> str:
    """Text in which nothing is a tag of a frame; other tags, as those of tables, stay."""
    return _TAG.sub("&lt;", text)


def as_it_stood(text: str) -> str:
    """What a model copied from :func:`defused` text, as the page has it."""
    return _ESCAPED_TAG.sub("<", text)


def documents_of(passages: Sequence[Passage]) -> list[str]:
    """Ids of the documents of passages, in order of appearance: number 1 is the first."""
    return list(dict.fromkeys(passage.pieces[0].ref.doc_id for passage in passages))


def framed(passages: Sequence[Passage]) -> str:
    """Passages with the numbers of their documents and pages (from 1), and their headers."""
    numbers = {name: number for number, name in enumerate(documents_of(passages), start=1)}
    lines = ["<documents>"]
    for passage in passages:
        lines.append(f'<passage document="{numbers[passage.pieces[0].ref.doc_id]}">')
        if passage.headers:
            titles = json.dumps(list(passage.headers), ensure_ascii=False)
            lines.append(f"headers: {defused(titles)}")
        for piece in passage.pieces:
            lines.append(f'<page number="{piece.ref.page_no + 1}">')
            lines += [defused(piece.text.strip()), "</page>"]
        lines.append("</passage>")
    return "\n".join([*lines, "</documents>"])
