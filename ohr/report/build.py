"""Builds a report: a folder with a page that opens from disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ohr.files.safe_text import plain
from ohr.report.again import Recipes
from ohr.report.cases import case_details
from ohr.report.chunks import Chunks
from ohr.report.images import Budget, ImageSpec, PageImages
from ohr.report.options import ReportOptions
from ohr.report.overview import SCRIPTS, overview
from ohr.report.pages import (
    Key,
    make_pages,
    page_details,
    pages_with_details,
    worst_pages,
)
from ohr.report.rows import Rows, make_rows, setting_name
from ohr.report.select import Selection, numbered, parse_selection, select
from ohr.report.texts import Texts
from ohr.store.atomic import write_bytes, write_text
from ohr.store.identity import digest
from ohr.study.output.cases import FILE as CASES
from ohr.study.output.cases import read_questions
from ohr.study.results import StudyRun, run_names
from ohr.types import Question

PER_CHUNK = 20
"""Cases, or pages, per file of details; the JavaScript has the same number."""
WORST_PAGES = 60
"""Number of pages with details under every condition."""
_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Built:
    """A finished report."""

    selection: Selection
    pictures: int
    left_out: int
    """Images left out for lack of room."""
    missing: Sequence[str]
    """Sentences on what is missing, such as page images, and why."""

    def sentences(self) -> list[str]:
        """Which cases have details, and what is missing."""
        sentences = [f"{self.selection.sentence()}."]
        if self.left_out:
            sentences.append(
                f"{self.left_out:,} of {self.left_out + self.pictures:,} page images were left "
                "out, to stay below --max-mb."
            )
        return [*sentences, *self.missing]

    def lines(self, out: Path) -> list[str]:
        """The lines that a command prints."""
        return [*map(plain, self.sentences()), f"report: {out / 'index.html'}"]


def build_report(runs: Sequence[StudyRun], out: Path, options: ReportOptions) -> Built:
    """Write the report of finished runs into a folder. Raises OhrError.

    The same runs give the same bytes.
    """
    request, spec = parse_selection(options.cases), ImageSpec.parse(options.images)
    title = options.title or ", ".join(run.name for run in runs)
    rows = make_rows(runs)
    by_name = dict(zip(run_names(runs), runs, strict=True))
    questions = {
        name: {question.qid: question for question in read_questions(run.path)}
        for name, run in by_name.items()
        if (run.path / CASES).exists()  # imported results have none
    }
    selection = select(rows, request, [name for name in by_name if name in questions])
    numbers = numbered(selection.cases)
    chunks = Chunks(out)
    chunks.write("meta", _meta(rows, by_name, questions))
    chunks.write("rows", rows.json_content(numbers))
    budget = Budget(options.most_mb * _MEGABYTE)
    recipes = {name: Recipes(run) for name, run in by_name.items()}
    images = (
        {name: PageImages(recipe, out, spec, budget) for name, recipe in recipes.items()}
        if spec is not None
        else {}
    )
    texts = {name: Texts(run) for name, run in by_name.items()}
    pages = make_pages(by_name, rows)
    evidence = _evidence(rows, questions, selection)
    worst = [key for key in worst_pages(pages, WORST_PAGES) if key[0] in questions]
    pages.details = pages_with_details(pages, evidence, worst)
    chunks.write_all("page", PER_CHUNK, page_details(texts, rows, pages, recipes, images))
    chunks.write("pages", pages.json_content())
    numbered_pages = {key: number for number, key in enumerate(pages.details, start=1)}
    cases = case_details(by_name, texts, rows, selection.cases, numbered_pages, images)
    chunks.write_all("cases", PER_CHUNK, cases)
    chunks.tidy()
    budget.tidy(out)
    app = files("ohr.report") / "app"
    for name in (*SCRIPTS, "style.css"):
        write_bytes(out / "app" / name, (app / name).read_bytes())
    missing = list(_missing(recipes, texts, images))
    built = Built(selection, len(budget.names), budget.refused, missing)
    write_text(out / "index.html", overview(runs, rows, title, built.sentences(), options.verdict))
    return built


def _missing(
    recipes: Mapping[str, Recipes], texts: Mapping[str, Texts], images: Mapping[str, PageImages]
) -> Iterator[str]:
    """What the report cannot show, and why."""
    for name, recipe in recipes.items():
        if recipe.missing:
            yield f"{name}: no page images and no code to reproduce pages: {recipe.missing}."
    for name, of_run in texts.items():
        if of_run.missing:
            yield f"{name}: no ground truth of pages: {of_run.missing}."
    for name, pictures in images.items():
        yield from (f"{name}: {line}." for line in pictures.missing())


def _evidence(
    rows: Rows, questions: Mapping[str, Mapping[str, Question]], selection: Selection
) -> list[tuple[Key, int]]:
    """The evidence pages of the cases, each with the condition of its case."""
    names, qids = rows.questions["run"].tolist(), rows.questions["qid"].tolist()
    return [
        ((names[question], ref), condition)
        for question, condition in selection.cases
        for ref in questions[names[question]][qids[question]].evidence_pages
    ]


def _meta(
    rows: Rows, runs: Mapping[str, StudyRun], texts: Mapping[str, Mapping[str, Question]]
) -> dict[str, object]:
    questions = rows.questions
    pairs = list(zip(questions["run"], questions["qid"], strict=True))
    return {
        "report": digest([[name, run.manifest.get("config")] for name, run in runs.items()]),
        "conditions": [
            condition | {name: rows.condition_name(index, name) for name in ("name", "kept")}
            for index, condition in enumerate(rows.conditions)
        ],
        "settings": [setting | {"name": setting_name(setting)} for setting in rows.settings],
        "questions": {
            "qid": questions["qid"].astype(str).tolist(),
            "domain": questions["domain"].astype(str).tolist(),
            "source": questions["evidence_source"].astype(str).tolist(),
        },
        "texts": [texts[run][qid].text if run in texts else str(qid) for run, qid in pairs],
    }
