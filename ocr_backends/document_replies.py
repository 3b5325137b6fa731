"""Replies of document models into Markdown, and what is wrong with a reply.

A parser is given a reply without its wrappers (:mod:`ocr_backends.wrappers`), but for those that
its model was asked for.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ohr.markup.blocks import Block, BlockKind, write_markdown


@dataclass(frozen=True)
class Parsed:
    """The page in Markdown. ``malformed``: why the reply has not the form that was asked for.

    ``body``: the page without headers and footers, where the reply marks these.
    """

    text: str
    malformed: str = ""
    body: str | None = None


Parser = Callable[[str], Parsed]

_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_PLACES = re.compile(r"""\s(?:data-bbox|data-polygon|style|class)\s*=\s*(?:"[^"<>]*"|'[^'<>]*')""")
_PICTURE = re.compile(r"!\[[^\[\]\n]*\]\([^()\n]*\)")
_REFERENCE = re.compile(r"<\|ref\|>([^<]*)<\|/ref\|><\|det\|>[^<]*<\|/det\|>[ \t]*\n?")
_END = re.compile(r"<｜end▁of▁sentence｜>")
_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n(.*?)(?:^|\n)---[ \t]*(?:\n|$)", re.DOTALL)
_IMG = re.compile(r"<img>(?:(?!<img>).)*?</img>|<img\b[^<>]*/?>", re.DOTALL)
_TEXT_TAG = re.compile(r"</?(?:watermark|page_number)>")
_OBJECT = (
    r"(?:requests?|images?|pictures?|photos?|scans?|documents?|pages?|files?|texts?|contents?"
    r"|handwriting|transcri\w+|(?:that|this|it)(?=\s*(?:[.,;!?]|$)))"
)
_VERB = (
    r"(?:assist|help|comply|read|see|view|access|open|transcribe|process|extract|provide|fulfil"
    r"|identify|recogni[sz]e|make out|analy[sz]e|reproduce|perform)"
)
_UNABLE = (
    r"(?:\b(?:i|we) (?:can(?:not|['’]t| not)|could(?: not|n['’]t)|am (?:not able|unable) to"
    r"|are (?:not able|unable) to|do(?: not|n['’]t) have the ability to)"
    r"|\b(?:i['’]m|we['’]re) (?:not able|unable) to)"
)
_REFUSAL = re.compile(
    r"\W*(?:(?:(?:i['’]m|i am|we['’]re|we are) (?:very |so |really )?sorry|sorry|unfortunately"
    r"|i apologi[sz]e)\b[^.\n]{0,40}?)?"
    rf"{_UNABLE} {_VERB}\b[^.\n]{{0,40}}?\b{_OBJECT}"
    r"|\W*as an ai (?:language |vision )?(?:model|assistant)\b"
    r"|\W*(?:很)?抱歉.{0,20}(?:无法|不能)|\W*我(?:无法|不能)(?:协助|帮助|读取|识别|提供)",
    re.IGNORECASE,
)
LONGEST_REFUSAL = 600
"""Characters: a longer reply that begins so is a page's text."""
_DOTS: dict[str, BlockKind] = {
    "Title": "heading",
    "Section-header": "heading",
    "List-item": "item",
    "Formula": "formula",
    "Table": "table",
    "Footnote": "note",
    "Page-header": "furniture",
    "Page-footer": "furniture",
}


def refuses(reply: str) -> bool:
    """Whether a reply declines to read the page: it must speak of the image that it was sent.

    A letter on the page that begins "I am sorry" speaks of something else.
    """
    text = reply.strip()
    return len(text) <= LONGEST_REFUSAL and _REFUSAL.match(text) is not None


def plain_markdown(reply: str) -> Parsed:
    """A reply that is the page."""
    return Parsed(reply)


def qwen_markdown(reply: str) -> Parsed:
    """Qwen3-VL's: places stand in comments, and pictures are left out."""
    return Parsed(_PICTURE.sub("", _COMMENT.sub("", reply)))


