"""Pages from templates: prose in ``templates/<domain>.txt``, values and tables from code.

A template file holds the pages of one kind of document, parted by lines of ``====``. On a page,
one line is one sentence, and an empty line ends a paragraph::

    ## A heading
    <company> employed <staff> people [at the end of|in] <year>.
    ? N | How many people did <company> employ in <year>? | <staff>
    - an item of a list (or, numbered, "1. an item")
    The interest on a late payment is
    $$ I = P \\times \\frac{<days>}{365}
    {prices}

``<name>`` is a value of the document, ``[a|b]`` one of several wordings, ``{name}`` a table.
A line with ``?`` asks a question of the sentence, item or formula above it: ``S`` for a string,
``N`` for a number, and ``Y`` for the same fact asked once so that yes is true and once no.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import numpy as np

from ohr.datasets.sample.blocks import (
    Block,
    Formula,
    Heading,
    ListBlock,
    PageBlocks,
    Paragraph,
    Table,
    text,
)
from ohr.datasets.sample.markdown import inline_text, row_text, table_lines

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_SLOT = re.compile(r"<([a-z][a-z0-9_]*)>")
_ITEM = re.compile(r"(-|1\.) (.+)")
FORMS = {"S": "String", "N": "Numeric", "Y": "Yes/No"}


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with its answer. ``denied`` is the same question of a false statement.

    A Yes/No question has both, so that yes and no can be balanced over the whole set.
    """

    question: str
    answer: str
    form: str
    denied: str = ""


def string(question: str, answer: str) -> Ask:
    """A question answered by a few words."""
    return Ask(question, answer, FORMS["S"])


def numeric(question: str, answer: str) -> Ask:
    """A question answered by a number; the question names the unit."""
    return Ask(question, answer, FORMS["N"])


def yes_no(yes: str, no: str) -> Ask:
    """One fact asked so that the answer is yes, and so that it is no."""
    return Ask(yes, "Yes", FORMS["Y"], denied=no)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that could be asked of a page, with evidence verbatim from its text."""

    ask: Ask
    source: str
    evidence: str


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A table whose cells are templates; each question names the last row that it needs.

    Its evidence runs from the header to that row (0 is the first): a row alone does not say
    what its numbers mean. The header's first cell names the entity for the same reason.
    """

    header: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    asks: Sequence[tuple[int, Ask]]
    align: str
    widths: tuple[int, ...] = ()
    grid: bool = False


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """The blocks of a page and everything that could be asked of it."""

    blocks: PageBlocks
    candidates: tuple[Candidate, ...]


@cache
def page_templates(domain: str) -> tuple[str, ...]:
    """The page templates of a domain, in order."""
    source = files("ohr.datasets.sample").joinpath("templates", f"{domain}.txt")
    return tuple(source.read_text("utf-8").split("\n====\n"))


def write_page(
    template: str,
    slots: Mapping[str, str],
    tables: Mapping[str, TableDraft],
    rng: np.random.Generator,
) -> WrittenPage:
    """Fill a template. Raises KeyError for a slot or a table that the document lacks."""
    writer = _Writer(slots, tables, rng)
    for line in template.splitlines():
        writer.line(line.strip())
    writer.flush()
    return WrittenPage(tuple(writer.blocks), tuple(writer.candidates))


def spin(template: str, slots: Mapping[str, str], rng: np.random.Generator) -> str:
    """A template with its slots filled and one wording drawn of each alternative."""
    filled = _SLOT.sub(lambda match: slots[match[1]], template)
    while match := _CHOICE.search(filled):
        options = match[1].split("|")
        chosen = options[int(rng.integers(len(options)))]
        filled = filled[: match.start()] + chosen + filled[match.end() :]
    return filled


@dataclass
class _Writer:
    slots: Mapping[str, str]
    tables: Mapping[str, TableDraft]
    rng: np.random.Generator
    blocks: list[Block] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    ordered: bool = False
    asked: tuple[str, str] = ("", "")  # source and evidence of the line above

    def line(self, line: str) -> None:
        if line.startswith("?"):
            code, question, answer = (part.strip() for part in line[1:].split("|"))
            denied = answer if code == "Y" else ""
            self.ask(Ask(question, "Yes" if denied else answer, FORMS[code], denied), *self.asked)
        elif not line:
            self.flush()
        elif line.startswith("#"):
            self.flush()
            marks, words = line.split(" ", 1)
            self.blocks.append(Heading(len(marks), text(self.fill(words))))
        elif line.startswith("$$"):
            self.formula(self.fill(line[2:].strip()))
        elif line.startswith("{"):
            self.flush()
            self.table(self.tables[line.strip("{}")])
        elif match := _ITEM.fullmatch(line):
            self.ordered = match[1] != "-"
            self.items.append(self.fill(match[2]))
            self.asked = ("text", inline_text(text(self.items[-1])))
        else:
            self.sentences.append(self.fill(line))
            self.asked = ("text", inline_text(text(self.sentences[-1])))

    def flush(self) -> None:
        if self.sentences:
            self.blocks.append(Paragraph(text(" ".join(self.sentences))))
        if self.items:
            self.blocks.append(ListBlock(tuple(text(item) for item in self.items), self.ordered))
        self.sentences, self.items = [], []

    def fill(self, template: str) -> str:
        return spin(template, self.slots, self.rng)

    def formula(self, latex: str) -> None:
        lead = self.asked[1]
        self.flush()
        self.blocks.append(Formula(latex))
        # The formula alone does not say what it is about; the sentence before it does.
        self.asked = ("formula", f"{lead}\n\n$$\n{latex}\n$$")

    def table(self, draft: TableDraft) -> None:
        header = tuple(text(self.fill(cell)) for cell in draft.header)
        rows = tuple(tuple(text(self.fill(cell)) for cell in row) for row in draft.rows)
        table = Table(header, rows, draft.align, draft.grid, draft.widths)
        self.blocks.append(table)
        lines = table_lines(table)
        first = lines.index(row_text(header))
        for row, ask in draft.asks:
            last = first + 2 + row * (2 if draft.grid else 1)
            self.ask(ask, "table", "\n".join(lines[first : last + 1]))

    def ask(self, ask: Ask, source: str, evidence: str) -> None:
        question, answer, denied = map(self.fill, (ask.question, ask.answer, ask.denied))
        spun = Ask(question, answer, ask.form, denied)
        self.candidates.append(Candidate(spun, source, evidence))
