"""Inspects, verifies, cleans and shares a cache.

``ohr cache CACHE`` prints the files and megabytes of each kind of artefact. ``--verify`` checks
every file and names the damaged ones. ``--remove-unused RUN``, once for each run to keep, lists the
OCR output that none of these runs needs, and removes it with ``--yes``. Answers, retrieved chunks
and embeddings stay: they are small.

``--push URL`` uploads new artefacts in packs, and ``--pull URL`` downloads those of others. The URL
is an object store that fsspec knows (``s3://bucket/study``), or a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import trusting_command


@trusting_command
def main(
    cache: Annotated[Path, typer.Argument(metavar="CACHE", help="Folder of the cache.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Check every file of the cache.")
    ] = False,
    remove_unused: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN", help="List OCR output that this run does not need; repeat for more runs."
        ),
    ] = None,
    push: Annotated[str, typer.Option(metavar="URL", help="Upload new artefacts there.")] = "",
    pull: Annotated[str, typer.Option(metavar="URL", help="Download artefacts from there.")] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="With --remove-unused: remove what is listed.")
    ] = False,
) -> int:
    """Inspect, verify, clean and share a cache."""
    from ohr.machine.cache import move, print_damaged, print_sizes, print_unused

    whole = True
    if pull:
        cache.mkdir(parents=True, exist_ok=True)
        whole = move(cache, pull, "pull")
    print_sizes(cache)
    if push:
        whole &= move(cache, push, "push")
    if remove_unused:
        print_unused(cache, remove_unused, remove=yes)
    return max(print_damaged(cache) if verify else 0, int(not whole))


if __name__ == "__main__":
    main()
