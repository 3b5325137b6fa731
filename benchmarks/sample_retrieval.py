"""How hard the sample's questions are to retrieve for, measured on its text alone.

    python -m benchmarks.sample_retrieval [PAGES] [--difficulty calibrated] [--seed 0]

Writes no PDF: the text of a page is the ground truth whatever its layout, so 3,000 pages take
seconds. (What a column break cuts in two is not known without a layout: a few questions that
``make_sample`` marks as reading order are of text here.) Prints the share of questions with an
evidence page among BM25's first k chunks of 1,024 tokens, in the pages of their own domain.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence

from rich.table import Table

from ohr import registry
from ohr.display.terminal import show
from ohr.sample import corpus
from ohr.sample.choices import DIFFICULTY
from ohr.sample.markdown import page_text
from ohr.sample.questions.questions import GoldQuestion
from ohr.types import PageRef

KS = (1, 2, 5, 10)


def ranks(
    documents: Sequence[corpus.Written], questions: Sequence[GoldQuestion]
) -> dict[str, list[int]]:
    """Domain -> for each of its questions the rank of the first chunk of an evidence page, from 1.

    A question whose pages are not among the first ten chunks has rank 11.
    """
    pages: dict[str, list[tuple[PageRef, str]]] = defaultdict(list)
    for document in documents:
        for number, page in enumerate(document.pages):
            ref = PageRef(document.doc_id, number)
            pages[document.domain].append((ref, page_text(page.blocks, document.layout, number)))
    by_domain: dict[str, list[int]] = {}
    for domain, texts in pages.items():
        domain_questions = [
            question
            for question in questions
            if question.evidence[0].ref.doc_id.startswith(f"{domain}/")
        ]
        retriever = registry.create("retriever", "bm25")
        retriever.index(registry.create("chunker", "tokens").chunks(texts))
        hits = retriever.search_many([question.question for question in domain_questions], max(KS))
        by_domain[domain] = [
            next(
                (
                    rank
                    for rank, hit in enumerate(question_hits, start=1)
                    if hit.ref in {passage.ref for passage in question.evidence}
                ),
                max(KS) + 1,
            )
            for question, question_hits in zip(domain_questions, hits, strict=True)
        ]
    return by_domain


def main() -> None:
    """Print a row for each domain and one for all."""
    parser = argparse.ArgumentParser(description="How hard the sample is for BM25.")
    parser.add_argument("pages", nargs="?", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--difficulty", choices=corpus.EDITIONS, default=DIFFICULTY)
    options = parser.parse_args()
    documents = corpus.documents(options.seed, options.pages, difficulty=options.difficulty)
    by_domain = ranks(documents, corpus.questions(options.seed, documents, options.pages))
    by_domain["all"] = [rank for each in by_domain.values() for rank in each]
    table = Table("domain", "questions", *(f"hit@{k}" for k in KS), box=None)
    for domain, each in by_domain.items():
        shares = (sum(rank <= k for rank in each) / max(1, len(each)) for k in KS)
        table.add_row(domain, str(len(each)), *(f"{share:.3f}" for share in shares))
    show(table)


if __name__ == "__main__":
    main()
