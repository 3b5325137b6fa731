"""A judge's reply as plain sentences: tags, LaTeX, boxes to tick and quotations resolved."""

from __future__ import annotations

import re

from ohr.markup.folding import fold_quotation
from ohr.metrics.judgement_clauses import (
    NO_MARK,
    QUOTED,
    QUOTED_CORRECT,
    QUOTED_INCORRECT,
    YES_MARK,
    claim,
)

_YES_SIGNS = re.compile("[✅✓✔☑👍]\ufe0f?")
_NO_SIGNS = re.compile("[❌✗✘✖👎]\ufe0f?")
_TURN = re.compile(r"<\|[a-z_]{1,20}\|>")
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-z_]{1,20})\s*/?>")
_FORMATS = frozenset("b strong i em u span p br div code pre mark center".split())
_LABELS = frozenset(
    "answer verdict judgement judgment grade label result correct incorrect is_correct conclusion "
    "reason reasoning explanation rationale justification".split()
)
_COMMAND = re.compile(r"\\[a-z]{1,20}\s*\{|[{}]")
_BOX = re.compile(r"\[(?P<mark>[ x*])\]|\((?P<round>[ x*])\)|(?P<sign>☐|⬜|yesmark)", re.IGNORECASE)
_CONTRACTED = (
    (re.compile(r"\bcan'?t\b"), "can not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"(?<=[a-z])n't\b"), " not"),
    (re.compile(r"\b(isn|wasn|doesn|didn)t\b"), r"\1 not"),
    (re.compile(r"\b(is|was|does|did)n not\b"), r"\1 not"),
    (re.compile(r"\b(it|this|that|answer|response|verdict)'s(?=\s)"), r"\1 is"),
    (re.compile(r"\bin-correct\b"), "incorrect"),
)
_QUOTATION = re.compile(
    r"\"([^\"\n]{1,2000})\"|(?<![^\W_])'([^'\n]{1,400}(?:\w'\w[^'\n]{0,400})*)'(?!\w)"
)
_MARKS = re.compile(r"[$*`#\[\]\"|]+")
_BULLET = re.compile(r"^\s*(?:[-•–+]\s+|\(?\d{1,2}[.)]\s+)", re.MULTILINE)
_SENTENCE_END = re.compile(
    r"(?<!\bapprox)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!\bcf)(?<!\bca)(?<!\bdr)(?<!\bmr)"
    r"[.!](?=\s|$)|(?<=\?)(?=\s|$)|\n+|(?<=\S)\s(?=(?:final\s)?verdict\s?[:=])"
)


def plain_sentences(reply: str) -> list[str]:
    """The sentences of a reply, case-folded; only questions keep their mark at the end.

    A quotation of several words becomes ``quotedwords``, unless it is the whole reply: what is
    quoted is not claimed.
    """
    text = reply.replace("\\n", "\n").strip()
    text = fold_quotation(re.sub("\\s*[–—]\\s*", " - ", text)).casefold()
    text = _NO_SIGNS.sub(f" {NO_MARK} ", _YES_SIGNS.sub(f" {YES_MARK} ", text))
    text = _TAG.sub(_replace_tag, _TURN.sub("\n", text))
    text = _COMMAND.sub(" ", text)
    for pattern, words in _CONTRACTED:
        text = pattern.sub(words, text)
    text = "\n".join(map(_ticked, text.split("\n"))) if text.count("\n") else _ticked(text)
    text = _drop_quotations(re.sub(r"(?<=\w)_(?=\w)", " ", text))
    text = _BULLET.sub("", _MARKS.sub("", text).replace("_", " "))
    text = text.replace("(", " – ").replace(")", " ")
    sentences = (" ".join(part.split()) for part in _SENTENCE_END.split(text))
    return [bare for sentence in sentences if (bare := sentence.strip(" ,;–—-.!")) not in ("", "?")]


def joint(line: str) -> str:
    """A colon after words that go on into a tag or an object: ``I would not say {…}``."""
    return "" if not line.strip() or line.rstrip().endswith((*".!?:>`*", QUOTED)) else ":"


def _replace_tag(match: re.Match[str]) -> str:
    name = match["name"]
    if name in _FORMATS:
        return "\n" if name in ("p", "br", "div") else ""
    if match["end"] or name not in _LABELS:
        return "\n"
    before = match.string[: match.start()]
    return f"{joint(before[before.rfind(chr(10)) + 1 :])}\n{name}: "


def _ticked(line: str) -> str:
    """A line without what stands behind an empty box to tick."""
    boxes = list(_BOX.finditer(line))
    if not any((box["mark"] or box["round"]) == " " or box["sign"] in ("☐", "⬜") for box in boxes):
        return re.sub(r"^\s*[-*]?\s*\[[x*]\]\s*", "", line)
    parts = [line[: boxes[0].start()]]
    for box, following in zip(boxes, [*boxes[1:], None], strict=True):
        empty = (box["mark"] or box["round"]) == " " or box["sign"] in ("☐", "⬜")
        if not empty:
            parts.append(line[box.end() : following.start() if following else len(line)])
    return " ".join(parts).strip(" -*/|,")


def _drop_quotations(text: str) -> str:
    """Quotations of one word stay, others become a word that claims nothing."""
    whole = re.fullmatch(r"\W*?([\"'])(.*)\1\W*", text, re.DOTALL)
    if whole is not None and whole[1] not in re.sub(r"\w'\w", "", whole[2]):
        text = whole[2]
    lines = text.split("\n")
    if not all(line.lstrip().startswith(">") for line in lines if line.strip()):
        lines = [QUOTED if line.lstrip().startswith(">") else line for line in lines]
    text = "\n".join(line.lstrip(" >") for line in lines)
    return _QUOTATION.sub(_replace_quotation, text)


def _replace_quotation(match: re.Match[str]) -> str:
    words = (match[1] or match[2] or "").strip()
    bare = words.rstrip(".!")
    if len(bare.split()) <= 1:
        return bare
    correct = claim(bare)
    return QUOTED if correct is None else QUOTED_CORRECT if correct else QUOTED_INCORRECT
