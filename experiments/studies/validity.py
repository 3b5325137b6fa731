"""Made questions beside given ones: on the same pages, as many, under the same conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.analysis.validity import (
    Scores,
    differences,
    half_tau,
    reversed_on_made,
    scores_of,
    tau_b,
    tau_interval,
)
from experiments.reports.terminal import report_troubles
from ohr.errors import OhrError
from ohr.exam import Exam, make_exam
from ohr.exam.storage import write_exam
from ohr.printable import plain
from ohr.store.atomic import write_text
from ohr.study.config import StudyConfig
from ohr.study.csv import write_csv
from ohr.study.plan import load_dataset
from ohr.study.progress import Progress
from ohr.study.questions import select_questions
from ohr.study.run import run_study
from ohr.types import PageRef, Question

LEAST_CONDITIONS = 4


def measure_validity(config: StudyConfig, out: Path, stage: str, metric: str) -> int:
    """Make questions on the pages of the given ones, run both, and compare. Raises OhrError."""
    dataset = load_dataset(config)
    of_folder = dataset.kind == "folder"
    given = select_questions(config, dataset)
    wanted = Counter(one.evidence_pages[0] for one in given)
    texts = {
        ref: page.text for ref, page in dataset.pages.items() if ref not in dataset.without_truth
    }
    pages = [dataset.pages[ref] for ref in wanted if ref in texts]
    exam = matched(make_exam(pages, texts, config.seed), wanted)
    made_path = write_exam(out / "questions", exam, of_folder=of_folder)
    print(
        f"{len(exam.accepted)} questions made on {len(pages)} pages of {len(given)} given ones: "
        f"{made_path}"
    )
    runs, troubles, failed = [], list[str](), list[str]()
    for name, path in (("given", config.dataset.questions), ("made", made_path)):
        own = config.dataset.model_copy(update={"questions": path})
        if name == "made":
            own = own.model_copy(update={"limit": None, "skip": 0, "sources": ()})
        progress = Progress()
        run = run_study(config.model_copy(update={"dataset": own}), out / name, progress=progress)
        runs.append(run)
        troubles += run.troubles
        failed += run.failed
    report(*(scores_of(run, stage, metric) for run in runs), out, f"{stage}:{metric}")
    return report_troubles(troubles, failed)


def matched(exam: Exam, wanted: Mapping[PageRef, int]) -> Exam:
    """As many questions as ``wanted`` of each page; what a page lacks, others make up for."""
    taken: Counter[PageRef] = Counter()
    chosen: list[Question] = []
    rest: list[Question] = []
    for one in exam.accepted:
        ref = one.evidence_pages[0]
        (chosen if taken[ref] < wanted[ref] else rest).append(one)
        taken[ref] += 1
    chosen += rest[: sum(wanted.values()) - len(chosen)]
    keep = {one.qid for one in chosen}
    accepted = tuple(one for one in exam.accepted if one.qid in keep)
    spare = tuple(one for one in exam.accepted if one.qid not in keep)
    return Exam(accepted, exam.rejected, exam.kinds, spare, exam.pages, exam.text_pages)


def report(given: Scores, made: Scores, out: Path, metric: str) -> None:
    """Print tau_b with its interval and what made questions reverse; write the tables."""
    if given.conditions != made.conditions:
        raise OhrError("the two runs have not the same conditions")
    if len(given.conditions) < LEAST_CONDITIONS:
        raise OhrError(f"{len(given.conditions)} conditions rank nothing: give more")
    table = differences(given, made)
    wrong = reversed_on_made(table, made)
    write_csv(out / "differences.csv", table)
    low, high = tau_interval(given, made)
    significant = int(table["significant"].sum())
    lines = [
        f"{metric}, {len(given.conditions)} conditions, {len(given.values)} given questions, "
        f"{len(made.values)} made",
        f"Kendall's tau_b {tau_b(given.means, made.means):.3f} "
        f"[{low:.3f}, {high:.3f}] (95 %, documents drawn again)",
        f"two halves of the given questions: tau_b {half_tau(given):.3f} on average",
        f"{significant} of {len(table)} differences are significant on the given questions "
        f"(sign flips, Holm); {significant - len(wrong)} keep their sign on the made ones",
        *_reversed(wrong.to_dict("records")),
        *(
            f"  {name}: given {a:.3f}, made {b:.3f}"
            for name, a, b in zip(given.conditions, given.means, made.means, strict=True)
        ),
        "no claim about readers is made from made questions",
    ]
    for line in lines:
        print(plain(line))
    write_text(out / "validity.txt", "\n".join(lines) + "\n")
    print(f"differences: {out / 'differences.csv'}")


def _reversed(rows: Sequence[Mapping[object, object]]) -> list[str]:
    return [
        f"  reversed: {row['second']} less {row['first']}: given {row['given']:+.3f} "
        f"(p {row['p_holm']:.4f}), made {row['made']:+.3f} (p {row['p_made']:.4f})"
        for row in rows
    ]
