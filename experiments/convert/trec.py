"""Exports topics, relevance judgements and runs in the formats of TREC.

Source of the formats: Buckley and Voorhees, trec_eval; ``ir_measures`` reads the same files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from experiments.convert.beir import page_id
from ohr.errors import OhrError
from ohr.store.atomic import write_text
from ohr.store.csv import write_csv
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset
from ohr.study.output.cases import read_cases, read_questions
from ohr.study.questions import select_questions
from ohr.study.results import open_run
from ohr.types import PageRef, Question

_KEYS = ["knowledge_base", "chunker", "retriever"]


@dataclass(frozen=True)
class Ranking:
    """The pages that a retriever ranks for each question, under one condition."""

    knowledge_base: str
    chunker: str
    retriever: str
    k: int
    """The number of hits. Several hits may be on one page, so there are at most so many pages."""
    pages: dict[str, list[PageRef]]
    """By question, the distinct pages of its hits, best first."""

    @property
    def name(self) -> str:
        """``gt_clean.tokens.bm25.k2``."""
        parts = (self.knowledge_base, self.chunker, self.retriever)
        safe = (re.sub(r"[^A-Za-z0-9-]+", "_", part).strip("_") for part in parts)
        return ".".join([*safe, f"k{self.k}"])


def export_dataset(config: StudyConfig, out: Path) -> None:
    """Write topics and relevance judgements of a dataset."""
    _write_questions(select_questions(config, load_dataset(config)), out)


def export_run(path: Path, out: Path) -> None:
    """Write topics, relevance judgements and each condition's run of a finished run.

    Raises OhrError for a run without retrieval.
    """
    run = open_run(path)
    if "imported" in run.manifest:
        raise OhrError(f"{path} was imported: there are no hits to export")
    rankings = list(rankings_of(path, run.config.cutoffs))
    if not rankings:
        raise OhrError(f"{path} has no hits: its stages are {', '.join(run.config.stages)}")
    _write_questions(read_questions(path), out)
    files = []
    for ranking in rankings:
        name = ranking.name
        while name in files:
            name += "_"
        files.append(name)
        write_text(out / "runs" / f"{name}.run", run_text(ranking, name))
    columns = [*_KEYS, "k"]
    records = [[getattr(ranking, column) for column in columns] for ranking in rankings]
    table = pd.DataFrame(records, columns=columns)
    table.insert(0, "file", [f"runs/{name}.run" for name in files])
    write_csv(out / "runs.csv", table)
    print(f"{out / 'runs'}: {len(files)} runs, listed in {out / 'runs.csv'}")


def rankings_of(path: Path, cutoffs: Sequence[int]) -> Iterator[Ranking]:
    """The rankings of a finished run, at each number of hits."""
    hits = read_cases(path, "hits").select([*_KEYS, "qid", "rank", "doc_id", "page_no"])
    table = hits.to_pandas()
    for key, of_condition in table.groupby(_KEYS, sort=False, observed=True):
        for k in sorted(set(cutoffs)):
            pages: dict[str, dict[PageRef, None]] = {}
            within = of_condition[of_condition["rank"] < k].sort_values("rank", kind="stable")
            for qid, doc_id, page_no in zip(
                within["qid"], within["doc_id"], within["page_no"], strict=True
            ):
                pages.setdefault(str(qid), {})[PageRef(str(doc_id), int(page_no))] = None
            base, chunker, retriever = map(str, key)
            by_question = {qid: list(refs) for qid, refs in pages.items()}
            yield Ranking(base, chunker, retriever, k, by_question)


def run_text(ranking: Ranking, tag: str) -> str:
    """``question Q0 page rank score tag``, one line per page.

    The score is the number of pages from this one to the last. Tools order a run by score, so a
    retriever's equal scores would lose their order.
    """
    lines = [
        f"{token(qid)} Q0 {page_token(ref)} {rank} {len(refs) - rank} {tag}"
        for qid, refs in ranking.pages.items()
        for rank, ref in enumerate(refs)
    ]
    return "".join(f"{line}\n" for line in lines)


def _write_questions(questions: Sequence[Question], out: Path) -> None:
    """Write ``topics.tsv`` and ``qrels.txt``, and print how many there are."""
    topics = [f"{token(each.qid)}\t{' '.join(each.text.split())}\n" for each in questions]
    write_text(out / "topics.tsv", "".join(topics))
    qrels = [
        f"{token(question.qid)} 0 {page_token(ref)} 1\n"
        for question in questions
        for ref in question.evidence_pages
    ]
    write_text(out / "qrels.txt", "".join(qrels))
    print(f"{out}: {len(topics)} topics, {len(qrels)} relevant pages")
    if unknown := sum(not question.evidence_pages for question in questions):
        print(
            f"{unknown} questions have no known evidence page: they score 0 in a study, and other "
            "tools leave them out"
        )


def page_token(ref: PageRef) -> str:
    """``law/act#3``: the page as in other exports, counted from 0, without white space."""
    return token(page_id(ref))


def token(text: str) -> str:
    """The text without white space, which separates columns: ``a b`` becomes ``a%20b``.

    ``urllib.parse.unquote`` gives the text back.
    """
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
        if char.isspace() or char == "%" or not char.isprintable()
        else char
        for char in text
    )
