"""What pages look like: their kinds, and their writing systems where the outputs do not say it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from ohr.display.wording import counted, listed
from ohr.documents.osd import missing_parts
from ohr.ocr.pictures import pictured_scripts
from ohr.ocr.worker import PageTask
from ohr.quality.page_kind import Picture, line_letters, page_kind
from ohr.quality.table import Observation
from ohr.quality.writing import pages_of_unknown_script
from ohr.store.artefacts import ArtefactStore
from ohr.types import PageRef


def scripts_by_picture(
    table: pd.DataFrame,
    tasks: Sequence[PageTask],
    store: ArtefactStore,
    of_layer: Collection[str] = (),
) -> dict[PageRef, str]:
    """The writing systems, by their pictures, of pages whose outputs do not say it.

    ``table`` has the signals, ``tasks`` a page image for each page without a usable layer. Engines
    of ``of_layer``, which read text layers, do not count.
    """
    if table.empty:
        return {}
    rows = table[~table["engine"].isin(list(of_layer))]
    unknown = set(pages_of_unknown_script(rows, {task.ref for task in tasks}))
    return pictured_scripts([task for task in tasks if task.ref in unknown], store)


def unwritable_clause(table: pd.DataFrame, left_out: Collection[str] = ()) -> str:
    """How many pages are in writing systems that no engine can write; empty if none is.

    Engines of ``left_out`` do not count.
    """
    table = table[~table["engine"].isin(list(left_out))] if len(table) else table
    if table.empty:
        return ""
    keys = ["doc_id", "page_no"]
    is_written = table.groupby(keys, sort=False)["writes_script"].any()
    pages = table.drop_duplicates(keys).set_index(keys)
    scripts = pages.loc[~is_written.reindex(pages.index).astype(bool), "script"].value_counts()
    if scripts.empty:
        return ""
    some = f"{scripts.sum()} of {counted(len(pages), 'page')} in {listed(list(scripts.index))}"
    return (
        f"{some}, which no engine here can write: name one that can (--engines), or "
        "install its language data"
    )


def undetected_clause(table: pd.DataFrame, left_out: Collection[str] = ()) -> str:
    """How many pages have an unknown writing system because nothing installed detects it; empty if
    none has. Engines of ``left_out`` do not count."""
    if table.empty or not {"disagreement", "script", "has_layer"} <= set(table):
        return ""
    rows = table[~table["engine"].isin(list(left_out)) & ~table["has_layer"].astype(bool)]
    refs = {PageRef(str(doc), int(no)) for doc, no in rows[["doc_id", "page_no"]].to_numpy()}
    count = len(pages_of_unknown_script(rows, refs))
    missing = missing_parts() if count else ""
    return f"the writing system of {counted(count, 'page')} ({missing})" if missing else ""


def page_kinds(
    table: pd.DataFrame,
    seen: Mapping[str, Mapping[PageRef, Observation]],
    layers: Mapping[PageRef, str | None],
    pictures: Mapping[PageRef, Picture],
) -> list[str]:
    """The kind of the page of each row of a table of signals."""
    kinds: dict[PageRef, str] = {}
    refs = [PageRef(str(doc), int(no)) for doc, no in table[["doc_id", "page_no"]].to_numpy()]
    for ref in refs:
        if ref not in kinds:
            words = [pages[ref].words for pages in seen.values() if ref in pages]
            letters = [each for of in words if of and (each := line_letters(of)) is not None]
            has_layer = layers.get(ref) is not None
            widest = max(letters, default=None)
            kinds[ref] = page_kind(pictures.get(ref), widest, has_layer=has_layer)
    return [kinds[ref] for ref in refs]
