"""Pages that a person has transcribed: their files, and the true errors of OCR output on them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from ohr.adviser.own_pages import SampleOutputs
from ohr.errors import ConfigError
from ohr.quality.truth import TARGETS, targets
from ohr.types import PageRef

TRUTH_SUFFIXES = (".md", ".txt")


def transcription_name(ref: PageRef) -> str:
    """The file name of a person's transcription of a page."""
    return f"{ref.doc_id}/page_{ref.page_no + 1:04d}.md"


def read_truth(folder: Path, refs: Sequence[PageRef]) -> dict[PageRef, str]:
    """Read the transcriptions of sampled pages. Raises ConfigError if there are none."""
    if not folder.is_dir():
        raise ConfigError(f"--truth: no folder {folder}")
    transcriptions = dict(_transcriptions(folder, refs))
    if not transcriptions:
        raise ConfigError(
            f"--truth {folder}: no transcription of a sampled page; name the files like "
            f"{transcription_name(refs[0])}"
        )
    return transcriptions


def _transcriptions(folder: Path, refs: Sequence[PageRef]) -> Iterator[tuple[PageRef, str]]:
    for ref in refs:
        for suffix in TRUTH_SUFFIXES:
            path = (folder / transcription_name(ref)).with_suffix(suffix)
            if path.is_file():
                yield ref, path.read_text("utf-8-sig", errors="replace")
                break


def add_truth(
    table: pd.DataFrame, outputs: SampleOutputs, truth: Mapping[PageRef, str]
) -> pd.DataFrame:
    """The table with ``true_`` errors of transcribed pages, NaN for the others."""
    rows = []
    for row in table.to_dict("records"):
        ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
        values = (
            targets(outputs.text(str(row["engine"]), ref), truth[ref])
            if ref in truth
            else dict.fromkeys(TARGETS, math.nan)
        )
        named = {f"true_{name}": value for name, value in values.items()}
        rows.append({str(name): value for name, value in row.items()} | named)
    return pd.DataFrame(rows)
