"""A question of each of the ten categories about a generated document, with an answer to check.

The categories are PDFTriage's (:mod:`ohr.datasets.categories`). Each question names its document
by the title, since it may be asked of many documents at once. What has no single right wording is
asked so that it has: a summary by the titles of sections, a rewriting in capital letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ohr.sample.blocks import Cell, Chart, Heading, Plain, TableBlock, Text, Words, make_cell
from ohr.sample.markdown import block_text, flatten, inline_text
from ohr.sample.questions.asks import FORMS, UNDERSTANDING, Ask
from ohr.sample.questions.joined import Evidence, Placed, joined_questions
from ohr.sample.questions.qas import record
from ohr.sample.questions.questions import Answerable, GoldQuestion, place
from ohr.sample.template import WrittenPage
from ohr.types import PageRef

KINDS = {
    "finance": "an annual report",
    "law": "a supply agreement",
    "manual": "a manual",
    "textbook": "a textbook",
    "newspaper": "a newspaper",
    "academic": "a research paper",
    "administration": "a notice of an authority",
}
"""Domain -> what its documents are."""
REFUSALS = ("not answerable", "not in the document", "unknown")
"""Answers to what no document says; :func:`ohr.metrics.refusal.refused` knows them."""
_UNKNOWN = (
    "who painted the picture in the entrance hall of the printer's office",
    "what the weather was like on the day before it was printed",
    "how many copies of its first draft were thrown away",
    "which typewriter its author learned to write on",
)
B = TypeVar("B", TableBlock, Chart)
WRITTEN_FOR = dict.fromkeys(("structure", "summarization", "rewrite"), "pdftriage")
"""Category -> the system of which the rules and these questions are one: ``pdftriage`` answers from
the titles of sections that the questions were made of, in the same words.
"""
_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


@dataclass(frozen=True, slots=True)
class _On:
    """A block and its page."""

    page: int
    block: Plain


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    page: int


def category_records(
    doc_id: str, title: str, pages: Sequence[WrittenPage], rng: np.random.Generator
) -> list[dict[str, object]]:
    """An entry of ``qas_categories.json``, without an id, for each category that fits a document.

    A category does not fit where the document has no table, no chart or too few sections.
    """
    document = _Document(doc_id, title, pages, rng)
    return [
        record("", gold)
        | {"answers": list(answers) or gold.answer, "category": category}
        | ({"written_for": WRITTEN_FOR[category]} if category in WRITTEN_FOR else {})
        for category, gold, answers in document.questions()
    ]


class _Document:
    """A document with what can be asked about its structure."""

    def __init__(
        self, doc_id: str, title: str, pages: Sequence[WrittenPage], rng: np.random.Generator
    ) -> None:
        self.doc_id, self.title, self.rng = doc_id, title, rng
        self.pages = pages
        self.blocks = [
            _On(number, block)
            for number, page in enumerate(pages)
            for block in flatten(page.blocks)
        ]
        self.sections = _sections(self.blocks)
        placed = list(place(Answerable(doc_id, tuple(pages))))
        self.asks = [item for item in placed if isinstance(item.content, Ask)]
        self.joined = list(joined_questions(placed))

    def questions(self) -> Iterator[tuple[str, GoldQuestion, tuple[str, ...]]]:
        """Category, question and, where there are several, its answers."""
        makers = {
            "figure": self._figure,
            "text": self._text,
            "table": self._table,
            "structure": self._structure,
            "summarization": self._summarization,
            "extraction": self._extraction,
            "rewrite": self._rewrite,
            "outside": self._question_outside,
            "cross-page": self._cross_page,
            "classification": self._classification,
        }
        for category, maker in makers.items():
            gold = maker()
            if gold is not None:
                yield category, gold, REFUSALS if category == "outside" else ()

    def _gold(
        self, question: str, answer: str, form: str, source: str, *where: tuple[int, str]
    ) -> GoldQuestion:
        evidence = tuple(Evidence(PageRef(self.doc_id, page), text) for page, text in where)
        return GoldQuestion(question, answer, FORMS[form], source, UNDERSTANDING, evidence)

    def _figure(self) -> GoldQuestion | None:
        charts = self._alone(Chart)
        if not charts:
            return None
        page, chart = charts[int(self.rng.integers(len(charts)))]
        series = chart.series[int(self.rng.integers(len(chart.series)))]
        position = int(self.rng.integers(len(chart.categories)))
        question = (
            f'In the chart on page {page + 1} of "{self.title}", what is the value of '
            f"{series.name} for {chart.categories[position]}?"
        )
        return self._gold(
            question, series.values[position], "N", "chart", (page, block_text(chart))
        )

    def _text(self) -> GoldQuestion | None:
        return self._question([
            item for item in self.asks
            if item.source == "text" and len(item.pages) == 1
            and _form(item) in ("String", "Numeric")
        ])  # fmt: skip

    def _question(self, placed: Sequence[Placed]) -> GoldQuestion | None:
        if not placed:
            return None
        item = placed[int(self.rng.integers(len(placed)))]
        ask = item.content
        assert isinstance(ask, Ask)
        task = ask.task or UNDERSTANDING
        return GoldQuestion(ask.question, ask.answer, ask.form, item.source, task, item.evidence)

    def _alone(self, kind: type[B]) -> list[tuple[int, B]]:
        """The tables, or the charts, that no other one stands beside, each with its page.

        The truth of a chart is its numbers as a table: beside one, "the table" says too little.
        """
        pages = [block.page for block in self.blocks if isinstance(block.block, TableBlock | Chart)]
        return [
            (block.page, block.block)
            for block in self.blocks
            if isinstance(block.block, kind) and pages.count(block.page) == 1
        ]

    def _tables(self) -> list[tuple[int, TableBlock]]:
        return [(page, table) for page, table in self._alone(TableBlock) if _is_plain(table)]

    def _table(self) -> GoldQuestion | None:
        tables = self._tables()
        if not tables:
            return None
        page, table = tables[int(self.rng.integers(len(tables)))]
        row = table.rows[int(self.rng.integers(len(table.rows)))]
        column = 1 + int(self.rng.integers(len(row) - 1))
        question = (
            f'In the table on page {page + 1} of "{self.title}", what stands in the row '
            f"{_words(row[0])} under {_words(table.header[column])}?"
        )
        return self._gold(question, _words(row[column]), "S", "table", (page, block_text(table)))

    def _structure(self) -> GoldQuestion | None:
        if len(self.sections) < 2:
            return None
        position = int(self.rng.integers(min(len(self.sections), len(_NTH))))
        section = self.sections[position]
        if self.rng.integers(2):
            question = f'What is the title of the {_NTH[position]} section of "{self.title}"?'
            return self._gold(question, _bare(section.title), "S", "text", self._heading(section))
        question = f'How many sections are there in "{self.title}"?'
        where = [self._heading(section) for section in self.sections]
        return self._gold(question, str(len(self.sections)), "N", "text", *where)

    def _summarization(self) -> GoldQuestion | None:
        if len(self.sections) < 2:
            return None
        question = f'Summarize "{self.title}" by the titles of its sections.'
        answer = ", ".join(_bare(section.title) for section in self.sections)
        where = [self._heading(section) for section in self.sections]
        return self._gold(question, answer, "L", "text", *where)

    def _extraction(self) -> GoldQuestion | None:
        tables = self._tables()
        if not tables:
            return None
        page, table = tables[int(self.rng.integers(len(tables)))]
        question = (
            f"List all entries of the first column of the table on page {page + 1} of "
            f'"{self.title}".'
        )
        answer = ", ".join(_words(row[0]) for row in table.rows)
        return self._gold(question, answer, "L", "table", (page, block_text(table)))

    def _rewrite(self) -> GoldQuestion | None:
        if not self.sections:
            return None
        position = int(self.rng.integers(min(len(self.sections), len(_NTH))))
        section = self.sections[position]
        section_name = f"the {_NTH[position]} section"
        question = f'Rewrite the title of {section_name} of "{self.title}" in capital letters.'
        answer = _bare(section.title).upper()
        return self._gold(question, answer, "S", "text", self._heading(section))

    def _question_outside(self) -> GoldQuestion | None:
        heading = self._first_heading()
        if heading is None:
            return None
        matter = _UNKNOWN[int(self.rng.integers(len(_UNKNOWN)))]
        question = f'Besides what the document "{self.title}" says, {matter}?'
        return self._gold(question, REFUSALS[0], "S", "text", heading)

    def _cross_page(self) -> GoldQuestion | None:
        return self._question([item for item in self.joined if _form(item) != FORMS["Y"]])

    def _classification(self) -> GoldQuestion | None:
        heading = self._first_heading()
        domain = self.doc_id.split("/")[0]
        if heading is None or domain not in KINDS:
            return None
        rest = [kind for name, kind in KINDS.items() if name != domain]
        both = [KINDS[domain], rest[int(self.rng.integers(len(rest)))]]
        if self.rng.integers(2):
            both.reverse()
        question = f'Is "{self.title}" {both[0]} or {both[1]}?'
        return self._gold(question, KINDS[domain], "S", "text", heading)

    def _first_heading(self) -> tuple[int, str] | None:
        for located in self.blocks:
            if isinstance(located.block, Heading):
                return located.page, _heading_text(located.block)
        return None

    def _heading(self, section: _Section) -> tuple[int, str]:
        return section.page, section.title


def _sections(blocks: Sequence[_On]) -> list[_Section]:
    """The outermost sections below the title, which the first heading is; none where a title
    comes twice.
    """
    headings = [(located.page, b) for located in blocks if isinstance(b := located.block, Heading)]
    level = min((heading.level for _, heading in headings[1:]), default=0)
    if not headings or level <= headings[0][1].level:
        return []
    sections = [_Section(_heading_text(h), page) for page, h in headings[1:] if h.level == level]
    return sections if len({section.title for section in sections}) == len(sections) else []


def _heading_text(heading: Heading) -> str:
    return inline_text(heading.text)


def _bare(title: str) -> str:
    """A title without its number."""
    number, _, rest = title.partition(" ")
    return rest if rest and number.rstrip(".").replace(".", "").isdigit() else title


def _form(item: Placed) -> str:
    return item.content.form if isinstance(item.content, Ask) else ""


def _is_plain(table: TableBlock) -> bool:
    """Whether no cell is merged, empty or more than words, and no two rows begin alike."""
    cells = [make_cell(cell) for row in (table.header, *table.rows) for cell in row]
    first = [_words(row[0]) for row in table.rows]
    return (
        len(table.header) > 1
        and not table.subheader
        and all(cell.colspan == cell.rowspan == 1 and _is_words(cell.text) for cell in cells)
        and len(set(first)) == len(first)
        and len({_words(cell) for cell in table.header}) == len(table.header)
    )


def _is_words(text: Text) -> bool:
    return bool(text) and all(isinstance(part, Words) for part in text)


def _words(cell: Cell | Text) -> str:
    return inline_text(make_cell(cell).text)
