"""How often 95 % intervals cover the truth, and 5 % tests reject it, with few and many documents.

    python -m benchmarks.coverage RUN DRAWS [--simulations 2000]

RUN is a finished ``ocr_benchmark`` of the ground truth and another knowledge base, DRAWS a
``noise_curve`` of formatting noise at several intensities with many ``seeds``. Their documents
stand for the population: samples of several sizes are drawn from them with replacement, many times,
and each method's interval is compared with the mean over all documents. Prints the tables of
``docs/reference/intervals-checked.md``. Takes about ten minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import t as student

from benchmarks._tables import table
from ohr.analysis.curves.table import curves_of
from ohr.statistics import (
    Clusters,
    Interval,
    NoiseCurve,
    curve_statistics,
    mean_interval,
    sign_flip_test,
)
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, open_run, rows_of

DOCUMENTS = (3, 4, 6, 8, 10, 20, 30, 60)
RESAMPLES = 399
Ends = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Scores:
    """Values with the document and the page that each belongs to; in [0, 1] if ``bounded``."""

    name: str
    values: np.ndarray
    documents: np.ndarray
    pages: np.ndarray
    bounded: bool


@dataclass(frozen=True)
class Sums:
    """Sums and counts of the documents of each simulated study: ``(simulations, documents)``."""

    sums: np.ndarray
    counts: np.ndarray

    @property
    def means(self) -> np.ndarray:
        """Each study's mean: ``(simulations, 1)``."""
        return self.sums.sum(axis=1, keepdims=True) / self.counts.sum(axis=1, keepdims=True)

    def linearised_errors(self) -> np.ndarray:
        """Each mean's clustered standard error: ``(simulations,)``."""
        n = self.sums.shape[1]
        residuals = self.sums - self.means * self.counts
        return np.sqrt((residuals**2).sum(axis=1) * n / (n - 1)) / self.counts.sum(axis=1)

    def resampled(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Bootstrap means over documents, and their standard errors: ``(simulations, draws)``."""
        n = self.sums.shape[1]
        weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), RESAMPLES).T
        means = (self.sums @ weights) / (self.counts @ weights)
        squares = (self.sums**2) @ weights - 2 * means * ((self.sums * self.counts) @ weights)
        squares += means**2 * ((self.counts**2) @ weights)
        errors = np.sqrt(np.maximum(squares, 0) * n / (n - 1)) / (self.counts @ weights)
        return means, errors


def bootstrap(sums: Sums) -> Ends:
    """Percentiles of means over documents drawn with replacement."""
    low, high = np.quantile(sums.resampled(0)[0], [0.025, 0.975], axis=1)
    return low, high


def expanded(sums: Sums) -> Ends:
    """The same with tails as far out as Student's t (Hesterberg 2015)."""
    n = sums.sums.shape[1]
    tail = ndtr(-np.sqrt(n / (n - 1)) * student.ppf(0.975, n - 1))
    low, high = np.quantile(sums.resampled(0)[0], [tail, 1 - tail], axis=1)
    return low, high


def bias_corrected(sums: Sums) -> Ends:
    """BCa (Efron, Better bootstrap confidence intervals, 1987)."""
    means, _ = sums.resampled(0)
    total, n = sums.sums.sum(axis=1, keepdims=True), sums.counts.sum(axis=1, keepdims=True)
    without = (total - sums.sums) / (n - sums.counts)
    below = (means < sums.means).mean(axis=1) + (means == sums.means).mean(axis=1) / 2
    bias = ndtri(np.clip(below, 1e-3, 1 - 1e-3))[:, None]
    away = without.mean(axis=1, keepdims=True) - without
    cubes, squares = (away**3).sum(axis=1), (away**2).sum(axis=1)
    flat = squares == 0  # every document has the same mean
    skew = np.where(flat, 0.0, cubes / (6 * np.where(flat, 1.0, squares) ** 1.5))[:, None]
    shifted = bias + np.array([-1.96, 1.96])
    position = np.clip(ndtr(bias + shifted / (1 - skew * shifted)), 0, 1)
    ends = np.array([np.quantile(row, q) for row, q in zip(means, position, strict=True)])
    return ends[:, 0], ends[:, 1]


def studentised(sums: Sums) -> Ends:
    """Bootstrap-t over documents."""
    means, errors = sums.resampled(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (means - sums.means) / errors
    ratios = np.where(np.isfinite(ratios), ratios, np.sign(means - sums.means) * 1e3)
    low, high = np.quantile(ratios, [0.025, 0.975], axis=1)
    error, mean = sums.linearised_errors(), sums.means[:, 0]
    return mean - high * error, mean - low * error


def clustered_t(sums: Sums) -> Ends:
    """Student's t with the clustered standard error and documents - 1 degrees of freedom."""
    half = student.ppf(0.975, sums.sums.shape[1] - 1) * sums.linearised_errors()
    return sums.means[:, 0] - half, sums.means[:, 0] + half


ALTERNATIVES: Mapping[str, Callable[[Sums], Ends]] = {
    "bootstrap over documents": bootstrap,
    "expanded percentiles": expanded,
    "BCa": bias_corrected,
    "bootstrap-t": studentised,
    "clustered t": clustered_t,
}
OURS = "**ours**: jackknife, Bell and McCaffrey; Wilson in [0, 1]"
PLAIN = "jackknife, Bell and McCaffrey, never Wilson"
PAGES = "bootstrap over pages"


def coverage(scores: Scores, n_documents: int, simulations: int) -> dict[str, tuple[float, float]]:
    """Each method's share of intervals that hold the mean, and their median width."""
    rng = np.random.default_rng([7, n_documents])
    names, index = np.unique(scores.documents, return_inverse=True)
    chosen = rng.integers(0, len(names), size=(simulations, n_documents))
    counts = np.bincount(index).astype(float)
    sums = Sums(np.bincount(index, weights=scores.values)[chosen], counts[chosen])
    ends = {name: method(sums) for name, method in ALTERNATIVES.items()}
    members = [np.flatnonzero(index == i) for i in range(len(names))]
    studies = [_study(scores, [members[i] for i in study]) for study in chosen]
    ends[PLAIN] = _ends(mean_interval(v, c, bounded=False) for v, c, _ in studies)
    ends[OURS] = _ends(mean_interval(v, c, bounded=scores.bounded) for v, c, _ in studies)
    if n_documents < 10:
        draws = (p.resampled_means(v, RESAMPLES, seed=0) for v, _, p in studies)
        quantiles = np.array([np.quantile(means, [0.025, 0.975]) for means in draws])
        ends[PAGES] = quantiles[:, 0], quantiles[:, 1]
    truth = scores.values.mean()
    return {
        name: (
            float(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).mean()),
            float(np.median(high - low)),
        )
        for name, (low, high) in ends.items()
    }


def _study(scores: Scores, drawn: Sequence[np.ndarray]) -> tuple[np.ndarray, Clusters, Clusters]:
    """Values of a study of some documents, in clusters of documents and of pages."""
    rows = np.concatenate(drawn)
    owners = np.repeat(np.arange(len(drawn)), [len(rows) for rows in drawn])
    _, pages = np.unique(np.stack([owners, scores.pages[rows]]), axis=1, return_inverse=True)
    by_page = Clusters(pages, int(pages.max()) + 1, "page")
    return scores.values[rows], Clusters(owners, len(drawn), "document"), by_page


def _ends(intervals: Iterable[Interval]) -> Ends:
    pairs = np.array([(interval.low, interval.high) for interval in intervals])
    return pairs[:, 0], pairs[:, 1]


def rejections(scores: Scores, n_documents: int, simulations: int) -> dict[str, float]:
    """Share of true nulls (differences less their mean) with p of at most .05."""
    rng = np.random.default_rng([8, n_documents])
    names, index = np.unique(scores.documents, return_inverse=True)
    members = [np.flatnonzero(index == i) for i in range(len(names))]
    centred = Scores(
        scores.name, scores.values - scores.values.mean(), scores.documents, scores.pages, False
    )
    hits = {"sign flips of pages": 0, "sign flips of documents (**ours**)": 0}
    for _ in range(simulations):
        drawn = [members[i] for i in rng.integers(0, len(names), n_documents)]
        values, documents, pages = _study(centred, drawn)
        for name, clusters in zip(hits, (pages, documents), strict=True):
            hits[name] += sign_flip_test(values, clusters, flips=999) <= 0.05
    return {name: count / simulations for name, count in hits.items()}


def draws_coverage(
    values: np.ndarray, documents: np.ndarray, n_documents: int, draws: int, simulations: int
) -> dict[str, float]:
    """Coverage of the mean over documents and draws; ``values`` are ``(all draws, n)``.

    Every page is distorted anew in each draw, so each document draws its own noise.
    """
    rng = np.random.default_rng([9, n_documents, draws])
    names, index = np.unique(documents, return_inverse=True)
    members = [np.flatnonzero(index == i) for i in range(len(names))]
    truth, hits = values.mean(), dict.fromkeys(("documents (**ours**)", "two-way", "nested"), 0)
    for _ in range(simulations):
        drawn = [members[i] for i in rng.integers(0, len(names), n_documents)]
        owners = np.repeat(np.arange(n_documents), [len(rows) for rows in drawn])
        picked = rng.integers(0, len(values), size=(draws, n_documents))[:, owners]
        study = values[picked, np.concatenate(drawn)[None]]
        clusters = Clusters(owners, n_documents, "document")
        ours = mean_interval(study.mean(axis=0), clusters, bounded=True)
        hits["documents (**ours**)"] += ours.low <= truth <= ours.high
        plain = mean_interval(study.mean(axis=0), clusters, bounded=False)
        mean, half = study.mean(), (plain.high - plain.low) / 2
        if draws > 1:
            # Cameron, Gelbach and Miller 2011: documents and draws, less their intersection.
            t = student.ppf(0.975, clusters.degrees_of_freedom())
            of_draws = study.mean(axis=1).var(ddof=1) / draws
            cells = [mean_interval(row, clusters, bounded=False) for row in study]
            within = (
                sum((interval.high - interval.low) ** 2 / 4 / t**2 for interval in cells) / draws**2
            )
            variance = max((half / t) ** 2, (half / t) ** 2 + of_draws - within / n_documents)
            hits["two-way"] += abs(truth - mean) <= t * np.sqrt(variance)
            low, high = _nested(study, owners, rng)
            hits["nested"] += low <= truth <= high
    return {
        name: count / simulations for name, count in hits.items() if draws > 1 or "ours" in name
    }


def _nested(study: np.ndarray, owners: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Percentiles of a bootstrap of documents, and of draws within each document."""
    draws, size = len(study), int(owners.max()) + 1
    sums = np.stack([np.bincount(owners, weights=row, minlength=size) for row in study])
    counts = np.bincount(owners, minlength=size)
    chosen = rng.integers(0, size, size=(RESAMPLES, size))
    again = rng.integers(0, draws, size=(RESAMPLES, size, draws))
    means = sums[again, chosen[:, :, None]].mean(axis=2).sum(axis=1) / counts[chosen].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


CURVE_STATISTICS = ("slope", "area", "mean_retention", "breakpoint", "worst")


def curve_coverage(curve: NoiseCurve, n_documents: int, simulations: int) -> dict[str, float]:
    """Coverage of a curve's statistics over documents drawn from those of the curve.

    Of the studies in which the statistic has an interval.
    """
    rng = np.random.default_rng([10, n_documents])
    truth = curve_statistics(curve)
    members = [np.flatnonzero(curve.clusters.index == i) for i in range(curve.clusters.size)]
    hits: dict[str, list[bool]] = {name: [] for name in CURVE_STATISTICS}
    for _ in range(simulations):
        drawn = [members[i] for i in rng.integers(0, len(members), n_documents)]
        rows = np.concatenate(drawn)
        owners = np.repeat(np.arange(n_documents), [len(rows) for rows in drawn])
        study = NoiseCurve(
            curve.noise[:, rows],
            curve.quality[:, rows],
            curve.floor[rows],
            Clusters(owners, n_documents, "document"),
        )
        statistics = curve_statistics(study, resamples=200)
        for name in CURVE_STATISTICS:
            interval = getattr(statistics, name).interval
            if interval.unit:
                hits[name].append(interval.low <= getattr(truth, name).value <= interval.high)
    return {name: float(np.mean(inside)) for name, inside in hits.items() if inside}


def real_scores(run: StudyRun) -> tuple[list[Scores], list[Scores]]:
    """Scores of the run's last knowledge base and of the ground truth, and their differences."""
    other = str(run.rows["engine"].unique()[-1])

    def column(stage: str, metric: str, engine: str) -> pd.Series:
        rows = rows_of(run.rows, stage, metric)
        return rows[rows["engine"] == engine].set_index(list(UNIT_COLUMNS))["value"]

    def scores(name: str, values: pd.Series, *, bounded: bool = True) -> Scores:
        values = values.dropna()
        units = values.index.to_frame(index=False)
        return Scores(
            name,
            values.to_numpy(dtype=float),
            units["doc_id"].to_numpy(),
            units["page_no"].to_numpy(dtype=float),
            bounded,
        )

    levels = [
        scores("r_noise", column("ocr", "r_noise", other)),
        scores("r_noise, ground truth", column("ocr", "r_noise", "gt")),
        scores("retrieval LCS", column("retrieval", "lcs", other)),
        scores("generation F1, ground truth", column("generation", "f1", "gt")),
        scores("edit distance of pages", column("ocr", "edit_distance", other)),
    ]
    changes = [
        scores(f"change of {name}", column(*what, other) - column(*what, "gt"), bounded=False)
        for name, what in {
            "r_noise": ("ocr", "r_noise"),
            "retrieval LCS": ("retrieval", "lcs"),
            "generation F1": ("generation", "f1"),
        }.items()
    ]
    return levels, changes


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("draws", type=Path)
    parser.add_argument("--simulations", type=int, default=2000)
    options = parser.parse_args()
    levels, changes = real_scores(open_run(options.run))
    by_score = {
        scores.name: {n: coverage(scores, n, options.simulations) for n in DOCUMENTS}
        for scores in (*levels, *changes)
    }
    nothing = (float("nan"), float("nan"))
    for place, what in enumerate(("least coverage over all scores", "mean coverage")):
        combine = min if place == 0 else lambda shares: sum(shares) / len(shares)
        rows = {
            name: [
                combine([by_score[s][n].get(name, nothing)[0] for s in by_score]) for n in DOCUMENTS
            ]
            for name in (PAGES, *ALTERNATIVES, PLAIN, OURS)
        }
        table(f"{what}, of 95; documents:", rows, DOCUMENTS)
    for measure, place in (("coverage", 0), ("median width", 1)):
        rows = {s: [by_score[s][n][OURS][place] for n in DOCUMENTS] for s in by_score}
        table(f"{measure} of ours; documents:", rows, DOCUMENTS)
    nulls: dict[str, list[float]] = {}
    for n in DOCUMENTS:
        shares = [rejections(change, n, options.simulations // 2) for change in changes]
        for name in shares[0]:
            nulls.setdefault(name, []).append(max(share[name] for share in shares))
    table("largest share of true nulls with p <= .05; documents:", nulls, DOCUMENTS)

    drawn = open_run(options.draws)
    units = list(UNIT_COLUMNS)
    for stage, metric in (("ocr", "r_noise"), ("retrieval", "lcs")):
        rows = rows_of(drawn.drawn, stage, metric)
        rows = rows[rows["intensity"] == rows["intensity"].max()]
        values = rows.pivot(index="draw", columns=units, values="value")
        documents = values.columns.get_level_values("doc_id").to_numpy()
        shares = {}
        for draws in (1, 3):
            for n in DOCUMENTS[:6]:
                coverages = draws_coverage(
                    values.to_numpy(), documents, n, draws, options.simulations // 2
                )
                for name, share in coverages.items():
                    shares.setdefault(f"{draws} draws, clusters: {name}", []).append(share)
        table(f"coverage, {stage} {metric} under noise; documents:", shares, DOCUMENTS[:6])
    [curve] = [
        c.curve
        for c in curves_of(drawn, "r_noise_reference")
        if (c.key["stage"], c.key["metric"], c.key["group"]) == ("retrieval", "lcs", "all")
    ]
    by_statistic: dict[str, list[float]] = {}
    for n in DOCUMENTS[:6]:
        for name, share in curve_coverage(curve, n, options.simulations // 4).items():
            by_statistic.setdefault(name.replace("_", " "), []).append(share)
    table(
        "coverage of statistics of a curve over published r_noise; documents:",
        by_statistic,
        DOCUMENTS[:6],
    )


if __name__ == "__main__":
    main()
