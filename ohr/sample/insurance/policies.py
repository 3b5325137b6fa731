"""The policies: what each firm's document of a topic says, and what is asked of it.

Five firms have a document of each topic. They differ in titles, order, wording, numbering and
values, and each leaves out a few facts: what is asked of these it cannot answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ohr.plugins.randomness import generator_for
from ohr.sample.attributes import look_of
from ohr.sample.blocks import Heading, PageLayout, Paragraph, Plain, TableBlock, text
from ohr.sample.corpus import Written
from ohr.sample.insurance.terms import FORMS, TOPICS, Fact, Part, terms
from ohr.sample.markdown import row_text
from ohr.sample.template import WrittenPage
from ohr.sample.typesetting.looks import Look
from ohr.types import PageRef

FIRMS = ("Nordlicht", "Havelstern", "Alpenhof", "Rheinbogen", "Ostwind")
LEFT_OUT = 3
"""Facts that a document does not mention."""
NOT_ANSWERABLE = ("not answerable", "nicht angegeben", "keine Angabe")
"""The accepted answers to what a document does not mention."""

_DATIVE = re.compile(r"\b(?:von|nach|binnen) \{\}")
_NOUN = re.compile(r"\b(Monat|Jahr|Tag)e\b")


class Policy(Written):
    """A policy, in the look of a contract."""

    @property
    def look(self) -> Look:
        return look_of("law", self.attributes)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fact stands: its page, its words there, and the headings above it."""

    page_no: int
    words: str
    headers: tuple[str, ...]


@dataclass
class _Draft:
    """A document while it is written."""

    pages: list[list[Plain]] = field(default_factory=lambda: [[]])
    answers: dict[str, str] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)

    def say(self, *blocks: Plain) -> None:
        self.pages[-1] += blocks


def policy(seed: int, topic: str, number: int) -> tuple[Policy, dict[str, str], dict[str, Place]]:
    """The document of firm ``number`` on a topic: its pages, and by question the answer and the
    place of each fact that it mentions.
    """
    content = terms(topic)
    firm = f"{FIRMS[number]} Versicherung"
    rng = generator_for(seed, "sample.insurance", PageRef(topic, number))
    numbered, per_page = bool(rng.integers(2)), int(rng.integers(2, 4))
    spoken = [fact.question for fact in content.facts if not fact.row]
    left_out = {spoken[int(position)] for position in rng.permutation(len(spoken))[:LEFT_OUT]}
    title = f"{content.titles[number % len(content.titles)]} der {firm}"
    draft = _Draft()
    opening = f"Dieses Dokument regelt den Vertrag zwischen der {firm} und ihren Kunden."
    draft.say(Heading(1, text(title)), Paragraph(text(opening)))
    count = 0
    for chapter_no, position in enumerate(rng.permutation(len(content.chapters)), start=1):
        chapter = content.chapters[int(position)]
        chapter_title = _numbered(_one_of(chapter.titles, rng), f"{chapter_no}.", numbered)
        for part_no, part in enumerate(chapter.parts, start=1):
            if count and count % per_page == 0:
                draft.pages.append([])
            count += 1
            if part_no == 1:
                draft.say(Heading(2, text(chapter_title)))
            part_title = _numbered(_one_of(part.titles, rng), f"{chapter_no}.{part_no}", numbered)
            draft.say(Heading(3, text(part_title)))
            headers = (title, chapter_title, part_title)
            _write(draft, part, left_out, headers, firm, number, topic, seed, rng)
    layout = PageLayout(footer=f"{firm}, Seite {{page}}")
    name = FIRMS[number].lower()
    pages = tuple(WrittenPage(tuple(blocks), ()) for blocks in draft.pages)
    written = Policy(
        seed, TOPICS.index(topic) * len(FIRMS) + number, topic, name, title, pages, layout
    )
    return written, draft.answers, draft.places


def _write(
    draft: _Draft,
    part: Part,
    left_out: set[str],
    headers: tuple[str, ...],
    firm: str,
    number: int,
    topic: str,
    seed: int,
    rng: np.random.Generator,
) -> None:
    """A section: its running text, its facts in it, and its table."""
    page_no = len(draft.pages) - 1
    sentences = list(part.sentences)
    rows = []
    for fact in part.facts:
        if fact.question in left_out:
            continue
        value = _value(fact, number, topic, seed)
        draft.answers[fact.question] = value
        if fact.row:
            cells = (text(fact.row), text(value))
            rows.append(cells)
            draft.places[fact.question] = Place(page_no, row_text(cells), headers)
            continue
        sentence = _sentence(fact, value, rng).replace("{firm}", firm)
        draft.places[fact.question] = Place(page_no, sentence, headers)
        sentences.insert(int(rng.integers(len(sentences) + 1)), sentence)
    draft.say(Paragraph(text(" ".join(sentences))))
    if rows:
        draft.say(TableBlock(tuple(map(text, part.columns)), tuple(rows), "lr", grid=True))


def _numbered(title: str, number: str, numbered: bool) -> str:
    return f"{number} {title}" if numbered else title


def _one_of(wordings: tuple[str, ...], rng: np.random.Generator) -> str:
    return wordings[int(rng.integers(len(wordings)))]


def _value(fact: Fact, number: int, topic: str, seed: int) -> str:
    """The value of a fact: another one in each document, as far as there are enough."""
    rng = generator_for(seed, f"sample.insurance.{fact.question}", PageRef(topic, 0))
    order = [
        int(position) % len(fact.values)
        for position in rng.permutation(max(len(FIRMS), len(fact.values)))
    ]
    return fact.values[order[number]]


def _sentence(fact: Fact, value: str, rng: np.random.Generator) -> str:
    if fact.kind == "binary":
        return fact.wordings[0] if value == "Ja" else fact.denial
    wording = _one_of(fact.wordings, rng)
    if _DATIVE.search(wording):
        value = _NOUN.sub(r"\1en", value)
    return wording.replace("{}", value)


def policies(seed: int) -> Iterator[tuple[Policy, dict[str, str], dict[str, Place]]]:
    """All 15 documents, by topic."""
    for topic in TOPICS:
        for number in range(len(FIRMS)):
            yield policy(seed, topic, number)


def questions(seed: int) -> Iterator[dict[str, object]]:
    """All 300 questions, each topic's 20 of each of its documents, as entries of ``qas.json``.

    ``headers`` are those above the evidence, the perfect one last. What a document does not
    mention has no evidence; page 0 stands for it.
    """
    serial = 0
    written = {
        (document.domain, document.name): (answers, places)
        for document, answers, places in policies(seed)
    }
    for topic in TOPICS:
        for fact in terms(topic).facts:
            for firm in FIRMS:
                answers, places = written[topic, firm.lower()]
                serial += 1
                place = places.get(fact.question)
                known_values = place is not None
                yield {
                    "doc_name": f"{topic}/{firm.lower()}",
                    "ID": f"insurance-{serial:04d}",
                    "questions": fact.question,
                    "answers": answers[fact.question] if known_values else list(NOT_ANSWERABLE),
                    "doc_type": topic,
                    "answer_form": FORMS[fact.kind] if known_values else "Not answerable",
                    "evidence_source": "table" if known_values and fact.row else "text",
                    "evidence_context": place.words if place is not None else "",
                    "evidence_page_no": place.page_no if place is not None else 0,
                    "task": "understanding",
                    "headers": list(place.headers) if place is not None else [],
                }
