"""Long documents in parts: PDFs joined to one with repeatable bytes, and memory given back."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Sequence

import pypdfium2
import typst

from ohr.typeset.looks import fonts

_AGE = 12  # compilations after which Typst forgets what none of them used
_PAGES = 40
_DATE = re.compile(rb"/CreationDate\(D:\d{14}")
_ID = re.compile(rb"/ID\[<([0-9A-F]{32})><([0-9A-F]{32})>\]")
_laid_out = 0


def join_pdfs(parts: Sequence[bytes]) -> bytes:
    """The pages of several PDFs in one; the same parts give the same bytes."""
    joined = pypdfium2.PdfDocument.new()
    try:
        for part in parts:
            document = pypdfium2.PdfDocument(part)
            joined.import_pages(document)
            document.close()
        stream = io.BytesIO()
        joined.save(stream)
    finally:
        joined.close()
    # PDFium writes the time and a random id. Both have a fixed length, so no offset changes.
    data = _DATE.sub(b"/CreationDate(D:20240101000000", stream.getvalue())
    digest = hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest().upper().encode()
    return _ID.sub(b"/ID[<" + digest + b"><" + digest + b">]", data)


def forget(n_pages: int) -> None:
    """Make Typst forget its layouts, about 7 MB a page, once many pages were laid out.

    It keeps a layout until a number of compilations have passed in which it was not used.
    """
    global _laid_out
    _laid_out += n_pages
    if _laid_out < _PAGES:
        return
    _laid_out = 0
    compiler = typst.Compiler(b"x", font_paths=fonts(""))
    for number in range(_AGE):
        compiler.compile(b"x%d" % number, format="pdf")
