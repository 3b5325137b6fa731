"""A written document on paper: rendered in its look and, if it is to look scanned, scanned."""

from __future__ import annotations

from dataclasses import replace

from ohr.sample.corpus import Written
from ohr.sample.typesetting.render import Rendered, render
from ohr.sample.typesetting.scan import scanned


def print_document(written: Written, *, images: bool) -> Rendered:
    """The document as its attributes want it; without ``images`` the PDF alone.

    Raises DatasetError if a page's blocks do not fit on one page.
    """
    is_scanned = "scanned" in written.attributes
    rendered = render(
        written.title,
        written.domain,
        [page.blocks for page in written.pages],
        layout=written.layout,
        own_look=written.look,
        images=images or is_scanned,
    )
    if not is_scanned:
        return rendered
    shown = scanned(rendered, written.title, written.doc_id, written.seed)
    return shown if images else replace(shown, images=())
