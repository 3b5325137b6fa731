"""Inspects a cache: sizes, damaged artefacts, and OCR output that no run needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ohr.display.terminal import empty_table, show
from ohr.errors import ConfigError, StoreError
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.ocr.sharing import LEASES
from ohr.ocr.store import ocr_key
from ohr.plugins import OcrBackend
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import disk_of
from ohr.store.leases import Leases
from ohr.store.packs import Packs
from ohr.store.upkeep import Size, artefacts, damaged, sizes
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.results import open_run

OF_PAGES = ("reading", "ocr", "taken")
"""Kinds of artefacts with the OCR output of pages."""
_NAMED = 20


def print_sizes(cache: Path) -> None:
    """Print files and megabytes by kind. Raises ConfigError if there is no cache."""
    if not cache.is_dir():
        raise ConfigError(f"no folder {cache}: name the cache of a study (cache=…)")
    table = empty_table(["kind"], ["files", "MB"])
    by_kind = sizes(cache)
    for kind, size in by_kind.items():
        table.add_row(plain(kind), str(size.files), f"{size.bytes / 1e6:.1f}")
    total = Size(
        *(sum(getattr(size, of) for size in by_kind.values()) for of in ("files", "bytes"))
    )
    table.add_row("all", str(total.files), f"{total.bytes / 1e6:.1f}")
    show(table)


def print_damaged(cache: Path) -> int:
    """Print damaged artefacts; returns 1 if there are any, else 0."""
    with Progress(verb="verifying", unit="files") as progress:
        total = sum(size.files for size in sizes(cache).values())
        faults = list(damaged(cache, lambda done: progress(cache.name, done, max(done, total))))
    for path, why in faults[:_NAMED]:
        print(f"damaged: {plain(str(path))}: {why}")
    if len(faults) > _NAMED:
        print(f"and {len(faults) - _NAMED} more")
    counts = "every artefact is whole" if not faults else f"{len(faults)} are damaged"
    print(f"verified: {counts}")
    return int(bool(faults))


def move(cache: Path, url: str, way: Literal["push", "pull"]) -> bool:
    """Copy artefacts to or from packs, and print counts; False if some are damaged.

    Raises OhrError.
    """
    packs = Packs(cache, url)
    with Progress(verb=f"{way}ing", unit="packs") as progress:
        carry = packs.push if way == "push" else packs.pull

        def report(done: int, total: int) -> None:
            progress(cache.name, done, total)

        moved = carry(report)
    damage = f"; {moved.damaged} damaged, which are left" if moved.damaged else ""
    print(
        f"{way}: {moved.artefacts} artefacts in {moved.packs} packs, "
        f"{moved.bytes / 1e6:.1f} MB{damage}"
    )
    return not moved.damaged


def print_unused(cache: Path, runs: Sequence[Path], *, remove: bool) -> None:
    """Print, or remove, OCR output that none of the runs needs. Raises OhrError."""
    needed: dict[str, set[str]] = {kind: set() for kind in OF_PAGES}
    for run in runs:
        _add_needed(needed, run, ArtefactStore(cache))
    with Leases(cache / LEASES) as leases:
        if leases.owners():
            raise ConfigError(f"a process is reading pages into {cache}: wait until it has ended")
        gone = Size()
        for kind in OF_PAGES:
            for path in artefacts(cache, kind):
                if path.stem not in needed[kind]:
                    gone.add(path)
                    if remove:
                        with disk_of(path):
                            path.unlink(missing_ok=True)
    done = "removed" if remove else "not needed, and removed with --yes"
    print(f"OCR output that no named run needs: {gone.files} files, "
          f"{gone.bytes / 1e6:.1f} MB: {done}")  # fmt: skip


def _add_needed(needed: dict[str, set[str]], run: Path, store: ArtefactStore) -> None:
    """Add the digests of a run's artefacts of OCR. Raises StoreError if one is missing."""
    plan = open_run(run).plan
    knowledge_bases = KnowledgeBases(plan, store)
    for variant in plan.variants:
        engine = plan.engines[variant.engine.label]
        if not isinstance(engine, OcrBackend):
            continue
        identity = engine.identity()
        for task in knowledge_bases.tasks(variant):
            output = store.get("reading", task.key)
            if output is None:
                page = f"{task.ref.doc_id} page {task.ref.page_no + 1}"
                raise StoreError(
                    f"{store.root} has no OCR output of {page}, "
                    f"which {run} needs: is it that run's cache, and are its documents unchanged? "
                    "Nothing was removed"
                )
            needed["reading"].add(store.path("reading", task.key).stem)
            needed["taken"].add(store.path("taken", task.key).stem)
            if isinstance(output, dict) and isinstance(output.get("pixels"), str):
                key = ocr_key(output["pixels"], identity)
                needed["ocr"].add(store.path("ocr", key).stem)
                needed["taken"].add(store.path("taken", key).stem)
