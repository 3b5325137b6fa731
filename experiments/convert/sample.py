"""Writes generated benchmarks as files."""

from __future__ import annotations

import time
from pathlib import Path

from ohr.ocr.progress import Progress
from ohr.sample.insurance.writing import write_insurance
from ohr.sample.scale import CATEGORIES, Recipe, write_categories, write_sample


def write_benchmark(recipe: Recipe, out: Path, workers: int, *, categories: bool) -> int:
    """Write the sample, or its missing part, and print the speed.

    ``categories``: also the questions of PDFTriage's ten categories.
    """
    start = time.monotonic()
    counts: list[int] = []
    with Progress(verb="writing") as progress:

        def report(done: int, total: int) -> None:
            counts.append(done)
            progress("the sample", done, total)

        is_new = write_sample(recipe, out, workers=workers, progress=report)
    if categories:
        count = write_categories(recipe, out)
        print(f"{count} questions of the ten categories: {out / CATEGORIES}")
    if not is_new:
        print(f"the sample is already in {out}")
        return 0
    pages, seconds = recipe.n_pages - counts[0], time.monotonic() - start
    print(f"{pages} pages in {seconds:.0f} s, {pages / max(seconds, 1e-9):.1f} per second: {out}")
    return 0


def write_policies(seed: int, out: Path, images: bool) -> int:
    """Write the German insurance set, unless it exists."""
    is_new = write_insurance(seed, out, images=images)
    print(f"15 documents, 300 questions: {out}" if is_new else f"the set is already in {out}")
    return 0
