"""Finds frames around replies that no list knows: marks that many replies share at either end.

Known marks have been removed when a reply comes here. What then begins or ends more than a tenth of
the replies, and is no words of its own, is most likely the mark of a thought or of an answer: it
counts as part of the answer, and is reported.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

SHARE = 0.1
"""A mark is reported if more than this share of the replies have it ..."""
FEWEST = 2
"""... and at least so many replies, that go on differently."""
EXAMPLES = 3
_LONGEST_LINE = 60
_EXAMPLE_CHARS = 90
_SCANNED = 200

_OPENING, _CLOSING = (
    "[{⟦⟨⟪【〖〔『「《〈◁◀«‹⁅⦃＜［｛〘〚❬❮❰⟬⧼",
    "]}⟧⟩⟫】〗〕』」》〉▷▶»›⁆⦄＞］｝〙〛❭❯❱⟭⧽",
)
# Pairs of symbols around a word (%%think%%, ::note::, ==x==), without those of numbers, formulas,
# currencies and sentences.
_SYMBOLS = r"[^\w\s$\\€£¥%.,;!?()'\"“”‘’°+\-−–—…]"
# Arrows, dingbats and emoji, which no answer to a question begins or ends with by itself.
_SIGNS = "[\u2190-\u21ff\u2300-\u2767\u2776-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]\ufe0f?"
_ENTITIES = r"&(?:lt|#60|#x3c);[^&\n]{1,80}&(?:gt|#62|#x3e);"
_STARTS = (
    re.compile(r"<[^<>\n]{1,80}>"),
    re.compile(_ENTITIES),
    re.compile(rf"(?:{_SIGNS}){{1,4}}"),
    re.compile(r"\([^\W\d_]{2,20}:[^\n()]{1,60}\)"),
    re.compile(rf"[{re.escape(_OPENING)}][^\n]{{1,40}}?[{re.escape(_CLOSING)}]"),
    re.compile(r"(?:```|~~~)[ \t]*\w*"),
    re.compile(r"\*\*[^*\n]{1,40}\*\*"),
    re.compile(r"[-–—_=~+*]{3,}(?:[^\n]{0,40}?[-–—_=~+*]{3,})?"),
    re.compile(rf"(?:{_SYMBOLS}|%){{2,8}}(?:[ \t]?\w{{1,30}}[ \t]?(?:{_SYMBOLS}|%){{1,8}})?"),
    re.compile(r"#{1,6} [^\n]{1,60}"),
    re.compile(r"[^\W\d_]\w{0,20}(?: \w{1,20}){0,3}[:：](?=\s)"),
)
_ENDS = (
    re.compile(r"<[^<>\n]{1,80}>\Z"),
    re.compile(rf"{_ENTITIES}\Z"),
    re.compile(rf"(?:{_SIGNS}){{1,4}}\Z"),
    re.compile(r"[#=]{2,8}\Z"),
    re.compile(rf"[{re.escape(_OPENING)}][^\n]{{1,40}}?[{re.escape(_CLOSING)}]\Z"),
    re.compile(r"(?:```|~~~)\Z"),
    re.compile(rf"{_SYMBOLS}{{2,8}}\w{{1,30}}{_SYMBOLS}{{1,8}}\Z"),
)
_ELEMENT = re.compile(
    r"</?(?:a|b|blockquote|body|br|caption|center|code|col|colgroup|dd|del|div|dl|dt|em|figcaption"
    r"|figure|footer|h[1-6]|head|header|hr|html|i|img|ins|li|main|mark|ol|p|page|pre|s|section|small"
    r"|span|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|u|ul)\b|<!",
    re.IGNORECASE,
)


class Frame(NamedTuple):
    """A mark at the start or the end of replies."""

    side: str
    """``begin`` or ``end``."""
    mark: str


@dataclass(frozen=True)
class SharedFrame:
    """A frame that ``count`` of ``total`` replies have, with some of them, on one line each."""

    frame: Frame
    count: int
    total: int
    examples: tuple[str, ...]

    def line(self, label: str, unit: str = "answers") -> str:
        """The warning that a run prints. ``unit``: what the replies are."""
        quotes = ", ".join(map(repr, self.examples))
        line = (
            f"{label}: {self.count} of {self.total} {unit} {self.frame.side} with "
            f"{self.frame.mark!r}, a mark that is not known and counts as part of them, such as "
            f"{quotes}"
        )
        if unit != "answers":
            return line
        return (
            f"{line}: if thoughts are between such marks, switch them off at the server "
            "(request), or ask for answers in <answer> tags (prompt)"
        )


def shared_frames(replies: Iterable[str], *, pages: bool = False) -> list[SharedFrame]:
    """Unknown marks that more than a tenth of the replies share, most frequent first.

    Replies that are empty or JSON are left out. Of ``pages``, only tokens and tags count that are
    no HTML: headings and labels of pages are content.
    """
    texts = [text.strip() for text in replies]
    texts = [text for text in texts if text and not text.startswith(('{"', "{ ", "{\n", '[{"'))]
    having = defaultdict[Frame, list[tuple[str, str]]](list)
    for text in texts:
        for frame, rest in _frames(text, pages=pages):
            having[frame].append((text, rest))
    shared = []
    for frame, entries in having.items():
        distinct = len({rest for _, rest in entries})
        if len(entries) > SHARE * len(texts) and min(distinct, len(entries)) >= FEWEST:
            examples = dict.fromkeys(_example(text, frame.side) for text, _ in entries)
            named = tuple(examples)[:EXAMPLES]
            shared.append(SharedFrame(frame, len(entries), len(texts), named))
    shared.sort(key=lambda each: (-each.count, each.frame))
    return shared


def _frames(text: str, *, pages: bool) -> Iterator[tuple[Frame, str]]:
    """The marks at both ends of a text, without numbers and attributes, and the rest of it."""
    start = next((match for pattern in _STARTS if (match := pattern.match(text))), None)
    tail = text[-_SCANNED:]
    end = next((match for pattern in _ENDS if (match := pattern.search(tail))), None)
    if pages:
        start, end = _token(start), _token(end)
    if start is not None and (rest := text[start.end() :].strip()):
        yield Frame("begin", _general(start[0])), rest
    if end is not None and (rest := text[: len(text) - len(end[0])].strip()):
        yield Frame("end", _general(end[0])), rest
    if pages:
        return
    first, has_more, rest = text.partition("\n")
    if start is None and has_more and len(first) <= _LONGEST_LINE and rest.strip():
        yield Frame("begin", _general(first.strip())), rest
    rest, has_more, last = text.rpartition("\n")
    if end is None and has_more and len(last) <= _LONGEST_LINE and rest.strip():
        yield Frame("end", _general(last.strip())), rest


def _token(match: re.Match[str] | None) -> re.Match[str] | None:
    """A mark that no page has: a tag that is no HTML, or a special token."""
    return match if match and match[0].startswith("<") and not _ELEMENT.match(match[0]) else None


def _general(mark: str) -> str:
    """A mark without what varies: numbers, and a tag's attributes."""
    return re.sub(r"\d+", "#", re.sub(r"^(</?[\w:.-]+)\s[^<>]*>$", r"\1 …>", mark))


def _example(text: str, side: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _EXAMPLE_CHARS:
        return line
    return f"{line[:_EXAMPLE_CHARS]}…" if side == "begin" else f"…{line[-_EXAMPLE_CHARS:]}"
