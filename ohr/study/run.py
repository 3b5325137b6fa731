"""Runs a study: plan, read, score, aggregate, write."""

from __future__ import annotations

import gc
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ohr.errors import ConfigError, OhrError
from ohr.files.safe_text import plain
from ohr.models.origins import split_origins, take_embeddings
from ohr.ocr.failures import notes, reasons
from ohr.ocr.progress import Progress
from ohr.ocr.shards import shard_of_process
from ohr.plugins import OcrBackend
from ohr.questions.review import left_out_line
from ohr.scoring.frame_watch import look_at_pages
from ohr.store.artefacts import ArtefactStore
from ohr.store.atomic import part_of, put_in_place, write_bytes, write_text
from ohr.store.csv import write_csv
from ohr.store.locking import locked
from ohr.store.versions import versions
from ohr.study.commands import command_entry
from ohr.study.config import StudyConfig
from ohr.study.faults import RECEIPT
from ohr.study.inputs import part_identities, plugin_sources
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.metrics import describe_metrics, metric_versions
from ohr.study.notices.assessed import not_assessed_lines, unassessed_stages
from ohr.study.notices.doses import DoseNotices
from ohr.study.notices.failures import FailureCounts, empty_lines
from ohr.study.notices.floor import floor_lines
from ohr.study.notices.left_out import nothing_found
from ohr.study.notices.truth import (
    declare,
    find_same,
    floor_note,
    floors,
    same_as_truth,
    truth_facts,
    truth_lines,
)
from ohr.study.output.cells import KEY_COLUMNS, aggregate, planned_cells
from ohr.study.output.groups import group_names
from ohr.study.output.rows import FILE as ROWS
from ohr.study.output.rows import RowWriter
from ohr.study.page_pictures import Pictures
from ohr.study.plan import Plan, make_plan
from ohr.study.results import StudyRun
from ohr.study.scoring.asking import make_answering, start_budget
from ohr.study.scoring.forecast import check_cost
from ohr.study.scoring.parts import make_scorer
from ohr.study.scoring.repeats import FILE as REPEATS
from ohr.study.scoring.repeats import repeat_notes
from ohr.study.scoring.signatures import signatures
from ohr.study.scoring.ties import Tie, find_ties, tie_lines
from ohr.types import FAILED, KnowledgeBase
from ohr.workers.forked import ForkedCall

if TYPE_CHECKING:
    import pandas as pd


PROBLEMS = "problems.csv"
"""What was left out of a dataset or is doubtful, each with the reason."""
_COLLECTION_THRESHOLD = (100_000, 50, 100)
"""New objects before a look at them, and looks before one at older ones; Python's own are 700, 10
and 10."""


