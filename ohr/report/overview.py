"""The report's first page: the study, its results, costs and failures, and the command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jinja2
import yaml
from markupsafe import Markup

from ohr.analysis.plots import draw
from ohr.display.origins import origin_lines
from ohr.display.settings import settings_of
from ohr.display.terminal import reader_lines
from ohr.errors import OhrError
from ohr.figures.style import only
from ohr.files.safe_text import plain
from ohr.ocr.costs import cost_lines
from ohr.report.changes import changes_of
from ohr.report.command import command_of, why_without_command
from ohr.report.inline_svg import inline_svg
from ohr.report.rows import MAIN, Rows, main_metrics
from ohr.report.sentences import caveats, losses
from ohr.report.tables import (
    cost_tables,
    group_loss_tables,
    group_tables,
    loss_tables,
    made_up_tables,
    stage_title,
)
from ohr.report.verdict import (
    answer_of,
    question_of,
    reason_for_no_comparison,
    verdict_bars,
)
from ohr.study.results import StudyRun, run_names

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
_FIGURES = {
    "noise_settings": "All settings against measured noise",
    "noise_curve": "Quality against measured noise",
    "sources": "Quality by evidence source",
    "benchmark": "Engines",
}
TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("ohr.report"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""The templates of the report and of the board; texts are escaped."""


def overview(
    runs: Sequence[StudyRun],
    rows: Rows,
    title: str,
    details: Sequence[str],
    verdict: Sequence[str] = (),
) -> str:
    """The page as HTML; all texts of the runs are escaped.

    ``details`` are sentences on cases. ``verdict`` are those of a recommendation: it is the answer.
    """
    metrics = main_metrics(runs)
    named = dict(zip(run_names(runs), runs, strict=True))
    changes = changes_of(runs, rows)
    by_stage = {stage: losses(rows, changes, stage) for stage in MAIN if stage in metrics}
    question, answer = question_of(runs, metrics), answer_of(runs, metrics, by_stage)
    if verdict:
        question, answer = "What to use for these files", list(verdict)
    template = TEMPLATES.get_template("report.html")
    figures, undrawn = _figures(runs)
    page: str = template.render(
        title=plain(title),
        question=plain(question),
        answer=[plain(sentence) for sentence in answer],
        bars=[] if verdict or len(runs) > 1 else verdict_bars(runs[0]),
        alone=reason_for_no_comparison(rows),
        runs=[
            {
                "name": plain(name),
                "facts": [(plain(key), plain(value)) for key, value in _facts(run)],
                "command": plain(command_of(run)),
                "no_command": plain(_hide_path(why_without_command(run), run, name)),
                "versions": plain(_versions(run)),
                "configuration": _configuration(run),
            }
            for name, run in named.items()
        ],
        stages=[
            {
                "title": stage_title(stage, metrics[stage]),
                "sentences": [plain(loss.sentence()) for loss in of_stage],
            }
            for stage, of_stage in by_stage.items()
            if of_stage or not verdict  # which compares the engines by its own tests
        ],
        caveats=caveats(rows, metrics),
        figures=figures,
        undrawn=undrawn,
        main_tables=list(loss_tables(rows, metrics, by_stage)),
        tables=[
            *made_up_tables(named),
            *group_loss_tables(rows, changes, metrics),
            *group_tables(rows, metrics),
        ],
        costs=list(cost_tables(named)),
        replies=[line for run in runs for line in _replies(run)],
        failures=[plain(line) for run in runs for line in run.failures],
        details=[plain(sentence) for sentence in details],
        scripts=SCRIPTS,
    )
    return page


def _facts(run: StudyRun) -> list[tuple[str, str]]:
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
    return facts


def _versions(run: StudyRun) -> str:
    versions = run.manifest.get("versions", {})
    return ", ".join(f"{name} {version}" for name, version in versions.items() if version)


def _configuration(run: StudyRun) -> str:
    """The configuration as YAML; like the manifest, it contains no secret."""
    text: str = yaml.safe_dump(run.manifest.get("config", {}), sort_keys=False, allow_unicode=True)
    return "\n".join(map(plain, text.split("\n")))


def _replies(run: StudyRun) -> Iterator[str]:
    bases = run.manifest.get("knowledge_bases", {})
    yield from cost_lines({label: base.get("taken") or {} for label, base in bases.items()})
    yield from reader_lines(run.readers)
    yield from origin_lines(run.manifest)


def _figures(runs: Sequence[StudyRun]) -> tuple[list[dict[str, object]], list[str]]:
    """The figures, and a line for each that could not be drawn."""
    figures: list[dict[str, object]] = []
    undrawn = []
    for run, run_name in zip(runs, run_names(runs), strict=True):
        noisy = (run.cells["noise"] != "none").any()
        several = len(settings_of(run.cells)) > 1
        for name, title in _FIGURES.items():
            if noisy == (name == "benchmark") or (name == "noise_settings" and not several):
                continue
            # Of several settings, all are in one figure, and the first has its own.
            options: dict[str, Any] = {"most": 1} if name in ("noise_curve", "sources") else {}
            try:
                with only("svg"):
                    files = draw(name, [run], **options)
            except OhrError as error:
                undrawn.append(f"{title}: {_hide_path(str(error), run, run_name)}")
                continue
            drawings = {file: content for file, content in files.items() if file.endswith(".svg")}
            for place, (file, content) in enumerate(drawings.items()):
                notes = files.get(f"{file.removesuffix('.svg')}.txt", b"").decode()
                figure_title = title if len(runs) == 1 else f"{title}: {run_name}"
                # The place counts a PNG before each SVG, which earlier reports drew: equal bytes.
                prefix = f"{len(figures)}-{2 * place + 1}-"
                svg = inline_svg(content, f"f{prefix}", plain(figure_title))
                figures.append(
                    {
                        "title": plain(figure_title),
                        "svg": Markup(svg),
                        "notes": notes.splitlines(),
                    }
                )
    return figures, [plain(line) for line in undrawn]


def _hide_path(message: str, run: StudyRun, name: str) -> str:
    """A message with the name of the run for its folder, so that a report is the same elsewhere."""
    return message.replace(str(run.path), name)
