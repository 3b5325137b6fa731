"""Counts of a dataset, and the paper's table 1."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ohr.analysis.published import figures_of
from ohr.collection import Dataset
from ohr.datasets.locating import SearchablePage, has_math
from ohr.datasets.verify import form_name
from ohr.display.labels import SOURCES
from ohr.types import Question
from rag.chunking.token_counter import count_tokens

_GROUPS: dict[str, Callable[[Question], str]] = {
    "evidence source": lambda q: SOURCES.get(q.evidence_source, q.evidence_source),
    "answer format": form_name,
    "task": lambda q: "reasoning" if q.task.strip().lower() == "reasoning" else "understanding",
    "pages of evidence": lambda q: "multi-page" if len(q.evidence_pages) > 1 else "single-page",
}


@dataclass(frozen=True, slots=True)
class Count:
    """Questions of one name in one group: ours, and the paper's (0 without any)."""

    group: str
    name: str
    ours: int
    paper: int


def paper_counts() -> dict[str, dict[str, int]]:
    """Counts of OHR-Bench's questions by group and name (table 1)."""
    groups: dict[str, dict[str, int]] = {}
    for row in figures_of("table 1").to_dict("records"):
        group, _, name = row["group"].partition(":")
        if name:
            groups.setdefault(group, {})[name] = int(row["value"])
    return groups


def paper_sizes() -> dict[str, str]:
    """OHR-Bench's documents, pages and tokens, as table 1 writes them."""
    rows = figures_of("table 1")
    whole = rows[rows["group"] == "all"]
    values = dict(zip(whole["metric"], whole["value"], strict=True))
    return {
        name: (f"{value:,.0f}" if value == int(value) else f"{value:.1f}")
        + (f" ± {values[f'{name} sd']:.1f}" if f"{name} sd" in values else "")
        for name, value in values.items()
        if not name.endswith(" sd")
    }


def counts(questions: Iterable[Question]) -> list[Count]:
    """Questions by group, in the paper's order, then names that only we have."""
    all_questions = list(questions)
    rows = []
    paper = paper_counts()
    for group, name_of in _GROUPS.items():
        ours = Counter(map(name_of, all_questions))
        names = [*paper[group], *sorted(set(ours) - set(paper[group]))]
        rows += [Count(group, name, ours[name], paper[group].get(name, 0)) for name in names]
    return rows


def sizes(dataset: Dataset) -> dict[str, str]:
    """Documents, pages and tokens, under the names of :func:`paper_sizes`."""
    page_tokens = [count_tokens(page.text) for page in dataset.pages.values()]
    question_tokens = [count_tokens(question.text) for question in dataset.questions]
    answer_tokens = [count_tokens(q.answers[0]) for q in dataset.questions if q.answers]
    return {
        "documents": f"{len(dataset.documents):,}",
        "domains": str(len({document.domain for document in dataset.documents.values()})),
        "pages": f"{len(page_tokens):,}",
        "tokens a page": f"{statistics.fmean(page_tokens):,.0f}" if page_tokens else "-",
        "data types a page": _mean([data_types(page.text) for page in dataset.pages.values()]),
        "questions": f"{len(dataset.questions):,}",
        "tokens a question": _spread(question_tokens),
        "tokens an answer": _spread(answer_tokens),
    }


def data_types(text: str) -> int:
    """How many kinds of content a page has: running text, tables, charts, formulas."""
    page = SearchablePage(text)
    spans = sorted([*page.tables, *page.charts])
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(page.squeezed)]
    outside = "".join(page.squeezed[a:b] for a, b in zip(ends, starts, strict=True) if a < b)
    tables = [span for span in page.tables if not _is_within(span, page.charts)]
    return sum(map(bool, (outside, tables, page.charts, has_math(outside))))


def _is_within(span: tuple[int, int], rest: Iterable[tuple[int, int]]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in rest)


def _mean(values: list[int]) -> str:
    return f"{statistics.fmean(values):.1f}" if values else "-"


def _spread(values: list[float]) -> str:
    if not values:
        return "-"
    return f"{statistics.fmean(values):.1f} ± {statistics.pstdev(values):.1f}"


def paper_sums() -> list[str]:
    """Where the paper's own counts do not add up to its number of questions."""
    lines = []
    questions = int(paper_sizes()["questions"].replace(",", ""))
    for group, numbers in paper_counts().items():
        total = sum(numbers.values())
        if total != questions:
            lines.append(
                f"the paper's counts by {group} add up to {total:,}, "
                f"{abs(total - questions)} {'more' if total > questions else 'fewer'} "
                f"than its {questions:,} questions"
            )
    lines.append("its percentages by answer format are 54.4, 35.3, 7.0 and 6.9: 103.6 together")
    return lines