@dataclass
class Clock:
    """Wall and CPU seconds (children included) by stage."""

    seconds: dict[str, dict[str, float]] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent inside to a stage."""
        wall, cpu = time.perf_counter(), _cpu_seconds()
        try:
            yield
        finally:
            self.add(name, wall_s=time.perf_counter() - wall, cpu_s=_cpu_seconds() - cpu)

    def add(self, name: str, *, cpu_s: float, wall_s: float = 0.0) -> None:
        """Add seconds of a stage, also of processes that have not ended yet."""
        spent = self.seconds.setdefault(name, {"wall_s": 0.0, "cpu_s": 0.0})
        spent["wall_s"] = round(spent["wall_s"] + wall_s, 3)
        spent["cpu_s"] = round(spent["cpu_s"] + cpu_s, 3)


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def run_study(
    config: StudyConfig,
    out: Path | str,
    *,
    progress: Progress | None = None,
    overwrite: bool = False,
) -> StudyRun:
    """Run a study, or finish one that was interrupted, and write its results to ``out``.

    A process that reads a shard writes no results: it raises ShardEnded once its pages are read.
    The same call without a shard then finishes the study.

    Raises OhrError for whatever the user can fix, before anything costly runs.
    """
    with _rare_collections():
        return _run(config, Path(out), progress or Progress(), overwrite=overwrite)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Let Python look for unreachable cycles less often: a study holds millions of objects, makes
    few cycles, and would spend a twentieth of its time on looking."""
    before = gc.get_threshold()
    if before[0]:  # else the caller has switched it off
        gc.set_threshold(*map(max, before, _COLLECTION_THRESHOLD))
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _run(config: StudyConfig, out: Path, progress: Progress, *, overwrite: bool) -> StudyRun:
    clock = Clock()
    earlier = None if overwrite else _data_there(config, out)
    with clock.stage("plan"):
        dataset = load_dataset(config, progress)
        if earlier is not None and earlier != dataset.digest():
            raise ConfigError(f"{out} holds results of other data: choose another --out")
        if dataset.report:
            progress.say(plain(f"dataset: {dataset.report.summary()}: see {PROBLEMS}"))
        for line in dataset.report.skipped:
            progress.say(plain(f"skipped: {line}"))
        for line in dataset.report.notes:
            progress.say(plain(f"note: {line}"))
        plan = make_plan(config, dataset)
        if plan.left_out:
            progress.say(left_out_line(plan.left_out))
        for line in [*truth_lines(plan), *floor_lines(plan)]:
            progress.say(line)
        floor = floors(plan)
        for line in floor_note(floor, dataset.truth):
            progress.say(f"truth: {plain(line)}")
        for line in not_assessed_lines(plan):
            progress.say(line)
        ties = find_ties(plan)
        for line in [*tie_lines(ties, len(plan.questions)), *repeat_notes(plan)]:
            progress.say(plain(line))
        for note in plan.unreachable:
            progress.say(f"left out: {note}")
    # Shards write only to the cache, so several may work for one folder of results.
    check_cost(plan, ArtefactStore(config.cache))
    with locked(out) if shard_of_process() is None else nullcontext():
        if not overwrite:
            _data_there(config, out)  # another study may have finished in the meantime
        with Pictures(plan) as pictures, ExitStack() as ending:
            return _carry_out(plan, ties, floor, pictures, out, clock, progress, ending)


