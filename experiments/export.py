"""Knowledge bases, questions and gold pages in the formats of other tools.

``ohr convert export RUN --format beir --out DIR`` writes each knowledge base of a
finished run, ``ohr convert export dataset.kind=… --format beir --out DIR`` the ground
truth of a dataset: a collection a domain, since a study searches the question's domain alone. A
page is a document, and a question's evidence pages are relevant, even those that lie in another
domain, where neither the study nor the other tool can find them.

``pages``, ``markdown``, ``omnidocbench`` and ``mineru`` write the texts alone, for tools of OCR.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import Out, command


@command
def main(
    source: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|CONFIG.yaml|key=value",
            help="Folder of a finished run, or the options of a study for its dataset alone.",
        ),
    ],
    out: Out,
    format: Annotated[
        str,
        typer.Option(
            help="beir, datasets (Hugging Face; pip install 'ohr[hub]'), or texts alone: pages "
            "(OHR-Bench), markdown (a file a page), omnidocbench (predictions), mineru."
        ),
    ] = "beir",
) -> int:
    """Export texts, questions and gold pages for other tools."""
    from experiments.convert.beir import export

    return export(source, out, format)


if __name__ == "__main__":
    main()
