"""Makes questions from sentences: about their values, subjects, definitions, abbreviations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ohr.datasets import wording
from ohr.metrics import default
from ohr.questions.candidate import Candidate, Evidence, quoted
from ohr.questions.corpus import Corpus
from ohr.questions.gaps import ask_gap
from ohr.questions.sentences import Sentence
from ohr.questions.values import Value, values
from ohr.types import PageRef

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


def ask_sentence(
    ref: PageRef,
    text: str,
    sentence: Sentence,
    corpus: Corpus,
    topics: Sequence[str],
    rng: np.random.Generator,
) -> Iterator[Candidate]:
    """The candidates of one sentence; ``topics`` are those of its page, ``rng`` draws wordings."""
    name = corpus.name(ref.doc_id)
    evidence = Evidence(ref, sentence.start, sentence.end, text[sentence.start : sentence.end])
    defined = _definition(sentence.plain, evidence, name)
    if defined is not None:
        yield defined
        return
    yield from _abbreviations(sentence.plain, evidence, name)
    for value in values(sentence.plain):
        yield ask_gap(sentence.plain, value, evidence, topics, rng)
    subject = _subject(sentence.plain, evidence)
    if subject is not None:
        yield subject
    word = _rarest(sentence.plain, corpus.pages_with)
    if word is not None:
        yield ask_gap(sentence.plain, word, evidence, topics, rng)


def _rarest(plain: str, pages_with: Mapping[str, int]) -> Value | None:
    """The lower-case word on the fewest pages, but on at least two, so that it is no misprint."""
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
    """A question about the subject of a sentence: "Who or what shall …?"."""
    words = plain.rstrip(".").split()
    position = next((i for i, word in enumerate(words) if word in _AUXILIARY), 0)
    subject, rest = words[:position], words[position:]
    if not 1 <= position <= _SUBJECT_WORDS or len(rest) <= _REST_WORDS:
        return None
    if not all(map(_is_name_word, subject)) or not subject[-1][0].isupper():
        return None
    opening = subject[0].casefold()
    if (position == 1 and len(opening) < 4) or opening.endswith("ly") or opening in _NO_SUBJECT:
        return None
    answer = " ".join(subject)
    if answer.split()[0] in ("The", "A", "An"):
        answer = answer[0].lower() + answer[1:]
    question = f"Who or what {' '.join(rest)}?"
    return Candidate("subject", question, answer, (evidence,), "text", "String", " ".join(rest))


def _is_name_word(word: str) -> bool:
    return word in _IN_SUBJECT or _NAME_WORD.fullmatch(word) is not None


def _definition(plain: str, evidence: Evidence, name: str) -> Candidate | None:
    match = _DEFINED.match(plain)
    if match is None or not 3 <= wording.word_count(match["meaning"]) <= _MOST_MEANING:
        return None
    question = f"What is the meaning of the term {quoted(match['term'])}?"
    fuller = f"What is the meaning of the term {quoted(match['term'])} in {name}?" if name else ""
    return Candidate(
        "definition",
        question,
        match["meaning"],
        (evidence,),
        "text",
        "String",
        f"{match['term']} means",
        fuller=fuller,
    )


def _abbreviations(plain: str, evidence: Evidence, name: str) -> Iterator[Candidate]:
    for match in _ABBREVIATION.finditer(plain):
        long = _long_form(plain[: match.start()].split(), match["short"])
        if long is None:
            continue
        question = f"What does the abbreviation {quoted(match['short'])} stand for?"
        fuller = question.replace(" stand for?", f" stand for in {name}?") if name else ""
        yield Candidate(
            "abbreviation",
            question,
            long,
            (evidence,),
            "text",
            "String",
            match["short"],
            fuller=fuller,
        )


def _long_form(before: list[str], short: str) -> str | None:
    """The words before an abbreviation of which it has the initials; None if there are none."""
    letters = list(short)
    for position in range(len(before) - 1, -1, -1):
        word = before[position].strip("\"\u201c\u201d'(),")
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
            return " ".join(before[position:]).strip("\"\u201c\u201d'(),")
    return None


def overlap(question: str, evidence: str) -> float:
    """The share of a question's words, without articles, that are in its evidence; in [0, 1]."""
    question_words, evidence_words = set(default.tokens(question)), set(default.tokens(evidence))
    return len(question_words & evidence_words) / len(question_words) if question_words else 0.0