def _carry_out(
    plan: Plan,
    ties: Sequence[Tie],
    floor: Mapping[str, float],
    pictures: Pictures,
    out: Path,
    clock: Clock,
    progress: Progress,
    ending: ExitStack,
) -> StudyRun:
    """Read, score, aggregate and write. ``ending`` closes whatever was started."""
    import pandas as pd

    from ohr.study.output.cases import FILE as CASES
    from ohr.study.output.cases import Cases

    config, dataset = plan.config, plan.dataset
    store = ArtefactStore(config.cache)
    budget = start_budget(config, ending)
    knowledge_bases = KnowledgeBases(plan, store, pictures.images_of, budget)
    ending.callback(knowledge_bases.close)
    with clock.stage("read"), progress:
        knowledge_bases.make(progress, out, progress.write)
    take_embeddings()  # of an earlier study in this process
    asking = progress.new_stage("asking", "questions")
    answering = make_answering(config, store, asking, budget)
    scorer = make_scorer(plan, store, answering)
    documents = dataset.documents.items()
    cases = Cases(plan.questions, {doc_id: document.domain for doc_id, document in documents})
    scorer.recorder = cases
    scorer.texts_of = knowledge_bases.knowledge_base
    outcomes = FailureCounts()
    bases: dict[str, dict[str, Any]] = {}
    doses = DoseNotices(knowledge_bases, progress)
    lines_before = set(dataset.report.lines())
    ending.callback(scorer.close)
    with part_of(out / ROWS) as rows:
        with RowWriter(plan, rows) as writer:
            for variant in plan.variants:
                with clock.stage("knowledge base"):
                    kb = knowledge_bases.knowledge_base(variant)
                    taken, models = split_origins(knowledge_bases.cost(variant))
                    bases[plan.label(variant)] = _describe(plan, kb) | {"taken": taken}
                    if models:
                        origin = {"engine": variant.engine.label, "models": models}
                        bases[plan.label(variant)] |= origin
                    if getattr(plan.engines[variant.engine.label], "generative", False):
                        warnings, frames = look_at_pages(plan.label(variant), kb.pages.values())
                        bases[plan.label(variant)] |= frames
                        for line in warnings:
                            progress.say(line)
                    bases[plan.label(variant)] |= doses.note(variant, kb)
                    cases.add_pages(plan.label(variant), kb)
                with clock.stage("score ocr"):
                    scores = scorer.ocr(variant, kb)
                    writer.add(scores)
                    outcomes.add(scores)
                clock.add("score ocr", cpu_s=scorer.take_cpu_s())
                with clock.stage("score"), asking:
                    for scores in scorer.use(variant, kb):
                        writer.add(scores)
                        outcomes.add(scores)
                clock.add("score", cpu_s=scorer.take_cpu_s())
                if unseen := scorer.rankings.take_unseen():
                    bases[plan.label(variant)]["unseen_pages"] = unseen
                if not_ranked := scorer.rankings.take_left_out():
                    bases[plan.label(variant)]["not_ranked"] = not_ranked
        scorer.close()
        with clock.stage("knowledge base"):
            knowledge_bases.close()  # the system counts a process's CPU seconds when it ends
        packing = ForkedCall(cases.packed, workers=config.workers, worthwhile=plan.is_large)
        ending.callback(packing.close)
        for kind, line in dataset.report.lines():
            if (kind, line) not in lines_before:
                progress.say(plain(f"dataset: {kind}: {line}: see {PROBLEMS}"))
        groups = group_names(plan)
        with clock.stage("aggregate"):
            cells = aggregate(rows, plan.metric_infos, groups)
            declare(
                cells,
                dataset.truth,
                find_same(cells, plan),
                plan.metric_infos,
                floor,
                case_folded=plan.units.folds_case,
            )
        missing = _missing(plan, cells)
        with clock.stage("write"):
            # If interrupted here, the folder must not look like a finished run.
            (out / "manifest.json").unlink(missing_ok=True)
            with suppress(OSError):  # the digests of earlier files; a study needs none
                (out / RECEIPT).unlink()
            put_in_place(rows, out / ROWS)
            write_csv(out / "cells.csv", cells)
    with clock.stage("write"):
        write_csv(out / PROBLEMS, pd.DataFrame(dataset.report.lines(), columns=["kind", "problem"]))
        write_bytes(out / CASES, packing.result())
        (out / REPEATS).unlink(missing_ok=True)  # of an earlier study
        if repeats := scorer.repeats.entries():
            write_csv(out / REPEATS, scorer.repeats.table())
    answers = {label: tally.summary() for label, tally in answering.tallies.items()}
    systems = {label: answers.pop(label) for label in plan.systems if label in answers}
    ungraded = scorer.measuring.ungraded.entries()
    manifest: dict[str, Any] = {
        "command": command_entry(config, out),
        "config": config.model_dump(mode="json"),
        "seed": config.seed,
        "draws": list(plan.draws),
        "versions": versions(),
        "metrics": metric_versions(plan.metric_infos)
        | {name: plan.metrics[name].version for name in plan.noise_columns},
        "measures": describe_metrics(plan.metric_infos),
        "signatures": signatures(plan.metric_infos, plan.metrics, config),
        "groups": groups,
        "engines": {
            label: engine.identity()
            for label, engine in plan.engines.items()
            if isinstance(engine, OcrBackend)
        },
        "parts": part_identities(plan),
        **_image_retrievers(plan),
        "sources": plugin_sources(plan),
        "dataset": {
            "kind": dataset.kind,
            "digest": dataset.digest(),
            "documents": len(dataset.documents),
            "pages": len(dataset.pages),
            "questions": len(dataset.questions),
            "asked": len(plan.questions),
            "on_repeated_pages": len(ties),
            **({"left_out_by_review": plan.left_out} if config.dataset.verdicts else {}),
            "reread_pages": len(plan.reread),
            **truth_facts(plan, floor),
            "problems": dataset.report.counts,
        },
        "unreachable": plan.unreachable,
        "same_as_truth": same_as_truth(cells),
        **({"ungraded": ungraded} if ungraded else {}),
        **({"repeats": repeats} if repeats else {}),
        "readers": answers,
        "systems": systems,
        "knowledge_bases": bases,
        **({"embedding_models": embedded} if (embedded := take_embeddings()) else {}),
        "counts": outcomes.counts(),
        "cells": {"planned": len(planned_cells(plan)), "missing": len(missing)},
        "seconds": clock.seconds,
    }
    write_text(out / "manifest.json", json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    failed = [*outcomes.failed(), *empty_lines(answers | systems), *nothing_found(bases)]
    failed += unassessed_stages(cells, config.stages)
    return StudyRun(out, manifest, cells, missing, trust_code=True).cache_values(
        plan=plan, dataset=plan.dataset, failed=failed
    )


def _image_retrievers(plan: Plan) -> dict[str, Any]:
    """Identities of the retrievers that look at page images; empty if there are none."""
    seeing = {
        name: retriever.identity()
        for name, retriever in plan.retrievers.items()
        if retriever.sees_images
    }
    return {"image_retrievers": seeing} if seeing else {}


def _data_there(config: StudyConfig, out: Path) -> str | None:
    """Digest of the dataset of earlier results of this study in a folder; None if there are none.

    Raises ConfigError if the folder has the results of another study, which stay.
    """
    path = out / "manifest.json"
    try:
        manifest = json.loads(path.read_text("utf-8"))
        earlier = StudyConfig.model_validate(manifest["config"])
        digest = str(manifest["dataset"]["digest"])
        same = earlier.identity() == config.identity()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {error.strerror or error}: choose another --out"
        ) from error
    except (ValueError, KeyError, TypeError, OhrError):
        same = False
    if not same:
        raise ConfigError(f"{out} holds another study's results: choose another --out")
    return digest


