"""Distorted pages as image files, with the records that make them again."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from experiments.figures.sheets import contact_sheet
from experiments.interchange.page_images import DistortTask, Format, distort_page
from ohr.errors import ConfigError, OhrError
from ohr.printable import plain
from ohr.registry import PluginSpec
from ohr.store.atomic import write_bytes, write_text
from ohr.study.noise import Noise, noises
from ohr.study.pages.sources import find_pages
from ohr.study.pages.variants import stop_if_not_the_page
from ohr.study.progress import Progress
from ohr.workers import Limits, WorkerPool

SUFFIXES = {"png": ".png", "jpeg": ".jpg", "webp": ".webp"}
SHEET_PAGES, SHEET_COLUMNS, SHEET_WIDTH = 24, 6, 360
LIMITS = Limits(cpu_s=120, wall_s=900)


def distort_files(
    inputs: Sequence[Path],
    out: Path,
    operators: Sequence[PluginSpec],
    levels: Sequence[str] | None,
    intensities: Sequence[float],
    dpi: int,
    format: Format,
    quality: int,
    seed: int,
    workers: int,
) -> int:
    """Distort the pages of PDFs, images and folders by each operator at each strength.

    1 if a page failed, else 0. Raises OhrError.
    """
    tasks = []
    for source in find_pages(inputs, dpi):
        points = noises(operators, levels, intensities, source.dpi)
        _check_kind(points)
        file = source.file(SUFFIXES[format])
        files = tuple((point, f"{point.name}_{point.strength}/{file}") for point in points)
        tasks.append(DistortTask(source, files, seed, out, format, quality))
    return write_noisy_pages(tasks, out, workers)


def _check_kind(points: Sequence[Noise]) -> None:
    """Raise ConfigError for noise that is not for images."""
    for point in points:
        if point.kind != "semantic":
            raise ConfigError(f"noise {point.name!r} rewrites text; it cannot distort images")


def write_noisy_pages(tasks: Sequence[DistortTask], out: Path, workers: int) -> int:
    """Distort and write pages, their records and a contact sheet; 1 if a page failed, else 0.

    Raises OhrError if every page failed.
    """
    by_task: dict[int, list[dict[str, Any]]] = {}
    with (
        Progress(verb="distorting") as progress,
        WorkerPool[list[dict[str, Any]]](distort_page, workers=workers, limits=LIMITS) as pool,
    ):
        for done, (index, outcome) in enumerate(pool.run(tasks), start=1):
            if outcome.value is not None:
                by_task[index] = outcome.value
            else:
                stop_if_not_the_page(outcome.detail)
                source = tasks[index].source
                where = "" if source.page_no is None else f" page {source.page_no + 1}"
                progress.say(f"error: {plain(source.file_name)}{where}: {outcome.detail}")
            progress("pages", done, len(tasks))
    if not by_task:
        raise OhrError("no page could be distorted")
    ordered = [record for index in sorted(by_task) for record in by_task[index]]
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in ordered]
    write_text(out / "records.jsonl", "".join(lines))
    _write_sheet([out / record["file"] for record in ordered], out / "contact_sheet.png")
    print(f"{len(ordered)} images, records.jsonl and contact_sheet.png: {out}")
    if failures := len(tasks) - len(by_task):
        print(f"error: {failures} of {len(tasks)} pages could not be distorted", file=sys.stderr)
        return 1
    return 0


def _write_sheet(files: Sequence[Path], path: Path) -> None:
    """The first pages, small."""
    chosen = files[:SHEET_PAGES]
    images = []
    for file in chosen:
        with Image.open(file) as image:
            image.thumbnail((SHEET_WIDTH * 2, SHEET_WIDTH * 8))
            images.append(image.copy())
    captions = [str(file.relative_to(path.parent)) for file in chosen]
    sheet = contact_sheet(
        images, columns=min(SHEET_COLUMNS, len(images)), width=SHEET_WIDTH, captions=captions
    )
    sink = io.BytesIO()
    sheet.save(sink, "PNG")
    write_bytes(path, sink.getvalue())
