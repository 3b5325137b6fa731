"""Questions over several pages: two facts about one entity, or a fact of a described entity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ohr.datasets.wording import pronouns
from ohr.sample.questions.asks import (
    FORMS,
    Ask,
    Fact,
    Link,
    differing,
    exact,
    listed,
    numeric,
    printed,
    reasoned,
)
from ohr.types import PageRef


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage, verbatim, and the page on which it stands."""

    ref: PageRef
    text: str


@dataclass(frozen=True, slots=True)
class Placed:
    """What could be asked, with its evidence found on its pages."""

    content: Ask | Fact | Link
    source: str
    evidence: tuple[Evidence, ...]

    @property
    def pages(self) -> tuple[PageRef, ...]:
        """The pages of the evidence, each once."""
        return tuple(dict.fromkeys(evidence.ref for evidence in self.evidence))


def joined_questions(placed: Sequence[Placed]) -> Iterator[Placed]:
    """Questions that two pages answer together and neither of them alone.

    Both passages name the entity that they share: that is how a reader finds the second. Two
    ambiguous pronouns are one too many (the paper, section II.5).
    """
    for item in (*_fact_questions(placed), *_link_questions(placed)):
        assert isinstance(item.content, Ask)
        if len(pronouns(item.content.question)) <= 1:
            yield item


def _fact_questions(placed: Sequence[Placed]) -> Iterator[Placed]:
    by_kind: dict[tuple[str, str], list[tuple[Fact, Placed]]] = defaultdict(list)
    for item in placed:
        fact = item.content
        if isinstance(fact, Fact) and _names(item, fact.entity):
            by_kind[fact.entity, fact.unit].append((fact, item))
    for (_, unit), facts in by_kind.items():
        for (first, first_item), (second, second_item) in combinations(facts, 2):
            if set(first_item.pages) & set(second_item.pages) or first.what == second.what:
                continue
            for ask in _topic_clause(first, second, unit):
                yield _join(ask, first_item, second_item)


def _topic_clause(first: Fact, second: Fact, unit: str) -> Iterator[Ask]:
    a, b = first.what, second.what
    if not first.value.replace(",", "").replace(".", "").isdigit():
        if first.value != second.value:
            who = "Who" if unit == "person" else "What"
            yield listed(f"{who} are {a} and {b}?", (first.value, second.value))
        return
    first_amount, second_amount = exact(first.value), exact(second.value)
    total = printed(first_amount + second_amount, max(first.value, second.value, key=len))
    yield reasoned(numeric(f"What is the sum, in {unit}, of {a} and {b}?", total))
    if first_amount == second_amount:
        return
    (high, more), (low, less) = sorted(((first_amount, a), (second_amount, b)), reverse=True)
    difference = printed(high - low, max(first.value, second.value, key=len))
    yield reasoned(numeric(f"By how many {unit} does {more} exceed {less}?", difference))
    yield reasoned(differing(f"Is {{}} the sum, in {unit}, of {a} and {b}?", total))


def _link_questions(placed: Sequence[Placed]) -> Iterator[Placed]:
    for link in placed:
        if not isinstance(link.content, Link) or not _names(link, link.content.entity):
            continue
        entity, description = link.content.entity, link.content.description
        short = entity.split()[0]
        for item in placed:
            ask = item.content
            if not isinstance(ask, Ask) or set(item.pages) & set(link.pages):
                continue
            # The name, or a product that bears it, must not give the answer away.
            if ask.question.count(entity) != 1 or ask.question.count(short) != 1:
                continue
            if not _names(item, entity) or ask.form == FORMS["Y"]:
                continue
            if any(word in description for word in (ask.answer, short)) or entity in ask.answer:
                continue
            described = reasoned(
                Ask(ask.question.replace(entity, description), ask.answer, ask.form)
            )
            yield _join(described, link, item)


def _names(item: Placed, entity: str) -> bool:
    return any(entity in passage.text for passage in item.evidence)


def _join(ask: Ask, first: Placed, second: Placed) -> Placed:
    sources = (second.source, first.source)
    source = next((name for name in sources if name != "text"), "text")
    return Placed(ask, source, tuple(dict.fromkeys((*first.evidence, *second.evidence))))
