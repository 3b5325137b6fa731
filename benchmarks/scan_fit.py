"""Fits the mixtures ``scan`` and ``archive`` to real scans, and tests them on other scans.

    python -m benchmarks.scan_fit FOLDER --cache FOLDER [--noise scan] [--pages 999] [--draws 1]
        [--engine "{name: rapidocr, params: {models: FOLDER}}" ...] [--dpi 150] [--marks "_^~"]
    python -m benchmarks.scan_fit FOLDER --cache FOLDER --test [--intensities 0,0.5,1] ...

FOLDER has scans with transcribed lines, as ``dataset.kind=sroie`` reads them. Each page is drawn
anew from its lines in their boxes (its twin), distorted, and read by each engine; what is compared
is the distribution over pages of the edit distance, upper and lower case alike, with that of the
scans. Documents at even places of their names' order are fitted on; the others are for ``--test``.

A fit reads each page once for each of ``--draws``, under strengths from a wide range. Any narrower
distribution of strengths is a weighting of these pages, so candidates are compared without reading
a page again: by the Kolmogorov-Smirnov distance, weighted, the mean of the engines'. The winner,
printed first, is written into ``perturb/image/scanned.py`` by hand; ``--test`` then reads the other
half under the mixture as it is there; intensity 0 is the twin itself. What was read is kept: the
command can be killed and given again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy.stats import ks_2samp, spearmanr

from benchmarks._scan_pages import Engine, Readings, scan_of, scanned_pages
from benchmarks._tables import table
from ohr import registry
from ohr.plugins.randomness import generator_for
from ohr.types import Page
from perturb.image.scanned import Scanned, Strength

QUANTILES = (10, 25, 50, 75, 90)
WIDE: Mapping[str, Strength] = {
    "printer": Strength(0.1, 0.9),
    "pen": Strength(0.0, 1.0),
    "binarization": Strength(0.0, 1.0),
    "background": Strength(0.0, 1.0),
    "scanner": Strength(0.2, 1.0),
}
"""The strengths under which the pages of a fit are read; those of other parts are not fitted."""
CANDIDATES, SEED = 20_000, 0
STEP = 0.05
LEAST_EFFECTIVE = 0.25
"""Share of the pages that a candidate's weights must be worth: of few, anything can be had."""
CLOSE = 0.01
"""Distances that differ by less are the same: of such candidates, the one worth most pages wins."""
RESAMPLES = 2000
FEWEST = 5
"""Pages, for a test or a rank correlation."""


def distorted_twin(
    noise: Scanned, page: Page, readings: Readings, draw: int, intensity: float
) -> np.ndarray:
    """A twin under a mixture: uint8 RGB ``(h, w, 3)``."""
    rng = generator_for(draw, noise.name, page.ref)
    return noise.apply(readings.twin(page), intensity=intensity, rng=rng).value


def drawn_strengths(noise: Scanned, page: Page, draw: int) -> dict[str, float]:
    """The strengths that a page gets at intensity 1."""
    return dict(noise.draw(generator_for(draw, noise.name, page.ref)))


def density(strengths: np.ndarray, own: Strength, wide: Strength) -> np.ndarray:
    """How much more often a strength is drawn from ``own`` than from ``wide``."""
    low, high, power = own
    if high <= low:
        raise ValueError("a weighting needs a range of strengths")
    u = (strengths - low) / (high - low)
    inside = (u > 0) & (u <= 1)
    weight = np.zeros(len(strengths))
    weight[inside] = u[inside] ** (1 / power - 1) / power * (wide.high - wide.low) / (high - low)
    return weight


def weighted_ks(errors: np.ndarray, weights: np.ndarray, scans: np.ndarray) -> float:
    """Largest distance of the weighted distribution of errors to that of the scans."""
    points = np.sort(np.concatenate([errors, scans]))
    order = np.argsort(errors)
    share = np.concatenate([[0], np.cumsum(weights[order])]) / weights.sum()
    ours = share[np.searchsorted(errors[order], points, "right")]
    theirs = np.searchsorted(np.sort(scans), points, "right") / len(scans)
    return float(np.abs(ours - theirs).max())


def candidates(names: Sequence[str]) -> list[dict[str, Strength]]:
    """Random ranges of the strengths, rounded; those of pen and paper begin at none at all."""
    rng = np.random.default_rng(SEED)
    drawn = []
    for _ in range(CANDIDATES):
        ranges = {}
        for name in names:
            wide = WIDE[name]
            low, high = np.sort(rng.uniform(wide.low, wide.high, 2))
            power = float(rng.choice([1.0, 1.5, 2.0, 3.0])) if name == "printer" else 1.0
            low = wide.low if name in {"pen", "background"} else STEP * round(low / STEP)
            high = max(STEP * round(high / STEP), low + STEP)
            ranges[name] = Strength(round(low, 2), round(high, 2), power)
        drawn.append(ranges)
    return drawn


