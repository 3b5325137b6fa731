"""The signals of readings whose truth is known: what each is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ohr.datasets.text_layer import check_layers
from ohr.documents.opening import layers_of
from ohr.errors import ConfigError
from ohr.ocr.noise import noise_name
from ohr.ocr.observe import Observing
from ohr.plugins import OcrBackend
from ohr.quality.garbage import docling_score
from ohr.quality.signals import SIGNALS
from ohr.quality.table import Seen, signal_table
from ohr.quality.texts import content_tokens
from ohr.quality.truth import targets
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import StudyConfig
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.plan import Plan, Variant, load_dataset, make_plan
from ohr.types import PageRef, Word

Report = Callable[[str, int, int], None]
BINS = 10


def observed(
    config: StudyConfig, pages: int, *, wobble: bool, words: bool, report: Report
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The signals and errors of pages under each noise, and how right words are by confidence.

    The first has a row for each page, engine, noise and ``draw`` of it. The second counts words of
    all draws by noise, engine and tenth of confidence: ``n``, ``right`` and the sum of
    ``confidence``. Pages without a truth are left out. Raises OhrError.
    """
    dataset = load_dataset(config)
    plan = make_plan(config, dataset)
    with_truth = [ref for ref in plan.reread if ref not in dataset.without_truth]
    if not with_truth:
        raise ConfigError("no page has a truth that its readings could be held against")
    refs = spread(with_truth, pages)
    store = ArtefactStore(config.cache)
    readings = KnowledgeBases(plan, store)
    layers = _layers(plan, refs)
    by_draw: dict[tuple[str, int], dict[str, dict[PageRef, Seen]]] = {}
    for variant in plan.variants:
        noise = noise_name(variant.noise.name, variant.noise.level, variant.noise.intensity)
        noise = noise if variant.noise.operator is not None else "clean"
        name = variant.engine.label
        if variant.engine.name == "gt" and noise == "clean":
            continue  # the truth itself
        seen = _seen(readings, variant, refs, wobble=wobble, words=words, report=report)
        by_draw.setdefault((noise, variant.seed), {})[name] = seen
    tables, counts = [], []
    for (noise, draw), engines in by_draw.items():
        table = signal_table(engines, layers)
        table.insert(0, "noise", noise)
        table.insert(1, "draw", draw)
        table.insert(2, "domain", [dataset.documents[doc].domain for doc in table["doc_id"]])
        errors = []
        for row in table.to_dict("records"):
            ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
            text = engines[str(row["engine"])][ref].text
            known = targets(text, dataset.pages[ref].text)
            errors.append(
                {f"true_{name}": value for name, value in known.items()}
                | {"docling": 1 - docling_score(text)}
            )
        tables.append(pd.concat([table, pd.DataFrame(errors)], axis=1))
        for name, seen in engines.items():
            for ref, one in seen.items():
                if one.words:
                    truth = dataset.pages[ref].text
                    counts += _word_counts(noise, name, one.words, truth)
    words_table = pd.DataFrame(
        counts, columns=["noise", "engine", "tenth", "n", "right", "confidence"]
    )
    keys = ["noise", "engine", "tenth"]
    return pd.concat(tables, ignore_index=True), words_table.groupby(
        keys, sort=False, as_index=False
    ).sum()


def spread(refs: Sequence[PageRef], most: int) -> list[PageRef]:
    """At most so many pages, evenly over the pages in their order."""
    if len(refs) <= most:
        return list(refs)
    return [refs[int((place + 0.5) * len(refs) / most)] for place in range(most)]


def _seen(
    readings: KnowledgeBases,
    variant: Variant,
    refs: Sequence[PageRef],
    *,
    wobble: bool,
    words: bool,
    report: Report,
) -> dict[PageRef, Seen]:
    plan = readings.plan
    backend = plan.engines[variant.engine.label]
    if not isinstance(backend, OcrBackend):
        base = readings.knowledge_base(variant)
        return {ref: Seen(base.pages[ref]) for ref in refs if ref in base.pages}
    wanted = set(refs)
    tasks = [task for task in readings.tasks(variant) if task.ref in wanted]
    observing = Observing(
        variant.engine,
        backend,
        readings.store,
        readings.limits,
        plan.config.workers,
        wobble=wobble,
        words=words,
    )
    found = observing.observe(tasks, report)
    return dict(zip((task.ref for task in tasks), found, strict=True))


def _layers(plan: Plan, refs: Sequence[PageRef]) -> dict[PageRef, str | None]:
    """The text layers of the pages that can stand for them."""
    sources: dict[str, Path] = {}
    for ref in refs:
        source = plan.dataset.documents[ref.doc_id].source
        if source is not None and source.suffix.lower() == ".pdf":
            sources[ref.doc_id] = source
    opened = dict(zip(sources, layers_of(list(sources.values())), strict=True))
    usable = {
        PageRef(doc_id, page_no): layer.value.text
        for doc_id, outcome in opened.items()
        if outcome.value is not None
        for page_no, (layer, check) in enumerate(
            zip(outcome.value, check_layers(outcome.value), strict=True)
        )
        if layer.value is not None and not check.fault
    }
    return {ref: usable.get(ref) for ref in refs}


def _word_counts(
    noise: str, engine: str, words: Sequence[Word], truth: str
) -> list[tuple[str, str, int, int, int, float]]:
    """Words in the truth, in order, are right; those without a letter or digit do not count."""
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
    there = ~np.isnan(scores)
    scores, positive = scores[there], positive[there]
    hits, misses = int(positive.sum()), int((~positive).sum())
    if not hits or not misses:
        return math.nan
    from scipy.stats import rankdata

    ranks = rankdata(scores)
    return float((ranks[positive].sum() - hits * (hits + 1) / 2) / hits / misses)


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's correlation of what both have; NaN where one does not vary."""
    there = ~(np.isnan(first) | np.isnan(second))
    if there.sum() < 3 or np.ptp(first[there]) == 0 or np.ptp(second[there]) == 0:
        return math.nan
    from scipy.stats import spearmanr

    return float(spearmanr(first[there], second[there]).statistic)


def signal_scores(table: pd.DataFrame, further: Mapping[str, str]) -> list[dict[str, Any]]:
    """For each signal and noise, Spearman and AUROC against the true errors.

    ``further`` are columns beside the signals, with their titles. AUROC is of pages whose
    edit distance is above .2; mark-up counts in one, not in the other.
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
