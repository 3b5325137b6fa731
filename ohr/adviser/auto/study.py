"""Reads files into a knowledge base, each page by the cheapest text that can be trusted."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ohr.adviser.auto.choice import PageChoice, layer_choice
from ohr.adviser.auto.reading import (
    AutoReader,
    AutoReadings,
    Budget,
)
from ohr.adviser.own_pages import EngineWork, OcrSettings, plan_reading, reads_images
from ohr.adviser.sampling import NO_PDF, PageSample, check_sample, draw_pages, page_ref
from ohr.display.wording import counted, pages_of
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.knowledge_base import check_out
from ohr.ocr.page_records import PAGES, PageRecord, check_formats, write_records
from ohr.ocr.price import reading_s, time_text
from ohr.ocr.progress import Progress
from ohr.ocr.routed import Reading, RoutedPages, plan_routes, write_routed
from ohr.ocr.routes import LAYER, PERSON, Routes
from ohr.ocr.sources import PageSource, skipped_files
from ohr.quality.signals import UNSURE
from ohr.quality.table import Observation
from ohr.store.locking import locked
from ohr.types import FAILED, Outcome, PageRef

MOST_ENGINES = 2
MOST_ERROR = 0.1
"""Largest predicted error of a text that is trusted, by default."""
EVERY_PAGE = 10**9
_REASONS = 3


@dataclass(frozen=True)
class AutoRequest:
    """What to read, and what is accepted.

    ``pages_per_hour`` is the least speed that is accepted; it sets the seconds of the budget. With
    ``trusted_only``, pages whose text cannot be trusted are left out.
    """

    pages: str = ""
    dpi: int = 150
    most_error: float = MOST_ERROR
    seconds: float | None = None
    pages_per_hour: float | None = None
    formats: Sequence[str] = ()
    trusted_only: bool = False

    def budget(self, pages: int, started: float) -> Budget:
        """The budget for all pages of the files together; see :class:`Budget`."""
        seconds = self.seconds
        if self.pages_per_hour is not None:
            seconds = 3600 * pages / self.pages_per_hour
        return Budget(self.most_error, seconds, started)


def read_auto(
    inputs: Sequence[Path],
    settings: OcrSettings,
    request: AutoRequest,
    reading: Reading,
    out: Path | None,
    *,
    dry_run: bool = False,
) -> int:
    """Read the pages, write the knowledge base, and print a summary.

    Returns 1 if a page failed, else 0. With ``dry_run``, which needs no ``out``, only the
    plan is printed. Raises OhrError.
    """
    started = time.monotonic()
    check_request(settings, request)
    for line in skipped_files(inputs):
        print(f"skipped: {plain(line)}", file=sys.stderr)
    with Progress(verb="checking", brief=True) as checking:
        with checking.doing("opening the files"):
            draw = draw_pages(inputs, request.dpi, EVERY_PAGE, 0, request.pages)
        sample = check_sample(draw, report=checking)
    rest = sample.only({ref for ref, layer in sample.layers.items() if layer is None})
    works = plan_reading(rest.pages, settings)
    for line in plan_lines(sample, rest):
        _print(line)
    if dry_run or out is None:
        for line in price_lines(works, settings.workers, request.most_error):
            _print(line)
        _print("dry run: nothing was read")
        return 0
    if rest.pages and not works:
        raise ConfigError(
            f"{pages_of(len(rest.pages))} without a usable text layer, and no OCR engine is "
            "installed: ohr list engines shows how to install one"
        )
    if reading.retry:
        for work in works:
            work.retry_failed()
        reading = replace(reading, retry=False)
    pages = _Pages(sample, settings, reading)
    with locked(out):
        first = settings.engines[0].label if settings.engines else ""
        # Which engine reads which page is not known yet, but what is in the folder may not fit.
        planned = pages.routed(dict.fromkeys(rest.layers, first))
        check_out(out, planned.pages, planned.identity)
        readings = AutoReadings()
        if rest.pages:
            with Progress(verb="reading with") as progress:
                budget = request.budget(sample.total, started)
                readings = AutoReader(
                    rest, works, budget, settings.workers, progress, _print
                ).read()
        return _write(pages, readings, request, out)


def check_request(settings: OcrSettings, request: AutoRequest) -> None:
    """Raise ConfigError for options that do not go together."""
    if len(settings.engines) > MOST_ENGINES:
        named = ", ".join(spec.label for spec in settings.engines)
        raise ConfigError(
            f"--auto reads with at most {MOST_ENGINES} engines, not {named}: the first reads every "
            "page without a usable text layer, the second those that the first reads badly"
        )
    for spec in settings.engines:
        if not reads_images(spec):
            raise ConfigError(
                f"--auto: {spec.label!r} reads no page images; text layers are taken anyway"
            )
    if request.seconds is not None and request.pages_per_hour is not None:
        raise ConfigError("give --seconds or --pages-per-hour, not both")
    check_formats(request.formats)


def plan_lines(sample: PageSample, rest: PageSample) -> list[str]:
    """What is in the files: their pages, and how many have a usable text layer."""
    pdfs, files = len(sample.pdfs), len(sample.counts)
    layered = len(sample.pages) - len(rest.pages)
    lines = [
        f"{pages_of(len(sample.pages))} of {counted(pdfs, 'PDF')} and "
        f"{counted(files - pdfs, 'image')}: verified text layer on {layered:,}, "
        f"to read {len(rest.pages):,}"
    ]
    lines += [f"cannot be read: {name}: {why}" for name, why in sample.left_out.items()]
    reasons = Counter(why for why in sample.no_layer.values() if why != NO_PDF)
    lines += [
        f"no usable text layer on {pages_of(count)}: {why}"
        for why, count in reasons.most_common(_REASONS)
    ]
    unnamed = sum(count for _, count in reasons.most_common()[_REASONS:])
    if unnamed:
        lines.append(f"no usable text layer on {pages_of(unnamed)} more, for other reasons")
    return lines


def price_lines(works: Sequence[EngineWork], workers: int, most_error: float) -> list[str]:
    """What reading takes by the pages in the cache; a line for each engine."""
    lines = []
    for place, work in enumerate(works):
        count = len(work.unread())
        seconds = reading_s(count, work.expected_s(), workers)
        time = time_text(seconds)
        if math.isnan(seconds):
            time += ": the cache has no page of it"
        elif count:
            time += f" with {counted(workers, 'worker')}"
        which = "" if not place else f"at most, where the error is above {most_error:.2f}: "
        lines.append(
            f"{work.label}: {which}{pages_of(len(work.pages))}, "
            f"{len(work.pages) - count} in the cache, {count} to read, {time}"
        )
    return lines


@dataclass(frozen=True)
class _Pages:
    """The pages of a sample, which are routed when their outputs are known."""

    sample: PageSample
    settings: OcrSettings
    reading: Reading

    def routed(self, engines: Mapping[PageRef, str]) -> RoutedPages:
        """The pages with their routes: that of ``engines``, or the text layer."""
        refs = map(page_ref, self.sample.pages)
        routes = Routes(
            {ref: engines.get(ref, LAYER) for ref in refs},
            {spec.label: spec for spec in self.settings.engines},
        )
        pages = self.sample.pages
        return plan_routes(pages, pages, routes, self.reading, Path("routes.csv"))

    def layers(self) -> dict[PageRef, Outcome[str]]:
        """The text layers that are taken, with what is left out of them."""
        notes = self.sample.notes
        return {
            ref: Outcome.of_text(layer, notes.get(ref, ""))
            for ref, layer in self.sample.layers.items()
            if layer is not None
        }


def _write(pages: _Pages, readings: AutoReadings, request: AutoRequest, out: Path) -> int:
    """Write the knowledge base by the choices, with a record of each page."""
    sample = pages.sample
    choices = {choice.ref: choice for choice in readings.choices}
    for ref, layer in sample.layers.items():
        if layer is not None:
            choices[ref] = layer_choice(ref)
    engines = {ref: choice.route for ref, choice in choices.items() if choice.route != LAYER}
    doubtful = [choice for choice in choices.values() if not choice.is_trusted]
    if request.trusted_only:
        engines |= {choice.ref: PERSON for choice in doubtful}
    layers = pages.layers()
    records = []
    for source in sample.pages:
        choice = choices[page_ref(source)]
        left_out = request.trusted_only and not choice.is_trusted
        records.append(_record(source, choice, readings, layers, left_out=left_out))
    routed = pages.routed(engines)
    # A page that is left out now may be in the folder from before.
    check_out(out, routed.pages, routed.identity)
    write_records(records, out, request.formats)
    about = [*readings.lines, *trust_lines(doubtful, len(choices)), f"pages: {out / PAGES}"]
    return write_routed(
        routed,
        pages.reading,
        out,
        layers=layers,
        unopened=sample.left_out,
        about=about,
    )


def trust_lines(doubtful: Sequence[PageChoice], pages: int) -> list[str]:
    """How many pages are trusted, and why the others are not."""
    lines = [f"trusted: {pages - len(doubtful):,} of {pages_of(pages)}"]
    reasons: dict[str, list[PageChoice]] = {}
    for choice in doubtful:
        reasons.setdefault(choice.doubt, []).append(choice)
    for kind, choices in reasons.items():
        first = choices[0].ref
        lines.append(
            f"not trusted: {pages_of(len(choices))}, such as page {first.page_no + 1} of "
            f"{first.doc_id}: {kind}"
        )
    return lines


def _record(
    source: PageSource,
    choice: PageChoice,
    readings: AutoReadings,
    layers: Mapping[PageRef, Outcome[str]],
    *,
    left_out: bool,
) -> PageRecord:
    """What is known of a page, with its text unless it is left out or failed."""
    ref = choice.ref
    if choice.reading is None:
        layer = layers[ref]
        return PageRecord(
            ref, source.file_name, LAYER, choice.reason, layer.value or "", seconds=0.0
        )
    seen: Observation = readings.seen[choice.route][ref]
    words = seen.words or ()
    confidences = [word.confidence for word in words]
    return PageRecord(
        ref,
        source.file_name,
        choice.route,
        choice.reason,
        None if left_out or seen.outcome.status in FAILED else seen.text,
        choice.doubt,
        choice.reading.error,
        choice.reading.low,
        choice.reading.high,
        sum(confidences) / len(confidences) if confidences else math.nan,
        tuple(word.text for word in words if word.confidence < UNSURE),
        choice.seconds,
    )


def _print(line: str) -> None:
    print(plain(line), flush=True)
