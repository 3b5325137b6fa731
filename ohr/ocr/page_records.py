"""Pages of a knowledge base with what is known of each: in ``pages.csv``, JSON Lines or Markdown.

``pages.csv`` has one row per page (:data:`COLUMNS`), in the order of documents and pages. A page
that has no text in the knowledge base has a row too, with the reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.types import PageRef

PAGES = "pages.csv"
JSONL = "pages.jsonl"
COLUMNS = (
    *("document", "page", "file", "route", "trusted", "doubt", "reason"),
    *("predicted_error", "low", "high", "confidence", "doubtful_words", "seconds"),
)
_NUMBERS = ("predicted_error", "low", "high", "confidence", "seconds")
_DIGITS = 4


@dataclass(frozen=True)
class PageRecord:
    """A page: where its text is from, and how far it can be trusted.

    ``predicted_error`` (edit distance without mark-up), its interval ``low`` to ``high``, and
    ``confidence`` (the engine's mean confidence in its words) are in [0, 1]; NaN if not assessed.
    ``doubtful_words`` are the words of which the engine is less than .6 sure. ``text`` is None for
    a page that is left out.
    """

    ref: PageRef
    file: str
    route: str
    reason: str
    text: str | None = None
    doubt: str = ""
    """Why the text cannot be trusted; empty if it can."""
    predicted_error: float = math.nan
    low: float = math.nan
    high: float = math.nan
    confidence: float = math.nan
    doubtful_words: tuple[str, ...] = ()
    seconds: float = math.nan

    def metadata(self) -> dict[str, Any]:
        """The record without its text, for JSON: what is not assessed is null."""
        fields: dict[str, Any] = {
            "document": self.ref.doc_id,
            "page": self.ref.page_no + 1,
            "file": self.file,
            "route": self.route,
            "trusted": not self.doubt,
            "doubt": self.doubt,
            "reason": self.reason,
        }
        for name in _NUMBERS:
            value = getattr(self, name)
            fields[name] = None if math.isnan(value) else round(value, _DIGITS)
        fields["doubtful_words"] = list(self.doubtful_words)
        return {name: fields[name] for name in COLUMNS}


def write_table(records: Sequence[PageRecord], folder: Path) -> None:
    """Write ``pages.csv``; ``doubtful_words`` is their number there."""
    rows = []
    for record in records:
        row = record.metadata()
        row["doubtful_words"] = len(record.doubtful_words)
        row["trusted"] = "yes" if row["trusted"] else "no"
        rows.append(row)
    write_csv(folder / PAGES, pd.DataFrame(rows, columns=list(COLUMNS)))


def remove_formats(records: Sequence[PageRecord], folder: Path) -> None:
    """Remove the pages that an earlier command wrote as JSON Lines or Markdown."""
    (folder / JSONL).unlink(missing_ok=True)
    for doc_id in {record.ref.doc_id for record in records}:
        (folder / f"{doc_id}.md").unlink(missing_ok=True)


def write_jsonl(pages: Sequence[tuple[PageRef, str, Mapping[str, Any]]], folder: Path) -> None:
    """Write ``pages.jsonl``: a line ``{"id", "text", "metadata"}`` for each page.

    ``pages`` are references, texts and metadata; the id is ``<domain>/<document>#<page>``, from 1.
    """
    lines = [
        json.dumps(
            {"id": f"{ref.doc_id}#{ref.page_no + 1}", "text": text, "metadata": dict(metadata)},
            ensure_ascii=False,
        )
        for ref, text, metadata in pages
    ]
    # A separator of lines inside a text would end a line for some readers.
    text = "".join(f"{line}\n" for line in lines)
    for separator in ("\x85", "\u2028", "\u2029"):
        text = text.replace(separator, f"\\u{ord(separator):04x}")
    write_text(folder / JSONL, text)


def write_markdown(pages: Sequence[tuple[PageRef, str, Mapping[str, Any]]], folder: Path) -> None:
    """Write ``<domain>/<document>.md``: each page after a comment with its metadata."""
    documents: dict[str, list[str]] = {}
    for ref, text, metadata in pages:
        # No text can end the comment: JSON may hold "-->" only in strings.
        comment = json.dumps(dict(metadata), ensure_ascii=False).replace(">", "\\u003e")
        documents.setdefault(ref.doc_id, []).append(
            f"<!-- page {ref.page_no + 1}: {comment} -->\n\n{text.strip()}\n"
        )
    for doc_id, parts in documents.items():
        write_text(folder / f"{doc_id}.md", "\n".join(parts))
