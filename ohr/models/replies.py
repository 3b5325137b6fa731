"""What a language model wrote, without its thoughts and marks of turns, and the JSON in it.

One table of the marks that families of models put around thoughts and answers serves readers,
judges and engines that read pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_TRIES = 64
"""Braces at which an object is looked for."""


class Marks(NamedTuple):
    """What begins and ends a part of a reply; case does not matter."""

    opens: str
    closes: str


THOUGHTS = (
    Marks("<think>", "</think>"),
    Marks("<thinking>", "</thinking>"),
    Marks("<thought>", "</thought>"),
    Marks("<thoughts>", "</thoughts>"),
    Marks("<reasoning>", "</reasoning>"),
    Marks("<reflection>", "</reflection>"),
    Marks("<scratchpad>", "</scratchpad>"),
    Marks("<seed:think>", "</seed:think>"),
    Marks("◁think▷", "◁/think▷"),
    Marks("[THINK]", "[/THINK]"),
    Marks("<|begin_of_thought|>", "<|end_of_thought|>"),
    Marks("<|START_THINKING|>", "<|END_THINKING|>"),
    Marks("<unused94>thought", "<unused95>"),
)
"""Around what a model thinks aloud."""
ANSWERS = (
    Marks("<|begin_of_box|>", "<|end_of_box|>"),
    Marks("<|begin_of_solution|>", "<|end_of_solution|>"),
    Marks("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
)
"""Around what it answers: tokens, which no page and no person writes."""
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
    "<end_of_utterance>",
    "<eos>",
    "<pad>",
    "<|pad|>",
    "[EOS]",
)
"""Tokens that end a turn; a server that does not know them passes them on."""
_BEGINS = re.compile(
    r"\s*(?:<\|im_start\|>(?:assistant)?|<\|begin_of_text\|>|<bos>|<｜begin▁of▁sentence｜>"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<start_of_turn>model|<\|assistant\|>)\s*"
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>")
_CHANNEL_ENDS = re.compile(r"<\|(?:end|return|start|call|channel)\|>")
_FIRST_CHANNEL = re.compile(r"\s*(?:<\|start\|>assistant)?\s*<\|channel\|>")
_FINAL = "final"
_STRIPPED = re.compile(r"\s*(?:assistant)?(?:analysis|commentary)(?=\S)")
_STRIPPED_FINAL = "assistantfinal"
_GOES_ON = re.compile(r"""[ \t]+\S|[.,;:!?)'"`\]]""")
"""Of harmony's marks where a server has taken off the tokens and left their words."""


class Bare(NamedTuple):
    """A reply without its marks, and how many marked parts of each kind were taken off."""

    text: str
    thoughts: int = 0
    channels: int = 0
    ends: int = 0
    boxes: int = 0


def without_thoughts(text: str) -> str:
    """What a model wrote after its last thought, up to one that is left open.

    Of a reply in harmony's channels it is the last that is ``final``; tokens that end a turn, or
    stand around the answer, are taken off. A template may put the opening mark into the prompt:
    then the model only closes it.
    """
    text = _begun(text)
    if _CHANNEL.search(text):
        text = _final(text)
    elif _STRIPPED.match(text) and _STRIPPED_FINAL in text:
        text = text.rpartition(_STRIPPED_FINAL)[2]
    folded = _folded(text)
    last = max((_end(folded, marks.closes) for marks in THOUGHTS), default=0)
    text, folded = text[last:], folded[last:]
    opened = [at for marks in THOUGHTS if (at := folded.find(marks.opens.casefold())) >= 0]
    text = text[: min(opened)] if opened else text
    text = _without_ends(text)[0]
    return _without_answer_marks(text)[0]


def bare_page(reply: str) -> Bare:
    """What a model wrote of a page after the thoughts that it began with, left open or closed.

    Marks that come later are the page's own: it may be one about such models. Tokens that end a
    turn are taken off where the reply ends.
    """
    text = _begun(reply)
    channels = thoughts = 0
    if _FIRST_CHANNEL.match(text):
        channels = len(_CHANNEL.findall(text))
        text = _final(text)
    elif _STRIPPED.match(text) and _STRIPPED_FINAL in text:
        channels = 2
        text = text.partition(_STRIPPED_FINAL)[2]
    while (after := _after_thought(text, begun=thoughts > 0)) is not None:
        text = after
        thoughts += 1
    text, ends = _without_ends(text)
    text, boxes = _without_answer_marks(text)
    return Bare(text, thoughts, channels, ends, boxes)


def thought_opened(prompt: str) -> str:
    """The mark of a thought that a prompt ends in, as templates of models that think have it."""
    tail = _folded(prompt.rstrip())
    return next((marks.opens for marks in THOUGHTS if tail.endswith(marks.opens.casefold())), "")


def _folded(text: str) -> str:
    """The text without regard to case; as long as it was, which ``casefold`` may not leave it."""
    return re.sub("[A-Z]+", lambda match: match[0].lower(), text)


def _end(folded: str, mark: str) -> int:
    """Where the last of a mark ends; 0 where there is none."""
    at = folded.rfind(mark.casefold())
    return at + len(mark) if at >= 0 else 0


def _begun(text: str) -> str:
    """Without the tokens that begin a turn."""
    match = _BEGINS.match(text)
    return text[match.end() :] if match is not None else text


def _final(text: str) -> str:
    """The last final channel of a reply in channels; nothing where the reply has none."""
    finals = [match.end() for match in _CHANNEL.finditer(text) if match[1].lower() == _FINAL]
    if not finals:
        return ""
    ends = _CHANNEL_ENDS.search(text, finals[-1])
    return text[finals[-1] : ends.start() if ends is not None else len(text)]


def _after_thought(text: str, *, begun: bool) -> str | None:
    """What follows the thought that a reply begins with; None for one that begins with none.

    The prompt may have opened it, unless the reply has ``begun`` with another.
    """
    folded = _folded(text)
    begins = len(text) - len(text.lstrip())
    for marks in THOUGHTS:
        opens, closes = marks.opens.casefold(), marks.closes.casefold()
        at = folded.find(closes)
        if folded.startswith(opens, begins):
            return text[at + len(closes) :] if at >= 0 else ""
        if begun or at < 0 or opens in folded[:at]:
            continue
        # Within a sentence, the mark is what a page says of such models.
        after = text[at + len(closes) :]
        if not _GOES_ON.match(after) or not text[text.rfind("\n", 0, at) + 1 : at].strip():
            return after
    return None


def _without_ends(text: str) -> tuple[str, int]:
    """Without the tokens that end a turn at its end, and how many there were."""
    end, count = len(text.rstrip()), 0
    while (token := next((one for one in ENDS if text.endswith(one, 0, end)), "")) or _strikes(
        text, end
    ):
        end -= len(token or _STRIKE)
        count += 1
        while end and text[end - 1].isspace():
            end -= 1
    return (text[:end], count) if count else (text, 0)


_STRIKE = "</s>"


def _strikes(text: str, end: int) -> bool:
    """Whether the text ends in the token ``</s>``, which closes HTML's tag where that is open."""
    return text.endswith(_STRIKE, 0, end) and "<s>" not in text


def _without_answer_marks(text: str) -> tuple[str, int]:
    """Without the tokens around an answer, and how many answers had them."""
    count = 0
    for marks in ANSWERS:
        if marks.opens in text or marks.closes in text:
            count += max(text.count(marks.opens), text.count(marks.closes))
            text = text.replace(marks.opens, "").replace(marks.closes, "")
    return text, count


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, in order, whatever stands around them; none within another."""
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)
