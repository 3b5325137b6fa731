"""An exam's yields, as they are printed."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from ohr.collection import ValidationReport
from ohr.questions import QuestionSet
from ohr.questions.storage import overlap_by_kind


def yields_table(exam: QuestionSet) -> Table:
    """A row for each kind of question: candidates, and what became of them."""
    table = Table("kind", "candidates", "accepted", "spare", "overlap", "rejected by")
    for name in table.columns[1:5]:
        name.justify = "right"
    overlaps = overlap_by_kind(exam)
    for one in exam.yields():
        checks = sorted(one.rejected.items(), key=lambda item: (-item[1], item[0]))
        table.add_row(
            Text(one.kind),
            *(str(count) for count in (one.candidates, one.accepted, one.spare)),
            f"{overlaps[one.kind]:.2f}" if one.kind in overlaps else "-",
            Text(", ".join(f"{name} {count}" for name, count in checks)),
        )
    return table


def exam_lines(
    exam: QuestionSet, origin: str, left_out: int, report: ValidationReport
) -> list[str]:
    """What the exam is made of, how many questions passed, and how many pages were left out."""
    n_all = len(exam.accepted) + len(exam.spare)
    share = n_all / exam.text_pages if exam.text_pages else 0.0
    lines = [
        f"made of {origin}",
        f"{len(exam.accepted)} questions accepted, {len(exam.spare)} spare, "
        f"{len(exam.rejected)} rejected; {exam.pages} pages, {exam.text_pages} of them with text: "
        f"{share:.2f} that passed a text page",
    ]
    if left_out:
        lines.append(f"{left_out} pages without usable text were asked nothing")
    if report:
        lines.append(report.summary())
    return lines
