"""Prints the yields of a question set."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from ohr.collection import ValidationReport
from ohr.questions import QuestionSet
from ohr.questions.storage import overlap_by_kind


def yields_table(question_set: QuestionSet) -> Table:
    """One row per kind of question: counts of candidates, accepted, spare and rejected."""
    table = Table("kind", "candidates", "accepted", "spare", "overlap", "rejected by")
    for name in table.columns[1:5]:
        name.justify = "right"
    overlaps = overlap_by_kind(question_set)
    for kind_yield in question_set.yields():
        checks = sorted(kind_yield.rejected.items(), key=lambda item: (-item[1], item[0]))
        table.add_row(
            Text(kind_yield.kind),
            *(
                str(count)
                for count in (kind_yield.candidates, kind_yield.accepted, kind_yield.spare)
            ),
            f"{overlaps[kind_yield.kind]:.2f}" if kind_yield.kind in overlaps else "-",
            Text(", ".join(f"{name} {count}" for name, count in checks)),
        )
    return table


def question_set_lines(
    question_set: QuestionSet, origin: str, left_out: int, report: ValidationReport
) -> list[str]:
    """Lines about the source of a question set, the counts, and the pages that were left out."""
    n_all = len(question_set.accepted) + len(question_set.spare)
    share = n_all / question_set.text_pages if question_set.text_pages else 0.0
    lines = [
        f"made of {origin}",
        f"{len(question_set.accepted)} questions accepted, {len(question_set.spare)} spare, "
        f"{len(question_set.rejected)} rejected; {question_set.pages} pages, "
        f"{question_set.text_pages} of them with text: {share:.2f} questions passed per text page",
    ]
    if left_out:
        lines.append(f"{left_out} pages without usable text got no questions")
    if report:
        lines.append(report.summary())
    return lines
