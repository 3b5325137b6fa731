"""The layer as a reader gets it who believes all of it."""

from __future__ import annotations

from pathlib import Path

import pypdfium2

from benchmarks.layer_corpus.words import split_words


def plain_words(path: Path) -> list[str]:
    """The words of the first page, as PDFium puts them together."""
    document = pypdfium2.PdfDocument(path)
    try:
        return split_words(document[0].get_textpage().get_text_range())
    finally:
        document.close()
