"""Estimates the errors of OCR output of your PDFs; prints and writes the results."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from ohr.adviser.dry_run import print_plan
from ohr.adviser.invented import InventionJudge, judged_outputs
from ohr.adviser.own_pages import (
    OcrSettings,
    SampleOutputs,
    add_predictions,
    keep_assessed,
    read_sample,
)
from ohr.adviser.quality.report import assessed_lines, engine_table, verdict_lines, worst_lines
from ohr.adviser.quality.table import DECIDES
from ohr.adviser.routes.study import report_routes
from ohr.adviser.sampling import PageSample, check_sample, draw_pages, page_ref
from ohr.adviser.transcriptions import add_truth, read_truth, transcription_name
from ohr.display.terminal import report_failures, say_files, show
from ohr.display.wording import counted, pages_of
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.ocr.sources import other_kinds_line
from ohr.quality.inference import FEWEST_LABELLED, pages_to_transcribe
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.store.locking import locked
from ohr.study.run import PROBLEMS
from ohr.types import FAILED, PageRef

TRANSCRIBED = 25
"""Number of pages to ask a person to transcribe."""
TO_TRANSCRIBE = "to_transcribe.csv"
_NAMED = 12


def report_quality(
    inputs: Sequence[Path],
    settings: OcrSettings,
    out: Path | None,
    *,
    budget: int,
    dpi: int,
    seed: int,
    truth: Path | None,
    pages: str = "",
    dry_run: bool = False,
    route_seconds: float | None = None,
) -> int:
    """Read a sample of at most ``budget`` pages, and print and write its predicted errors.

    With ``dry_run``, which needs no ``out``, only what would be read is printed.

    Returns 1 if every page of an engine failed, else 0. Raises OhrError.
    """
    with Progress(verb="checking", brief=True) as checking:
        with checking.doing("opening the files"):
            draw = draw_pages(inputs, dpi, budget, seed, pages)
        sample = check_sample(draw, report=checking)
    if dry_run or out is None:
        print_plan(draw, sample, settings)
        return 0
    known_values = read_transcriptions(sample, truth)
    with locked(out):
        for line in sample_lines(sample, out):
            print(plain(line))
        with Progress() as progress:
            outputs = read_sample(sample, settings, progress)
            sample = outputs.sample
            outputs, table, inventions = judged_outputs(
                outputs,
                InventionJudge(),
                lambda each: predict_errors(each, known_values),
                progress,
            )
        write_quality(out, sample, table, seed)
        routes = report_routes(out, outputs, table, settings.engines, route_seconds, inventions)
    show(engine_table(table, outputs.seconds))
    lines = assessed_lines(table, sample.no_layer)
    compared = table[~table["engine"].isin(list(inventions.vetoes))]
    for line in (*inventions.lines(), *verdict_lines(compared), *lines, *worst_lines(compared)):
        print(plain(line))
    for name in sorted(outputs.of_layer):
        print(plain(f"{name} reads the text layer, so the layer cannot show its errors"))
    say_files([out / "quality.csv"])
    for line in routes:
        print(plain(line))
    for line in problem_lines(sample, out):
        print(plain(line))
    if truth is None:
        print(
            f"{out / TO_TRANSCRIBE} names {min(TRANSCRIBED, len(sample.pages))} pages in "
            f"random order: transcribe {FEWEST_LABELLED} or more from the top, and give their "
            "folder with --truth to correct the estimates"
        )
    return report_failed(table)


def failed_engines(table: pd.DataFrame) -> dict[str, int]:
    """The engines of which every page failed, with the number of pages."""
    failed = table["status"].isin([str(status) for status in FAILED])
    by_engine = failed.groupby(table["engine"], sort=False).agg(["all", "size"])
    return {str(engine): int(n) for engine, every, n in by_engine.itertuples() if every}


def report_failed(table: pd.DataFrame) -> int:
    """Report the engines whose pages all failed; returns 1 if there is one, else 0."""
    failed = failed_engines(table).items()
    return report_failures((), [f"{engine}: all {pages_of(n)}" for engine, n in failed])


def read_transcriptions(sample: PageSample, truth: Path | None) -> Mapping[PageRef, str]:
    """The transcriptions of sampled pages; empty without ``truth``. Raises ConfigError."""
    return {} if truth is None else read_truth(truth, [page_ref(source) for source in sample.pages])


def predict_errors(outputs: SampleOutputs, known_values: Mapping[PageRef, str]) -> pd.DataFrame:
    """The table of signals with predictions of assessed pages and errors of transcribed ones."""
    return add_truth(keep_assessed(add_predictions(outputs.table)), outputs, known_values)


def sample_lines(sample: PageSample, out: Path, *, at_most: bool = False) -> list[str]:
    """Lines about the sampled pages, files that cannot be opened, and files that have changed
    since the last run into the same folder. With ``at_most``, reading may stop before.
    """
    drawn = Counter(page_ref(source).doc_id for source in sample.pages)
    named = [f"{name} {count}" for name, count in drawn.items()]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    pages = f"{'at most ' * at_most}{len(sample.pages)} of {pages_of(sample.total)}"
    lines = [
        f"{pages} of {counted(len(sample.counts), 'document')}, spread evenly over each: "
        f"{', '.join(named[:_NAMED])}{more}"
    ]
    lines += [f"left out: {name}: {reason}" for name, reason in sample.left_out.items()]
    lines += [line] if (line := other_kinds_line(sample.others)) else []
    before = _earlier_digests(out)
    lines += [
        f"changed since the last run: {name}: its pages are read again, and its transcriptions "
        "may be out of date"
        for name, digest in sample.digests.items()
        if before.get(name, digest) != digest
    ]
    lines += [f"gone since the last run: {name}" for name in before if name not in sample.digests]
    return lines


def problem_lines(sample: PageSample, out: Path) -> list[str]:
    """A line with the file of problems with files and text layers, if there are any."""
    count = len(sample.problems())
    problems = "problem" if count == 1 else "problems"
    return [f"{count} {problems} with files and pages: {out / PROBLEMS}"] if count else []


def _earlier_digests(out: Path) -> dict[str, str]:
    try:
        digests = json.loads((out / "quality.json").read_text("utf-8"))["documents"]
        return {str(name): str(digest) for name, digest in digests.items()}
    except (OSError, ValueError, KeyError, AttributeError):
        return {}


def write_quality(out: Path, sample: PageSample, table: pd.DataFrame, seed: int) -> None:
    """Write ``quality.csv``, ``problems.csv``, ``to_transcribe.csv``, and ``quality.json`` with the
    digests of the documents.
    """
    columns = table.rename(columns={"doc_id": "document"})
    columns.insert(2, "page", columns.pop("page_no") + 1)
    write_csv(out / "quality.csv", columns)
    write_csv(out / PROBLEMS, pd.DataFrame(sample.problems(), columns=["kind", "problem"]))
    refs = [page_ref(source) for source in sample.pages]
    predicted = [_page_error(table, ref) for ref in refs]
    chosen = [refs[place] for place in pages_to_transcribe(predicted, TRANSCRIBED, seed)]
    write_csv(
        out / TO_TRANSCRIBE,
        pd.DataFrame(
            [(ref.doc_id, ref.page_no + 1, transcription_name(ref)) for ref in chosen],
            columns=["document", "page", "file"],
        ),
    )
    known_values = {"documents": dict(sample.digests), "left_out": dict(sample.left_out)}
    write_text(out / "quality.json", json.dumps(known_values, indent=2, ensure_ascii=False) + "\n")


def _page_error(table: pd.DataFrame, ref: PageRef) -> float:
    mine = table[(table["doc_id"] == ref.doc_id) & (table["page_no"] == ref.page_no)]
    return float(mine[DECIDES].mean())
