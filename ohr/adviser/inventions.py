"""Chooses the pages on which engines are tested for inventions, and finds the words on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ohr import registry
from ohr.adviser.dry_run import draw_lines
from ohr.adviser.sampling import Draw, check_sample, draw_pages, page_ref
from ohr.analysis.inventions.pages import (
    Piece,
    SourcePage,
    boxes_file,
    layer_pieces,
    read_boxes,
)
from ohr.analysis.inventions.reading import Reading, image_engine
from ohr.analysis.inventions.variants import COVERS, Design
from ohr.errors import ConfigError, EngineError, did_you_mean
from ohr.files.safe_text import plain
from ohr.machine.engines import usable_engines
from ohr.ocr.progress import Progress
from ohr.ocr.sources import PageSource
from ohr.registry import PluginSpec
from ohr.study.config import parse_plugins

SAMPLE_PAGES = 42
"""Pages of the generated sample that are drawn from, if no files are named."""
TESTS = ("covered", "textless", "repeats")


@dataclass(frozen=True)
class Request:
    """What a command line asks for; see ``ohr run inventions --help``."""

    inputs: Sequence[Path] = ()
    boxes: Path | None = None
    tests: Sequence[str] = TESTS
    doses: Sequence[str] = ()
    covers: Sequence[str] = COVERS
    textless: int = 3
    budget: int = 20
    ranges: str = ""
    dpi: int = 150
    seed: int = 0

    def design(self) -> Design:
        """The tests that are asked for. Raises ConfigError."""
        for name, given, allowed in (
            ("--tests", self.tests, TESTS),
            ("--covers", self.covers, COVERS),
        ):
            for value in given:
                if value not in allowed:
                    raise ConfigError(f"{name}: {value!r}; {did_you_mean(value, allowed)}")
            if not given:
                raise ConfigError(f"{name}: name at least one of {', '.join(allowed)}")
        return Design(
            tuple(sorted(set(map(_dose, self.doses)))) if "covered" in self.tests else (),
            tuple(dict.fromkeys(self.covers)),
            self.textless if "textless" in self.tests else 0,
            "repeats" in self.tests,
            self.seed,
        )


_DIGITS = 4
"""Digits of a dose: the names of the drawn pages have it."""


def _dose(text: str) -> float:
    try:
        dose = round(float(text), _DIGITS)
    except ValueError:
        dose = 0.0
    if not 0 < dose <= 1:
        raise ConfigError(f"--doses: {text!r} is no share of a page's words above 0, up to 1")
    return dose


def run_inventions(
    request: Request,
    engines: str | None,
    cache: Path,
    workers: int,
    out: Path,
    *,
    dry_run: bool = False,
) -> int:
    """Test engines on pages of some files, or of the generated sample; see the command's help.

    Returns 1 if every page of an engine failed, else 0. Raises OhrError.
    """
    design = request.design()
    reading = Reading(choose_engines(engines), cache, workers)
    if request.boxes is not None and not request.boxes.is_dir():
        raise ConfigError(f"--boxes: no folder {request.boxes}")
    draw = draw_test_pages(request, cache)
    if dry_run:
        print_plan(draw, request.boxes, design, reading.engines)
        return 0
    from ohr.analysis.inventions.report import report_inventions

    pages, lines = find_test_pages(draw, request.boxes)
    documents = len({page.ref.doc_id for page in pages})
    print(f"{len(pages)} of {draw.total:,} pages, of {documents} of {len(draw.files)} documents")
    for line in lines:
        print(plain(line))
    if design.doses and not any(page.pieces for page in pages):
        raise ConfigError(
            "the words of no page are known, so nothing can be covered: give PDFs with a text "
            "layer, or --boxes, or leave it out with --tests textless,repeats"
        )
    return report_inventions(pages, design, reading, out)


def choose_engines(engines: str | None) -> list[PluginSpec]:
    """The named engines of page images; by default all that are ready. Raises ConfigError."""
    specs = usable_engines() if engines is None else parse_plugins("engine", engines)
    for spec in specs:
        image_engine(spec)
    return list(specs)


def sample_folder(cache: Path) -> Path:
    """The folder of the generated sample's PDFs, which are made if they are not there."""
    params = {"cache": cache, "n_pages": SAMPLE_PAGES}
    dataset = registry.create("dataset", PluginSpec(name="sample", params=params)).load()
    sources = [document.source for document in dataset.documents.values()]
    return Path(next(source for source in sources if source is not None)).parents[1]


def draw_test_pages(request: Request, cache: Path) -> Draw:
    """The pages to test on, spread over the files. Raises ConfigError."""
    files = request.inputs or [sample_folder(cache)]
    draw = draw_pages(files, request.dpi, request.budget, request.seed, request.ranges)
    return replace(draw, further=())


def find_test_pages(draw: Draw, boxes: Path | None) -> tuple[list[SourcePage], list[str]]:
    """The drawn pages with their words, and lines on pages of which nothing can be covered.

    The words of a PDF's page are those of its text layer, if that can be trusted; those of an
    image are in ``boxes``. Raises DatasetError for a file of boxes that cannot be read.
    """
    with Progress(verb="checking", brief=True) as checking:
        sample = check_sample(draw, report=checking)
    pages: list[SourcePage] = []
    lines: list[str] = []
    for source in sample.pages:
        ref = page_ref(source)
        page = SourcePage(source, ref)
        try:
            if not source.is_pdf:
                pieces = _image_pieces(source, boxes)
            elif sample.layers[ref] is None:
                raise EngineError(f"its text layer cannot be used: {sample.no_layer[ref]}")
            else:
                pieces = layer_pieces(source)
            page = replace(page, pieces=tuple(pieces))
        except EngineError as error:
            lines.append(f"{page.name}: nothing is covered: {error}")
        pages.append(page)
    return pages, lines


def _image_pieces(source: PageSource, boxes: Path | None) -> list[Piece]:
    if boxes is None:
        raise EngineError("an image has no text layer; --boxes names the folder of its words")
    if source.page_no is not None:
        raise EngineError("it is a page of an image file of several pages, which has no boxes")
    return read_boxes(boxes_file(boxes, source))


def print_plan(
    draw: Draw, boxes: Path | None, design: Design, engines: Sequence[PluginSpec]
) -> None:
    """Print what would be read, for a dry run."""
    for line in draw_lines(draw, len(draw.pages)):
        print(plain(line))
    coverable = sum(source.is_pdf or boxes is not None for source in draw.pages)
    counts = design.images(len(draw.pages), coverable)
    total = sum(counts.values())
    parts = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    print(f"{total:,} page images with each engine: {parts}")
    names = ", ".join(spec.label for spec in engines)
    print(plain(f"{total * len(engines):,} page images to read with {names}"))
    print("dry run: nothing was read")
