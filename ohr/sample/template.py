"""Pages from templates: prose in ``templates/<domain>.txt``, values and tables from code.

A template file holds the pages of one kind of document, parted by lines of ``====``. On a page,
one line is one sentence, and an empty line ends a paragraph::

    ## A heading
    <company> employed <staff> people [at the end of|in] <year>.
    ? N | How many people did <company> employ in <year>? | <staff>
    = <company> | people | the staff of <company> in <year> | <staff>
    - an item of a list (or, numbered, "1. an item")
    The interest on a late payment is
    $$ I = P \\times \\frac{<days>}{365}
    {prices}

``<name>`` is a value of the document, ``[a|b]`` one of several wordings, ``{name}`` a table,
chart or figure. A formula is numbered as ``$$(3) …``. ``@byline`` at the head of a paragraph is
its role. ``<<3`` to ``>>`` stands in three columns, ``<<span`` to ``>>`` across all columns.
``~ {name}`` breaks the sentence above off; the next line goes on with it after the table, chart
or figure. With ``~`` alone, at the end of a page, it goes on at the head of the next page.

Lines of ``%%`` part a page into passages; all but the first and the last come in any order.

A line with ``?`` asks a question of the sentence, item or formula above it: ``S`` for a string,
``N`` for a number, ``L`` for a list; ``*`` after the letter marks reasoning, ``?^`` asks of the
sentence's footnote. ``Y`` asks whether a statement is true, once with the right value in the place
of ``{}`` and once with a wrong one, which follows the right one or else is a number near it. For
questions over several pages, ``=`` states a fact (entity, unit, what it is, value) and ``>``
describes an entity without its name (description, entity).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias, cast

import numpy as np

from ohr.sample.blocks import (
    Block,
    Cell,
    Chart,
    Columns,
    Figure,
    Formula,
    Heading,
    ListBlock,
    PageBlocks,
    Paragraph,
    Plain,
    Role,
    Series,
    Span,
    TableBlock,
    TableCell,
    text,
)
from ohr.sample.markdown import (
    block_text,
    chart_lines,
    inline_text,
    note_text,
    notes,
    table_evidence,
)
from ohr.sample.questions.asks import FORMS, Ask, Fact, Link, differing, reasoned

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_SLOT = re.compile(r"<([a-z][a-z0-9_]*)>")
_ITEM = re.compile(r"(-|1\.) (.+)")
_FORMULA = re.compile(r"\$\$(?:\((\w+)\))? *(.+)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What could be asked of a document, or be part of a question over several pages.

    ``evidence`` is verbatim from the ground truth, as several passages if something stands
    between them.
    """

    content: Ask | Fact | Link
    source: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """The template of a cell that covers several columns or rows."""

    words: str
    colspan: int = 1
    rowspan: int = 1
    align: str = ""


