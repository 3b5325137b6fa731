"""Builds a report: a folder that opens from disk, by double click."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from experiments.analysis.comparison import run_names
from experiments.browser.cases import case_details
from experiments.browser.chunks import write_chunk
from experiments.browser.images import Budget, ImageSpec, PageImages
from experiments.browser.overview import SCRIPTS, overview
from experiments.browser.rows import Rows, make_rows, setting_name
from experiments.browser.select import Selection, numbered, parse_selection, select
from ohr.store.atomic import write_bytes, write_text
from ohr.store.identity import digest
from ohr.study.cases import read_questions
from ohr.study.results import Run

PER_CHUNK = 20
"""Cases in a file of details; the page knows it too."""


def build_report(
    runs: Sequence[Run], out: Path, title: str, cases: str, images: str, most_mb: int
) -> Selection:
    """Write the report of some runs into a folder. Raises OhrError.

    The same runs give the same bytes.
    """
    wanted = parse_selection(cases)
    rows = make_rows(runs)
    selection = select(rows, wanted)
    numbers = numbered(selection.cases)
    named = dict(zip(run_names(runs), runs, strict=True))
    write_chunk(out, "meta", _meta(rows, named))
    write_chunk(out, "rows", rows.as_json(numbers))
    spec, budget = ImageSpec.parse(images), Budget(most_mb << 20)
    drawn = (
        {name: PageImages(run, out, spec, budget) for name, run in named.items()}
        if spec is not None
        else {}
    )
    details = case_details(named, rows, selection.cases, drawn)
    chunk: list[object] = []
    written = 0
    for one in details:
        chunk.append(one)
        if len(chunk) == PER_CHUNK:
            write_chunk(out, f"cases-{written}", chunk)
            written, chunk = written + 1, []
    if chunk:
        write_chunk(out, f"cases-{written}", chunk)
    app = files("experiments.browser") / "app"
    for name in (*SCRIPTS, "style.css"):
        write_bytes(out / "app" / name, (app / name).read_bytes())
    write_text(out / "index.html", overview(runs, rows, title, selection.sentence() + "."))
    return selection


def _meta(rows: Rows, runs: dict[str, Run]) -> dict[str, object]:
    questions = rows.questions
    texts = {
        name: {question.qid: question.text for question in read_questions(run.path)}
        for name, run in runs.items()
    }
    pairs = list(zip(questions["run"], questions["qid"], strict=True))
    return {
        "report": digest([[name, run.manifest.get("config")] for name, run in runs.items()]),
        "conditions": list(rows.conditions),
        "settings": [setting | {"name": setting_name(setting)} for setting in rows.settings],
        "questions": {
            "qid": questions["qid"].astype(str).tolist(),
            "domain": questions["domain"].astype(str).tolist(),
            "source": questions["evidence_source"].astype(str).tolist(),
        },
        "texts": [texts[run][qid] for run, qid in pairs],
    }
