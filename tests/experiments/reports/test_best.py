"""Comparisons with the best in words."""

import numpy as np

from ohr.analysis.comparison.best import comparison_text, family_line
from ohr.statistics import PAGE, Clusters, compare_with_best


def compared(rows, documents=10, unit="document"):
    rng = np.random.default_rng(0)
    scores = np.array(rows)[:, None] + rng.normal(0, 0.01, (len(rows), documents))
    clusters = Clusters(np.arange(documents), documents, unit)
    return compare_with_best([scores], clusters, largest=1.0)


def test_worse_ones_have_their_interval_and_the_others_a_bound():
    [found] = compared([0.5, 0.5, 0.2])
    text = comparison_text(["p3", "p4", "p0"], found, "Shown to lose more")
    worse, alike = text.split(". ")[0], text.split(". ")[1]
    assert worse.startswith("Shown to lose more: p0 (by 0.2")
    assert alike.startswith("No significant difference from p")
    assert "none larger than 0.0" in text
    assert "document" not in family_line([found], "systems")
    assert family_line([found], "systems").startswith("family: all 3 comparisons of two systems")


def test_what_excludes_nothing_says_so():
    found = compared([0.9, 0.1], documents=3)
    assert comparison_text(["a", "b"], found[0]) == (
        "No significant difference from a: b (nothing is excluded)."
    )
    assert "of fewer than 6 documents nothing can be shown" in family_line(found, "engines")
    assert "not about other documents" in family_line(compared([0.9, 0.1], unit=PAGE), "engines")
    assert comparison_text(["a", "b"], compared([0.9, 0.1], unit="")[0]) == (
        "Not tested, for lack of documents and pages: b."
    )
