"""Counts by page, and their means with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.inventions.hidden import HiddenText
from ohr.analysis.inventions.pages import SourcePage
from ohr.analysis.inventions.repeatability import compare_outputs
from ohr.analysis.inventions.variants import Variant
from ohr.metrics.word_keys import keyed_words
from ohr.statistics import Clusters, mean_interval
from ohr.types import Outcome, Status

COUNTS = (
    *("engine", "part", "kind", "dose", "doc_id", "page", "status"),
    *("words", "hidden", "share_hidden", "counted", "written", "chance", "new"),
    *("words_before", "gone", "come", "numbers", "numbers_gone", "numbers_changed", "examples"),
)
"""Columns of :func:`count_pages`. ``examples``: the invented words, or the changed numbers."""
SUMMARY = (
    *("engine", "part", "kind", "dose", "share_hidden", "measure", "mean", "ci_low", "ci_high"),
    *("ci_unit", "n", "pages", "documents", "n_empty", "n_error", "n_timeout"),
)
"""Columns of :func:`summarise`."""
ALL = "all"
"""The kind or dose of a mean over all kinds or doses."""
_SHOWN = 12


def count_pages(
    pages: Sequence[SourcePage],
    variants: Sequence[Variant],
    outcomes: Mapping[str, Sequence[Outcome[str]]],
) -> pd.DataFrame:
    """One row per engine and image, except clean pages: :data:`COUNTS`.

    A page that failed has no words: nothing of it is invented, and in the repeats all words are
    gone.
    """
    hidden_text = HiddenText(pages)
    rows: list[dict[str, Any]] = []
    for engine, engine_outcomes in outcomes.items():
        texts = [outcome.value or "" for outcome in engine_outcomes]
        clean = {
            variant.page: text
            for variant, text in zip(variants, texts, strict=True)
            if variant.part == "clean"
        }
        for variant, outcome, text in zip(variants, engine_outcomes, texts, strict=True):
            if variant.part == "clean":
                continue
            row = {
                "engine": engine,
                "part": variant.part,
                "kind": variant.kind,
                "dose": variant.dose if variant.part == "hidden" else np.nan,
                "doc_id": variant.ref.doc_id,
                "page": variant.ref.page_no + 1,
                "status": str(outcome.status),
                "words": len(keyed_words(text)),
            }
            if variant.part == "hidden":
                count = hidden_text.count(variant.page, variant.hidden, text, clean[variant.page])
                row |= {
                    "hidden": count.hidden,
                    "share_hidden": count.share,
                    "counted": count.counted,
                    "written": len(count.written),
                    "chance": count.chance,
                    "new": len(count.new),
                    "examples": " ".join(list(count.written.values())[:_SHOWN]),
                }
            elif variant.part == "repeat":
                repeat = compare_outputs(clean[variant.page], text)
                row |= {
                    "words_before": repeat.words,
                    "gone": repeat.gone,
                    "come": repeat.come,
                    "numbers": repeat.numbers,
                    "numbers_gone": repeat.numbers_gone,
                    "numbers_changed": len(repeat.changed),
                    "examples": ", ".join(f"{a} > {b}" for a, b in repeat.changed[:_SHOWN]),
                }
            else:
                row["examples"] = " ".join(text.split())[:200]
            rows.append(row)
    return pd.DataFrame(rows, columns=list(COUNTS))


def summarise(counts: pd.DataFrame) -> pd.DataFrame:
    """Means with 95 % intervals over documents: :data:`SUMMARY`, one row per measure.

    Of hidden text, by dose, over all doses, and by cover, per counted word: ``written`` (share
    that comes out), ``chance`` and their difference ``excess``; ``new``: other new words, per
    hidden word.
    Of pages without text, by kind and over all kinds: ``any`` (share of pages with a word),
    ``words`` per page, and ``longest`` (most words of a page, without an interval). Of repeats, by
    change: ``gone`` and ``come`` (shares of the words), ``numbers_gone`` and ``numbers_changed``
    (shares of the numbers). ``n`` is the number of words, numbers or pages behind a mean.
    """
    rows: list[dict[str, Any]] = []
    for (engine, part), of_part in counts.groupby(["engine", "part"], sort=False):
        for kind, dose, group in _groups(str(part), of_part):
            key = {"engine": engine, "part": part, "kind": kind, "dose": dose} | _key_values(group)
            rows += [key | mean for mean in _MEASURES[str(part)](group)]
    return pd.DataFrame(rows, columns=list(SUMMARY))


def _groups(part: str, rows: pd.DataFrame) -> Iterator[tuple[str, float, pd.DataFrame]]:
    """The groups of a part that have means: kind, dose (NaN: all of them), rows."""
    kinds = list(rows.groupby("kind", sort=False))
    if part == "hidden":
        for dose in sorted(rows["dose"].unique().tolist()):
            yield ALL, dose, rows[rows["dose"] == dose]
        yield ALL, np.nan, rows
    if part != "hidden" or len(kinds) > 1:
        for kind, group in kinds:
            yield str(kind), np.nan, group
    if part == "textless":
        yield ALL, np.nan, rows


def _key_values(group: pd.DataFrame) -> dict[str, Any]:
    """What is the same for all means of a group."""
    status = group["status"].value_counts()
    return {
        "share_hidden": group["share_hidden"].mean(),
        "pages": len(group[["doc_id", "page"]].drop_duplicates()),
        "documents": group["doc_id"].nunique(),
    } | {
        f"n_{name}": int(status.get(str(name), 0))
        for name in (Status.EMPTY, Status.ERROR, Status.TIMEOUT)
    }


def _hidden_measures(group: pd.DataFrame) -> list[dict[str, Any]]:
    counted = group["counted"].to_numpy(int)
    written = group["written"].to_numpy(int)
    chance = group["chance"].to_numpy(float)
    per_word = np.repeat(chance / np.maximum(counted, 1), counted)
    out = np.concatenate([np.arange(n) < k for n, k in zip(counted, written, strict=True)])
    return [
        _mean("excess", out - per_word, _clusters(group, counted)),
        _mean("written", out.astype(float), _clusters(group, counted), bounded=True),
        _mean("chance", per_word, _clusters(group, counted), bounded=True),
        _ratio("new", group, "new", "hidden", is_count=True),
    ]


def _textless_measures(group: pd.DataFrame) -> list[dict[str, Any]]:
    words = group["words"].to_numpy(float)
    names = np.array(
        [f"{doc}/{page}" for doc, page in zip(group["doc_id"], group["page"], strict=True)]
    )
    clusters = Clusters.from_labels(np.zeros(len(names), int), names)
    longest = {"measure": "longest", "mean": words.max(), "n": len(words), "ci_unit": ""}
    return [
        _mean("any", (words > 0).astype(float), clusters, bounded=True),
        _mean("words", words, clusters, is_count=True),
        longest,
    ]


def _repeat_measures(group: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        _ratio("gone", group, "gone", "words_before"),
        _ratio("come", group, "come", "words"),
        _ratio("numbers_gone", group, "numbers_gone", "numbers"),
        _ratio("numbers_changed", group, "numbers_changed", "numbers"),
    ]


_MEASURES = {
    "hidden": _hidden_measures,
    "textless": _textless_measures,
    "repeat": _repeat_measures,
}


def _ratio(
    measure: str, group: pd.DataFrame, part: str, whole: str, *, is_count: bool = False
) -> dict[str, Any]:
    """The mean over all words of a page's parts: every word of a page has the page's share."""
    sizes = group[whole].to_numpy(int)
    shares = np.repeat(group[part].to_numpy(float) / np.maximum(sizes, 1), sizes)
    return _mean(measure, shares, _clusters(group, sizes), bounded=not is_count, is_count=is_count)


def _clusters(group: pd.DataFrame, sizes: np.ndarray) -> Clusters:
    """The clusters of the words of each row: documents, or pages of fewer than three documents."""
    documents = group["doc_id"].to_numpy(str)
    pages = np.array([f"{doc}/{page}" for doc, page in zip(documents, group["page"], strict=True)])
    return Clusters.from_labels(np.repeat(documents, sizes), np.repeat(pages, sizes))


def _mean(
    measure: str,
    values: np.ndarray,
    clusters: Clusters,
    *,
    bounded: bool = False,
    is_count: bool = False,
) -> dict[str, Any]:
    """A mean; ``bounded`` in [0, 1], or, of counts, at least 0."""
    if not len(values):
        return {"measure": measure, "mean": np.nan, "n": 0, "ci_unit": ""}
    interval = mean_interval(values, clusters, bounded=bounded)
    low = np.maximum(0.0, interval.low) if is_count else interval.low  # NaN stays
    return {
        "measure": measure,
        "mean": float(values.mean()),
        "ci_low": float(low),
        "ci_high": interval.high,
        "ci_unit": interval.unit,
        "n": len(values),
    }