def _describe(plan: Plan, kb: KnowledgeBase) -> dict[str, Any]:
    """Counts of a knowledge base for the manifest, also of missing and extra pages."""
    truth = set(plan.dataset.pages)
    missing = [ref for ref in truth if ref not in kb.pages or "missing" in kb.pages[ref].detail]
    extra = [ref for ref in kb.pages if ref not in truth]
    failures = [
        f"{ref.doc_id} page {ref.page_no + 1}: {outcome.status}: {outcome.detail}"
        for ref, outcome in kb.pages.items()
        if outcome.status in FAILED
    ]
    return {
        "pages": len(kb.pages),
        "by_status": dict(sorted(Counter(str(o.status) for o in kb.pages.values()).items())),
        "missing_pages": len(missing),
        "extra_pages": len(extra),
        "documents_with_other_pages": len({ref.doc_id for ref in missing + extra}),
        "reasons": reasons(kb.pages.values()),
        "notes": notes(kb.pages.values()),
        "failures": failures[:100],
    }


def _missing(plan: Plan, cells: pd.DataFrame) -> list[str]:
    """Planned cells whose key is not among the cells, described."""
    import pandas as pd

    present = {
        tuple("" if pd.isna(value) else value for value in key)
        for key in cells[list(KEY_COLUMNS)].itertuples(index=False, name=None)
    }
    absent = []
    for condition, stage, metric, group in planned_cells(plan):
        settings = ("" if value is None else value for value in astuple(condition))
        if (*settings, stage, metric, group) not in present:
            absent.append(f"{condition.engine} {condition.perturbation} {stage} {metric} {group}")
    return absent
