"""Typesets a dataset, and prints what was printed as text and how to study the pages."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.sample.origin import generator
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset
from ohr.typeset.formulas import pandoc

if TYPE_CHECKING:
    from ohr.typeset.writing import Written

_READ = frozenset(("kind", "path", "questions", "pdfs", "domains", "strict", "params"))
_SHOWN = 5  # fallbacks that are printed; typeset.json has all
_MEANINGS = {
    "page": "printed as plain text",
    "formula": "with a formula that is printed as its LaTeX",
    "character": "with a character that no font has, printed as a box",
}


def typeset_pages(
    config: StudyConfig,
    out: Path,
    look: str | None,
    markdown: Path | None,
    per_document: int | None,
    further_pages: int,
    seed: int,
    workers: int,
) -> int:
    """Typeset a dataset, print the counts and the study to run; returns 0. Raises OhrError."""
    generator()  # these two say how to install what typesets, before it is imported
    pandoc()
    from ohr.typeset.looks import LOOKS
    from ohr.typeset.markdown_folder import markdown_dataset
    from ohr.typeset.writing import RECORD, write_typeset

    _check_options(config, markdown)
    named = next((name for name in LOOKS if name == look), None)
    if markdown is not None:
        dataset = markdown_dataset(markdown, config.dataset.questions)
    else:
        dataset = load_dataset(config)
    if per_document is not None:
        from experiments.convert.drawn_questions import drawn_questions

        dataset = drawn_questions(dataset, per_document, further_pages, seed)
    with Progress(verb="typesetting") as progress:

        def report(done: int, total: int) -> None:
            progress("pages", done, total)

        written, is_new = write_typeset(
            dataset, out, look=named, seed=seed, workers=workers, progress=report
        )
    if not is_new:
        print(f"the pages are already in {out}")
    looks = ", ".join(f"{count} {name}" for name, count in written.looks.items())
    whole = written.pages - written.pages_with("page", "formula", "character")
    print(
        f"{_count(written.pages, 'page')} of {_count(written.documents, 'document')} typeset "
        f"({looks}), {whole} without fallback; {_count(written.questions, 'question')}: {out}"
    )
    _print_fallbacks(written, out / RECORD)
    if written.renamed:
        first, name = next(iter(written.renamed.items()))
        renamed = _count(len(written.renamed), "document")
        print(f"{renamed} renamed for the layout: {plain(first)} is {plain(name)}")
    print("a study of these pages:")
    print(study(out))
    return 0


def _check_options(config: StudyConfig, markdown: Path | None) -> None:
    """Raise ConfigError for an option that would change nothing."""
    given = config.dataset.model_fields_set
    read = {"questions"} if markdown is not None else _READ
    for name in sorted(given - read):
        if getattr(config.dataset, name) != type(config.dataset).model_fields[name].get_default(
            call_default_factory=True
        ):
            why = "with --markdown" if name in _READ else "here: all pages are typeset"
            raise ConfigError(f"dataset.{name} has no effect {why}; leave it out")


def _print_fallbacks(written: Written, record: Path) -> None:
    for kind, meaning in _MEANINGS.items():
        listed = [entry for entry in written.fallbacks if entry[2] == kind]
        if not listed:
            continue
        print(f"{_count(written.pages_with(kind), 'page')} {meaning}:")
        counts = Counter(detail for *_, detail in listed)
        for detail, count in counts.most_common(_SHOWN):
            doc_id, page = next((entry[0], entry[1]) for entry in listed if entry[3] == detail)
            more = f" and {count - 1} more" if count > 1 else ""
            print(f"  {plain(doc_id)}, page {page + 1}{more}: {plain(detail)[:100]}")
        if len(counts) > _SHOWN:
            print(f"  {len(counts) - _SHOWN} others: {record}")


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def study(out: Path) -> str:
    """The command of a study of the typeset pages."""
    own = [
        "dataset.kind=ohrbench",
        f"dataset.path={out / 'retrieval_base'}",
        f"dataset.questions={out / 'qas.json'}",
        f"dataset.pdfs={out / 'pdfs'}",
    ]
    rest = ["engines=tesseract", "--out", "runs/typeset"]
    return shlex.join(["ohr", "run", "ocr-benchmark", *own, *rest])