def fit(
    noise: Scanned,
    pages: Sequence[Page],
    draws: int,
    engines: Sequence[Engine],
    readings: Readings,
) -> None:
    """Read the pages under wide strengths, and print the best ranges of strengths."""
    names = [name for name in noise.usual if name in WIDE]
    strengths_of = {name: WIDE[name] for name in names}
    wide = type(noise)(noise.params.model_copy(update={"strengths": strengths_of}))
    fixed = {name: own for name, own in noise.usual.items() if name not in WIDE}
    strengths: list[dict[str, float]] = []
    errors: dict[str, list[float]] = {engine.label: [] for engine in engines}
    for draw in range(draws):
        for page in pages:
            strengths.append(drawn_strengths(wide, page, draw))
            condition = f"{noise.name} wide {draw} {wide.identity()} {fixed} {readings.drawn_by}"
            image = cache(partial(distorted_twin, wide, page, readings, draw, 1.0))
            for engine in engines:
                errors[engine.label].append(readings.error(engine, page, condition, image))
    scans = {engine.label: scan_errors(engine, pages, readings) for engine in engines}
    columns = {name: np.array([row[name] for row in strengths]) for name in names}
    results = []
    for ranges in candidates(names):
        weights = np.prod([density(columns[n], ranges[n], WIDE[n]) for n in names], axis=0)
        total, square = weights.sum(), (weights**2).sum()
        if total == 0 or total**2 / square < LEAST_EFFECTIVE * len(weights):
            continue
        distances = [weighted_ks(np.array(errors[k]), weights, scans[k]) for k in scans]
        results.append((float(np.mean(distances)), distances, total**2 / square, ranges))
    least = min((result[0] for result in results), default=0.0)
    results.sort(key=lambda result: (result[0] > least + CLOSE, -result[2], result[0]))
    print(f"\n{len(pages)} pages, {len(strengths)} twins distorted")
    for mean, distances, effective, ranges in results[:12]:
        each = ", ".join(f"{k} {d:.3f}" for k, d in zip(scans, distances, strict=True))
        shown = "; ".join(f"{name} {tuple(ranges[name])}" for name in names)
        print(f"KS {mean:.3f} ({each}), worth {effective:.0f} pages: {shown}", flush=True)


def scan_errors(engine: Engine, pages: Sequence[Page], readings: Readings) -> np.ndarray:
    """The scans' errors of an engine."""
    return np.array([readings.error(engine, p, "scan", partial(scan_of, p)) for p in pages])


def compare(
    noise: Scanned,
    pages: Sequence[Page],
    intensities: Sequence[float],
    engines: Sequence[Engine],
    readings: Readings,
) -> None:
    """Print how the errors of scans, twins and distorted twins compare."""
    version = f"{noise.identity()} {noise.usual} {readings.drawn_by}"
    rows: dict[str, dict[str, list[float]]] = {engine.label: {} for engine in engines}
    for page in pages:
        images: dict[str, tuple[str, Callable[[], np.ndarray]]] = {
            "scan": ("scan", partial(scan_of, page)),
        }
        for i in intensities:
            condition = f"{noise.name} {i} {version}" if i else f"twin {readings.drawn_by}"
            distorted = cache(partial(distorted_twin, noise, page, readings, 0, i))
            images[f"{noise.name} {i:g}" if i else "twin"] = (condition, distorted)
        for name, (condition, image) in images.items():
            for engine in engines:
                error = readings.error(engine, page, condition, image)
                rows[engine.label].setdefault(name, []).append(error)
    headings = [*map(str, QUANTILES), "mean", "KS", "p", "Spearman", "from", "to"]
    for label, errors in rows.items():
        scans = np.array(errors["scan"])
        shown = {name: described(np.array(own), scans) for name, own in errors.items()}
        shown["scan"][len(QUANTILES) + 1 :] = [np.nan] * 5  # itself
        table(f"{label}, {len(pages)} pages", shown, headings)


def described(errors: np.ndarray, scans: np.ndarray) -> list[float]:
    """Quantiles and mean of errors, their distance to the scans' with p, rank correlation."""
    values = [*np.percentile(errors, QUANTILES), float(errors.mean())]
    if len(scans) < FEWEST:
        return values + [np.nan] * 5
    distance = ks_2samp(errors, scans)
    rng = np.random.default_rng(SEED)
    picks = rng.integers(len(scans), size=(RESAMPLES, len(scans)))
    again = [float(spearmanr(errors[p], scans[p])[0]) for p in picks]
    interval = np.nanpercentile(again, [2.5, 97.5])
    own = float(spearmanr(errors, scans)[0])
    return [*values, float(distance.statistic), float(distance.pvalue), own, *interval]


def main() -> None:
    """Fit, or test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Formatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--noise", default="scan", choices=["scan", "archive"])
    parser.add_argument("--engine", action="append", default=None)
    parser.add_argument("--pages", type=int, default=10**6)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--dpi", type=int, default=150)
    parser.add_argument("--marks", default="")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--half", choices=["fit", "test"], default=None)
    parser.add_argument("--intensities", default="0,0.5,1")
    given = parser.parse_args()
    engines = [Engine.parse(text) for text in given.engine or ["tesseract"]]
    noise = registry.create("perturbation", {"name": given.noise, "params": {"dpi": given.dpi}})
    assert isinstance(noise, Scanned)
    half = given.half or ("test" if given.test else "fit")
    pages = scanned_pages(given.folder, half, given.pages, given.marks)
    readings = Readings(given.cache, given.dpi)
    if given.test:
        compare(noise, pages, [float(i) for i in given.intensities.split(",")], engines, readings)
    else:
        fit(noise, pages, given.draws, engines, readings)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of the docstring."""


if __name__ == "__main__":
    main()
