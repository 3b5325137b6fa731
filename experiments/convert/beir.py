"""Exports knowledge bases, questions and gold pages as BEIR or Hugging Face datasets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.errors import MissingDependencyError, OhrError
from ohr.store.atomic import write_text
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset
from ohr.study.output.cases import read_domains, read_questions, read_texts
from ohr.study.questions import select_questions
from ohr.study.results import open_run
from ohr.types import PageRef, Question


@dataclass(frozen=True)
class Collection:
    """The records of one domain of a knowledge base: pages, questions, relevance judgements."""

    corpus: list[dict[str, Any]]
    queries: list[dict[str, Any]]
    qrels: list[dict[str, Any]]


def export_collections(
    collections: Iterable[tuple[Path, Collection]],
    out: Path,
    write: Callable[[Collection, Path], None],
) -> None:
    """Write each collection into its folder of ``out``, and print what was written."""
    for name, collection in collections:
        folder = out / name
        write(collection, folder)
        print(f"{folder}: {len(collection.corpus)} pages, {len(collection.queries)} questions")


def dataset_texts(config: StudyConfig) -> Iterator[tuple[Path, dict[PageRef, str]]]:
    """The ground truth of a dataset."""
    yield Path(), {ref: page.text for ref, page in load_dataset(config).pages.items()}


def run_texts(path: Path) -> Iterator[tuple[Path, dict[PageRef, str]]]:
    """Folder and pages of each knowledge base of a finished run.

    Everything comes from the run's folder. Failed pages are left out. Raises OhrError.
    """
    if "imported" in open_run(path).manifest:
        raise OhrError(f"{path} was imported: there are no knowledge bases to export")
    names: set[str] = set()
    for label, pages in read_texts(path).items():
        name = re.sub(r"[^A-Za-z0-9.-]+", "_", label).strip("._")
        while name in names:
            name += "_"
        names.add(name)
        yield Path(name), pages


def dataset_collections(config: StudyConfig) -> Iterator[tuple[Path, Collection]]:
    """Folder and records of the ground truth of each domain of a dataset."""
    dataset = load_dataset(config)
    pages = {ref: page.text for ref, page in dataset.pages.items()}
    domains = {doc_id: document.domain for doc_id, document in dataset.documents.items()}
    yield from _domain_collections(Path(), domains, pages, select_questions(config, dataset))


def run_collections(path: Path) -> Iterator[tuple[Path, Collection]]:
    """Folder and records of each domain of each knowledge base of a finished run.

    Raises OhrError.
    """
    bases = list(run_texts(path))
    questions, domains = read_questions(path), read_domains(path)
    for name, pages in bases:
        yield from _domain_collections(name, domains, pages, questions)


def _domain_collections(
    folder: Path,
    domains: Mapping[str, str],
    pages: dict[PageRef, str],
    questions: Sequence[Question],
) -> Iterator[tuple[Path, Collection]]:
    """The collection of each domain that a question is asked in."""
    for domain in sorted({question.domain for question in questions}):
        of_domain = {ref: text for ref, text in pages.items() if domains[ref.doc_id] == domain}
        domain_questions = [question for question in questions if question.domain == domain]
        yield folder / domain, _collection(of_domain, domain_questions)


def _collection(pages: dict[PageRef, str], questions: Sequence[Question]) -> Collection:
    return Collection(
        [
            # Other tools index titles with the text; a study does not, so titles are empty.
            {"_id": page_id(ref), "title": "", "text": text}
            for ref, text in pages.items()
        ],
        [
            {
                "_id": question.qid,
                "text": question.text,
                "metadata": {
                    "answers": list(question.answers),
                    "domain": question.domain,
                    "evidence_source": question.evidence_source,
                },
            }
            for question in questions
        ],
        [
            {"query-id": question.qid, "corpus-id": page_id(ref), "score": 1}
            for question in questions
            for ref in question.evidence_pages
        ],
    )


def page_id(ref: PageRef) -> str:
    """``law/act#3``, with pages counted from 0."""
    return f"{ref.doc_id}#{ref.page_no}"


def write_beir(collection: Collection, folder: Path) -> None:
    """``corpus.jsonl``, ``queries.jsonl`` and ``qrels/test.tsv``, as BEIR reads them.

    Source: Thakur et al., BEIR: A heterogeneous benchmark for zero-shot evaluation of
    information retrieval models, 2021.
    """
    for name in ("corpus", "queries"):
        lines = [json.dumps(record, ensure_ascii=False) for record in getattr(collection, name)]
        write_text(folder / f"{name}.jsonl", "".join(f"{line}\n" for line in lines))
    qrels = pd.DataFrame(collection.qrels, columns=["query-id", "corpus-id", "score"])
    write_text(folder / "qrels" / "test.tsv", qrels.to_csv(sep="\t", index=False))


def write_datasets(collection: Collection, folder: Path) -> None:
    """Folders ``corpus``, ``queries`` and ``qrels`` for ``datasets.load_from_disk``."""
    try:
        from datasets import Dataset, disable_progress_bars
    except ImportError as error:
        raise MissingDependencyError("datasets is not installed: pip install 'ohr[hub]'") from error
    disable_progress_bars()
    for name in ("corpus", "queries", "qrels"):
        Dataset.from_list(getattr(collection, name)).save_to_disk(str(folder / name))
