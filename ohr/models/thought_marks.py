"""The marks that model families put around thoughts, and texts without those thoughts."""

from __future__ import annotations

import re
from typing import NamedTuple


class Marks(NamedTuple):
    """Marks that begin and end a part of a reply."""

    opens: str
    closes: str


class _Frame(NamedTuple):
    """Marks around thoughts, as patterns. ``alone``: the closing mark may come without the other,
    since some templates put that into the prompt."""

    opens: re.Pattern[str]
    closes: re.Pattern[str]
    alone: bool = True


# Any name for thinking, in any brackets: <think>, <seed:think>, <thinking mode="x">, [THINK],
# <|begin_of_thought|>, ◁think▷.
_NAMES = (
    r"(?:think(?:ing)?|thoughts?|(?:thought|thinking)[_-]process|reasoning|reflection|scratchpad"
    r"|chain[_-]of[_-]thoughts?|cot|inner[_-]monologue|deliberation)"
)
_SPACE = r"(?:[\w-]{1,20}:)?"
_BEGIN, _END = r"(?:(?:begin|start)(?:_of)?_)?", r"(?:/|end_(?:of_)?)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.ASCII)


_FRAMES = (
    _Frame(
        _pattern(rf"<{_SPACE}{_NAMES}(?:\s[^<>]{{0,200}})?(?<!/)>"),
        _pattern(rf"</\s?{_SPACE}{_NAMES}\s{{0,9}}>"),
    ),
    _Frame(
        _pattern(rf"<\|{_BEGIN}{_NAMES}(?:_start|_begin)?\|>"),
        _pattern(rf"<\|(?:{_END}{_NAMES}|{_NAMES}_end)\|>"),
    ),
    _Frame(_pattern(rf"\[{_NAMES}\]"), _pattern(rf"\[/{_NAMES}\]")),
    _Frame(_pattern(rf"◁{_NAMES}▷"), _pattern(rf"◁/{_NAMES}▷")),
    _Frame(_pattern(r"<\|channel>\s?(?:thoughts?|thinking|analysis)\b"), _pattern(r"<channel\|>")),
    _Frame(_pattern("<unused94>thought"), _pattern("<unused95>")),
    _Frame(
        _pattern(
            r"""<details\b[^<>]{0,200}\btype=["']?(?:reasoning|thinking|thought)\b[^<>]{0,200}>"""
        ),
        _pattern("</details>"),
        alone=False,
    ),
)
_EMPTY = _pattern(rf"<{_SPACE}{_NAMES}\s?/>")
"""A thought without any text; some models write it between thoughts and answer."""
_EMPTIES = _pattern(rf"(?:\s*<{_SPACE}{_NAMES}\s?/>)+")
_GOES_ON = re.compile(r"""[ \t]+\S|[.,;:!?)'"`\]]""")
"""Text that continues a sentence after the closing mark of a thought."""


def text_after_thoughts(text: str) -> str:
    """The text after the last thought, up to a thought that is not closed."""
    last = max(map(_last_end, [text] * len(_FRAMES), _FRAMES))
    text = _drop_empties(text[last:])
    opened = [match.start() for frame in _FRAMES if (match := frame.opens.search(text))]
    return text[: min(opened)] if opened else text


def drop_first_thoughts(text: str) -> tuple[str, int]:
    """The text without the thoughts at its beginning, closed or not, and their number.

    Later marks belong to a page, which may be about such models.
    """
    start = count = 0
    while (after := _end_of_first(text, start, begun=count > 0)) is not None:
        start, count = after, count + 1
    return text[start:], count


def thought_opened(prompt: str) -> str:
    """The opening mark of a thought that a prompt ends with, as in some templates; or empty."""
    tail = prompt.rstrip()
    openings = (match for frame in _FRAMES for match in frame.opens.finditer(tail, len(tail) - 250))
    return next((match[0] for match in openings if match.end() == len(tail)), "")


def _drop_empties(text: str) -> str:
    """The text after the last empty thought; before it, if nothing follows."""
    end = len(text)
    for match in reversed(list(_EMPTY.finditer(text))):
        if text[match.end() : end].strip():
            return text[match.end() : end]
        end = match.start()
    return text[:end]


def _last_end(text: str, frame: _Frame) -> int:
    """The end of the last closing mark; 0 without one."""
    if frame.alone:
        match = _last_match(frame.closes, text)
        return match.end() if match is not None else 0
    end = 0
    while (opening := frame.opens.search(text, end)) is not None:
        closing = frame.closes.search(text, opening.end())
        if closing is None:
            break
        end = closing.end()
    return end


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    last = None
    for match in pattern.finditer(text):
        last = match
    return last


def _end_of_first(text: str, start: int, *, begun: bool) -> int | None:
    """Where the thought at the beginning of the text from ``start`` on ends; None without one.

    The prompt may have opened the thought, unless the reply has ``begun`` with another one.
    """
    if empties := _EMPTIES.match(text, start):
        return empties.end()
    first = re.compile(r"\s*").match(text, start)
    begins = first.end() if first is not None else start
    for frame in _FRAMES:
        opening = frame.opens.match(text, begins)
        if opening is not None:
            closing = frame.closes.search(text, opening.end())
            return closing.end() if closing is not None else len(text)
        if begun or not frame.alone:
            continue
        closing = frame.closes.search(text, start)
        if closing is None or frame.opens.search(text, start, closing.start()):
            continue
        # A mark within a sentence belongs to a page about such models.
        line = text[text.rfind("\n", 0, closing.start()) + 1 : closing.start()]
        if not _GOES_ON.match(text, closing.end()) or not line.strip():
            return closing.end()
    return None
