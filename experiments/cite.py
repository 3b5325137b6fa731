"""Writes the methods of a finished run for a paper: a paragraph, and an appendix.

``ohr cite RUN --out DIR`` writes ``DIR/methods.md`` and ``DIR/appendix.md``, with ``--format tex``
as LaTeX. Without ``--out`` it prints both. The appendix has the command, versions, parameters,
prompts, documents and questions, measured noise by domain and writing system, signatures of
metrics, all comparisons with their families, and what was left out and why. Everything comes from
the files of the run; nothing that they name is loaded.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from experiments._command import results_command
from experiments._parameters import FinishedRun, OptionalOut


@results_command
def main(
    run: FinishedRun,
    out: OptionalOut = None,
    format: Annotated[
        Literal["markdown", "tex"], typer.Option(help="markdown, or tex for LaTeX.")
    ] = "markdown",
) -> int:
    """Write the methods of a finished run for a paper."""
    from ohr.analysis.citation.report import cite_run

    cite_run(run, out, format)
    return 0


if __name__ == "__main__":
    main()
