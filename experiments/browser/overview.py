"""The report's first page: what was asked, what came out, what failed, how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

from experiments.analysis.comparison import run_names
from experiments.browser.command import command_of
from experiments.browser.inline_svg import inline_svg
from experiments.browser.rows import MAIN, Rows, measures_by_stage, setting_name
from experiments.browser.sentences import Loss, caveats, losses
from ohr.errors import OhrError
from ohr.printable import plain
from ohr.study.results import Run

SCRIPTS = tuple(
    f"{name}.js"
    for name in (
        "dom",
        "data",
        "address",
        "rows",
        "list",
        "review",
        "blocks",
        "page",
        "case",
        "main",
    )
)
_TITLES = {
    "retrieval": "Retrieval",
    "generation": "Answers from the gold pages",
    "overall": "The whole system",
}
_FIGURES = {
    "noise_curve": "Quality against measured noise",
    "sources": "By evidence source",
    "benchmark": "Engines",
}
_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("experiments.browser"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def overview(runs: Sequence[Run], rows: Rows, title: str, details: Sequence[str]) -> str:
    """The page as HTML; every text of a run is escaped."""
    measures = measures_by_stage(runs)
    by_stage = {stage: losses(rows, stage) for stage in MAIN if stage in measures}
    template = _TEMPLATES.get_template("report.html")
    page: str = template.render(
        title=plain(title),
        runs=[
            {
                "name": plain(name),
                "facts": [(plain(key), plain(value)) for key, value in _facts(run)],
                "command": plain(command_of(run)),
                "versions": plain(_versions(run)),
            }
            for run, name in zip(runs, run_names(runs), strict=True)
        ],
        stages=[
            {
                "title": f"{_TITLES[stage]}: {plain(measures[stage].title)}",
                "sentences": [plain(one.sentence(measures[stage].title)) for one in found],
            }
            for stage, found in by_stage.items()
        ],
        caveats=caveats(rows, measures),
        figures=list(_figures(runs)),
        tables=[
            _table(rows, stage, measures[stage].title, found) for stage, found in by_stage.items()
        ],
        troubles=[plain(line) for run in runs for line in run.troubles],
        details=[plain(sentence) for sentence in details],
        scripts=SCRIPTS,
    )
    return page


def _facts(run: Run) -> list[tuple[str, str]]:
    dataset: dict[str, Any] = run.manifest.get("dataset", {})
    cells = run.cells
    facts = [
        (name, f"{dataset[key]:,}")
        for key, name in (
            ("documents", "documents"),
            ("pages", "pages"),
            ("reread_pages", "pages read"),
            ("asked", "questions"),
        )
        if key in dataset
    ]
    for column, name in (
        ("engine", "engines"),
        ("retriever", "retrievers"),
        ("reader", "readers"),
        ("system", "systems"),
    ):
        values = [str(value) for value in dict.fromkeys(cells[column]) if value]
        if values:
            facts.append((name, ", ".join(values)))
    noises = [str(value) for value in dict.fromkeys(cells["perturbation"]) if value != "none"]
    if noises:
        facts.append(("noise", ", ".join(noises)))
    stages: dict[str, dict[str, float]] = run.manifest.get("seconds", {})
    if stages:
        spent = sum(stage["cpu_s"] for stage in stages.values())
        facts.append(("CPU seconds", f"{spent:,.0f}"))
    return facts


def _versions(run: Run) -> str:
    versions = run.manifest.get("versions", {})
    return ", ".join(f"{name} {version}" for name, version in versions.items() if version)


def _figures(runs: Sequence[Run]) -> list[dict[str, object]]:
    figures: list[dict[str, object]] = []
    for run, run_name in zip(runs, run_names(runs), strict=True):
        noisy = (run.cells["noise"] != "none").any()
        for name, title in _FIGURES.items():
            if noisy == (name == "benchmark"):
                continue
            try:
                files = run.plot(name).files
            except OhrError:
                continue
            for place, (file, content) in enumerate(files.items()):
                if file.endswith(".svg"):
                    called = title if len(runs) == 1 else f"{title}: {run_name}"
                    prefix = f"{len(figures)}-{place}-"
                    svg = inline_svg(content, f"f{prefix}", plain(called))
                    figures.append({"title": plain(called), "svg": Markup(svg)})
    return figures


def _table(rows: Rows, stage: str, title: str, found: Sequence[Loss]) -> dict[str, object]:
    """Means of all rows of a stage, with what each condition lost."""
    of_stage = [n for n, setting in enumerate(rows.settings) if setting["stage"] == stage]
    frame = rows.frame[rows.frame["setting"].isin(of_stage)]
    lost = {(one.condition, one.setting): one for one in found}
    several = rows.questions["run"].nunique() > 1
    lines = []
    for (condition, setting), group in frame.groupby(["condition", "setting"], sort=True):
        kb = rows.conditions[int(str(condition))]
        name = setting_name(rows.settings[int(str(setting))])
        one = lost.get((kb["name"], name))
        lines.append(
            (
                *((plain(kb["run"]),) if several else ()),
                plain(kb["name"]),
                plain(name),
                f"{len(group):,}",
                _number(group["score"].mean()),
                _number(one.loss if one else None),
                _number(one.low if one else None),
                _number(one.high if one else None),
                _number(one.p if one else None),
            )
        )
    columns = (*(("run",) if several else ()), "knowledge base", "setting", "n", title)
    return {
        "title": f"{_TITLES[stage]}: {plain(title)}",
        "columns": (*columns, "lost", "from", "to", "p (Holm)"),
        "texts": 2 + several,
        "rows": lines,
    }


def _number(value: float | None) -> str:
    return "–" if value is None or pd.isna(value) else f"{value:.3f}"
