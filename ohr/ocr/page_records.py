"""Pages of a knowledge base with what is known of each: in ``pages.csv``, JSON Lines or Markdown.

``pages.csv`` has one row per page (:data:`COLUMNS`, then the doubtful words as a JSON list), in the
order of documents and pages. A page that has no text in the knowledge base has a row too, and a
line or a comment in the other formats, with the reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ohr.errors import ConfigError, OhrError, did_you_mean
from ohr.ocr.routes import LAYER
from ohr.store.atomic import write_text
from ohr.store.csv import unescape_table, write_csv
from ohr.types import FAILED, Outcome, PageRef, Status

PAGES = "pages.csv"
JSONL = "pages.jsonl"
COLUMNS = (
    *("document", "page", "file", "route", "engine", "trusted", "doubt", "reason"),
    *("predicted_error", "low", "high", "confidence", "doubtful_words", "seconds"),
)
DOUBTFUL = "doubtful"
"""Last column of ``pages.csv``: the words; ``doubtful_words`` is their number there."""
NOT_ASSESSED = "not assessed"
_NUMBERS = ("predicted_error", "low", "high", "confidence", "seconds")
_DIGITS = 4


@dataclass(frozen=True)
class PageRecord:
    """A page: where its text is from, and how far it can be trusted.

    ``predicted_error`` (edit distance without mark-up), its interval ``low`` to ``high``, and
    ``confidence`` (the engine's mean confidence in its words) are in [0, 1]; NaN if not assessed.
    ``doubtful_words`` are the words of which the engine is less than .6 sure. ``route`` is
    ``layer``, an engine's label, or empty if not known. ``text`` is None for a page that failed or
    is left out, and empty for one on which nothing was found.
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

    @property
    def engine(self) -> str | None:
        """The engine that the text is from; None for a text layer, or if not known."""
        return self.route if self.route not in ("", LAYER) else None

    def metadata(self) -> dict[str, Any]:
        """The record without its text, for JSON: what is not assessed is null."""
        fields: dict[str, Any] = {
            "document": self.ref.doc_id,
            "page": self.ref.page_no + 1,
            "file": self.file,
            "route": self.route or None,
            "engine": self.engine,
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
    import pandas as pd  # not at the top: a plan of what would be read needs no tables

    rows = []
    for record in records:
        row = record.metadata()
        row["doubtful_words"] = len(record.doubtful_words)
        row["trusted"] = "yes" if row["trusted"] else "no"
        row[DOUBTFUL] = json.dumps(record.doubtful_words, ensure_ascii=False)
        rows.append(row)
    write_csv(folder / PAGES, pd.DataFrame(rows, columns=[*COLUMNS, DOUBTFUL]))


def read_table(path: Path) -> dict[PageRef, PageRecord]:
    """The records of a ``pages.csv``, without their texts. Raises OhrError if it is damaged."""
    import pandas as pd

    try:
        table = unescape_table(pd.read_csv(path, dtype=str, keep_default_na=False))
        records = [_parsed(row) for row in table.to_dict("records")]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise OhrError(f"{path} is damaged: {error!r}") from error
    return {record.ref: record for record in records}


def _parsed(row: Mapping[Any, Any]) -> PageRecord:
    numbers = {name: float(row[name] or math.nan) for name in _NUMBERS}
    return PageRecord(
        PageRef(row["document"], int(row["page"]) - 1),
        row["file"],
        row["route"],
        row["reason"],
        doubt=row["doubt"],
        doubtful_words=tuple(map(str, json.loads(row[DOUBTFUL]))),
        **cast("dict[str, Any]", numbers),
    )


def read_record(
    ref: PageRef,
    file: str,
    route: str,
    outcome: Outcome[str],
    seconds: float = math.nan,
    *,
    doubtful_words: tuple[str, ...] = (),
) -> PageRecord:
    """The record of a page that was read by one route, and not assessed.

    A verified text layer can be trusted; an engine's text is in doubt as long as nobody assessed
    it.
    """
    doubt = "" if route == LAYER else NOT_ASSESSED
    if outcome.status in FAILED:
        doubt = outcome.detail or str(outcome.status)
    elif outcome.status is Status.EMPTY:
        doubt = doubt and "no text was found"
    text = None if outcome.status in FAILED else outcome.value or ""
    return PageRecord(
        ref,
        file,
        route,
        "",
        text,
        doubt,
        confidence=math.nan if outcome.confidence is None else outcome.confidence,
        doubtful_words=doubtful_words,
        seconds=seconds,
    )


def page_seconds(cost: Mapping[str, float] | None) -> float:
    """Wall seconds of a page by its stored cost; NaN if they were not measured."""
    return (cost or {}).get("wall_s", math.nan)


def check_formats(formats: Sequence[str]) -> None:
    """Raise ConfigError for a format that is not known."""
    for name in formats:
        if name not in FORMATS:
            raise ConfigError(f"unknown --format {name!r}; {did_you_mean(name, list(FORMATS))}")


def write_records(records: Sequence[PageRecord], folder: Path, formats: Sequence[str]) -> None:
    """Write ``pages.csv`` and the named formats, and remove formats of an earlier command."""
    ordered = sorted(records, key=lambda record: record.ref)
    write_table(ordered, folder)
    _remove_formats(ordered, folder)
    for name, write in FORMATS.items():
        if name in formats:
            write(ordered, folder)


def _remove_formats(records: Sequence[PageRecord], folder: Path) -> None:
    (folder / JSONL).unlink(missing_ok=True)
    for doc_id in {record.ref.doc_id for record in records}:
        (folder / f"{doc_id}.md").unlink(missing_ok=True)


def write_jsonl(records: Sequence[PageRecord], folder: Path) -> None:
    """Write ``pages.jsonl``: a line ``{"id", "text", "metadata"}`` for each page.

    The id is ``<domain>/<document>#<page>``, from 1. ``text`` is null for a page that failed or is
    left out, and empty for one on which nothing was found.
    """
    lines = [
        json.dumps(
            {
                "id": f"{record.ref.doc_id}#{record.ref.page_no + 1}",
                "text": record.text,
                "metadata": record.metadata(),
            },
            ensure_ascii=False,
        )
        for record in records
    ]
    # A separator of lines inside a text would end a line for some readers.
    text = "".join(f"{line}\n" for line in lines)
    for separator in ("\x85", "\u2028", "\u2029"):
        text = text.replace(separator, f"\\u{ord(separator):04x}")
    write_text(folder / JSONL, text)


def write_markdown(records: Sequence[PageRecord], folder: Path) -> None:
    """Write ``<domain>/<document>.md``: each page after a comment with its metadata."""
    documents: dict[str, list[str]] = {}
    for record in records:
        # No text can end the comment: JSON may hold "-->" only in strings.
        comment = json.dumps(record.metadata(), ensure_ascii=False).replace(">", "\\u003e")
        parts = [f"<!-- page {record.ref.page_no + 1}: {comment} -->", (record.text or "").strip()]
        documents.setdefault(record.ref.doc_id, []).append("\n\n".join(filter(None, parts)) + "\n")
    for doc_id, pages in documents.items():
        write_text(folder / f"{doc_id}.md", "\n".join(pages))


FORMATS: Mapping[str, Callable[[Sequence[PageRecord], Path], None]] = {
    "jsonl": write_jsonl,
    "markdown": write_markdown,
}
"""Formats of a knowledge base's pages beside its JSON files."""
