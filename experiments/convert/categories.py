"""Fills categories into files of questions."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ohr.collection import ValidationReport
from ohr.datasets.categories import CATEGORIES, category_of
from ohr.datasets.json_text import parse_records
from ohr.datasets.ohrbench import question_of, source_name
from ohr.datasets.questions_csv import read_rows
from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.files.safe_text import escape_formula
from ohr.store.atomic import write_text
from ohr.types import PageRef, Question


def fill_in(source: Path, out: Path) -> int:
    """Write the file with a category for each question, and print the counts.

    Raises DatasetError for a file without questions.
    """
    labels: list[tuple[str, str]] = []
    text = _csv(source, labels) if source.suffix.lower() == ".csv" else _json(source, labels)
    write_text(out, text)
    counts = Counter(stated or by_rule for stated, by_rule in labels)
    for name in [*CATEGORIES, *sorted(set(counts) - {*CATEGORIES})]:
        print(f"{name:15} {counts[name]:6}")
    pairs = [(stated.strip().lower(), by_rule) for stated, by_rule in labels if stated]
    if pairs:
        right = sum(stated == by_rule for stated, by_rule in pairs)
        print(f"the rule agrees on {right} of {len(pairs)} questions that state their category")
    print(f"questions: {out}")
    return 0


def _json(source: Path, labels: list[tuple[str, str]]) -> str:
    try:
        entries = parse_records(read_bounded(source))
    except OSError as error:
        raise DatasetError(f"cannot read questions from {source}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"cannot read questions from {source}: {error}") from error
    if not isinstance(entries, list):
        raise DatasetError(f"{source}: expected a list of questions")
    filled = [_entry(entry, labels) for entry in entries]
    return json.dumps(filled, ensure_ascii=False, indent=1) + "\n"


def _entry(entry: Any, labels: list[tuple[str, str]]) -> Any:
    try:
        question = question_of(entry)
    except (KeyError, TypeError, ValueError):
        return entry  # the dataset reports this fault when it is loaded
    by_rule = category_of(question)
    labels.append((question.category, by_rule))
    return entry | {"category": question.category or by_rule}


def _csv(source: Path, labels: list[tuple[str, str]]) -> str:
    report = ValidationReport()
    rows = read_rows(source, report)
    if report:
        raise DatasetError(f"{source}: {report.summary()}")
    names = list(dict.fromkeys(name for row in rows for name in row.fields))
    sink = io.StringIO()
    writer = csv.DictWriter(sink, [*(n for n in names if n != "category"), "category"])
    writer.writeheader()
    for row in rows:
        by_rule = category_of(_question(row.fields))
        stated = row["category"]
        labels.append((stated, by_rule))
        filled = dict(row.fields) | {"category": stated or by_rule}
        writer.writerow({name: escape_formula(text) for name, text in filled.items()})
    return sink.getvalue()


def _question(fields: Mapping[str, str]) -> Question:
    ref = PageRef(fields.get("document", ""), 0)
    source = source_name(fields.get("evidence_source", "")) or "text"
    return Question("", fields.get("question", ""), (), ref.doc_id, "", (ref,), "", source)
