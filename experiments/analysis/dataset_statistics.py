"""Counts of a dataset, and the paper's table 1."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from experiments.analysis.labels import SOURCES
from ohr.collection import Dataset
from ohr.datasets.locating import PageText, has_math
from ohr.datasets.verify import form_name
from ohr.types import Question
from rag.chunking.token_counter import count_tokens

PAPER_QUESTIONS = 8498
PAPER: dict[str, dict[str, int]] = {
    "evidence source": {
        "text": 3528,
        "table": 2364,
        "formula": 1267,
        "chart": 768,
        "reading order": 691,
    },
    "answer format": {"String": 4171, "Numeric": 3004, "Yes/No": 594, "List": 483},
    "task": {"understanding": 6114, "reasoning": 2384},
    "pages of evidence": {"single-page": 7656, "multi-page": 842},
}
"""Counts of OHR-Bench's questions by group (table 1)."""
PAPER_PAGES = {
    "documents": "1,261",
    "domains": "7",
    "pages": "8,561",
    "tokens a page": "1,034",
    "data types a page": "1.9",
    "questions": "8,498",
    "tokens a question": "17.9 ± 8.7",
    "tokens an answer": "3.5 ± 4.1",
}
_GROUPS: dict[str, Callable[[Question], str]] = {
    "evidence source": lambda q: SOURCES.get(q.evidence_source, q.evidence_source),
    "answer format": form_name,
    "task": lambda q: "reasoning" if q.task.strip().lower() == "reasoning" else "understanding",
    "pages of evidence": lambda q: "multi-page" if len(q.evidence_pages) > 1 else "single-page",
}


@dataclass(frozen=True, slots=True)
class Count:
    """Questions of one name in one group: ours, and the paper's (0 where it has none)."""

    group: str
    name: str
    ours: int
    paper: int


def counts(questions: Iterable[Question]) -> list[Count]:
    """Questions by group, in the paper's order, then names that the paper does not have."""
    asked = list(questions)
    rows = []
    for group, name_of in _GROUPS.items():
        ours = Counter(map(name_of, asked))
        names = [*PAPER[group], *sorted(set(ours) - set(PAPER[group]))]
        rows += [Count(group, name, ours[name], PAPER[group].get(name, 0)) for name in names]
    return rows


def sizes(dataset: Dataset) -> dict[str, str]:
    """Documents, pages and tokens, under the names of :data:`PAPER_PAGES`."""
    pages = [count_tokens(page.text) for page in dataset.pages.values()]
    asked = [count_tokens(question.text) for question in dataset.questions]
    answers = [count_tokens(q.answers[0]) for q in dataset.questions if q.answers]
    return {
        "documents": f"{len(dataset.documents):,}",
        "domains": str(len({document.domain for document in dataset.documents.values()})),
        "pages": f"{len(pages):,}",
        "tokens a page": f"{statistics.fmean(pages):,.0f}" if pages else "-",
        "data types a page": _mean([data_types(page.text) for page in dataset.pages.values()]),
        "questions": f"{len(dataset.questions):,}",
        "tokens a question": _spread(asked),
        "tokens an answer": _spread(answers),
    }


def data_types(text: str) -> int:
    """How many kinds of content a page has: running text, tables, charts, formulas."""
    page = PageText(text)
    spans = sorted([*page.tables, *page.charts])
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(page.squeezed)]
    outside = "".join(page.squeezed[a:b] for a, b in zip(ends, starts, strict=True) if a < b)
    tables = [span for span in page.tables if not _within(span, page.charts)]
    return sum(map(bool, (outside, tables, page.charts, has_math(outside))))


def _within(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def _mean(values: list[int]) -> str:
    return f"{statistics.fmean(values):.1f}" if values else "-"


def _spread(values: list[float]) -> str:
    if not values:
        return "-"
    return f"{statistics.fmean(values):.1f} ± {statistics.pstdev(values):.1f}"


def paper_sums() -> list[str]:
    """Where the paper's own counts do not add up to its number of questions."""
    lines = []
    for group, numbers in PAPER.items():
        total = sum(numbers.values())
        if total != PAPER_QUESTIONS:
            lines.append(
                f"the paper's counts by {group} add up to {total:,}, "
                f"{abs(total - PAPER_QUESTIONS)} {'more' if total > PAPER_QUESTIONS else 'fewer'} "
                f"than its {PAPER_QUESTIONS:,} questions"
            )
    lines.append("its percentages by answer format are 54.4, 35.3, 7.0 and 6.9: 103.6 together")
    return lines
