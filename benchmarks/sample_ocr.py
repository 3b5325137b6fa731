"""How well engines read the clean pages of the sample, by what is on the page.

    python -m benchmarks.sample_ocr [PAGES]

Mean edit distance to the ground truth, and to the ground truth without mark-up: an engine that
writes plain text is not asked for LaTeX.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pandas as pd
from rich.table import Table

from experiments.reports.terminal import show
from ohr.markup.strip import strip_markup
from ohr.metrics.reference import edit_distance
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import load_config
from ohr.study.pages.variants import Readings
from ohr.study.plan import load_dataset, make_plan
from ohr.study.progress import Progress

COLUMN_DOMAINS = {"academic", "newspaper"}


def kinds(text: str, domain: str) -> list[str]:
    """What a page holds besides running text; ``plain text`` if nothing."""
    names = [
        kind
        for kind, mark in (
            ("tables", "\\begin{tabular}"),
            ("charts", "<chart>"),
            ("formulas", "$"),
        )
        if mark in text.replace("\\$", "")
    ]
    if domain in COLUMN_DOMAINS:
        names.append("columns")
    return names or ["plain text"]


def main() -> None:
    """Read the sample with Tesseract and RapidOCR and print a row a kind of page."""
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    with tempfile.TemporaryDirectory() as folder:
        config = load_config(
            [
                "engines=[tesseract,rapidocr]",
                f"dataset.params={{n_pages: {pages}}}",
                "stages=[ocr]",
                f"cache={folder}",
            ]
        )
        dataset = load_dataset(config)
        plan = make_plan(config, dataset)
        readings = Readings(plan, ArtefactStore(Path(folder)))
        with Progress() as progress:
            readings.make(progress)
        rows = []
        for variant in plan.variants:
            for ref, outcome in readings.outcomes(variant).items():
                truth, read = dataset.pages[ref].text, outcome.value or ""
                row = {
                    "engine": variant.engine.label,
                    "as it stands": edit_distance(read, truth),
                    "without mark-up": edit_distance(strip_markup(read), strip_markup(truth)),
                }
                domain = dataset.documents[ref.doc_id].domain
                rows += [row | {"page": kind} for kind in [*kinds(truth, domain), "all"]]
    means = pd.DataFrame(rows).groupby(["page", "engine"])[["as it stands", "without mark-up"]]
    table = Table("pages with", "engine", "n", "edit distance", "without mark-up", box=None)
    for (page, engine), group in means:
        table.add_row(str(page), str(engine), str(len(group)), *(f"{m:.3f}" for m in group.mean()))
    show(table)


if __name__ == "__main__":
    main()
