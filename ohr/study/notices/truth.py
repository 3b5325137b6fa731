"""What OCR output is compared with (ground truth or text layer), and how results name it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ohr.collection import GROUND_TRUTH
from ohr.datasets.floor import ALL, NOISY_TRUTH
from ohr.metrics.holes import doubtful_words, find_words
from ohr.plugins import KnowledgeBaseSource, OcrBackend
from ohr.scoring.stored_scores import stored_floor
from ohr.statistics.numbers import prose
from ohr.store.artefacts import ArtefactStore
from ohr.study.checks import has_text
from ohr.study.metrics import MetricInfo, describe_metrics, metric_info, read_metric_infos
from ohr.study.plan import Plan

if TYPE_CHECKING:
    import pandas as pd


MARK = "*"
"""Mark of an engine whose output equals the truth."""
_TRUTH, _SAME, _METRIC_INFOS, _FLOOR = "truth", "same_as_truth", "measures", "truth_r_noise"
_FOLDED = "case_folded"
FOLDED_NOTE = "small and capital letters count as equal, since the truth has only capitals"


def declare(
    cells: pd.DataFrame,
    truth: str,
    same: Sequence[str],
    metric_infos: Iterable[MetricInfo] = (),
    floor: Mapping[str, float] | None = None,
    *,
    case_folded: bool = False,
) -> None:
    """Note on ``cells`` what OCR output was compared with, which engines equal that, and metrics.

    ``floor`` is the truth's own r_noise, of all questions and by domain. ``case_folded``: whether
    case was folded since the truth has none. Frames that are made of
    the cells keep these notes.
    """
    cells.attrs |= {
        _TRUTH: truth,
        _FLOOR: dict(floor or {}),
        _FOLDED: case_folded,
        _SAME: list(same),
        _METRIC_INFOS: json.dumps(describe_metrics(metric_infos)),
    }


def metric_infos_of(cells: pd.DataFrame) -> list[MetricInfo]:
    """The metrics of the cells, in their order, as they were declared."""
    declared = _declared(cells.attrs.get(_METRIC_INFOS, "[]"))
    pairs = cells[["stage", "metric"]].drop_duplicates().itertuples(index=False, name=None)
    return [declared.get(pair) or metric_info(*pair) for pair in pairs]


@lru_cache(maxsize=64)
def _declared(text: str) -> dict[tuple[str, str], MetricInfo]:
    """The metrics noted on cells, from one text: frames copy their attributes."""
    metric_infos = read_metric_infos({"measures": json.loads(text)}) or []
    return {(info.stage, info.metric): info for info in metric_infos}


def truth_of(cells: pd.DataFrame) -> str:
    """What OCR output was compared with, such as ``ground truth``."""
    return str(cells.attrs.get(_TRUTH, GROUND_TRUTH))


def truth_note(cells: pd.DataFrame) -> list[str]:
    """The parts of a caption that name it, if it is not ground truth, or is noisy itself."""
    truth = truth_of(cells)
    named = [] if truth == GROUND_TRUTH else [f"measured against the {truth}, not ground truth"]
    folded = [FOLDED_NOTE] if cells.attrs.get(_FOLDED) else []
    return named + folded + floor_note(cells.attrs.get(_FLOOR, {}), truth)


def floors(plan: Plan) -> dict[str, float]:
    """The truth's own r_noise on the questions of a plan: of all, and by domain.

    Empty if the truth has no text, since nothing is compared with it.
    """
    if not has_text(plan.dataset):
        return {}
    store = ArtefactStore(plan.config.cache)
    measured = stored_floor(store, plan.questions, plan.dataset.pages)
    return {group: round(value, 6) for group, (value, _) in measured.items()}


def floor_note(floor: Mapping[str, float], truth: str) -> list[str]:
    """The part that names a truth, or domains of it, whose own r_noise is above .1; else empty.

    An engine that wrote the truth itself would start there, not at 0.
    """
    noisy = {group: value for group, value in floor.items() if value > NOISY_TRUTH}
    if not noisy:
        return []
    note = f"the {truth} itself has an r_noise of {prose(floor[ALL])}"
    domains = [f"{group or 'no domain'} {prose(value)}" for group, value in noisy.items()
               if group != ALL]  # fmt: skip
    if len(floor) > 2 and domains:
        note += f" ({', '.join(domains)})"
    return [note]


def truth_notes(runs: Iterable[pd.DataFrame]) -> list[str]:
    """:func:`truth_note` for the cells of several runs, each note once."""
    return list(dict.fromkeys(note for cells in runs for note in truth_note(cells)))


def is_case_folded(manifest: Mapping[str, Any]) -> bool:
    """Whether a run folded the case of its pages, since the truth has none."""
    return manifest.get("dataset", {}).get(_FOLDED) is True


def truth_lines(plan: Plan) -> list[str]:
    """The lines for the console that name what output is compared with, and how if not as usual."""
    folded = [f"truth: {FOLDED_NOTE}"] if plan.units.folds_case else []
    return _truth_lines(plan) + folded


def _truth_lines(plan: Plan) -> list[str]:
    dataset = plan.dataset
    if dataset.truth == GROUND_TRUTH:
        if dataset.pages and not has_text(dataset):
            without = (
                f"truth: the ground truth has no text on any of its {len(dataset.pages)} pages"
            )
            if facts := sum(bool(question.fact) for question in plan.questions):
                return [f"{without}; facts that are checked instead: {facts}"]
            return [f"{without}: what is compared with it (edit distance, r_noise) says nothing"]
        return []
    usable = sum(ref not in dataset.without_truth for ref in plan.reread)
    holes = "".join(f"; {part}" for part in _hole_parts(count_holes(plan)))
    if usable == len(plan.reread):
        return [
            f"truth: the {dataset.truth}, not ground truth; usable on all {usable} pages{holes}"
        ]
    if not usable:
        return [
            f"truth: none of the {len(plan.reread)} pages has a usable {dataset.truth}: the OCR "
            "stage is not measured"
        ]
    return [
        f"truth: the {dataset.truth}, not ground truth; usable on {usable} of {len(plan.reread)} "
        f"pages, the others are not compared{holes}"
    ]


def truth_facts(plan: Plan, floor: Mapping[str, float]) -> dict[str, Any]:
    """What the manifest says of the truth; ``floor`` is its own r_noise."""
    dataset, holes = plan.dataset, count_holes(plan)
    return {
        "truth": dataset.truth,
        "truth_r_noise": floor,
        **({_FOLDED: True} if plan.units.folds_case else {}),
        "pages_without_truth": sum(ref in dataset.without_truth for ref in plan.reread),
        **({"truth_holes": holes} if holes else {}),
    }


def count_holes(plan: Plan) -> dict[str, int | float]:
    """What is not known of the truth of the pages that are compared; empty if all is known.

    ``incomplete``: pages whose truth lacks part of their text, which are not compared as pages;
    ``order_unknown``: pages; ``words`` and ``doubtful_words``: of all pages; ``ink_covered``: the
    mean share of a page's ink that its text explains; ``questions_in_doubt``: questions whose
    evidence is where the truth is not known.
    """
    dataset = plan.dataset
    refs = [ref for ref in plan.reread if ref not in dataset.without_truth]
    holes = {ref: dataset.holes[ref] for ref in refs if ref in dataset.holes}
    if not holes:
        return {}
    texts = {ref: dataset.pages[ref].text for ref in refs}
    return {
        "incomplete": sum(not hole.is_complete for hole in holes.values()),
        "order_unknown": sum(hole.is_complete and not hole.order_known for hole in holes.values()),
        "words": sum(len(find_words(text)) for text in texts.values()),
        "doubtful_words": sum(
            len(doubtful_words(texts[ref], hole.doubtful)) for ref, hole in holes.items()
        ),
        "ink_covered": round(
            sum(holes[ref].covered if ref in holes else 1.0 for ref in refs) / len(refs), 4
        ),
        "questions_in_doubt": len(plan.units.doubtful_questions),
    }


def _hole_parts(counts: Mapping[str, int | float]) -> list[str]:
    parts = []
    if pages := counts.get("incomplete"):
        parts.append(
            f"on {pages:,} page{'s' * (pages > 1)} it lacks text that the page shows (only "
            "questions are scored there)"
        )
    if pages := counts.get("order_unknown"):
        parts.append(
            f"order unknown on {pages:,} page{'s' * (pages > 1)} (only metrics without order, such "
            "as word_f1, are scored there)"
        )
    if doubtful := counts.get("doubtful_words"):
        parts.append(f"{doubtful:,} of {counts['words']:,} words doubtful (left out)")
    return parts


def find_same(cells: pd.DataFrame, plan: Plan) -> list[str]:
    """Engines whose output of every clean page equals the truth.

    Engines that read page images do not count: they cannot copy the truth.
    """
    clean = cells[
        (cells["stage"] == "ocr") & (cells["group"] == "all") & (cells["noise"] == "none")
    ]
    means = {
        name: clean[clean["metric"] == name].set_index("engine")["mean"]
        for name in ("edit_distance", "word_f1")
    }
    distances = means["edit_distance"]
    equal = [str(engine) for engine in distances.index[distances == 0]]
    if distances.isna().all():  # the order is known on no page: the words alone can be equal
        equal = [str(engine) for engine in means["word_f1"].index[means["word_f1"] == 1]]
    return [engine for engine in equal if engine != "gt" and not _sees(plan.engines[engine])]


def _sees(engine: OcrBackend | KnowledgeBaseSource) -> bool:
    return isinstance(engine, OcrBackend) and "image" in engine.accepts


def same_as_truth(cells: pd.DataFrame) -> list[str]:
    """The engines of :func:`find_same`, from the notes on the cells."""
    return list(cells.attrs.get(_SAME, []))


def marked(engine: str, same: Collection[str]) -> str:
    """An engine's name for tables, with :data:`MARK` if it is in ``same``."""
    return f"{engine} {MARK}" if engine in same else engine


def same_lines(cells: pd.DataFrame) -> list[str]:
    """A line for each marked engine that explains the mark."""
    return [
        f"{MARK} {engine}: every page equals the {truth_of(cells)}, so its quality cannot be "
        "measured: it is not ranked"
        for engine in same_as_truth(cells)
    ]
