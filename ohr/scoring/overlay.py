"""Puts the pages that were read among the dataset's other pages."""

from __future__ import annotations

from collections.abc import Mapping

from ohr.scoring.units import Units
from ohr.types import Outcome, PageRef


def overlay(units: Units, outcomes: Mapping[PageRef, Outcome[str]]) -> dict[PageRef, Outcome[str]]:
    """Pages in index order: those of the units from ``outcomes``, the others from ground truth.

    If every page of a document is of the units, its pages come in the order of ``outcomes``, with
    pages that the ground truth does not have. A page without an outcome is an error.
    """
    reread = set(units.pages)
    by_document: dict[str, list[PageRef]] = {}
    for ref in outcomes:
        by_document.setdefault(ref.doc_id, []).append(ref)
    pages: dict[PageRef, Outcome[str]] = {}
    for document in units.dataset.documents.values():
        refs = [page.ref for page in document.pages]
        if all(ref in reread for ref in refs):
            extra = by_document.get(document.doc_id, [])
            pages.update((ref, outcomes[ref]) for ref in extra)
            refs = [ref for ref in refs if ref not in pages]
        for ref in refs:
            if ref in reread:
                pages[ref] = outcomes.get(ref, Outcome.error("page missing"))
            else:
                pages[ref] = Outcome.of_text(units.dataset.pages[ref].text)
    return pages
