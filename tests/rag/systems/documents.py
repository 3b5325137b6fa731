"""Small documents that the tests of systems share."""

from __future__ import annotations

from collections.abc import Sequence

from ohr.types import Document, Page, PageRef

REPORT = (
    "# Harbour report\n\nThe harbour of Brassel was built in 1902 by Ada Byron.\n",
    "## 1 Fees\n\nShips pay a fee of 40 crowns for each day in the harbour.\n\n"
    "Table 1: Fees by length\n\n| length | fee |\n| --- | --- |\n| 10 m | 40 |\n| 20 m | 90 |\n",
    "## 2 Traffic\n\nIn 1999 the harbour saw 312 ships.\n\nFigure 1: Ships a year\n\n"
    "The most ships came in July.\n\n### 2.1 Winter\n\nNo ships come in winter.\n",
    "## 3 Outlook\n\nThe quay will be made longer in 2004.\n",
)
GARDEN = (
    "# Garden book\n\nApple trees want sun and a little water in the garden.\n",
    "## 1 Roses\n\nRoses want 3 litres of water a week.\n\nTable 1: Water by plant\n\n"
    "| plant | litres |\n| --- | --- |\n| rose | 3 |\n| fern | 7 |\n",
)


def document(name: str, pages: Sequence[str], first: int = 0) -> Document:
    """A document of these pages, numbered from ``first``."""
    read = [Page(PageRef(name, first + number), text) for number, text in enumerate(pages)]
    return Document(name, name.split("/")[0], read)


def report() -> Document:
    return document("harbour/report", REPORT)


def garden() -> Document:
    return document("garden/book", GARDEN)
