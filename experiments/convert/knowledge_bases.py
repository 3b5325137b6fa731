"""Exports a knowledge base: page texts of ``ohr read``, or a folder of somebody's OCR output."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ocr_backends.precomputed_folder import read_folder
from ohr.errors import OhrError
from ohr.files.safe_text import plain, visible
from ohr.ocr.knowledge_base import MANIFEST
from ohr.ocr.page_records import FORMATS, PAGES, PageRecord, read_record, read_table
from ohr.quality.signals import UNSURE
from ohr.types import Outcome, PageRef

_KINDS = 5


def read_manifest(folder: Path) -> Mapping[str, Any] | None:
    """The manifest of a knowledge base of ``ohr read``; None if the folder has no such manifest."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    is_base = isinstance(manifest, dict) and {"engine", "dpi", "pages"} <= manifest.keys()
    return manifest if is_base else None


def read_base(folder: Path) -> list[PageRecord]:
    """The pages of a knowledge base, with what is known of each, by document and page.

    A page without text is among them if the knowledge base says that it was to be read; a line is
    printed about pages of which it does not say which they are. Raises OhrError.
    """
    manifest = read_manifest(folder)
    readings = read_folder(folder, only_lists=manifest is not None)
    if not any(reading.pages for reading in readings.values()) and manifest is None:
        return []
    texts: dict[PageRef, Outcome[str]] = {}
    doubtful = {
        PageRef(doc_id, number): tuple(word.text for word in words if word.confidence < UNSURE)
        for doc_id, reading in readings.items()
        for number, words in reading.words.items()
    }
    for doc_id, reading in readings.items():
        if reading.problem and manifest is not None and _has_no_entry(folder / f"{doc_id}.json"):
            continue  # all its pages failed
        if reading.problem and "/" in doc_id:
            raise OhrError(f"{folder}: {plain(doc_id)}: {plain(reading.problem)}")
        if reading.problem:
            print(f"left out: {plain(doc_id)}.json: {plain(reading.problem)}")
        texts |= {PageRef(doc_id, number): page for number, page in reading.pages.items()}
    if manifest is None:
        if texts and all(reading.is_listed for reading in readings.values()):
            _warn_without_first(texts)
        return [
            read_record(ref, "", "", texts[ref], doubtful_words=doubtful.get(ref, ()))
            for ref in sorted(texts)
        ]
    engine = manifest["engine"]
    name = str(engine.get("name", "")) if isinstance(engine, dict) else ""
    records = {
        ref: read_record(ref, "", "" if name == "routes" else name, outcome)
        for ref, outcome in texts.items()
    }
    if (folder / PAGES).is_file():
        for ref, record in read_table(folder / PAGES).items():
            text = texts[ref].value if ref in texts else None
            records[ref] = replace(record, text=text)
    else:
        _warn_about_failures(manifest)
    return [records[ref] for ref in sorted(records)]


def export_base(folder: Path, out: Path, format_name: str) -> None:
    """Write a knowledge base in one of ``FORMATS`` and print how many pages it has.

    Raises OhrError, also for a folder that is no knowledge base, with what it holds.
    """
    records = read_base(folder)
    if not records and read_manifest(folder) is None:
        raise OhrError(
            f"{folder} is neither the folder of a finished run nor a knowledge base: {held(folder)}"
        )
    FORMATS[format_name](records, out)
    documents = len({record.ref.doc_id for record in records})
    print(f"{plain(str(out))}: {len(records)} pages of {documents} documents")
    without = [record for record in records if not (record.text or "").strip()]
    if without:
        first = without[0]
        print(
            f"without text: {len(without)} of them, such as page {first.ref.page_no + 1} of "
            f"{plain(first.ref.doc_id)} ({plain(first.doubt or 'nothing was found')})"
        )


def held(folder: Path) -> str:
    """What a folder holds, in words."""
    files = [path for path in visible(folder, "**/*") if path.is_file()]
    if not files:
        return "it is empty"
    kinds = Counter(path.suffix.lower() or "no suffix" for path in files).most_common()
    listed = ", ".join(f"{count} {plain(kind)}" for kind, count in kinds[:_KINDS])
    more = ", …" if len(kinds) > _KINDS else ""
    manifest = f"; its {MANIFEST} is of neither" if (folder / MANIFEST).is_file() else ""
    return (
        f"it holds {len(files)} files ({listed}{more}), and no <domain>/<document>.json with a "
        f"list of pages{manifest}"
    )


def _has_no_entry(path: Path) -> bool:
    try:
        return bool(json.loads(path.read_text("utf-8")) == [])
    except (OSError, ValueError):
        return False


def _warn_without_first(texts: Mapping[PageRef, Outcome[str]]) -> None:
    if all(ref.page_no for ref in texts):
        print("no document has a page 0: pages are taken as counted from 0 all the same")


def _warn_about_failures(manifest: Mapping[str, Any]) -> None:
    """Say how many pages failed in a knowledge base that does not say which they are."""
    counts = manifest["pages"] if isinstance(manifest["pages"], dict) else {}
    failed = sum(int(counts.get(name, 0)) for name in ("error", "timeout"))
    failed += len(manifest.get("for_person", ()))
    if failed:
        print(
            f"{failed} pages that failed or were left out are missing: this knowledge base has no "
            f"{PAGES}; repeat its ohr read command to get one"
        )
