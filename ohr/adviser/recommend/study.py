"""Recommends text layers, an OCR engine and a retriever for your PDFs, from a sample of pages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ohr import registry
from ohr.adviser.dry_run import print_plan
from ohr.adviser.own_pages import OcrSettings, SampleOutputs, reads_images
from ohr.adviser.quality.report import engine_table
from ohr.adviser.quality.study import (
    failed_engines,
    read_transcriptions,
    report_failed,
    sample_lines,
    write_quality,
)
from ohr.adviser.recommend.advice import (
    FEWEST_QUESTIONS,
    Recommendation,
    decided,
    layer_specs,
    pages_for_ocr,
    pdf_engines,
)
from ohr.adviser.recommend.batches import read_in_batches, stops_early
from ohr.adviser.recommend.console import console_lines
from ohr.adviser.recommend.layers import summarise_layers
from ohr.adviser.recommend.limits import floor_lines
from ohr.adviser.recommend.made_questions import NOISE, Request, make_questions, retrieval_study
from ohr.adviser.recommend.read_command import read_command
from ohr.adviser.recommend.verdicts import TARGETS_OF, basis
from ohr.adviser.sampling import (
    LAYERS_CHECKED,
    Draw,
    PageSample,
    check_sample,
    draw_pages,
    page_ref,
)
from ohr.display.terminal import show, table_text
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.noise import choose_level
from ohr.ocr.progress import Progress
from ohr.ocr.sources import PageSource
from ohr.report.recommendation import AS_JSON, AS_TEXT, RUN, report_verdict
from ohr.store.atomic import write_text
from ohr.store.locking import locked
from ohr.study.run import run_study


def report_recommendation(
    inputs: Sequence[Path],
    settings: OcrSettings,
    request: Request,
    out: Path | None,
    *,
    dry_run: bool = False,
) -> int:
    """Print a recommendation; with ``dry_run``, which needs no ``out``, only what would be read.

    Returns 1 if every page of an engine failed, else 0. Raises OhrError.
    """
    if dry_run or out is None:
        _check(settings, request)
        draw, sample, _ = _sampled(inputs, request, Progress())
        if stops_early(settings, request.read_all, len(sample.pages)):
            _print("fewer pages are read if they settle the verdict (--read-all: all)")
        for line in _floor_lines(sample.pages, settings):
            _print(line)
        print_plan(draw, sample, settings)
        return 0
    with Progress(verb="reading with") as progress:
        result = recommend(
            inputs, settings, request, out, progress, lambda line: progress.write(plain(line))
        )
    _print_verdict(result, out)
    if request.report and result.run is not None:
        from ohr.report.build import build_report
        from ohr.report.options import ReportOptions

        options = ReportOptions(
            title="Recommendation", verdict=report_verdict(result.json_content())
        )
        build_report([result.run], out / "report", options)
        print(f"report: {out / 'report' / 'index.html'}")
    elif request.report:
        retrieval = result.verdicts[-1].not_assessed.values()
        why = "; ".join(dict.fromkeys(retrieval))
        _print(f"report: not written, since it is about retrieval, which was not assessed: {why}")
    return report_failed(result.table)


def _print_verdict(result: Recommendation, out: Path) -> None:
    """Print what to take, the engines, the next command, and where the details are."""
    for line in console_lines(result, out):
        if isinstance(line, str):
            _print(line)
        else:
            show(line)


def recommend(
    inputs: Sequence[Path],
    settings: OcrSettings,
    request: Request,
    out: Path,
    progress: Progress,
    say: Callable[[str], None] = lambda line: None,
) -> Recommendation:
    """Read pages, make questions, measure retrieval, and decide. Raises OhrError.

    ``say`` gets lines before the first page is read: the sample, and what the text layers are good
    for. The results are also written to ``out``.
    """
    for path in inputs:
        if path.is_dir() and out.resolve().is_relative_to(path.resolve()):
            raise ConfigError(f"{out} is in the folder of the PDFs: choose another --out")
    _check(settings, request)
    started = time.monotonic()
    draw, sample, layer_s = _sampled(inputs, request, progress)
    known_values = read_transcriptions(sample, request.truth)
    with locked(out):
        for name in (AS_TEXT, AS_JSON):
            (out / name).unlink(missing_ok=True)  # of an earlier sample, perhaps
        at_most = stops_early(settings, request.read_all, len(sample.pages))
        for line in sample_lines(sample, out, at_most=at_most):
            say(line)
        if unchecked := len(draw.pages) - len(sample.pages):
            say(f"{unchecked} more pages are not read: all checked pages of their PDFs are usable")
        for line in _floor_lines(sample.pages, settings):
            say(line)
        if (first := summarise_layers(sample)) is not None:
            say(first.sentences()[0])
            if first.is_everywhere:
                say("Pages are now read with OCR to check the layer, and to compare the engines.")
        if request.minutes is not None and sample.pdfs:
            say("On top of --minutes: questions made of the PDFs, and retrieval.")
        reading = read_in_batches(
            sample,
            settings,
            known_values,
            request.seed,
            progress,
            minutes=request.minutes,
            started=started,
            read_all=request.read_all,
            say=say,
        )
        outputs, table = reading.outputs, reading.table
        sample = outputs.sample
        write_quality(out, sample, table, request.seed)
        questions, origin = make_questions(sample, outputs, request, out, reading.inventions)
    run, layered = None, layer_specs(sample, questions)
    if len(questions) >= FEWEST_QUESTIONS:
        say(f"{len(questions)} questions, made {origin}")
        # Results of an earlier sample are replaced; OCR output is in the cache.
        labels = {spec.label for spec in settings.engines}
        engines = [*settings.engines, *(spec for spec in layered if spec.label not in labels)]
        study = retrieval_study(settings, request, out, engines)
        measuring = progress.new_stage("reading with", "pages")
        run = run_study(study, out / RUN, progress=measuring, overwrite=True)
    result = decided(reading, settings, request, out, questions, origin, run)
    following = read_command(
        inputs,
        out,
        settings,
        request,
        result.decision,
        result.costs,
        pages=sample.total,
        ocr_pages=pages_for_ocr(result.layers, sample),
        layers=sum(sample.counts[name] for name in sample.pdfs),
        layer_s=layer_s,
        check_s=reading.check_s,
        excluded={*reading.inventions.vetoes, *failed_engines(table)},
        kin=outputs.kin,
        stored=_stored(outputs),
    )
    result = result.add_command(following)
    rows, _ = basis(result.table, pdf_engines(settings))
    errors = ""
    if len(rows):
        seconds = {cost.engine: cost.wall_s for cost in result.costs}
        errors = table_text(engine_table(rows, seconds, tuple(TARGETS_OF)))
    following_line = f"{following.command}\n({following.price})"
    write_text(out / AS_TEXT, result.advice.text(errors, following_line))
    write_text(
        out / AS_JSON, json.dumps(result.json_content(), indent=2, ensure_ascii=False) + "\n"
    )
    return result


def _sampled(
    inputs: Sequence[Path], request: Request, progress: Progress
) -> tuple[Draw, PageSample, float]:
    """The drawn pages; those of them that are read, with their layers checked; seconds a layer."""
    with progress.new_stage("checking", "pages", brief=True) as checking:
        with checking.doing("opening the files"):
            draw = draw_pages(inputs, request.dpi, request.budget, request.seed, request.pages)
        started = time.perf_counter()
        sample = check_sample(draw, _layers_first(request), checking)
    return draw, sample, (time.perf_counter() - started) / max(1, len(sample.checked))


def _stored(outputs: SampleOutputs) -> dict[str, int]:
    """The number of pages without a usable layer that each engine has read."""
    layers = outputs.sample.layers
    return {
        engine: sum(layers.get(ref) is None for ref in pages)
        for engine, pages in outputs.seen.items()
    }


def _layers_first(request: Request) -> int | None:
    """How many layers are checked before it is seen whether more need be."""
    # A transcribed page may be any of the sample.
    return None if request.read_all or request.truth is not None else LAYERS_CHECKED


def _floor_lines(pages: Sequence[PageSource], settings: OcrSettings) -> list[str]:
    pdfs = {page_ref(page).doc_id for page in pages if page.is_pdf}
    engines = sum(map(reads_images, settings.engines))
    return floor_lines(len(pdfs), len(pages), engines)


def _check(settings: OcrSettings, request: Request) -> None:
    """Raise OhrError, before pages are read, if the study of retrieval cannot run."""
    for spec in request.retrievers:
        registry.create("retriever", spec).identity()  # raises if the model is missing
    for level in request.levels:
        choose_level(NOISE, level)
    if request.levels and not any(map(reads_images, settings.engines)):
        raise ConfigError(
            "--levels: none of the engines reads page images, which noise distorts: leave --levels "
            "out, or name another engine with --engines"
        )


def _print(line: str) -> None:
    print(plain(line), flush=True)
