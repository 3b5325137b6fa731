"""Checks submissions for a board: ``ohr board check FILE``, or ``ohr suite check FILE``.

A submission must be whole and unedited: its digest, its suite's files, every question, page and
condition, scores in [0, 1], metrics measured as in the suite. With ``--rerun N`` the engine reads N
of the pages again, clean and at the highest severity, and the scores must be the same. Exit 1 if
anything is wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import Cache


@command
def main(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Submissions, as JSON.")],
    rerun: Annotated[int, typer.Option(min=0, help="Documents to read again and compare.")] = 0,
    cache: Cache = Path(".ohr-cache"),
) -> int:
    """Check that submissions are whole and unedited."""
    from ohr.suites.report import check_files
    from ohr.suites.rerun import rerun_files

    code = check_files(files)
    return code if code or not rerun else rerun_files(files, rerun, cache)


if __name__ == "__main__":
    main()
