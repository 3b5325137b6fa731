"""Distorts the pages of PDFs and images, for users who only want distorted pages.

``python -m experiments.perturb_images PDFS_OR_FOLDER --out DIR`` writes
``DIR/<noise>_<level>/<document>/page_0001.png``, ``DIR/records.jsonl`` (a line a page: what was
drawn, enough to make the page again) and ``DIR/contact_sheet.png``. A page that cannot be read
is reported and left out; the others are written.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from PIL import Image

from experiments._command import CommandLine, with_errors
from experiments.figures.sheets import contact_sheet
from ohr.errors import ConfigError, OhrError
from ohr.printable import plain
from ohr.registry import PluginSpec
from ohr.store.atomic import write_bytes, write_text
from ohr.study.noise import Noise, noises
from ohr.study.pages.sources import DistortTask, Format, distort_page, find_pages
from ohr.study.pages.variants import stop_if_not_the_page
from ohr.study.progress import Progress
from ohr.study.yaml_values import parse_yaml
from ohr.workers import Limits, WorkerPool

SUFFIXES = {"png": ".png", "jpeg": ".jpg", "webp": ".webp"}
SHEET_PAGES, SHEET_COLUMNS, SHEET_WIDTH = 24, 6, 360
LIMITS = Limits(cpu_s=120, wall_s=900)

main = CommandLine()


def _spec(text: str) -> PluginSpec:
    """``rotation``, or ``{name: rotation, params: {degrees: 10}}``. Raises ConfigError."""
    try:
        return PluginSpec.parse(parse_yaml(text))
    except ValueError as error:
        raise ConfigError(f"cannot read the noise {text!r}: it is not YAML: {error}") from error


@main.command(help="Distort the pages of PDFs and images.")
def command(
    inputs: Annotated[list[Path], typer.Argument(help="PDFs, images, or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    noise: Annotated[
        list[str], typer.Option(help="A distortion, or semantic; may be given several times.")
    ] = ["semantic"],  # noqa: B006  # typer copies it
    level: Annotated[
        list[str] | None, typer.Option(help="mild, moderate or severe; by default all three.")
    ] = None,
    intensity: Annotated[
        list[float] | None, typer.Option(min=0, max=1, help="Instead of a level, 0 to 1.")
    ] = None,
    dpi: Annotated[
        int, typer.Option(min=30, max=1200, help="Of rendered PDFs, and of images that name none.")
    ] = 150,
    format: Annotated[Format, typer.Option(help="Of the images written.")] = "png",
    quality: Annotated[int, typer.Option(min=1, max=100, help="Of JPEG and WebP.")] = 90,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = 0,
    workers: Annotated[int, typer.Option(min=1)] = 2,
    debug: Annotated[bool, typer.Option("--debug")] = False,
) -> None:
    """Write the distorted pages, their records and a contact sheet."""

    def distort() -> int:
        specs = [_spec(text) for text in noise]
        tasks = []
        for source in find_pages(inputs, dpi):
            points = noises(specs, level, intensity or [], source.dpi)
            _check_kind(points)
            file = source.file(SUFFIXES[format])
            files = tuple((point, f"{point.name}_{point.strength}/{file}") for point in points)
            tasks.append(DistortTask(source, files, seed, out, format, quality))
        return _run(tasks, out, workers)

    with_errors(distort, debug)


def _check_kind(points: Sequence[Noise]) -> None:
    for point in points:
        if point.kind != "semantic":
            raise ConfigError(f"noise {point.name!r} rewrites text; it cannot distort images")


def _run(tasks: Sequence[DistortTask], out: Path, workers: int) -> int:
    made: dict[int, list[dict[str, Any]]] = {}
    with (
        Progress(verb="distorting") as progress,
        WorkerPool[list[dict[str, Any]]](distort_page, workers=workers, limits=LIMITS) as pool,
    ):
        for done, (index, outcome) in enumerate(pool.run(tasks), start=1):
            if outcome.value is not None:
                made[index] = outcome.value
            else:
                stop_if_not_the_page(outcome.detail)
                source = tasks[index].source
                where = "" if source.page_no is None else f" page {source.page_no + 1}"
                progress.say(f"error: {plain(source.file_name)}{where}: {outcome.detail}")
            progress("pages", done, len(tasks))
    if not made:
        raise OhrError("no page could be distorted")
    ordered = [record for index in sorted(made) for record in made[index]]
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in ordered]
    write_text(out / "records.jsonl", "".join(lines))
    _write_sheet([out / record["file"] for record in ordered], out / "contact_sheet.png")
    print(f"{len(ordered)} images, records.jsonl and contact_sheet.png: {out}")
    if failures := len(tasks) - len(made):
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


if __name__ == "__main__":
    main()
