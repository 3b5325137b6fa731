"""Relevance judgements: which pages answer a query, and how well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ohr.collection import ValidationReport
from ohr.datasets.values import grade_of, name_of, reason_of

QUERY = ("query-id", "query_id", "_id", "id")
"""Names of the column of a query's id, in the sets of BEIR's form."""
PAGE = ("corpus-id", "corpus_id", "docid", "doc_id")
"""Names of the column of a page's id."""

Judgements = dict[str, dict[str, float]]
"""Id of a query -> id of a page -> its grade, above 0."""


def first_of(row: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The value of the first of some columns that a row has; None without any."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def read_judgements(
    rows: Iterable[Mapping[str, Any]], domain: str, report: ValidationReport
) -> Judgements:
    """The judgements above 0, in the order of the rows; malformed rows go into the report.

    A page that is judged twice has the higher grade. Without a score, a page is relevant.
    """
    judgements: Judgements = {}
    for number, row in enumerate(rows):
        try:
            written = row.get("score", 1)
            grade = grade_of(written, "score") if written not in (None, "") else 0.0
            if grade > 0:
                query = name_of(first_of(row, QUERY), QUERY[0])
                page = name_of(first_of(row, PAGE), PAGE[0])
                grades = judgements.setdefault(query, {})
                grades[page] = max(grade, grades.get(page, 0.0))
        except ValueError as error:
            report.add("malformed_question", f"{domain}: row {number} of qrels: {reason_of(error)}")
    return judgements


def relevance_of(grades: Iterable[float]) -> tuple[float, ...]:
    """The grades of a question's pages; empty if they are all equal."""
    values = tuple(grades)
    return values if len(set(values)) > 1 else ()
