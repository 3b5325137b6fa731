"""Intervals, tests and curve statistics over questions that come in documents.

Questions on one document share its pages and its OCR errors, so they are not independent. They are
resampled and sign-flipped together, as one *cluster* (see :mod:`ohr.statistics.clusters`).
"""

from ohr.statistics.best import BestOf, Standing, compare_with_best
from ohr.statistics.clusters import DOCUMENT, PAGE, Clusters
from ohr.statistics.correlation import (
    RankCorrelation,
    kendall_correlations,
    rank_correlations,
)
from ohr.statistics.curves import CurveStatistics, NoiseCurve, curve_statistics
from ohr.statistics.inference import Inferred, Paired, infer
from ohr.statistics.intervals import (
    NO_INTERVAL,
    Interval,
    clustered_standard_error,
    jackknife_interval,
    mean_interval,
    percentile_interval,
)
from ohr.statistics.letters import Ties, letters, letters_of, ties, too_few, untested
from ohr.statistics.multiple import benjamini_hochberg, holm
from ohr.statistics.paired import (
    PairedComparison,
    cliffs_delta,
    cohens_dz,
    compare_family,
    compare_paired,
    further_clusters,
    sign_flip_test,
)
from ohr.statistics.seeds import SeedSummary, summarise_seeds
from ohr.statistics.two_samples import TwoSamples, compare_samples

__all__ = [
    "DOCUMENT",
    "NO_INTERVAL",
    "PAGE",
    "BestOf",
    "Clusters",
    "CurveStatistics",
    "Inferred",
    "Interval",
    "NoiseCurve",
    "Paired",
    "PairedComparison",
    "RankCorrelation",
    "SeedSummary",
    "Standing",
    "Ties",
    "TwoSamples",
    "benjamini_hochberg",
    "cliffs_delta",
    "clustered_standard_error",
    "cohens_dz",
    "compare_family",
    "compare_paired",
    "compare_samples",
    "compare_with_best",
    "curve_statistics",
    "further_clusters",
    "holm",
    "infer",
    "jackknife_interval",
    "kendall_correlations",
    "letters",
    "letters_of",
    "mean_interval",
    "percentile_interval",
    "rank_correlations",
    "sign_flip_test",
    "summarise_seeds",
    "ties",
    "too_few",
    "untested",
]
