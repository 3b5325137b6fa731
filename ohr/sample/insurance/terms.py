"""What the terms of a topic can say: chapters, sections and facts, from ``<topic>.txt``.

A file has a title in ``#``, chapters in ``##`` and sections in ``###``, each in several wordings
parted by ``|``. In a section ``.`` is a sentence that every document has, ``?`` a fact: its kind,
its question and its values, one for each document of the topic. Below it stand its wordings after
``-``, with ``{}`` for the value; of a binary fact ``+`` is the wording of yes and ``-`` that of
no; ``=`` names its row in the section's table, whose columns ``|`` names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

TOPICS = ("dental", "life", "animal")

FORMS: dict[str, str] = {
    "binary": "Yes/No",
    "numerical": "Numeric",
    "time": "Time span",
    "text": "String",
}
"""Kind of a fact -> what a question's ``answer_form`` says."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact: its question, its values, and how it is said; ``row`` where it stands in a table."""

    kind: str
    question: str
    values: tuple[str, ...]
    wordings: tuple[str, ...] = ()
    denial: str = ""
    row: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A section: its titles, what every document says there, its facts, its table's columns."""

    titles: tuple[str, ...]
    sentences: tuple[str, ...]
    facts: tuple[Fact, ...]
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter: its titles and its sections."""

    titles: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a topic."""

    titles: tuple[str, ...]
    chapters: tuple[Chapter, ...]

    @property
    def facts(self) -> list[Fact]:
        """All facts in order."""
        return [fact for chapter in self.chapters for part in chapter.parts for fact in part.facts]


@cache
def terms(topic: str) -> Terms:
    """The terms of a topic of :data:`TOPICS`."""
    text = files("ohr.sample").joinpath("insurance", f"{topic}.txt").read_text("utf-8")
    head, *chapters = text.split("\n## ")
    return Terms(_cut(head.removeprefix("#")), tuple(_chapter(chapter) for chapter in chapters))


def _cut(line: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in line.split("|"))


def _chapter(text: str) -> Chapter:
    head, *parts = text.split("\n### ")
    return Chapter(_cut(head), tuple(_part(part) for part in parts))


def _part(text: str) -> Part:
    head, *lines = text.strip().split("\n")
    sentences: list[str] = []
    columns: tuple[str, ...] = ()
    facts: list[list[str]] = []
    for line in lines:
        mark, _, rest = line.partition(" ")
        if mark == ".":
            sentences.append(rest)
        elif mark == "|":
            columns = _cut(rest)
        elif mark == "?":
            facts.append([rest])
        else:
            facts[-1].append(line)
    return Part(_cut(head), tuple(sentences), tuple(_fact(*fact) for fact in facts), columns)


def _fact(head: str, *lines: str) -> Fact:
    kind, question, *values = _cut(head)
    marked = {mark: [line[2:] for line in lines if line[0] == mark] for mark in "+-="}
    if kind == "binary":
        return Fact(kind, question, ("Ja", "Nein"), tuple(marked["+"]), marked["-"][0])
    listed = tuple(value.strip() for value in values[0].split(";"))
    return Fact(kind, question, listed, tuple(marked["-"]), row="".join(marked["="]))
