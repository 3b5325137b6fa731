"""Which engine and which retriever for these PDFs: a sample of pages, an exam, three sentences."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr import registry
from ohr.adviser.own_pages import (
    OwnPages,
    OwnReadings,
    Reading,
    page_ref,
    read_own,
    sample_pages,
)
from ohr.adviser.quality.report import assessed_lines, engine_table, verdict_lines, worst_lines
from ohr.adviser.quality.study import (
    judged,
    problem_lines,
    report_failed,
    sample_lines,
    transcribed,
    write_quality,
)
from ohr.adviser.recommend.report import not_ranked, retrieval_lines, three_sentences
from ohr.display.terminal import show
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.noise import at_level
from ohr.ocr.progress import Progress
from ohr.plugins import OcrBackend
from ohr.questions import agreed, make_question_set
from ohr.questions.storage import json_text
from ohr.registry import PluginSpec
from ohr.store.atomic import write_text
from ohr.store.locking import locked
from ohr.study.config import DatasetConfig, StudyConfig
from ohr.study.run import run_study
from ohr.types import Page, Question

RECOMMENDATION = "recommendation.txt"
NOISE = PluginSpec(name="semantic")
FEWEST_QUESTIONS = 10
"""Questions below which retrieval is not assessed."""


@dataclass(frozen=True)
class Wanted:
    """What is to be recommended, on how much: pages and questions, noise, retrievers."""

    pages: int
    questions: int
    retrievers: Sequence[PluginSpec]
    levels: Sequence[str]
    dpi: int
    seed: int
    truth: Path | None
    report: bool = False


def recommend(folder: Path, reading: Reading, wanted: Wanted, out: Path) -> int:
    """Read, ask, retrieve and say what to take; 1 if every page of an engine failed, else 0.

    Raises OhrError.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder: give the folder of your PDFs")
    if out.resolve().is_relative_to(folder.resolve()):
        raise ConfigError(f"{out} lies in the folder of the PDFs: choose another --out")
    _check(reading, wanted)
    sample = sample_pages([folder], wanted.dpi, wanted.pages, wanted.seed)
    known = transcribed(sample, wanted.truth)
    with locked(out):
        (out / RECOMMENDATION).unlink(missing_ok=True)  # of an earlier sample, perhaps
        for line in sample_lines(sample, out):
            print(plain(line))
        with Progress() as progress:
            readings = read_own(sample, reading, progress)
        sample = readings.sample
        table = judged(readings, known)
        write_quality(out, sample, table, wanted.seed)
        questions, origin = _exam(sample, readings, wanted, out)
    show(engine_table(table, readings.seconds))
    assessed = assessed_lines(table, sample.no_layer)
    ranked = table[~table["engine"].isin(readings.of_layer)]
    problems = problem_lines(sample, out)
    for line in (*verdict_lines(ranked), *assessed, *worst_lines(table), *problems):
        print(plain(line))
    run = None
    if images := sum(source.page_no is None for source in sample.pages):
        print(f"retrieval: only PDFs are asked about, and not the {images} images")
    if len(questions) < FEWEST_QUESTIONS:
        print(f"retrieval: not assessed: {len(questions)} questions could be made {origin}")
    else:
        print(f"{len(questions)} questions, made {origin}")
        # An earlier sample's results are made anew; what was read is in the cache.
        study = _study(reading, wanted, out)
        run = run_study(study, out / "retrieval", overwrite=True)
        for line in retrieval_lines(run):
            print(plain(line))
    for name in sorted(readings.of_layer):
        print(plain(not_ranked(name, len(sample.layers) - len(sample.no_layer))))
    sentences = three_sentences(table, readings.seconds, readings.of_layer, run, wanted.levels)
    write_text(out / RECOMMENDATION, "".join(f"{line}\n" for line in sentences))
    if wanted.report and run is not None:
        from ohr.report.build import build_report
        from ohr.report.options import ReportOptions

        for line in build_report([run], out / "report", ReportOptions()).lines(out / "report"):
            print(line)
    elif wanted.report:
        print("report: none is written without questions: make them of more pages (--budget)")
    print()
    for line in sentences:
        print(plain(line))
    return report_failed(table)


