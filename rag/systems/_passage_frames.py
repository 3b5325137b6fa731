"""Passages in frames for a model; the text of a page can neither end its frame nor open another."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from rag.systems._passages import Passage

_NAME = r"(?=\s*+(?:/\s*+)?(?:documents?|passages?|pages?|sections?|question)\b)"
_TAG = re.compile(rf"<{_NAME}", re.IGNORECASE)
_ESCAPED_TAG = re.compile(rf"&lt;{_NAME}", re.IGNORECASE)


def escape_tags(text: str) -> str:
    """The text with the tags of frames escaped; other tags, such as those of tables, stay."""
    return _TAG.sub("&lt;", text)


def unescape_tags(text: str) -> str:
    """Undo :func:`escape_tags` in text that a model copied."""
    return _ESCAPED_TAG.sub("<", text)


def documents_of(passages: Sequence[Passage]) -> list[str]:
    """Ids of the documents of passages, in order of appearance: number 1 is the first."""
    return list(dict.fromkeys(passage.pieces[0].ref.doc_id for passage in passages))


def frame_passages(passages: Sequence[Passage]) -> str:
    """Passages with the numbers of their documents and pages (from 1), and their headers."""
    numbers = {name: number for number, name in enumerate(documents_of(passages), start=1)}
    lines = ["<documents>"]
    for passage in passages:
        lines.append(f'<passage document="{numbers[passage.pieces[0].ref.doc_id]}">')
        if passage.headers:
            titles = json.dumps(list(passage.headers), ensure_ascii=False)
            lines.append(f"headers: {escape_tags(titles)}")
        for piece in passage.pieces:
            lines.append(f'<page number="{piece.ref.page_no + 1}">')
            lines += [escape_tags(piece.text.strip()), "</page>"]
        lines.append("</passage>")
    return "\n".join([*lines, "</documents>"])
