"""Writes the twins of a dataset, and prints what was drawn and how to study it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.sample.origin import generator
from ohr.study.commands import option_texts
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset

_SHOWN = 5  # reasons that are printed; twins.json has all


def draw_twins(config: StudyConfig, out: Path, face: Literal["mono", "sans"]) -> int:
    """Draw the pages of a dataset anew, print the counts and the two studies to run; returns 0.

    Raises OhrError.
    """
    generator()  # says how to install what typesets, before it is imported
    from ohr.sample.twins import write_twins

    dataset = load_dataset(config)
    with Progress(verb="drawing", unit="documents") as progress:

        def report(done: int, total: int) -> None:
            progress("twins", done, total)

        twins, is_new = write_twins(dataset, out, dpi=config.dpi, face=face, progress=report)
    if not is_new:
        print(f"the twins are already in {out}")
    print(
        f"{_count(twins.pages, 'page')} drawn, {twins.equal} with a text layer that equals the "
        "transcription"
    )
    print(f"{_count(twins.documents, 'document')}, {_count(twins.questions, 'question')}: {out}")
    pages = [(f"{doc_id}, page {number + 1}", reason) for doc_id, number, reason in twins.pages_out]
    _print_reasons("page", pages, out)
    _print_reasons("document", twins.documents_out, out)
    _print_reasons("question", twins.questions_out, out)
    for line in studies(config, out):
        print(line)
    return 0


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def _print_reasons(unit: str, reasons: Sequence[tuple[str, str]], out: Path) -> None:
    if not reasons:
        return
    print(f"{_count(len(reasons), unit)} left out:")
    counts = Counter(reason for _, reason in reasons)
    for reason, count in counts.most_common(_SHOWN):
        names = [name for name, why in reasons if why == reason]
        more = f" and {count - 1} more" if count > 1 else ""
        print(f"  {plain(names[0])}{more}: {plain(reason)}")
    if len(counts) > _SHOWN:
        print(f"  {len(counts) - _SHOWN} other reasons: {out / 'twins.json'}")


def studies(config: StudyConfig, out: Path) -> list[str]:
    """The commands of two studies, of the scans and of the twins, and of their comparison."""
    given = option_texts({"dataset": config.dataset.model_dump(exclude_defaults=True, mode="json")})
    own = [
        "dataset.kind=ohrbench",
        f"dataset.path={out / 'retrieval_base'}",
        f"dataset.questions={out / 'qas.json'}",
        f"dataset.pdfs={out / 'pdfs'}",
    ]
    rest = ["engines=tesseract", f"dpi={config.dpi}"]
    scans, drawn = Path("runs/scans"), Path("runs/twins")
    lines = [
        "a study of the scans, one of the twins, and what the scan costs:",
        shlex.join(["ohr", "run", "ocr-benchmark", *given, *rest, "--out", str(scans)]),
        shlex.join(["ohr", "run", "ocr-benchmark", *own, *rest, "--out", str(drawn)]),
        shlex.join(["ohr", "analyse", "compare", str(drawn), str(scans)]),
    ]
    return lines
