"""Observes pages with known truth, and scores how well each signal predicts their errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ohr.adviser.page_looks import page_kinds, scripts_by_picture
from ohr.collection import Dataset
from ohr.documents.verifying import verified_layers
from ohr.errors import ConfigError
from ohr.metrics.holes import known_texts, known_truth
from ohr.ocr.noise import noise_name
from ohr.ocr.observe import Observing
from ohr.ocr.pictures import page_pictures
from ohr.ocr.progress import Progress
from ohr.ocr.worker import PageTask
from ohr.plugins import OcrBackend
from ohr.quality.garbage import docling_score
from ohr.quality.page_kind import Picture
from ohr.quality.signals import SIGNALS
from ohr.quality.table import Observation, signal_table
from ohr.quality.texts import content, content_tokens
from ohr.quality.truth import targets
from ohr.quality.writing import scripts_in
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import StudyConfig
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.plan import Plan, Variant, make_plan
from ohr.types import Holes, PageRef, Word

BINS = 10
FEWEST_CHARACTERS = 100
"""Of the text of a page that can show that two documents are the same."""


def observe_pages(
    config: StudyConfig, pages: int, *, instability: bool, words: bool, progress: Progress
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The signals and true errors of pages under each noise, and counts of words by confidence.

    The first table has one row per page, engine, noise and ``draw``. The second counts the words of
    all draws by noise, engine and tenth of confidence: ``n``, ``right`` and the sum of
    ``confidence``. Pages without ground truth, or without a known order of its words,
    are left out. Where the truth has only capitals, capitals are no errors. Raises OhrError.
    """
    dataset = load_dataset(config, progress)
    plan = make_plan(config, dataset)
    with_truth = [ref for ref in plan.reread if _is_known(dataset, ref)]
    if not with_truth:
        raise ConfigError("no page has ground truth that OCR output could be compared with")
    refs = spread(with_truth, pages)
    store = ArtefactStore(config.cache)
    knowledge_bases = KnowledgeBases(plan, store)
    layers, holes = _layers(plan, refs, progress.new_stage("checking", "pages", brief=True))
    by_draw: dict[tuple[str, int], dict[str, dict[PageRef, Observation]]] = {}
    clusters = same_documents({ref: dataset.pages[ref].text for ref in refs})
    pictures: dict[tuple[str, int], dict[PageRef, Picture]] = {}
    drawn_tasks: dict[tuple[str, int], list[PageTask]] = {}
    for variant in plan.variants:
        noise = noise_name(variant.noise.name, variant.noise.level, variant.noise.intensity)
        noise = noise if variant.noise.operator is not None else "clean"
        name = variant.engine.label
        if variant.engine.name == "gt" and noise == "clean":
            continue  # the ground truth itself
        seen = _seen(
            knowledge_bases, variant, refs, instability=instability, words=words, progress=progress
        )
        by_draw.setdefault((noise, variant.seed), {})[name] = seen
        drawn = pictures.setdefault((noise, variant.seed), {})
        if isinstance(plan.engines[name], OcrBackend):
            without = {ref for ref in refs if layers.get(ref) is None and ref not in drawn}
            tasks = [task for task in knowledge_bases.tasks(variant) if task.ref in without]
            drawn |= page_pictures(tasks, store)
            drawn_tasks.setdefault((noise, variant.seed), []).extend(tasks)
    tables, counts = [], []
    for (noise, draw), engines in by_draw.items():
        scripts = {
            label: of
            for label in engines
            if isinstance(backend := plan.engines[label], OcrBackend)
            and (of := scripts_in(backend.alphabet()))
        }
        table = signal_table(engines, layers, holes=holes, scripts=scripts)
        if pictured := scripts_by_picture(table, drawn_tasks.get((noise, draw), []), store):
            table = signal_table(engines, layers, holes=holes, scripts=scripts, pictured=pictured)
        table["page_kind"] = page_kinds(table, engines, layers, pictures[noise, draw])
        table["cluster"] = [clusters[str(doc)] for doc in table["doc_id"]]
        table.insert(0, "noise", noise)
        table.insert(1, "draw", draw)
        table.insert(2, "domain", [dataset.documents[doc].domain for doc in table["doc_id"]])
        errors = []
        for row in table.to_dict("records"):
            ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
            text = engines[str(row["engine"])][ref].text
            texts = known_texts(text, dataset.pages[ref].text, dataset.holes.get(ref))
            if plan.units.folds_case:
                texts = (texts[0].lower(), texts[1].lower())
            known_values = targets(*texts)
            errors.append(
                {f"true_{name}": value for name, value in known_values.items()}
                | {"docling": 1 - docling_score(text)}
            )
        tables.append(pd.concat([table, pd.DataFrame(errors)], axis=1))
        for name, seen in engines.items():
            for ref, observation in seen.items():
                # Words of a page with doubtful words may be right or wrong: neither counts.
                if observation.words and not _doubts(dataset, ref):
                    truth = dataset.pages[ref].text
                    counts += _word_counts(noise, name, observation.words, truth)
    words_table = pd.DataFrame(
        counts, columns=["noise", "engine", "tenth", "n", "right", "confidence"]
    )
    keys = ["noise", "engine", "tenth"]
    return pd.concat(tables, ignore_index=True), words_table.groupby(
        keys, sort=False, as_index=False
    ).sum()


def same_documents(truths: Mapping[PageRef, str]) -> dict[str, str]:
    """For each document, the first one that has a page of the same text.

    Photographs of one page are files of their own; a fit and its check must not share them.
    Pages with fewer than :data:`FEWEST_CHARACTERS` characters say nothing.
    """
    first: dict[str, str] = {}
    clusters: dict[str, str] = {}
    for ref, truth in truths.items():
        text = content(truth)
        same = first.setdefault(text, ref.doc_id) if len(text) >= FEWEST_CHARACTERS else ref.doc_id
        clusters.setdefault(ref.doc_id, clusters.get(same, same))
    return clusters


