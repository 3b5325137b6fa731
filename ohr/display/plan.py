"""Prints the plan of a study: the pages to read and those in the cache."""

from __future__ import annotations

import sys
from collections.abc import Sized

from ohr.display.forecast import forecast_lines
from ohr.display.terminal import empty_table, show
from ohr.display.wording import counted
from ohr.errors import MissingDependencyError
from ohr.files.safe_text import plain
from ohr.plugins import OcrBackend
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import StudyConfig
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.notices.floor import floor_lines
from ohr.study.notices.truth import truth_lines
from ohr.study.output.cells import planned_cells
from ohr.study.page_costs import forecast_pages
from ohr.study.plan import Plan, make_plan
from ohr.study.scoring.forecast import check_cost, forecast


def print_plan(config: StudyConfig) -> None:
    """Print how many pages a study would read, how many are cached, and what answers would cost.

    Plug-ins that are missing are named and left out. Last it raises what the run would:
    MissingDependencyError for the first of these, ConfigError where the answers would cost more
    than ``max_cost``.
    """
    dataset = load_dataset(config)
    if dataset.report:
        print(f"dataset: {plain(dataset.report.summary())}", file=sys.stderr)
    missing: list[str] = []
    plan = make_plan(config, dataset, missing)
    for line in [*truth_lines(plan), *floor_lines(plan)]:
        print(line, file=sys.stderr)
    store = ArtefactStore(config.cache)
    knowledge_bases = KnowledgeBases(plan, store)
    table = empty_table(["knowledge base"], ["pages", "cached", "to read"])
    remaining = 0
    for variant in plan.variants:
        reads = isinstance(plan.engines[variant.engine.label], OcrBackend)
        pending = knowledge_bases.pending(variant)
        remaining += pending
        total = len(plan.reread) if reads else 0
        table.add_row(plan.label(variant), str(total), str(total - pending), str(pending))
    show(table)
    for note in missing:
        print(f"missing, and left out below: {plain(note)}")
    for note in plan.unreachable:
        print(f"left out: {note}")
    for line in forecast_lines(forecast(plan, store), forecast_pages(plan, store), plan):
        print(line)
    print(
        f"{len(plan.questions)} questions of {_documents_asked(plan)}; "
        f"{_counted(plan.retrievers, 'retriever')}, {_counted(plan.readers, 'reader')}; "
        f"{len(planned_cells(plan))} cells; {remaining} pages to read "
        f"with {counted(config.workers, 'worker')}"
    )
    if missing:
        named = ", ".join(line.partition(": ")[0] for line in missing)
        raise MissingDependencyError(f"the run would stop, since this is missing: {named}")
    check_cost(plan, store)


def _documents_asked(plan: Plan) -> str:
    """``3 documents``; those that are only searched are named, too."""
    every = len(plan.dataset.documents)
    questioned = len({question.doc_id for question in plan.questions}) or every
    searched = f" (of {every} that are searched)" if questioned < every else ""
    return f"{questioned} document{'s' * (questioned != 1)}{searched}"


def _counted(things: Sized, name: str) -> str:
    """``1 reader``, ``2 readers``."""
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"
