"""Writes distorted pages as image files, with the records to reproduce them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from experiments.noisy.one_page import DistortTask, distort_page
from experiments.noisy.parts import LIMITS, Parts, Records, report_failure
from experiments.noisy.sheets import contact_sheet
from ohr.display.choices import ImageFormat
from ohr.errors import ConfigError, OhrError
from ohr.ocr.noise import Noise, distorts_images, noises
from ohr.ocr.progress import Progress
from ohr.ocr.shards import Shard
from ohr.ocr.sources import find_pages
from ohr.registry import PluginSpec
from ohr.store.atomic import write_bytes, write_text
from ohr.store.locking import locked
from ohr.workers import WorkerPool

SUFFIXES = {"png": ".png", "jpeg": ".jpg", "webp": ".webp"}
SHEET_PAGES, SHEET_COLUMNS, SHEET_WIDTH = 24, 6, 360


def distort_files(
    inputs: Sequence[Path],
    out: Path,
    operators: Sequence[PluginSpec],
    levels: Sequence[str] | None,
    intensities: Sequence[float],
    dpi: int,
    format: ImageFormat,
    quality: int,
    seed: int,
    workers: int,
    shard: Shard | None = None,
) -> int:
    """Distort the pages of PDFs, images and folders by each operator at each strength.

    Returns 1 if a page failed, else 0. With a ``shard`` only its pages are distorted, and no
    records are written.
    Raises OhrError.
    """
    tasks = []
    for source in find_pages(inputs, dpi):
        points = noises(operators, levels, intensities, source.dpi)
        _check_kind(points)
        file = source.file(SUFFIXES[format])
        files = tuple((point, f"{point.name}_{point.strength}/{file}") for point in points)
        tasks.append(DistortTask(source, files, seed, out, format, quality))
    _check_files(tasks, out)
    if shard is not None:
        return _write_shard(tasks, Parts(out, workers, shard))
    with locked(out):
        return write_noisy_pages(tasks, out, workers)


def _check_kind(points: Sequence[Noise]) -> None:
    """Raise ConfigError for noise that is not for images."""
    for point in points:
        if point.operator is not None and not distorts_images(point.operator):
            raise ConfigError(f"noise {point.name!r} rewrites text; it cannot distort images")


def _check_files(tasks: Sequence[DistortTask], out: Path) -> None:
    """Raise ConfigError for two pages of one name, and for other images in ``out``."""
    owners: dict[str, Path] = {}
    for task in tasks:
        for _, file in task.noises:
            owner = owners.setdefault(file, task.source.path)
            if owner.resolve() != task.source.path.resolve():
                raise ConfigError(
                    f"{owner} and {task.source.path} would both be {file}: rename one, or give "
                    "the folder that holds both"
                )
    try:
        lines = (out / "records.jsonl").read_text("utf-8-sig").split("\n")
        existing = [str(json.loads(line)["file"]) for line in lines if line.strip()]
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"cannot read {out / 'records.jsonl'}: choose another --out") from error
    if stray := [file for file in existing if file not in owners]:
        raise ConfigError(
            f"{out} holds {len(stray)} images that this command does not write, such as "
            f"{stray[0]}, and would leave without records: choose another --out"
        )


def write_noisy_pages(tasks: Sequence[DistortTask], out: Path, workers: int) -> int:
    """Distort and write pages, their records and a contact sheet; 1 if a page failed, else 0.

    Raises OhrError if every page failed.
    """
    by_task: dict[int, list[dict[str, Any]]] = {}
    parts = Parts(out, workers)
    with Progress(verb="distorting") as progress:
        if parts.exist:
            by_task = parts.completed(tasks, progress)
        else:
            with WorkerPool[Records](distort_page, workers=workers, limits=LIMITS) as pool:
                for done, (index, outcome) in enumerate(pool.run(tasks), start=1):
                    if outcome.value is not None:
                        by_task[index] = outcome.value
                    else:
                        report_failure(tasks[index], outcome, progress)
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


def _write_shard(tasks: Sequence[DistortTask], parts: Parts) -> int:
    with Progress(verb="distorting") as progress:
        parts.make(tasks, progress)
    print("\n".join(parts.sharing.summary()))
    return 0


def _write_sheet(files: Sequence[Path], path: Path) -> None:
    """Write a contact sheet of the first pages."""
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
