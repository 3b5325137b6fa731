"""Questions of which a sentence is the answer: its values, its subject, its definitions.

A wording takes over the whole sentence, or only what stands near the gap: so the overlap of
question and source differs, as drawn with the page's own generator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from ohr.datasets import wording
from ohr.exam.candidate import Candidate, Evidence, quoted
from ohr.exam.sentences import Sentence
from ohr.exam.values import Value, values
from ohr.metrics import default
from ohr.types import PageRef

GAP = "___"
_NOUNS = {
    "date": "date",
    "amount": "amount",
    "percentage": "percentage",
    "period": "length of time",
    "year": "year",
    "number": "number",
    "name": "name",
    "word": "word",
}
_WINDOW = (6, 14)
"""Fewest and most words on both sides of a gap in a shortened wording."""
_SHORTENED = 0.6
"""Share of questions that are worded with a part of their sentence."""
_AUXILIARY = frozenset("is was shall will must may can has cannot should".split())
_IN_SUBJECT = frozenset("of and for".split())
_NO_SUBJECT = frozenset(
    "each any no all some many most several every other one two if when".split()
)
_NAME_WORD = re.compile(r"[A-Z][\w&\u2019'-]*")
_SUBJECT_WORDS = 7
_REST_WORDS = 7
_WORD = re.compile(r"(?<![\w-])(?<!\w['\u2019])[a-z]{5,}(?![\w'\u2019-])")
_DEFINED = re.compile(
    r"^(?:The term )?[\"\u201c](?P<term>[^\"\u201c\u201d]{2,60}?),?[\"\u201d],? ?"
    r"(?:, as used (?:herein|in this \w+),? ?)?(?:shall mean|means|refers to|is defined as) "
    r"(?P<meaning>(?!.{0,30}\b(?:meaning|set forth|defined|specified)\b).+)\.$"
)
_ABBREVIATION = re.compile(r"\((?:the )?[\"\u201c]?(?P<short>[A-Z]{2,7})[\"\u201d]?\)")
_MINOR = frozenset("of and the for in on to de a an at by".split())
_MOST_MEANING = 40


def of_sentence(
    ref: PageRef,
    text: str,
    one: Sentence,
    name: str,
    pages_with: Mapping[str, int],
    rng: np.random.Generator,
) -> Iterator[Candidate]:
    """The questions of one sentence. ``name`` is its document's, or empty; ``pages_with`` says on
    how many pages of the corpus a word is.
    """
    evidence = Evidence(ref, one.start, one.end, text[one.start : one.end])
    defined = _definition(one.plain, evidence, name)
    if defined is not None:
        yield defined
        return
    yield from _abbreviations(one.plain, evidence, name)
    for value in values(one.plain):
        yield _gap(one.plain, value, evidence, rng)
    subject = _subject(one.plain, evidence)
    if subject is not None:
        yield subject
    word = _rarest(one.plain, pages_with)
    if word is not None:
        yield _gap(one.plain, word, evidence, rng)


def _gap(plain: str, value: Value, evidence: Evidence, rng: np.random.Generator) -> Candidate:
    answer = plain[value.start : value.end]
    before, after = plain[: value.start], plain[value.end :]
    shorten, share = rng.random() < _SHORTENED, rng.random()
    near = _near(before, after, share) if shorten else (before, after)
    form = "Numeric" if wording.is_number(answer) else "String"
    return Candidate(
        value.kind,
        _gapped(value.kind, *near),
        answer,
        (evidence,),
        "text",
        form,
        " ".join(near),
        fuller=_gapped(value.kind, before, after) if near != (before, after) else "",
        fuller_terms=f"{before} {after}",
    )


def _gapped(kind: str, before: str, after: str) -> str:
    said = " ".join(f"{before}{GAP}{after}".split())
    return f"Which {_NOUNS[kind]} is missing from {quoted(said)}?"


def _near(before: str, after: str, share: float) -> tuple[str, str]:
    """What stands next to a gap: so many words of both sides as ``share`` of the range says."""
    left, right = before.split(" "), after.split(" ")
    least, most = _WINDOW
    room = least + round(share * (most - least))
    if len(left) + len(right) <= room + 2:
        return before, after
    n_left = min(len(left), max(room // 2, room - len(right)))
    n_right = min(len(right), room - n_left)
    head, tail = " ".join(left[len(left) - n_left :]), " ".join(right[:n_right])
    head = f"\u2026 {head}" if n_left < len(left) else head
    tail = f"{tail.rstrip(',')} \u2026" if n_right < len(right) else tail
    return head, tail


def _rarest(plain: str, pages_with: Mapping[str, int]) -> Value | None:
    """The word in lower case that fewest pages have, and one other at least: no misprint."""
    telling = wording.content_words(plain)
    words = [
        match
        for match in _WORD.finditer(plain)
        if match[0] in telling and pages_with.get(match[0], 0) > 1
    ]
    once = [match for match in words if plain.casefold().count(match[0]) == 1]
    if not once:
        return None
    best = min(once, key=lambda match: (pages_with[match[0]], match.start()))
    return Value("word", *best.span())


def _subject(plain: str, evidence: Evidence) -> Candidate | None:
    """What a sentence says something of: "Who or what shall …?"."""
    words = plain.rstrip(".").split()
    at = next((i for i, word in enumerate(words) if word in _AUXILIARY), 0)
    subject, rest = words[:at], words[at:]
    if not 1 <= at <= _SUBJECT_WORDS or len(rest) <= _REST_WORDS:
        return None
    if not all(map(_of_name, subject)) or not subject[-1][0].isupper():
        return None
    opening = subject[0].casefold()
    if (at == 1 and len(opening) < 4) or opening.endswith("ly") or opening in _NO_SUBJECT:
        return None
    answer = " ".join(subject)
    if answer.split()[0] in ("The", "A", "An"):
        answer = answer[0].lower() + answer[1:]
    question = f"Who or what {' '.join(rest)}?"
    return Candidate("subject", question, answer, (evidence,), "text", "String", " ".join(rest))


def _of_name(word: str) -> bool:
    return word in _IN_SUBJECT or _NAME_WORD.fullmatch(word) is not None


def _definition(plain: str, evidence: Evidence, name: str) -> Candidate | None:
    found = _DEFINED.match(plain)
    if found is None or not 3 <= wording.word_count(found["meaning"]) <= _MOST_MEANING:
        return None
    question = f"What is the meaning of the term {quoted(found['term'])}?"
    fuller = f"What is the meaning of the term {quoted(found['term'])} in {name}?" if name else ""
    return Candidate(
        "definition",
        question,
        found["meaning"],
        (evidence,),
        "text",
        "String",
        f"{found['term']} means",
        fuller=fuller,
    )


def _abbreviations(plain: str, evidence: Evidence, name: str) -> Iterator[Candidate]:
    for found in _ABBREVIATION.finditer(plain):
        long = _long_form(plain[: found.start()].split(), found["short"])
        if long is None:
            continue
        question = f"What does the abbreviation {quoted(found['short'])} stand for?"
        fuller = question.replace(" stand for?", f" stand for in {name}?") if name else ""
        yield Candidate(
            "abbreviation",
            question,
            long,
            (evidence,),
            "text",
            "String",
            found["short"],
            fuller=fuller,
        )


def _long_form(before: list[str], short: str) -> str | None:
    """The words before an abbreviation whose initials it is."""
    letters = list(short)
    for at in range(len(before) - 1, -1, -1):
        word = before[at].strip("\"\u201c\u201d'(),")
        parts = [part for part in word.split("-") if part]
        if not parts:
            return None
        if word.casefold() in _MINOR and (not letters or letters[-1].casefold() != word[0]):
            continue
        initials = [part[0].upper() for part in parts]
        if letters[-len(initials) :] == initials:
            del letters[-len(initials) :]
        elif letters and letters[-1] == initials[0]:
            del letters[-1:]
        else:
            return None
        if not letters:
            return " ".join(before[at:]).strip("\"\u201c\u201d'(),")
    return None


def overlap(question: str, evidence: str) -> float:
    """The share of a question's words that stand in its evidence, articles apart; in [0, 1]."""
    asked, there = set(default.tokens(question)), set(default.tokens(evidence))
    return len(asked & there) / len(asked) if asked else 0.0
