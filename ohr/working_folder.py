"""Puts the working folder last among the places of imports."""

import sys
from pathlib import Path


def put_folder_last() -> None:
    """Move the working folder, which ``python -m`` puts first, to the end of ``sys.path``.

    A file there that is called as a library (``numpy.py``, beside a run that somebody sent) is then
    not imported in place of it; plug-ins of the folder are still found. Nothing changes if the
    toolkit itself is imported from there.
    """
    folder = Path.cwd().resolve()
    if not sys.path or folder == Path(__file__).resolve().parents[1]:
        return
    first = sys.path[0]
    if Path(first or ".").resolve() == folder:
        sys.path.append(sys.path.pop(0) or str(folder))
