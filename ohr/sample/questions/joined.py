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
        return tuple(dict.fromkeys(one.ref for one in self.evidence))


def joined_questions(placed: Sequence[Placed]) -> Iterator[Placed]:
    """Questions that two pages answer together and neither of them alone.

    Both passages name the entity that they share: that is how a reader finds the second. Two
    ambiguous pronouns are one too many (the paper, section II.5).
    """
    for one in (*_of_facts(placed), *_of_links(placed)):
        assert isinstance(one.content, Ask)
        if len(pronouns(one.content.question)) <= 1:
            yield one


def _of_facts(placed: Sequence[Placed]) -> Iterator[Placed]:
    by_kind: dict[tuple[str, str], list[tuple[Fact, Placed]]] = defaultdict(list)
    for one in placed:
        fact = one.content
        if isinstance(fact, Fact) and _names(one, fact.entity):
            by_kind[fact.entity, fact.unit].append((fact, one))
    for (_, unit), facts in by_kind.items():
        for (first, here), (second, there) in combinations(facts, 2):
            if set(here.pages) & set(there.pages) or first.what == second.what:
                continue
            for ask in _about(first, second, unit):
                yield _join(ask, here, there)


def _about(first: Fact, second: Fact, unit: str) -> Iterator[Ask]:
    a, b = first.what, second.what
    if not first.value.replace(",", "").replace(".", "").isdigit():
        if first.value != second.value:
            who = "Who" if unit == "person" else "What"
            yield listed(f"{who} are {a} and {b}?", (first.value, second.value))
        return
    one, two = exact(first.value), exact(second.value)
    total = printed(one + two, max(first.value, second.value, key=len))
    yield reasoned(numeric(f"What is the sum, in {unit}, of {a} and {b}?", total))
    if one == two:
        return
    (high, more), (low, less) = sorted(((one, a), (two, b)), reverse=True)
    difference = printed(high - low, max(first.value, second.value, key=len))
    yield reasoned(numeric(f"By how many {unit} does {more} exceed {less}?", difference))
    yield reasoned(differing(f"Is {{}} the sum, in {unit}, of {a} and {b}?", total))


def _of_links(placed: Sequence[Placed]) -> Iterator[Placed]:
    for link in placed:
        if not isinstance(link.content, Link) or not _names(link, link.content.entity):
            continue
        entity, description = link.content.entity, link.content.description
        short = entity.split()[0]
        for one in placed:
            ask = one.content
            if not isinstance(ask, Ask) or set(one.pages) & set(link.pages):
                continue
            # The name, or a product that bears it, must not give the answer away.
            if ask.question.count(entity) != 1 or ask.question.count(short) != 1:
                continue
            if not _names(one, entity) or ask.form == FORMS["Y"]:
                continue
            if any(word in description for word in (ask.answer, short)) or entity in ask.answer:
                continue
            described = reasoned(
                Ask(ask.question.replace(entity, description), ask.answer, ask.form)
            )
            yield _join(described, link, one)


def _names(one: Placed, entity: str) -> bool:
    return any(entity in passage.text for passage in one.evidence)


def _join(ask: Ask, first: Placed, second: Placed) -> Placed:
    sources = (second.source, first.source)
    source = next((name for name in sources if name != "text"), "text")
    return Placed(ask, source, tuple(dict.fromkeys((*first.evidence, *second.evidence))))
