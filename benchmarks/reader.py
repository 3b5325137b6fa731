"""How well the offline reader answers OHR-Bench questions, and how fast.

    python -m benchmarks.reader [DATA]

DATA (default: $OHR_DATA, else ../shared/data) holds ``ohrbench/qas_dev.json`` and
``ohrbench/retrieval_base/gt``. The reader gets the whole gold pages of the ground truth, then no
context; F1 is a mean over questions, where an answer that is not ``ok`` scores 0.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ohr.metrics import default, reference
from ohr.types import Hit, PageRef, Status
from rag.readers.extractive import Extractive


@dataclass(frozen=True, slots=True)
class Item:
    """A question, its gold answers, what groups it, and the gold pages as context."""

    question: str
    answers: tuple[str, ...]
    doc_id: str
    source: str
    form: str
    context: tuple[Hit, ...]

    @property
    def is_verdict(self) -> bool:
        """Whether the gold answer is yes or no."""
        return all(reference.normalise(answer) in {"yes", "no"} for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Measured:
    """One answer's F1 under either protocol."""

    item: Item
    default: float
    reference: float


def data_folder() -> Path:
    """$OHR_DATA, or ``../shared/data`` beside the repository."""
    fallback = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    return Path(os.environ.get("OHR_DATA", fallback))


def load(data: Path) -> list[Item]:
    """All questions of ``qas_dev.json`` with their gold pages, either release's schema."""

    @cache
    def pages(doc_id: str) -> dict[int, str]:
        path = data / "ohrbench" / "retrieval_base" / "gt" / f"{doc_id}.json"
        return {page["page_idx"]: page["text"] for page in json.loads(path.read_text("utf-8"))}

    items = []
    for row in json.loads((data / "ohrbench" / "qas_dev.json").read_text("utf-8")):
        doc_ids, numbers = _list(row["doc_name"]), _list(row["evidence_page_no"])
        refs = [
            PageRef(doc_ids[min(i, len(doc_ids) - 1)], number) for i, number in enumerate(numbers)
        ]
        context = tuple(
            Hit(ref, pages(ref.doc_id).get(ref.page_no, ""), 1.0, rank)
            for rank, ref in enumerate(refs)
        )
        answers = tuple(map(str, _list(row["answers"])))
        items.append(
            Item(
                row["questions"], answers, doc_ids[0], row["evidence_source"],
                row["answer_form"], context,
            )
        )  # fmt: skip
    return items


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def measure(items: Sequence[Item], with_context: bool = True) -> tuple[list[Measured], float]:
    """F1 of every answer, and the CPU seconds that answering (not scoring) took."""
    reader = Extractive()
    start = time.process_time()
    outcomes = [
        reader.answer(item.question, item.context if with_context else ()) for item in items
    ]
    seconds = time.process_time() - start
    measured = []
    for item, outcome in zip(items, outcomes, strict=True):
        answer = outcome.value if outcome.status is Status.OK and outcome.value else ""
        measured.append(
            Measured(
                item,
                max(default.f1(answer, gold) for gold in item.answers) if answer else 0.0,
                max(reference.f1(answer, gold) for gold in item.answers) if answer else 0.0,
            )
        )
    return measured, seconds


def mean(measured: Sequence[Measured], protocol: str) -> float:
    """Mean F1 under ``default`` or ``reference``."""
    return float(sum(getattr(row, protocol) for row in measured) / max(1, len(measured)))


def groups(measured: Sequence[Measured]) -> dict[str, list[Measured]]:
    """All answers, those to other than yes/no questions, and by source, form and domain."""
    by_group: dict[str, list[Measured]] = defaultdict(list)
    by: tuple[Callable[[Item], str], ...] = (
        lambda item: f"source {item.source}",
        lambda item: f"form {item.form}",
        lambda item: f"domain {item.doc_id.split('/')[0]}",
    )
    for row in measured:
        by_group["all"].append(row)
        by_group["yes/no" if row.item.is_verdict else "not yes/no"].append(row)
        for key in by:
            by_group[key(row.item)].append(row)
    return dict(sorted(by_group.items(), key=lambda pair: (" " in pair[0][:7], pair[0])))


def main() -> None:
    """Print the table."""
    items = load(Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder())
    read, seconds = measure(items)
    guessed, _ = measure(items, with_context=False)
    guesses = groups(guessed)
    print(f"{'':32}{'':>6}{'gold pages':>20}{'no context':>20}")
    print(f"{'F1':32}{'n':>6}" + f"{'default':>10}{'reference':>10}" * 2)
    for name, rows in groups(read).items():
        cells = [mean(part, p) for part in (rows, guesses[name]) for p in ("default", "reference")]
        print(f"{name:32}{len(rows):6}" + "".join(f"{cell:10.4f}" for cell in cells))
    rate = len(items) / seconds
    print(f"{rate:.0f} questions per CPU second, {1e3 / rate:.2f} ms each")


if __name__ == "__main__":
    main()
