"""Recommends an engine and a retriever for your PDFs, from a sample of pages and questions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr import registry
from ohr.adviser.own_pages import (
    OcrSettings,
    PageSample,
    SampleOutputs,
    page_ref,
    read_sample,
    sample_pages,
)
from ohr.adviser.quality.report import assessed_lines, engine_table, verdict_lines, worst_lines
from ohr.adviser.quality.study import (
    predict_errors,
    problem_lines,
    read_transcriptions,
    report_failed,
    sample_lines,
    write_quality,
)
from ohr.adviser.recommend.report import not_ranked, retrieval_lines, three_sentences
from ohr.display.terminal import show
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.noise import at_level
from ohr.ocr.progress import Progress
from ohr.plugins import OcrBackend
from ohr.questions import agreed_texts, make_question_set
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
"""Least number of questions for retrieval to be assessed."""


@dataclass(frozen=True)
class Request:
    """Options of a recommendation: numbers of pages and questions, noise, retrievers."""

    pages: int
    questions: int
    retrievers: Sequence[PluginSpec]
    levels: Sequence[str]
    dpi: int
    seed: int
    truth: Path | None
    report: bool = False


def recommend(folder: Path, settings: OcrSettings, request: Request, out: Path) -> int:
    """Read pages, make questions, measure retrieval, and print what to take.

    Returns 1 if every page of an engine failed, else 0. Raises OhrError.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder: give the folder of your PDFs")
    if out.resolve().is_relative_to(folder.resolve()):
        raise ConfigError(f"{out} is in the folder of the PDFs: choose another --out")
    _check(settings, request)
    sample = sample_pages([folder], request.dpi, request.pages, request.seed)
    known = read_transcriptions(sample, request.truth)
    with locked(out):
        (out / RECOMMENDATION).unlink(missing_ok=True)  # of an earlier sample, perhaps
        for line in sample_lines(sample, out):
            print(plain(line))
        with Progress() as progress:
            outputs = read_sample(sample, settings, progress)
        sample = outputs.sample
        table = predict_errors(outputs, known)
        write_quality(out, sample, table, request.seed)
        questions, origin = _question_set(sample, outputs, request, out)
    show(engine_table(table, outputs.seconds))
    assessed = assessed_lines(table, sample.no_layer)
    ranked = table[~table["engine"].isin(outputs.of_layer)]
    problems = problem_lines(sample, out)
    for line in (*verdict_lines(ranked), *assessed, *worst_lines(table), *problems):
        print(plain(line))
    run = None
    if images := sum(source.page_no is None for source in sample.pages):
        print(f"retrieval: questions are about PDFs only, not about the {images} images")
    if len(questions) < FEWEST_QUESTIONS:
        print(f"retrieval: not assessed: {len(questions)} questions could be made {origin}")
    else:
        print(f"{len(questions)} questions, made {origin}")
        # Results of an earlier sample are replaced; OCR output is in the cache.
        study = _study(settings, request, out)
        run = run_study(study, out / "retrieval", overwrite=True)
        for line in retrieval_lines(run):
            print(plain(line))
    for name in sorted(outputs.of_layer):
        print(plain(not_ranked(name, len(sample.layers) - len(sample.no_layer))))
    sentences = three_sentences(table, outputs.seconds, outputs.of_layer, run, request.levels)
    write_text(out / RECOMMENDATION, "".join(f"{line}\n" for line in sentences))
    if request.report and run is not None:
        from ohr.report.build import build_report
        from ohr.report.options import ReportOptions

        for line in build_report([run], out / "report", ReportOptions()).lines(out / "report"):
            print(line)
    elif request.report:
        print("report: not written without questions: read more pages (--budget)")
    print()
    for line in sentences:
        print(plain(line))
    return report_failed(table)


def _check(settings: OcrSettings, request: Request) -> None:
    """Raise OhrError, before pages are read, if the study of retrieval cannot run."""
    for spec in request.retrievers:
        registry.create("retriever", spec).identity()  # raises if the model is missing
    for level in request.levels:
        at_level(NOISE, level)
    if request.levels and not any(map(_reads_images, settings.engines)):
        raise ConfigError(
            "--levels: none of the engines reads page images, which noise distorts: leave --levels "
            "out, or name another engine with --engines"
        )


def _question_set(
    sample: PageSample, outputs: SampleOutputs, request: Request, out: Path
) -> tuple[list[Question], str]:
    """Make questions of the sampled PDFs, and write them with their pages as a dataset.

    Returns the questions, and the source of their text.
    """
    pdfs = {page_ref(source): source.path for source in sample.pages if source.page_no is not None}
    texts = {ref: text for ref in pdfs if (text := sample.layers[ref]) is not None}
    origin = "of the text layers"
    without = [ref for ref in pdfs if ref not in texts]
    if without and len(outputs.seen) > 1:
        common = agreed_texts(
            [
                {ref: pages[ref].text for ref in without if ref in pages}
                for pages in outputs.seen.values()
            ]
        )
        texts |= common
        origin = f"{origin}, and of what engines agree on for {len(common)} pages without"
    pages = [Page(ref, texts.get(ref, "")) for ref in sorted(pdfs)]
    question_set = make_question_set(pages, texts, request.seed, request.questions)
    _write_dataset(out / "exam", pages, question_set.accepted)
    _link({ref.doc_id: path for ref, path in pdfs.items()}, out / "exam" / "pdfs")
    return list(question_set.accepted), origin


def _write_dataset(folder: Path, pages: Sequence[Page], questions: Sequence[Question]) -> None:
    """Write the sample and its questions in the layout of OHR-Bench, instead of an earlier one."""
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
    """Link each document's PDF under its name, or copy it if links are not possible."""
    if folder.is_dir():
        shutil.rmtree(folder)
    for doc_id, path in pdfs.items():
        link = folder / f"{doc_id}.pdf"
        link.parent.mkdir(parents=True, exist_ok=True)
        try:
            link.symlink_to(path.resolve())
        except OSError:
            shutil.copyfile(path, link)


def _study(settings: OcrSettings, request: Request, out: Path) -> StudyConfig:
    """The study of retrieval on the sample: clean, and under the requested noise."""
    return StudyConfig(
        dataset=DatasetConfig(
            kind="ohrbench",
            path=out / "exam" / "retrieval_base",
            questions=out / "exam" / "questions.json",
            pdfs=out / "exam" / "pdfs",
        ),
        dpi=request.dpi,
        engines=tuple(settings.engines),
        noise=(NOISE,) if request.levels else (),
        levels=tuple(request.levels) or None,
        retrievers=tuple(request.retrievers),
        stages=("ocr", "retrieval"),
        seeds=(request.seed,),
        seed=request.seed,
        workers=settings.workers,
        cache=settings.cache,
    )


def _reads_images(spec: PluginSpec) -> bool:
    backend = registry.create("engine", spec)
    return isinstance(backend, OcrBackend) and "image" in backend.accepts
