"""Candidates that a model writes: about one page, and about two."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from ohr.datasets import wording
from ohr.datasets.locating import SearchablePage
from ohr.markup.page import formulas_of
from ohr.plugins.randomness import generator_for
from ohr.questions.agreed import UNSURE
from ohr.questions.candidate import MODEL_KIND, Candidate, Evidence
from ohr.questions.model import Model
from ohr.questions.prompts import COMBINE, FORMS, JOIN, SOURCES, TASKS, WRITE, WRITER
from ohr.questions.sentences import sentences
from ohr.questions.values import PATTERNS
from ohr.types import PageRef, Question

_PER_CALL = 3
_LONGEST_PAGE = 12_000
_SHARED_BY = 3
"""An entity on more pages than this does not connect two of them."""


def write_candidates(model: Model, ref: PageRef, text: str, seed: int) -> Iterator[Candidate]:
    """A model's candidates for a page, with a drawn evidence source, task and form."""
    sure = "\n".join(line for line in text.split("\n") if UNSURE not in line)
    rng = generator_for(seed, "exam writer", ref)
    sources = sources_of(sure)
    source = sources[rng.integers(len(sources))]
    task = list(TASKS)[rng.integers(len(TASKS))]
    form = list(FORMS)[rng.integers(len(FORMS))]
    prompt = WRITE.format(
        number=_PER_CALL,
        task=TASKS[task],
        source=SOURCES[source],
        form=FORMS[form],
        page=sure[:_LONGEST_PAGE],
    )
    for item in model.objects(WRITER, prompt)[:_PER_CALL]:
        texts = [_text(item, name) for name in ("question", "answer", "evidence")]
        if all(texts):
            question, answer, evidence = texts
            yield Candidate(
                f"{MODEL_KIND}:{task}",
                question,
                answer,
                (locate(ref, text, evidence),),
                source,
                form,
                question,
                task=task,
            )


def sources_of(text: str) -> list[str]:
    """The evidence sources of a page, always including running text."""
    page = SearchablePage(text)
    sources = ["text"]
    if page.charts:
        sources.append("chart")
    elif page.tables:
        sources.append("table")
    if formulas_of(text):
        sources.append("formula")
    return sources


def locate(ref: PageRef, text: str, evidence: str) -> Evidence:
    """The place of evidence on a page, ignoring white space; if not found, the text as given.

    Evidence may skip lines with :data:`~ohr.questions.agreed.UNSURE`, which are not quoted.
    """
    words = re.compile(r"\s+".join(map(re.escape, evidence.split())))
    lines = [" " * len(line) if UNSURE in line else line for line in text.split("\n")]
    match = words.search(text) or words.search("\n".join(lines))  # at the places of the page
    if not match or not match[0]:
        return Evidence(ref, 0, 0, evidence)
    quoted = text[slice(*match.span())].split("\n")
    lines_quoted = [line for line in quoted if UNSURE not in line or UNSURE in evidence]
    return Evidence(ref, *match.span(), "\n".join(lines_quoted))


def join_pages(
    model: Model, refs: Sequence[PageRef], texts: Mapping[PageRef, str], most: int
) -> Iterator[Candidate]:
    """Candidates over two pages that name the same entity; at most ``most`` calls."""
    places: dict[str, dict[PageRef, str]] = defaultdict(dict)
    for ref in refs:
        for sentence in sentences(texts[ref]):
            for match in PATTERNS["name"].finditer(sentence.plain):
                places[match[0]].setdefault(ref, texts[ref][sentence.start : sentence.end])
    pairs = [
        (entity, *pair)
        for entity, passages in sorted(places.items())
        if 1 < len(passages) <= _SHARED_BY
        for pair in list(combinations(sorted(passages.items()), 2))[:1]
    ]
    for entity, (first, a), (second, b) in pairs[:most]:
        for pair in model.objects(WRITER, JOIN.format(entity=entity, a=a, b=b))[:1]:
            names = ("question", "answer", "evidence_a", "evidence_b")
            texts_of_pair = [_text(pair, name) for name in names]
            if all(texts_of_pair):
                evidence = (
                    locate(first, texts[first], texts_of_pair[2]),
                    locate(second, texts[second], texts_of_pair[3]),
                )
                yield _multi_page(texts_of_pair[0], texts_of_pair[1], evidence)


def combine_questions(
    model: Model, questions: Sequence[Question], texts: Mapping[PageRef, str], most: int
) -> Iterator[Candidate]:
    """Candidates that combine two questions of one page each, where one names the other's answer.

    At most ``most`` calls.
    """
    by_word: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        for word in wording.content_words(question.text):
            by_word[word].append(question)
    n_calls = 0
    for first in questions:
        answer = first.answers[0]
        words = wording.content_words(answer)
        if not wording.names(answer) or not words or len(answer) < 4:
            continue
        rarest = min(words, key=lambda word: (len(by_word[word]), word))
        for second in by_word[rarest]:
            apart = second.evidence_pages != first.evidence_pages
            if not apart or answer not in second.text or n_calls >= most:
                continue
            n_calls += 1
            prompt = COMBINE.format(q1=first.text, a1=answer, q2=second.text, a2=second.answers[0])
            for reply in model.objects(WRITER, prompt)[:1]:
                text = _text(reply, "question")
                if text and answer.casefold() not in text.casefold():
                    evidence = tuple(
                        locate(ref, texts[ref], each.evidence_text)
                        for each in (first, second)
                        for ref in each.evidence_pages[:1]
                    )
                    yield _multi_page(text, second.answers[0], evidence)


def _multi_page(question: str, answer: str, evidence: tuple[Evidence, ...]) -> Candidate:
    form = "Numeric" if wording.is_number(answer) else "String"
    form = "Yes/No" if wording.verdict(answer) else form
    kind, task = f"{MODEL_KIND}:multi-page", "multi-page reasoning"
    return Candidate(kind, question, answer, evidence, "text", form, question, task=task)


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    text = str(value) if isinstance(value, str | int | float) else ""
    return " ".join(text.split()) if name in ("question", "answer") else text.strip()