DraftCell: TypeAlias = str | Merged
Numbered: TypeAlias = tuple[int, Ask | Fact]


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A table whose cells are templates; each question names the last row that it needs.

    Its evidence runs from the header to that row (0 is the first): a row alone does not say
    what its numbers mean. The header's first cell names the entity for the same reason.
    """

    header: Sequence[DraftCell]
    rows: Sequence[Sequence[DraftCell]]
    asks: Sequence[Numbered]
    align: str
    widths: tuple[int, ...] = ()
    grid: bool = False
    caption: str = ""
    subheader: Sequence[DraftCell] = ()


@dataclass(frozen=True, slots=True)
class ChartDraft:
    """A chart whose names are templates. Evidence runs from the header to the row it needs.

    ``label`` names the categories and, as the table behind it has no other place for it, the
    entity: ``Halvonta Group, year``.
    """

    kind: Literal["bar", "line", "pie"]
    label: str
    categories: tuple[str, ...]
    series: Mapping[str, Sequence[str]]
    asks: Sequence[Numbered]
    unit: str = ""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class FigureDraft:
    """A figure whose caption and labels are templates; nothing is asked of it."""

    kind: Literal["flow", "device", "photo"]
    caption: str
    labels: tuple[str, ...] = ()


Draft: TypeAlias = TableDraft | ChartDraft | FigureDraft


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """The blocks of a page and everything that could be asked of it."""

    blocks: PageBlocks
    candidates: tuple[Candidate, ...]


@cache
def page_templates(domain: str) -> tuple[str, ...]:
    """The page templates of a domain, in order."""
    source = files("ohr.sample").joinpath("templates", f"{domain}.txt")
    return tuple(source.read_text("utf-8").split("\n====\n"))


def write_document(
    templates: Sequence[str],
    slots: Mapping[str, str],
    tables: Mapping[str, Draft],
    rng_of: Callable[[int], np.random.Generator],
) -> tuple[WrittenPage, ...]:
    """Fill a document's templates, each with the generator of its page number.

    Raises KeyError for a slot or a table that the document lacks.
    """
    pages: list[WrittenPage] = []
    broken = ""
    for page_no, template in enumerate(templates):
        rng = rng_of(page_no)
        writer = _Writer(slots, tables, rng, broken=broken, continued=bool(broken))
        for line in _arranged(template, rng).splitlines():
            writer.line(line.strip())
        writer.flush(continues=bool(writer.broken))
        broken = writer.broken
        pages.append(WrittenPage(tuple(writer.blocks), tuple(writer.candidates)))
    return tuple(pages)


def _arranged(template: str, rng: np.random.Generator) -> str:
    first, *movable = f"{template}\n".split("\n%%\n")
    last = movable.pop() if movable else ""
    parts = [first, *(movable[int(i)] for i in rng.permutation(len(movable))), last]
    return "\n\n".join(part for part in parts if part.strip()).rstrip()


def write_page(
    template: str,
    slots: Mapping[str, str],
    tables: Mapping[str, Draft],
    rng: np.random.Generator,
) -> WrittenPage:
    """The only page of a document; raises what :func:`write_document` raises."""
    return write_document([template], slots, tables, lambda _: rng)[0]


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
    tables: Mapping[str, Draft]
    rng: np.random.Generator
    blocks: list[Block] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    ordered: bool = False
    role: Role = ""
    columns: str = ""
    column_start: int = 0
    source: str = "text"
    last_evidence: tuple[str, ...] = ()  # evidence of the line above
    broken: str = ""  # a sentence that goes on below a table, chart or figure, or overleaf
    continued: bool = False

    def line(self, line: str) -> None:
        if line.startswith(("?", "= ", "> ")):
            self.asks(line)
        elif not line:
            self.flush()
        elif line.startswith("#"):
            self.flush()
            marks, words = line.split(" ", 1)
            self.blocks.append(Heading(len(marks), text(self.fill(words))))
        elif match := _FORMULA.fullmatch(line):
            self.formula(self.fill(match[2]), match[1] or "")
        elif line.startswith("<<") or line == ">>":
            self.set_columns(line)
        elif line.startswith("@"):
            self.flush()
            role, _, line = line[1:].partition(" ")
            self.role = cast(Role, role)
            self.sentence(line)
        elif line.startswith("~"):
            self.broken = inline_text(text(self.sentences[-1]))
            if line != "~":
                self.flush()
                self.draft(line[1:].strip(" {}"))
        elif line.startswith("{"):
            self.flush()
            self.draft(line.strip("{}"))
        elif match := _ITEM.fullmatch(line):
            self.ordered = match[1] != "-"
            self.items.append(self.fill(match[2]))
            self.source, self.last_evidence = "text", (inline_text(text(self.items[-1])),)
        else:
            self.sentence(line)

    def sentence(self, line: str) -> None:
        self.sentences.append(self.fill(line))
        written = inline_text(text(self.sentences[-1]))
        self.source, self.last_evidence = "text", (written,)
        if self.broken and len(self.sentences) > 1:  # pages that were put together
            self.last_evidence = (f"{self.broken} {written}",)
        elif self.broken:
            self.source, self.last_evidence = "reading_order", (self.broken, written)
        self.broken = ""

    def flush(self, *, continues: bool = False) -> None:
        if self.sentences:
            words = text(" ".join(self.sentences))
            self.blocks.append(Paragraph(words, self.role, continues, self.continued))
            self.continued = False
        if self.items:
            self.blocks.append(ListBlock(tuple(text(item) for item in self.items), self.ordered))
        self.sentences, self.items, self.role = [], [], ""

    def fill(self, template: str) -> str:
        return spin(template, self.slots, self.rng)

    def formula(self, latex: str, number: str) -> None:
        lead = self.last_evidence[-1]
        self.flush()
        self.blocks.append(Formula(latex, number))
        # The formula alone does not say what it is about; the sentence before it does.
        self.source = "formula"
        self.last_evidence = (f"{lead}\n\n{block_text(self.blocks[-1])}",)

    def set_columns(self, line: str) -> None:
        self.flush()
        if line == ">>":
            inner = tuple(cast(list[Plain], self.blocks[self.column_start :]))
            whole = Span(inner) if self.columns == "span" else None
            count = cast(Literal[2, 3], int(self.columns) if whole is None else 2)
            self.blocks[self.column_start :] = [whole or Columns(count, inner)]
        else:
            self.columns, self.column_start = line[2:], len(self.blocks)

    def draft(self, name: str) -> None:
        match self.tables[name]:
            case TableDraft() as draft:
                self.table(draft)
            case ChartDraft() as draft:
                self.chart(draft)
            case FigureDraft(kind, caption, labels):
                named = tuple(self.fill(label) for label in labels)
                self.blocks.append(Figure(kind, text(self.fill(caption)), named))

    def table(self, draft: TableDraft) -> None:
        table = TableBlock(
            self.cells(draft.header),
            tuple(self.cells(row) for row in draft.rows),
            draft.align,
            draft.grid,
            draft.widths,
            text(self.fill(draft.caption)),
            self.cells(draft.subheader),
        )
        self.blocks.append(table)
        evidence = {row: table_evidence(table, row) for row in {row for row, _ in draft.asks}}
        for row, content in draft.asks:
            self.add(content, "table", (evidence[row],))

    def chart(self, draft: ChartDraft) -> None:
        series = tuple(
            Series(self.fill(name), tuple(values)) for name, values in draft.series.items()
        )
        categories = tuple(self.fill(category) for category in draft.categories)
        label, unit, caption = map(self.fill, (draft.label, draft.unit, draft.caption))
        chart = Chart(draft.kind, categories, series, label, unit, text(caption))
        self.blocks.append(chart)
        lines = chart_lines(chart)
        ends = [number for number, line in enumerate(lines) if line.endswith(r" \\")]
        for row, content in draft.asks:
            self.add(content, "chart", ("\n".join(lines[ends[0] : ends[row + 1] + 1]),))

    def cells(self, row: Sequence[DraftCell]) -> tuple[TableCell, ...]:
        return tuple(
            Cell(text(self.fill(cell.words)), cell.colspan, cell.rowspan, cell.align)
            if isinstance(cell, Merged)
            else text(self.fill(cell))
            for cell in row
        )

    def asks(self, line: str) -> None:
        mark, _, rest = line.partition(" ")
        parts = [part.strip() for part in rest.split("|")]
        evidence = self.last_evidence
        if mark == "?^":
            written = (self.sentences or self.items)[-1]
            evidence = tuple(note_text(note) for note in notes(Paragraph(text(written))))
        if mark == "=":
            self.add(Fact(*parts), self.source, evidence)
        elif mark == ">":
            self.add(Link(*parts), self.source, evidence)
        else:
            code, question, answer, *wrong = map(self.fill, parts)
            if code[0] == "Y":
                ask = differing(question, answer, *wrong)
            else:
                ask = Ask(question, answer, FORMS[code[0]])
            self.add(reasoned(ask) if code.endswith("*") else ask, self.source, evidence)

    def add(self, content: Ask | Fact | Link, source: str, evidence: tuple[str, ...]) -> None:
        filled: Ask | Fact | Link
        match content:
            case Ask(question, answer, form, denied, task):
                question, answer, denied = map(self.fill, (question, answer, denied))
                filled = Ask(question, answer, form, denied, task)
            case Fact(entity, unit, what, value):
                filled = Fact(*map(self.fill, (entity, unit, what, value)))
            case Link(description, entity):
                filled = Link(*map(self.fill, (description, entity)))
        self.candidates.append(Candidate(filled, source, evidence))
