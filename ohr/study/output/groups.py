"""Groups of questions and pages: all, and each evidence source, domain, category, form and task."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ohr.datasets.verify import form_name, named_form
from ohr.study.plan import Plan
from ohr.types import EVIDENCE_SOURCES, PageRef, Question

if TYPE_CHECKING:
    import pandas as pd


GROUP_COLUMNS = {
    "evidence_source": "source", "domain": "domain", "category": "category",
    "answer_form": "form", "task": "task",
}  # fmt: skip
"""Columns of rows by which questions are grouped -> prefix of the names of the groups."""
STATED = frozenset({"category"})
"""Columns that rows have only if a question states a value."""


@dataclass(frozen=True)
class Units:
    """The units of one kind of metric, with their clusters and groups."""

    documents: np.ndarray
    pages: np.ndarray
    groups: dict[str, np.ndarray]
    """Group -> indices of its units."""
    tags: list[list[str]]
    """The groups of each unit except ``all``, in the order of :func:`group_names`."""


@dataclass(frozen=True)
class Grouping:
    """Questions and re-read pages of a plan, by evidence source, domain, category, form, task."""

    questions: Units
    pages: Units

    def units_of(self, unit: str) -> Units:
        """The units of a metric over ``page`` or ``question``."""
        return self.pages if unit == "page" else self.questions


def group_names(plan: Plan) -> list[str]:
    """``all``, then the sources, domains, categories, forms and tasks of the questions."""
    sources = sorted({question.evidence_source for question in plan.questions})
    kinds = sorted({tag for question in plan.questions for tag in _kinds(question)})
    return [
        "all",
        *(f"source:{source}" for source in known_first(sources)),
        *(f"domain:{domain}" for domain in plan.domains),
        *kinds,
    ]


def _kinds(question: Question) -> set[str]:
    """The groups of a question by category, answer form and task, if stated."""
    stated = {
        "category": question.category.strip().lower(),
        "form": form_name(question),
        "task": question.task.strip().lower(),
    }
    return {f"{kind}:{value}" for kind, value in stated.items() if value}


def make_grouping(plan: Plan) -> Grouping:
    """The groups of a plan. A page has the groups of the questions whose evidence it carries."""
    documents = {doc_id: i for i, doc_id in enumerate(plan.dataset.documents)}
    every_page = {ref: i for i, ref in enumerate(plan.dataset.pages)}
    names = group_names(plan)

    def place(ref: PageRef) -> int:
        """Place of a page; a missing or unnamed page has one place per document."""
        return every_page.get(ref, -1 - documents[ref.doc_id])

    def units(owners: Sequence[PageRef], tags: Sequence[set[str]]) -> Units:
        return Units(
            np.array([documents[ref.doc_id] for ref in owners], dtype=np.int64),
            np.array([place(ref) for ref in owners], dtype=np.int64),
            {
                name: np.flatnonzero([name == "all" or name in tag for tag in tags])
                for name in names
            },
            [[name for name in names if name in tag] for tag in tags],
        )

    carried: dict[PageRef, set[str]] = {}
    for question in plan.questions:
        for ref in question.evidence_pages:
            tags = {f"source:{question.evidence_source}", *_kinds(question)}
            carried.setdefault(ref, set()).update(tags)
    return Grouping(
        units(
            [question.place for question in plan.questions],
            [
                {f"source:{q.evidence_source}", f"domain:{q.domain}", *_kinds(q)}
                for q in plan.questions
            ],
        ),
        units(
            plan.reread,
            [
                carried.get(ref, set()) | {f"domain:{plan.dataset.documents[ref.doc_id].domain}"}
                for ref in plan.reread
            ],
        ),
    )


def tags_of(rows: pd.DataFrame) -> pd.Series:
    """The groups of each row's unit as a JSON list, from the columns of :data:`GROUP_COLUMNS`."""
    import pandas as pd

    named = {
        column: _group_labels(rows, column).map(
            lambda name, prefix=prefix: [f"{prefix}:{name}"] if name else []
        )
        for column, prefix in GROUP_COLUMNS.items()
        if column in rows
    }
    tags = sum(named.values(), pd.Series([[] for _ in range(len(rows))], index=rows.index))
    return tags.map(lambda names: json.dumps(names, ensure_ascii=False))


def _group_labels(rows: pd.DataFrame, column: str) -> pd.Series:
    if column in STATED:  # runs without the column are combined with others
        return rows[column].astype(object).fillna("").astype(str).str.strip().str.lower()
    names = rows[column].astype(str)
    if column == "answer_form":
        return names.map(named_form)
    return names.str.strip().str.lower() if column == "task" else names


def group_rows(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """``all``, then each evidence source, domain, category, form and task, with its rows."""
    yield "all", rows
    for column, prefix in GROUP_COLUMNS.items():
        if column not in rows:
            continue
        names = _group_labels(rows, column)
        for name in known_first(name for name in names.unique() if name):
            yield f"{prefix}:{name}", rows[names == name]


def known_first(names: Iterable[str]) -> list[str]:
    """Names, each once: the paper's evidence sources in its order, then the others."""
    distinct = dict.fromkeys(names)
    sources = [name for name in EVIDENCE_SOURCES if name in distinct]
    return sources + [name for name in distinct if name not in sources]
