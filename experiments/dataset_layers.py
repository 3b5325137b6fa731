"""Says for each page of your PDFs whether its text layer can be trusted.

``ohr dataset layers my_pdfs --out runs/layers`` compares each text layer with what its page shows.
It prints the pages whose layer is not usable or not whole, and what to do. It writes
``runs/layers/layers.csv``, one row per page, and ``doubtful.html``, a contact sheet of the words
that may be wrong: each on its page, in the layer, and as OCR engines read it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import Out, PageRanges


@command
def main(
    inputs: Annotated[list[Path], typer.Argument(metavar="FILE", help="PDFs, or folders of them.")],
    out: Out,
    pages: PageRanges = "",
) -> int:
    """Check the text layers of your PDFs.

    Exit code 0, or 1 if no page has a usable text layer.
    """
    from ohr.adviser.layers.report import report_layers

    return report_layers(inputs, out, pages)


if __name__ == "__main__":
    main()