def _check(reading: Reading, wanted: Wanted) -> None:
    """Raise OhrError for what the study of retrieval cannot be run with, before pages are read."""
    for spec in wanted.retrievers:
        registry.create("retriever", spec).identity()  # a model that is not there says so now
    for level in wanted.levels:
        at_level(NOISE, level)
    if wanted.levels and not any(map(_reads_images, reading.engines)):
        raise ConfigError(
            "--levels: no engine that was asked for reads page images, so none is distorted: "
            "leave --levels out, or name another of --engines"
        )


def _exam(
    sample: OwnPages, readings: OwnReadings, wanted: Wanted, out: Path
) -> tuple[list[Question], str]:
    """Questions of the sample's PDFs, written with their text as a dataset; and what they are
    made of.
    """
    pdfs = {page_ref(source): source.path for source in sample.pages if source.page_no is not None}
    texts = {ref: text for ref in pdfs if (text := sample.layers[ref]) is not None}
    origin = "of the text layers"
    without = [ref for ref in pdfs if ref not in texts]
    if without and len(readings.seen) > 1:
        found = agreed(
            [
                {ref: pages[ref].text for ref in without if ref in pages}
                for pages in readings.seen.values()
            ]
        )
        texts |= found
        origin = f"{origin}, and of what engines agree on for {len(found)} pages without"
    pages = [Page(ref, texts.get(ref, "")) for ref in sorted(pdfs)]
    exam = make_question_set(pages, texts, wanted.seed, wanted.questions)
    _write_dataset(out / "exam", pages, exam.accepted)
    _link({ref.doc_id: path for ref, path in pdfs.items()}, out / "exam" / "pdfs")
    return list(exam.accepted), origin


def _write_dataset(folder: Path, pages: Sequence[Page], questions: Sequence[Question]) -> None:
    """The sample and its questions, and no earlier one's, in the layout of OHR-Bench."""
    truth = folder / "retrieval_base" / "gt"
    if truth.is_dir():
        shutil.rmtree(truth)
    documents: dict[str, list[dict[str, object]]] = {}
    for page in pages:
        documents.setdefault(page.ref.doc_id, []).append(
            {"page_idx": page.ref.page_no, "text": page.text}
        )
    for doc_id, entries in documents.items():
        text = json.dumps(entries, ensure_ascii=False, indent=1) + "\n"
        write_text(truth / f"{doc_id}.json", text)
    write_text(folder / "questions.json", json_text(questions))


def _link(pdfs: Mapping[str, Path], folder: Path) -> None:
    """Each document's PDF under its name, by a link or, where there are none, by a copy."""
    if folder.is_dir():
        shutil.rmtree(folder)
    for doc_id, path in pdfs.items():
        link = folder / f"{doc_id}.pdf"
        link.parent.mkdir(parents=True, exist_ok=True)
        try:
            link.symlink_to(path.resolve())
        except OSError:
            shutil.copyfile(path, link)


def _study(reading: Reading, wanted: Wanted, out: Path) -> StudyConfig:
    """The study of retrieval on the sample: clean, and under the noise that was asked for."""
    return StudyConfig(
        dataset=DatasetConfig(
            kind="ohrbench",
            path=out / "exam" / "retrieval_base",
            questions=out / "exam" / "questions.json",
            pdfs=out / "exam" / "pdfs",
        ),
        dpi=wanted.dpi,
        engines=tuple(reading.engines),
        noise=(NOISE,) if wanted.levels else (),
        levels=tuple(wanted.levels) or None,
        retrievers=tuple(wanted.retrievers),
        stages=("ocr", "retrieval"),
        seeds=(wanted.seed,),
        seed=wanted.seed,
        workers=reading.workers,
        cache=reading.cache,
    )


def _reads_images(spec: PluginSpec) -> bool:
    backend = registry.create("engine", spec)
    return isinstance(backend, OcrBackend) and "image" in backend.accepts
