"""Looks after a cache: its size by kind, whether it is whole, and what no run needs.

``ohr cache CACHE`` prints files and megabytes of each kind of artefact;
``--verify`` reads every one and names those that are damaged. ``--remove-unused RUN``, once for
each run that is to be kept, says which readings of pages none of them needs, and removes them with
``--yes``. Answers, retrieved chunks and embeddings stay: they are few beside the pages.

``--push URL`` adds what is new to packs at that place, and ``--pull URL`` takes what others have
added: an object store that fsspec knows (``s3://bucket/study``), or a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command


@command
def main(
    cache: Annotated[Path, typer.Argument(metavar="CACHE", help="Folder of the cache.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Read all that is kept, and check it.")
    ] = False,
    remove_unused: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN", help="A run whose readings stay; repeat for more."),
    ] = None,
    push: Annotated[
        str, typer.Option(metavar="URL", help="Add what is new to the packs there.")
    ] = "",
    pull: Annotated[str, typer.Option(metavar="URL", help="Take what the packs there have.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Remove what no named run needs.")] = False,
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
