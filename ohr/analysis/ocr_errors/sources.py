"""Pairs of truth and OCR output: from a finished run, or from two knowledge bases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ohr import registry
from ohr.collection import Dataset, ValidationReport, validate_questions
from ohr.datasets.ohrbench import read_documents, read_questions
from ohr.errors import OhrError
from ohr.metrics.holes import known_texts
from ohr.ocr_errors.pages import PagePair
from ohr.plugins import KnowledgeBaseSource
from ohr.store.identity import digest
from ohr.study.output.cases import read_domains, read_texts
from ohr.study.output.cases import read_questions as read_asked
from ohr.study.questions import pages_to_reread, select_questions
from ohr.study.results import open_run
from ohr.types import Question

TRUTH = "gt"
CLEAN = f"{TRUTH}, clean"


@dataclass(frozen=True)
class Pairs:
    """Pages with their OCR output, and questions about them, if there are any."""

    pages: list[PagePair]
    questions: list[Question]
    engine: str
    noise: str
    data: str
    """What the data are, and a digest of their pages."""
    left_out: int
    """Pages of the truth without output: missing in the output, or failed."""
    unread: int = 0
    """Pages of the run that its engines did not read: their text is the ground truth."""
    without_truth: int = 0
    """Pages of the run that its engines read, but that have no ground truth."""


def read_pairs(
    sources: Sequence[Path], engine: str, questions: Path | None, domains: tuple[str, ...] = ()
) -> Pairs:
    """The pairs of one run, or of a folder of truth and one of OCR output. Raises OhrError."""
    if len(sources) == 1:
        if questions is not None:
            raise OhrError("--questions is for two folders: a run has its own questions")
        return _run_pairs(sources[0], engine, domains)
    if len(sources) == 2:
        return _folder_pairs(sources[0], sources[1], engine, questions, domains)
    raise OhrError(
        "give one finished run, or two folders: the truth's and the OCR output's, each with "
        "<domain>/<document>.json"
    )


def _run_pairs(run: Path, engine: str, domains: tuple[str, ...]) -> Pairs:
    finished = open_run(run)
    config = finished.config
    texts = read_texts(run)
    if CLEAN not in texts:
        raise OhrError(f"{run} has no ground truth: run it with ground_truth=true")
    labels = [spec.label for spec in config.engines if spec.name != TRUTH]
    if engine and engine not in labels:
        raise OhrError(f"{run} has no engine {engine!r}; it has {', '.join(labels) or 'none'}")
    if not engine and len(labels) != 1:
        raise OhrError(f"{run} has the engines {', '.join(labels) or '-'}: name one, --engine")
    label = engine or labels[0]
    of_document = read_domains(run)
    dataset = finished.dataset
    reread = pages_to_reread(config, dataset, select_questions(config, dataset))
    # The other pages of a knowledge base have the ground truth's text, as if read without error.
    truths = {
        ref: truth
        for ref, truth in texts[CLEAN].items()
        if not domains or of_document[ref.doc_id] in domains
    }
    read = truths.keys() & set(reread)
    with_truth = set(filter(dataset.has_order, read))
    holes = dataset.holes
    pages, left_out = [], 0
    for base, outputs in texts.items():
        if not base.startswith(f"{label}, "):
            continue
        level = base.removeprefix(f"{label}, ")
        for ref, truth in truths.items():
            if ref not in with_truth:
                continue
            if ref not in outputs:
                left_out += 1
                continue
            output, known_values = known_texts(outputs[ref], truth, holes.get(ref))
            if known_values.strip():
                pages.append(PagePair(ref, of_document[ref.doc_id], level, known_values, output))
    noise = ", ".join(operator.label for operator in config.noise) or "none"
    stated = finished.manifest["dataset"]
    data = f"{stated['kind']} {stated['digest']}"
    pairs = _checked(pages, read_asked(run), label, noise, data, left_out)
    unread, without_truth = len(truths) - len(read), len(read) - len(with_truth)
    return replace(pairs, unread=unread, without_truth=without_truth)


def _folder_pairs(
    truth: Path, output: Path, engine: str, questions: Path | None, domains: tuple[str, ...]
) -> Pairs:
    report = ValidationReport()
    documents = {doc.doc_id: doc for doc in read_documents(truth, domains, {}, report)}
    on_pages = (
        validate_questions(
            [q for q in read_questions(questions, report) if q.doc_id in documents],
            documents,
            report,
        )
        if questions is not None
        else []
    )
    dataset = Dataset(
        documents.values(), on_pages, kind="folders", root=truth.parent, report=report
    )
    source = registry.create(
        "engine", {"name": "precomputed", "params": {"kb": str(output.resolve())}}
    )
    assert isinstance(source, KnowledgeBaseSource)
    base = source.knowledge_base(dataset)
    pages, left_out = [], 0
    for document in documents.values():
        for page in document.pages:
            outcome = base.pages.get(page.ref)
            if outcome is None or outcome.value is None:
                left_out += bool(page.text.strip())
            elif page.text.strip():
                level = "as read"
                pages.append(PagePair(page.ref, document.domain, level, page.text, outcome.value))
    label = engine or output.name
    data = f"pages {digest([(p.ref.doc_id, p.ref.page_no, p.truth) for p in pages])}"
    return _checked(pages, list(dataset.questions), label, "none", data, left_out)


def _checked(
    pages: list[PagePair],
    questions: list[Question],
    engine: str,
    noise: str,
    data: str,
    left_out: int,
) -> Pairs:
    if not pages:
        raise OhrError("no page has both a truth and OCR output: there is nothing to fit")
    refs = {page.ref for page in pages}
    on_pages = [
        question
        for question in questions
        if question.evidence_text.strip()
        and question.evidence_pages
        and set(question.evidence_pages) <= refs
    ]
    return Pairs(pages, on_pages, engine, noise, data, left_out)
