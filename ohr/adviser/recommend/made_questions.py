"""Makes questions of sampled PDFs, and the study that measures retrieval by them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr.adviser.invented import Inventions
from ohr.adviser.own_pages import OcrSettings, SampleOutputs
from ohr.adviser.sampling import PageSample, page_ref
from ohr.datasets.holes import known_lines
from ohr.questions import agreed_texts, make_question_set
from ohr.questions.storage import json_text
from ohr.registry import PluginSpec
from ohr.store.atomic import write_text
from ohr.study.config import DatasetConfig, StudyConfig
from ohr.types import Page, Question

NOISE = PluginSpec(name="semantic")


@dataclass(frozen=True)
class Request:
    """Options of a recommendation: numbers of pages and questions, noise, retrievers."""

    budget: int
    questions: int
    retrievers: Sequence[PluginSpec]
    levels: Sequence[str]
    dpi: int
    seed: int
    truth: Path | None
    report: bool = False
    pages: str = ""
    """Pages of each file, such as ``1-3,7``; by default all."""
    minutes: float | None = None
    """Time for OCR; by default no limit."""
    read_all: bool = False
    """Read all pages of the budget, also if the engines' errors are compared before."""


def make_questions(
    sample: PageSample,
    outputs: SampleOutputs,
    request: Request,
    out: Path,
    inventions: Inventions | None = None,
) -> tuple[list[Question], str]:
    """Make questions of the sampled PDFs, and write them with their pages as a dataset.

    No question is made of text that an engine invents, by ``inventions``. Returns the questions,
    and the source of their text.
    """
    inventions = inventions or Inventions()
    pdfs = {page_ref(source): source.path for source in sample.pages if source.is_pdf}
    texts = {
        ref: known_lines(text, sample.holes.get(ref))
        for ref in pdfs
        if (text := sample.layers[ref]) is not None
    }
    origin = "of the text layers"
    without = [ref for ref in pdfs if ref not in texts]
    # The text of an engine that invents only confirms what another one has read.
    ordered = sorted(outputs.seen.items(), key=lambda item: item[0] in inventions.vetoes)
    if without and len(outputs.seen) > 1:
        common = agreed_texts(
            [
                {
                    ref: pages[ref].text
                    for ref in without
                    if ref in pages and (place or not inventions.invents(name, ref))
                }
                for place, (name, pages) in enumerate(ordered)
            ]
        )
        texts |= common
        pages_without = f"{len(common)} page{'s' * (len(common) != 1)} without"
        origin = f"{origin}, and of what engines agree on for {pages_without}"
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


def retrieval_study(
    settings: OcrSettings, request: Request, out: Path, engines: Sequence[PluginSpec]
) -> StudyConfig:
    """The study of retrieval on the sample: clean, and under the requested noise."""
    return StudyConfig(
        dataset=DatasetConfig(
            kind="ohrbench",
            path=out / "exam" / "retrieval_base",
            questions=out / "exam" / "questions.json",
            pdfs=out / "exam" / "pdfs",
        ),
        dpi=request.dpi,
        engines=tuple(engines),
        noise=(NOISE,) if request.levels else (),
        levels=tuple(request.levels) or None,
        retrievers=tuple(request.retrievers),
        stages=("ocr", "retrieval"),
        seeds=(request.seed,),
        seed=request.seed,
        workers=settings.workers,
        cache=settings.cache,
    )
