"""A written document on paper: rendered in its look and, if it is to look scanned, scanned."""

from __future__ import annotations

from ohr.datasets.sample.corpus import Written
from ohr.datasets.sample.render import Rendered, render


def print_document(written: Written, *, images: bool) -> Rendered:
    """The document as its attributes want it; without ``images`` the PDF alone.

    Raises DatasetError if a page's blocks do not fit on one page.
    """
    return render(
        written.title,
        written.domain,
        [page.blocks for page in written.pages],
        layout=written.layout,
        own_look=written.look,
        images=images,
    )
