"""Finds the verdict in a judge's reply: ``correct`` or ``incorrect``.

A verdict is a claim about the answer in a sentence of its own: a single word (in tags, bold,
quotes, a box), after a label (``Verdict:``), a field of JSON, a whole sentence (``The answer is
correct``), or ``yes`` or ``no`` after the question whether it is correct. The rest of that sentence
and the sentences after it must be explanations that cast no doubt
(:mod:`ohr.metrics.judgement_clauses`). Questions, conditions, hedges, quotations and reports of
what others say are no verdict. A reply with both verdicts, or in words that no rule knows, has
none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ohr.metrics.judgement_clauses import (
    answers_question,
    claim,
    explains,
    hedges_correct,
    leaves_open,
    names_values,
    question,
    speaks_against,
)
from ohr.metrics.judgement_markup import plain_sentences
from ohr.metrics.judgement_objects import UNREAD, replace_objects

_THOUGHT = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Claim:
    place: int
    correct: bool


def says_correct(reply: str) -> bool | None:
    """True for ``correct``, False for ``incorrect``, None without a verdict."""
    text = replace_objects(_THOUGHT.sub("", reply), _says_correct)
    return None if UNREAD in text else _says_correct(text)


def _says_correct(text: str) -> bool | None:
    sentences = plain_sentences(text)
    claims = _claims(sentences)
    if len({item.correct for item in claims}) != 1:
        return None
    last = claims[-1]
    before, after = sentences[: last.place], sentences[last.place + 1 :]
    if before and (leaves_open(before[-1]) or speaks_against(before[-1], last.correct)):
        return None
    if last.correct and any(map(hedges_correct, before)):
        return None
    if names_values(sentences[claims[0].place], sentences):
        return None
    if not all(explains(sentence, last.correct) for sentence in after):
        return None
    return last.correct


_YES_OR_NO = re.compile(r"(?P<yes>yes)|no")


def _claims(sentences: Sequence[str]) -> list[_Claim]:
    """The claims that sentences make; both verdicts if one contradicts itself."""
    claims: list[_Claim] = []
    # Whether the sentence before asks if the answer is correct (True) or incorrect (False).
    asks_correct: bool | None = None
    for place, sentence in enumerate(sentences):
        if sentence.endswith("?"):
            asks_correct = question(sentence)
            continue
        before = sentences[place - 1] if place else ""
        if (
            asks_correct is not None
            and (answers := answers_question(sentence, asks_correct)) is not None
        ):
            claims += [_Claim(place, correct) for correct in sorted(answers)]
        elif (correct := claim(sentence)) is not None:
            claims.append(_Claim(place, correct))
            denied = _YES_OR_NO.fullmatch(before)
            answered = place > 1 and sentences[place - 2].endswith("?")
            if denied and not answered and bool(denied["yes"]) != correct:
                claims.append(_Claim(place, not correct))
        asks_correct = None
    return claims
