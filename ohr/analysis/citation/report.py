"""Writes the methods paragraph and the appendix of a finished run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ohr.analysis.citation.appendix import appendix
from ohr.analysis.citation.methods import methods_paragraph
from ohr.analysis.citation.writing import MARKDOWN, SUFFIXES, TEX, Section, written
from ohr.display.terminal import say_files
from ohr.errors import OhrError
from ohr.store.atomic import write_text
from ohr.study.opening import open_runs
from ohr.study.results import StudyRun

FORMS: Sequence[str] = (MARKDOWN, TEX)
_HEADINGS = {
    MARKDOWN: "",
    TEX: "% For \\input; the appendix needs \\usepackage{booktabs}.\n",
}


def cite(run: StudyRun, form: str = MARKDOWN) -> tuple[str, str]:
    """The methods paragraph and the appendix of a run, as ``markdown`` or ``tex``.

    They are made of the run's files alone. Raises OhrError for another form, and for results that
    were imported.
    """
    if form not in FORMS:
        raise OhrError(f"unknown format {form!r}; known: {', '.join(FORMS)}")
    if "imported" in run.manifest:
        raise OhrError(f"{run.path} was imported: it does not say how it was measured")
    paragraph = written([Section("", [methods_paragraph(run)])], form)
    return _HEADINGS[form] + paragraph, _HEADINGS[form] + written(appendix(run), form)


def cite_run(path: Path, out: Path | None, form: str) -> None:
    """Print both, or write them to ``out``. Raises OhrError."""
    [run] = open_runs([path])
    texts = cite(run, form)
    if out is None:
        print("\n".join(texts), end="")
        return
    files = [out / f"{name}.{SUFFIXES[form]}" for name in ("methods", "appendix")]
    for file, text in zip(files, texts, strict=True):
        write_text(file, text)
    say_files(files)
