"""Removes thoughts and turn marks from a language model's reply, and finds JSON in it.

One table of the marks that model families put around thoughts and answers serves readers, judges
and OCR engines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ohr.models.thought_marks import Marks, drop_first_thoughts, text_after_thoughts

_DECODER = json.JSONDecoder()
_TRIES = 64
"""Most braces at which an object is searched for."""


ANSWERS = (
    Marks("<|begin_of_box|>", "<|end_of_box|>"),
    Marks("<|begin_of_solution|>", "<|end_of_solution|>"),
    Marks("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
)
"""Marks around answers: special tokens, which no page and no person writes."""
ENDS = (
    "<|im_end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<|user|>",
    "<|END_OF_TURN_TOKEN|>",
    "<｜end▁of▁sentence｜>",
    "<|end_of_sentence|>",
    "<end_of_turn>",
    "<turn|>",
    "<end_of_utterance>",
    "<eos>",
    "<pad>",
    "<|pad|>",
    "[EOS]",
)
"""Tokens that end a turn; servers that do not know them leave them in the text."""
_BEGINS = re.compile(
    r"\s*(?:<\|im_start\|>(?:assistant)?|<\|begin_of_text\|>|<bos>|<｜begin▁of▁sentence｜>"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<start_of_turn>model|<\|turn>model|<\|assistant\|>)\s*"
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>")
_CHANNEL_ENDS = re.compile(r"<\|(?:end|return|start|call|channel)\|>")
_FIRST_CHANNEL = re.compile(r"\s*(?:<\|start\|>assistant)?\s*<\|channel\|>")
_FINAL = "final"
# Harmony's marks if a server removed the tokens and left their words.
_STRIPPED = re.compile(r"\s*(?:assistant)?(?:analysis|commentary)(?=\S)")
_STRIPPED_FINAL = "assistantfinal"


class Bare(NamedTuple):
    """A reply without its marks, and the number of removed marks of each kind."""

    text: str
    thoughts: int = 0
    channels: int = 0
    ends: int = 0
    boxes: int = 0


def drop_thoughts(text: str) -> str:
    """The text after the last thought, up to a thought that is not closed.

    For a reply in harmony's channels, the last ``final`` channel. Tokens that end a turn or
    surround the answer are removed. If the template puts the opening mark into the prompt, the
    reply has only the closing mark.
    """
    text = _begun(text)
    if _CHANNEL.search(text):
        text = _final(text)
    elif _STRIPPED.match(text) and _STRIPPED_FINAL in text:
        text = text.rpartition(_STRIPPED_FINAL)[2]
    text = text_after_thoughts(text)
    text = _drop_ends(text)[0]
    return _drop_answer_marks(text)[0]


def bare_page(reply: str) -> Bare:
    """The text of a page in a reply, after the thoughts at its beginning, closed or not.

    Later marks belong to the page, which may be about such models. Tokens that end a turn are
    removed at the end of the reply.
    """
    text = _begun(reply)
    channels = 0
    if _FIRST_CHANNEL.match(text):
        channels = len(_CHANNEL.findall(text))
        text = _final(text)
    elif _STRIPPED.match(text) and _STRIPPED_FINAL in text:
        channels = 2
        text = text.partition(_STRIPPED_FINAL)[2]
    text, thoughts = drop_first_thoughts(text)
    text, ends = _drop_ends(text)
    text, boxes = _drop_answer_marks(text)
    return Bare(text, thoughts, channels, ends, boxes)


def _begun(text: str) -> str:
    """The text without the tokens that begin a turn."""
    match = _BEGINS.match(text)
    return text[match.end() :] if match is not None else text


def _final(text: str) -> str:
    """The last final channel of a reply in channels; empty without one."""
    finals = [match.end() for match in _CHANNEL.finditer(text) if match[1].lower() == _FINAL]
    if not finals:
        return ""
    ends = _CHANNEL_ENDS.search(text, finals[-1])
    return text[finals[-1] : ends.start() if ends is not None else len(text)]


def _drop_ends(text: str) -> tuple[str, int]:
    """The text without the tokens at its end that end a turn, and their number."""
    end, count = len(text.rstrip()), 0
    while (
        token := next((end_token for end_token in ENDS if text.endswith(end_token, 0, end)), "")
    ) or _strikes(text, end):
        end -= len(token or _STRIKE)
        count += 1
        while end and text[end - 1].isspace():
            end -= 1
    return (text[:end], count) if count else (text, 0)


_STRIKE = "</s>"


def _strikes(text: str, end: int) -> bool:
    """Whether the text ends in the token ``</s>``, and not in HTML's closing tag."""
    return text.endswith(_STRIKE, 0, end) and "<s>" not in text


def _drop_answer_marks(text: str) -> tuple[str, int]:
    """The text without the tokens around answers, and the number of such answers."""
    count = 0
    for marks in ANSWERS:
        if marks.opens in text or marks.closes in text:
            count += max(text.count(marks.opens), text.count(marks.closes))
            text = text.replace(marks.opens, "").replace(marks.closes, "")
    return text, count


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, in order, between any other text; without inner objects."""
    position = text.find("{")
    for _ in range(_TRIES):
        if position < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield value
        position = text.find("{", end)