def _is_known(dataset: Dataset, ref: PageRef) -> bool:
    """Whether a page has a truth, in a known order, of which something is not doubtful."""
    return dataset.has_order(ref) and (
        not _doubts(dataset, ref)
        or bool(known_truth(dataset.pages[ref].text, dataset.holes[ref]).strip())
    )


def _doubts(dataset: Dataset, ref: PageRef) -> bool:
    holes = dataset.holes.get(ref)
    return holes is not None and bool(holes.doubtful)


def spread(refs: Sequence[PageRef], most: int) -> list[PageRef]:
    """At most ``most`` pages, spread evenly over the pages."""
    if len(refs) <= most:
        return list(refs)
    return [refs[int((place + 0.5) * len(refs) / most)] for place in range(most)]


def _seen(
    knowledge_bases: KnowledgeBases,
    variant: Variant,
    refs: Sequence[PageRef],
    *,
    instability: bool,
    words: bool,
    progress: Progress,
) -> dict[PageRef, Observation]:
    plan = knowledge_bases.plan
    backend = plan.engines[variant.engine.label]
    if not isinstance(backend, OcrBackend):
        knowledge_base = knowledge_bases.knowledge_base(variant)
        return {
            ref: Observation(knowledge_base.pages[ref])
            for ref in refs
            if ref in knowledge_base.pages
        }
    chosen = set(refs)
    tasks = [task for task in knowledge_bases.tasks(variant) if task.ref in chosen]
    observing = Observing(
        variant.engine,
        backend,
        knowledge_bases.store,
        knowledge_bases.limits,
        plan.config.workers,
        instability=instability,
        words=words,
    )
    observations = observing.observe(tasks, progress)
    return dict(zip((task.ref for task in tasks), observations, strict=True))


def _layers(
    plan: Plan, refs: Sequence[PageRef], progress: Progress
) -> tuple[dict[PageRef, str | None], dict[PageRef, Holes]]:
    """The text layer of each page, if it can stand for the page, and what is not known of it.

    Holes are those of the layer, not of the truth: signals are fitted as they are predicted from.
    """
    sources: dict[str, Path] = {}
    for ref in refs:
        source = plan.dataset.documents[ref.doc_id].source
        if source is not None and source.suffix.lower() == ".pdf":
            sources[ref.doc_id] = source
    verdicts = verified_layers(list(sources.values()), report=progress)
    outcomes = dict(zip(sources, verdicts, strict=True))
    usable = {
        PageRef(doc_id, page_no): verdict
        for doc_id, outcome in outcomes.items()
        for page_no, verdict in enumerate(outcome.value or ())
        if not verdict.gap
    }
    layers = {ref: usable[ref].text if ref in usable else None for ref in refs}
    return layers, {ref: usable[ref].holes for ref in refs if ref in usable}


def _word_counts(
    noise: str, engine: str, words: Sequence[Word], truth: str
) -> list[tuple[str, str, int, int, int, float]]:
    """Counts of words; those in the truth, in order, are right. Words without letter or digit do
    not count.
    """
    parts = [(token, word.confidence) for word in words for token in content_tokens(word.text)]
    matcher = SequenceMatcher(None, [part for part, _ in parts], content_tokens(truth), False)
    right = np.zeros(len(parts), bool)
    for start, _, size in matcher.get_matching_blocks():
        right[start : start + size] = True
    return [
        (noise, engine, min(BINS - 1, int(sure * BINS)), 1, int(hit), sure)
        for (_, sure), hit in zip(parts, right, strict=True)
    ]


def auroc(scores: np.ndarray, positive: np.ndarray) -> float:
    """Area under the ROC curve of scores; NaN without both classes. Ties count one half."""
    is_known = ~np.isnan(scores)
    scores, positive = scores[is_known], positive[is_known]
    hits, misses = int(positive.sum()), int((~positive).sum())
    if not hits or not misses:
        return math.nan
    from scipy.stats import rankdata

    ranks = rankdata(scores)
    return float((ranks[positive].sum() - hits * (hits + 1) / 2) / hits / misses)


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's correlation where both have a value; NaN if one does not vary."""
    is_known = ~(np.isnan(first) | np.isnan(second))
    if is_known.sum() < 3 or np.ptp(first[is_known]) == 0 or np.ptp(second[is_known]) == 0:
        return math.nan
    from scipy.stats import spearmanr

    return float(spearmanr(first[is_known], second[is_known]).statistic)


def signal_scores(table: pd.DataFrame, further: Mapping[str, str]) -> list[dict[str, Any]]:
    """For each signal and noise, Spearman and AUROC with the true errors.

    ``further`` are columns other than the signals, with titles. AUROC is of pages with an error
    above .2.
    """
    rows = []
    groups = [
        ("all", table),
        *((str(name), part) for name, part in table.groupby("noise", sort=False)),
    ]
    for noise, part in groups:
        for name in (*SIGNALS, *further):
            values = part[name].to_numpy(float)
            row: dict[str, Any] = {"noise": noise, "signal": name}
            row["n"] = int((~np.isnan(values)).sum())
            for target in ("edit_distance", "edit_distance_content", "r_noise_content"):
                true = part[f"true_{target}"].to_numpy(float)
                row[f"spearman_{target}"] = spearman(values, true)
                row[f"auroc_{target}"] = auroc(values, true > 0.2)
            rows.append(row)
    return rows
