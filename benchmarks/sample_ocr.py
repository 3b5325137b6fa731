"""How well engines read the clean pages of the sample, by what is on the page.

    python -m benchmarks.sample_ocr [PAGES] [--engines tesseract,rapidocr] [--out DIR]

Mean edit distance to the ground truth, and to the ground truth without mark-up: an engine that
writes plain text is not asked for LaTeX. ``--out`` writes these as ``sample_ocr.csv``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import pandas as pd
from rich.table import Table

from ohr.display.terminal import show
from ohr.markup.strip import strip_markup
from ohr.metrics.reference import edit_distance
from ohr.ocr.progress import Progress
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import load_config
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.plan import Plan, make_plan

COLUMN_DOMAINS = {"academic", "newspaper"}
KINDS = ("plain text", "tables", "formulas", "charts", "columns", "all")


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


def mean_distances(plan: Plan, store: ArtefactStore) -> pd.DataFrame:
    """One row per kind of page and engine: pages, mean edit distance with and without mark-up."""
    readings = KnowledgeBases(plan, store)
    with Progress() as progress:
        readings.make(progress)
    rows = []
    for variant in plan.variants:
        for ref, outcome in readings.outcomes(variant).items():
            truth, read = plan.dataset.pages[ref].text, outcome.value or ""
            row = {
                "engine": variant.engine.label,
                "edit_distance": edit_distance(read, truth),
                "without_markup": edit_distance(strip_markup(read), strip_markup(truth)),
            }
            domain = plan.dataset.documents[ref.doc_id].domain
            rows += [row | {"page": kind} for kind in [*kinds(truth, domain), "all"]]
    pages = pd.DataFrame(rows)
    pages["page"] = pd.Categorical(pages["page"], KINDS, ordered=True)
    grouped = pages.groupby(["page", "engine"], observed=True)
    means = grouped[["edit_distance", "without_markup"]].mean()
    return means.assign(n=grouped.size()).reset_index()


def main() -> None:
    """Read the sample with Tesseract and RapidOCR and print one row per kind of page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="?", type=int, default=24)
    parser.add_argument("--engines", default="tesseract,rapidocr")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    questions = min(60, 40 * given.pages)  # a page answers no more
    with tempfile.TemporaryDirectory() as folder:
        cache = given.cache or Path(folder)
        config = load_config(
            [
                f"engines=[{given.engines}]",
                f"dataset.params={{n_pages: {given.pages}, n_questions: {questions}}}",
                "stages=[ocr]",
                f"cache={cache}",
            ]
        )
        dataset = load_dataset(config)
        means = mean_distances(make_plan(config, dataset), ArtefactStore(cache))
    table = Table("pages with", "engine", "n", "edit distance", "without mark-up", box=None)
    for row in means.to_dict("records"):
        distances = (f"{row[name]:.3f}" for name in ("edit_distance", "without_markup"))
        table.add_row(str(row["page"]), str(row["engine"]), str(row["n"]), *distances)
    show(table)
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        means.to_csv(given.out / "sample_ocr.csv", index=False)
        data = {
            "kind": dataset.kind,
            "digest": dataset.digest(),
            "documents": len(dataset.documents),
            "pages": len(dataset.pages),
            "asked": len(dataset.questions),
        }
        manifest = json.dumps({"dataset": data}, indent=1)
        (given.out / "manifest.json").write_text(manifest + "\n", "utf-8")


if __name__ == "__main__":
    main()
