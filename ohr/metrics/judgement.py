"""Finds the verdict in a judge's reply: ``correct`` or ``incorrect``.

A verdict must begin or end the reply: as a single word (in tags, bold, quotes, a box, JSON), after
a label (``Verdict:``), or as a whole clause (``The answer is correct``, ``so I call it correct``).
No verdict is guessed from a word in another clause: ``partially correct``, ``the correct answer
is``, ``it would be correct if``. A reply with different verdicts at its beginning and end has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

_FIELDS = (
    "verdict", "judgement", "judgment", "grade", "answer", "label", "result", "correct",
    "is_correct",
)  # fmt: skip
_THOUGHT = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL)
_TAG = re.compile(r"</?[a-z_]{1,20}>|<\|[a-z_]{1,20}\|>")
_COMMAND = re.compile(r"\\[a-z]{1,20}\s*\{|[{}]")
_MARKS = re.compile(r"[$*_`#\"'“”‘’()\[\]]+")
_CONTRACTED = re.compile(r"(?<=s)n(?:['’])?t\b")
_LABEL = re.compile(
    r"\W*(?:(?:my|the|final|overall)\s+)*(?:verdict|answer|grade|judge?ment|result|conclusion)"
    r"\s*(?:[:=]|-\s)"
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n+")
_CLAUSE_END = re.compile(
    r"[,;:]\s|\s[-–—]+\s|[—–]|(?<!\bis)(?<!\bwas)\s(?=(?:so|therefore|thus|hence|but|yet)\s)|\s(?:because|since|and)\s"
)
_CLAUSE = re.compile(
    r"""
    (?:(?P<lead>but|yet|so|therefore|thus|hence)\s+)?
    (?:(?:yes|no|overall|finally|clearly|then|in\s(?:short|sum|conclusion|total))\s+)*
    (?P<subject>
      (?:(?:the|this|that|my|final|given|graded|submitted|proposed|candidate|model's?|student's?)\s+)*
      (?:answer(?:\s(?:to\sbe\sgraded|given))?|response|reply|prediction|verdict|grade|judge?ment
        |conclusion|it|this|that)
      \s+(?:is|was)\s+
    |
      (?:i|we)\s+(?:call|judge|consider|deem|rate|grade|mark|find|count)\s+
      (?:(?:the|this|that)\s+)?(?:it|this|that|answer|response)\s+(?:(?:as|to\sbe)\s+)?
    )?
    (?:(?:therefore|thus|hence|clearly|indeed|fully|completely|entirely|factually)\s+)*
    (?P<not>not\s+)?(?P<word>correct|incorrect)
    """,
    re.VERBOSE,
)
_DOUBTS = re.compile(
    r"\b(?:not|never|nor|neither|no|cannot|hardly|barely|partly|partially|part|mostly|almost"
    r"|nearly|half|somewhat|but|except|however|although|though|if|unless|whether|or|would|could"
    r"|should|might|may|only|otherwise|far|wrong|doubt|correct|incorrect)\b"
)
_SURE = re.compile(r"\b(?:there is )?(?:no|without (?:a |any )?)\s?doubt\b(?: about it)?")


def says_correct(reply: str) -> bool | None:
    """True for ``correct``, False for ``incorrect``, None without a verdict."""
    text = _THOUGHT.sub("", reply).strip()
    for fields in _objects(text):
        return _of_fields(fields)
    return _of_words(text)


def _objects(text: str) -> Iterator[Mapping[str, object]]:
    """The JSON objects at the beginning and at the end of the reply."""
    decoder = json.JSONDecoder()
    for at in (text.find("{"), text.rfind("{")):
        if at < 0:
            return
        try:
            fields, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield {str(name).casefold(): value for name, value in fields.items()}


def _of_fields(fields: Mapping[str, object]) -> bool | None:
    for name in _FIELDS:
        value = fields.get(name)
        if isinstance(value, bool):
            return value
        if isinstance(value, str):
            return _of_words(value)
    return None


def _of_words(text: str) -> bool | None:
    text = _COMMAND.sub(" ", _TAG.sub("\n", text.replace("\\n", "\n").casefold()))
    text = _MARKS.sub("", _CONTRACTED.sub(" not", text))
    text = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
    sentences = [s for part in _SENTENCE_END.split(text) if (s := " ".join(part.split()))]
    if not sentences:
        return None
    first = _verdict(sentences[0], at_end=False)
    last = _verdict(sentences[-1], at_end=True)
    if first is None or last is None or first == last:
        return last if first is None else first
    return None


def _verdict(sentence: str, *, at_end: bool) -> bool | None:
    """The verdict of a sentence's first or last clause, unless the rest casts doubt on it."""
    sentence = _SURE.sub("", sentence).strip()
    pieces = [piece.strip() for piece in _CLAUSE_END.split(sentence) if piece.strip(" ,;:-–—")]
    if not pieces:
        return None
    place = -1 if at_end else 0
    match = _CLAUSE.fullmatch(pieces[place].strip(" ,;:-–—"))
    if match is None:
        return None
    correct = match["word"] == "correct"
    if match["not"]:
        if not correct or not match["subject"]:  # "not incorrect"; "not correct", a fragment
            return None
        correct = False
    others = pieces[:place] if at_end else pieces[1:]
    # "No, it is incorrect" and "Yes, it is correct" say one thing twice.
    others = [other for other in others if other != ("yes" if correct else "no")]
    if match["lead"] in ("but", "yet") and not match["subject"]:  # "anything but correct"
        return None
    asserted = at_end and match["lead"]  # "but the answer is correct": whatever was said before
    if not asserted and any(_DOUBTS.search(other) for other in others):
        return None
    return correct
