"""One PDF of many pages, as a PDF a page."""

from __future__ import annotations

import io

import pikepdf


def split(data: bytes, pages: int) -> list[bytes]:
    """A PDF for each page; raises RuntimeError if a page overflowed, which shifts all after it."""
    parts = []
    with pikepdf.open(io.BytesIO(data)) as document:
        if len(document.pages) != pages:
            raise RuntimeError(f"{len(document.pages)} pages were made of {pages}")
        producer = str(document.docinfo.get("/Producer", ""))
        for page in document.pages:
            part = pikepdf.new()
            part.pages.append(page)
            if "/StructParents" in part.pages[0].obj:
                del part.pages[0].obj["/StructParents"]
            part.docinfo["/Producer"] = producer
            parts.append(saved(part))
    return parts


def saved(document: pikepdf.Pdf) -> bytes:
    """The bytes of a document, the same for the same content."""
    document.remove_unreferenced_resources()
    out = io.BytesIO()
    document.save(out, deterministic_id=True)
    return out.getvalue()
