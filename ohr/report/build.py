"""Builds a report: a folder that opens from disk, by double click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ohr.analysis.comparison.table import run_names
from ohr.files.safe_text import plain
from ohr.report.again import Recipes
from ohr.report.cases import case_details
from ohr.report.chunks import Chunks
from ohr.report.images import Budget, ImageSpec, PageImages
from ohr.report.options import ReportOptions
from ohr.report.overview import SCRIPTS, overview
from ohr.report.pages import (
    Key,
    details_wanted,
    make_pages,
    page_details,
    worst_pages,
)
from ohr.report.rows import Rows, make_rows, setting_name
from ohr.report.select import Selection, numbered, parse_selection, select
from ohr.report.texts import Texts
from ohr.store.atomic import write_bytes, write_text
from ohr.store.identity import digest
from ohr.study.output.cases import FILE as CASES
from ohr.study.output.cases import read_questions
from ohr.study.results import Run
from ohr.types import Question

PER_CHUNK = 20
"""Cases, or pages, in a file of details; the page knows it too."""
WORST_PAGES = 60
"""Pages that are shown under every condition."""
_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Built:
    """What came of it."""

    selection: Selection
    pictures: int
    left_out: int
    """Pictures that there was no room for."""
    without_data: dict[str, str]
    """Runs whose pages cannot be drawn again, and why."""

    def sentences(self) -> list[str]:
        """Which cases have details, and what they lack."""
        said = [f"{self.selection.sentence()}."]
        if self.left_out:
            said.append(
                f"{self.left_out:,} pictures beside {self.pictures:,} were left out: --max-mb has "
                "no room for them."
            )
        for name, why in self.without_data.items():
            said.append(f"{name} has neither pictures of pages nor ways to make them again: {why}.")
        return said

    def lines(self, out: Path) -> list[str]:
        """What a command prints."""
        return [*map(plain, self.sentences()), f"report: {out / 'index.html'}"]


def build_report(runs: Sequence[Run], out: Path, options: ReportOptions) -> Built:
    """Write the report of some runs into a folder. Raises OhrError.

    The same runs give the same bytes.
    """
    wanted, spec = parse_selection(options.cases), ImageSpec.parse(options.images)
    title = options.title or ", ".join(run.name for run in runs)
    rows = make_rows(runs)
    named = dict(zip(run_names(runs), runs, strict=True))
    asked = {
        name: {question.qid: question for question in read_questions(run.path)}
        for name, run in named.items()
        if (run.path / CASES).exists()  # imported results have none
    }
    selection = select(rows, wanted, [name for name in named if name in asked])
    numbers = numbered(selection.cases)
    chunks = Chunks(out)
    chunks.write("meta", _meta(rows, named, asked))
    chunks.write("rows", rows.as_json(numbers))
    budget = Budget(options.most_mb * _MEGABYTE)
    recipes = {name: Recipes(run) for name, run in named.items()}
    drawn = (
        {name: PageImages(made, out, spec, budget) for name, made in recipes.items()}
        if spec is not None
        else {}
    )
    texts = {name: Texts(run) for name, run in named.items()}
    pages = make_pages(named, rows)
    evidence = _evidence(rows, asked, selection)
    worst = [key for key in worst_pages(pages, WORST_PAGES) if key[0] in asked]
    pages.details = details_wanted(pages, evidence, worst)
    chunks.write_all("page", PER_CHUNK, page_details(texts, rows, pages, recipes, drawn))
    chunks.write("pages", pages.as_json())
    numbered_pages = {key: number for number, key in enumerate(pages.details, start=1)}
    found = case_details(named, texts, rows, selection.cases, numbered_pages, drawn)
    chunks.write_all("cases", PER_CHUNK, found)
    chunks.tidy()
    budget.tidy(out)
    app = files("ohr.report") / "app"
    for name in (*SCRIPTS, "style.css"):
        write_bytes(out / "app" / name, (app / name).read_bytes())
    missing = {name: made.missing for name, made in recipes.items() if made.missing}
    built = Built(selection, len(budget.names), budget.refused, missing)
    write_text(out / "index.html", overview(runs, rows, title, built.sentences()))
    return built


def _evidence(
    rows: Rows, asked: Mapping[str, Mapping[str, Question]], selection: Selection
) -> list[tuple[Key, int]]:
    """The evidence pages of the cases, each with the condition that it is shown under."""
    names, qids = rows.questions["run"].tolist(), rows.questions["qid"].tolist()
    return [
        ((names[question], ref), condition)
        for question, condition in selection.cases
        for ref in asked[names[question]][qids[question]].evidence_pages
    ]


def _meta(
    rows: Rows, runs: Mapping[str, Run], asked: Mapping[str, Mapping[str, Question]]
) -> dict[str, object]:
    questions = rows.questions
    pairs = list(zip(questions["run"], questions["qid"], strict=True))
    return {
        "report": digest([[name, run.manifest.get("config")] for name, run in runs.items()]),
        "conditions": [
            condition | {name: rows.condition_name(at, name) for name in ("name", "kept")}
            for at, condition in enumerate(rows.conditions)
        ],
        "settings": [setting | {"name": setting_name(setting)} for setting in rows.settings],
        "questions": {
            "qid": questions["qid"].astype(str).tolist(),
            "domain": questions["domain"].astype(str).tolist(),
            "source": questions["evidence_source"].astype(str).tolist(),
        },
        "texts": [asked[run][qid].text if run in asked else str(qid) for run, qid in pairs],
    }