def html_markdown(reply: str) -> Parsed:
    """Qwen2.5-VL's HTML: headings, paragraphs, lists; tables stay, without their places."""
    if "<" not in reply:
        return Parsed(reply, "no HTML") if reply.strip() else Parsed(reply)
    text = _PLACES.sub("", _COMMENT.sub("", reply))
    pieces = re.split(r"(<table\b.*?(?:</table>|\Z))", text, flags=re.DOTALL | re.IGNORECASE)
    return Parsed(
        "\n\n".join(
            piece.strip() if place % 2 else _drop_tags(piece)
            for place, piece in enumerate(pieces)
            if piece.strip()
        ).strip()
    )


def _drop_tags(text: str) -> str:
    text = re.sub(r"<(head|script|style)\b.*?</\1>", "", text, flags=re.DOTALL | re.IGNORECASE)
    text = re.sub(r"<h([1-6])\b[^<>]*>", lambda m: f"\n\n{'#' * int(m[1])} ", text, flags=re.I)
    text = re.sub(r"<li\b[^<>]*>\s*", "\n- ", text, flags=re.IGNORECASE)
    text = re.sub(r"<br\b[^<>]*>", "\n", text, flags=re.IGNORECASE)
    text = re.sub(r"</?(?:p|div|ul|ol|h[1-6])\b[^<>]*>", "\n\n", text, flags=re.IGNORECASE)
    text = re.sub(r"</?(?:html|body|img|span|li|b|i|strong|em|a)\b[^<>]*>", "", text, flags=re.I)
    return re.sub(r"\n[ \t]*\n\s*", "\n\n", html.unescape(text)).strip()


def dots_blocks(reply: str) -> Parsed:
    """dots.ocr's JSON, a list of blocks; of a reply that breaks off, those that are whole."""
    items, whole = _objects(reply)
    blocks = [
        Block(_DOTS.get(category, "text"), _headless(str(item.get("text") or ""), category))
        for item in items
        if (category := str(item.get("category", ""))) != "Picture"
    ]
    markdown, body = (write_markdown(blocks, furniture=furniture) for furniture in (True, False))
    if whole or not reply.strip():
        return Parsed(markdown, "", body)
    return Parsed(markdown, "JSON that breaks off" if items else "no JSON", body)


def _headless(text: str, category: str) -> str:
    """A heading without the marks that the model may have written itself."""
    return text.lstrip("# ") if category in ("Title", "Section-header") else text


def _objects(text: str) -> tuple[list[dict[str, Any]], bool]:
    """The objects of a JSON list, or a single one, and whether it is whole."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return list(_whole_objects(text)), False
    items = content if isinstance(content, list) else [content]
    objects = [item for item in items if isinstance(item, dict)]
    return objects, len(objects) == len(items)


def _whole_objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    position = text.find("{")
    while position >= 0:
        try:
            item, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        if isinstance(item, dict):
            yield item
        position = text.find("{", end)


def deepseek_markdown(reply: str) -> Parsed:
    """DeepSeek-OCR's: blocks after their places, and pictures by their places alone."""
    text = _REFERENCE.sub("", _END.sub("", reply))
    malformed = "places that are not closed" if "<|ref|>" in text or "<|det|>" in text else ""
    return Parsed(re.sub(r"\n{3,}", "\n\n", text).strip(), malformed)


def olmocr_markdown(reply: str) -> Parsed:
    """olmOCR 2's: Markdown below a front matter, whose figures are described, not read."""
    front = _FRONT_MATTER.match(reply)
    body = reply[front.end() :] if front is not None else reply
    malformed = "" if front is not None or not reply.strip() else "no front matter"
    body = "" if body.strip() == "null" else body
    return Parsed(_PICTURE.sub("", body).strip(), malformed)


def nanonets_markdown(reply: str) -> Parsed:
    """Nanonets-OCR2's: descriptions of pictures are dropped, other tags taken off their text."""
    return Parsed(_TEXT_TAG.sub("", _IMG.sub("", reply)))
