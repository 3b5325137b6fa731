"""Candidates that a model writes: of one page by source, form and task, and of two pages."""

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
"""An entity on more pages than this leads nowhere in particular."""


def written(model: Model, ref: PageRef, text: str, seed: int) -> Iterator[Candidate]:
    """What a model asks of a page: one source that the page has, one task and one form, drawn."""
    sure = "\n".join(line for line in text.split("\n") if UNSURE not in line)
    rng = generator_for(seed, "exam writer", ref)
    there = sources_of(sure)
    source = there[rng.integers(len(there))]
    task = list(TASKS)[rng.integers(len(TASKS))]
    form = list(FORMS)[rng.integers(len(FORMS))]
    prompt = WRITE.format(
        number=_PER_CALL,
        task=TASKS[task],
        source=SOURCES[source],
        form=FORMS[form],
        page=sure[:_LONGEST_PAGE],
    )
    for one in model.objects(WRITER, prompt)[:_PER_CALL]:
        said = [_text(one, name) for name in ("question", "answer", "evidence")]
        if all(said):
            question, answer, evidence = said
            yield Candidate(
                f"{MODEL_KIND}:{task}",
                question,
                answer,
                (located(ref, text, evidence),),
                source,
                form,
                question,
                task=task,
            )


def sources_of(text: str) -> list[str]:
    """The evidence sources that a page has, running text always among them."""
    page = SearchablePage(text)
    found = ["text"]
    if page.charts:
        found.append("chart")
    elif page.tables:
        found.append("table")
    if formulas_of(text):
        found.append("formula")
    return found


def located(ref: PageRef, text: str, evidence: str) -> Evidence:
    """Evidence as the page has it, white space aside; as it was written where it is not there.

    Evidence may skip lines that hold :data:`~ohr.questions.agreed.UNSURE`: these are not quoted.
    """
    words = re.compile(r"\s+".join(map(re.escape, evidence.split())))
    lines = [" " * len(line) if UNSURE in line else line for line in text.split("\n")]
    found = words.search(text) or words.search("\n".join(lines))  # at the places of the page
    if not found or not found[0]:
        return Evidence(ref, 0, 0, evidence)
    quoted = text[slice(*found.span())].split("\n")
    kept = [line for line in quoted if UNSURE not in line or UNSURE in evidence]
    return Evidence(ref, *found.span(), "\n".join(kept))


def joined(
    model: Model, refs: Sequence[PageRef], texts: Mapping[PageRef, str], most: int
) -> Iterator[Candidate]:
    """Questions over two pages whose passages name the same entity, at most so many calls."""
    places: dict[str, dict[PageRef, str]] = defaultdict(dict)
    for ref in refs:
        for one in sentences(texts[ref]):
            for found in PATTERNS["name"].finditer(one.plain):
                places[found[0]].setdefault(ref, texts[ref][one.start : one.end])
    pairs = [
        (entity, *pair)
        for entity, passages in sorted(places.items())
        if 1 < len(passages) <= _SHARED_BY
        for pair in list(combinations(sorted(passages.items()), 2))[:1]
    ]
    for entity, (first, a), (second, b) in pairs[:most]:
        for pair in model.objects(WRITER, JOIN.format(entity=entity, a=a, b=b))[:1]:
            names = ("question", "answer", "evidence_a", "evidence_b")
            said = [_text(pair, name) for name in names]
            if all(said):
                evidence = (
                    located(first, texts[first], said[2]),
                    located(second, texts[second], said[3]),
                )
                yield _multi_page(said[0], said[1], evidence)


def combined(
    model: Model, questions: Sequence[Question], texts: Mapping[PageRef, str], most: int
) -> Iterator[Candidate]:
    """Questions made of two of one page each, where one names the answer of the other."""
    by_word: dict[str, list[Question]] = defaultdict(list)
    for one in questions:
        for word in wording.content_words(one.text):
            by_word[word].append(one)
    asked = 0
    for first in questions:
        answer = first.answers[0]
        words = wording.content_words(answer)
        if not wording.names(answer) or not words or len(answer) < 4:
            continue
        rarest = min(words, key=lambda word: (len(by_word[word]), word))
        for second in by_word[rarest]:
            apart = second.evidence_pages != first.evidence_pages
            if not apart or answer not in second.text or asked >= most:
                continue
            asked += 1
            prompt = COMBINE.format(q1=first.text, a1=answer, q2=second.text, a2=second.answers[0])
            for answered in model.objects(WRITER, prompt)[:1]:
                question = _text(answered, "question")
                if question and answer.casefold() not in question.casefold():
                    evidence = tuple(
                        located(ref, texts[ref], each.evidence_text)
                        for each in (first, second)
                        for ref in each.evidence_pages[:1]
                    )
                    yield _multi_page(question, second.answers[0], evidence)


def _multi_page(question: str, answer: str, evidence: tuple[Evidence, ...]) -> Candidate:
    form = "Numeric" if wording.is_number(answer) else "String"
    form = "Yes/No" if wording.verdict(answer) else form
    kind, task = f"{MODEL_KIND}:multi-page", "multi-page reasoning"
    return Candidate(kind, question, answer, evidence, "text", form, question, task=task)


def _text(one: Mapping[str, Any], name: str) -> str:
    value = one.get(name)
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    text = str(value) if isinstance(value, str | int | float) else ""
    return " ".join(text.split()) if name in ("question", "answer") else text.strip()
