"""Distributions of pages' edit distance, read from a finished run."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp, spearmanr

from experiments.analyse_realism import main
from ohr.analysis.realism.distributions import alike
from ohr.analysis.realism.table import differences, page_errors, same_pages, summarise
from ohr.errors import OhrError
from tests.builders import CliRunner

NOISES = (("none", "", 0.0, 0.0), ("semantic", "mild", 1.0, 0.1), ("semantic", "", 0.5, 0.2))


def write_rows(folder, distances):
    """A run of pages' edit distances: ``distances[doc]`` are clean ones, which noise adds to."""
    rows = [
        {"engine": "e", "perturbation": operator, "level": level, "intensity": intensity,
         "doc_id": doc, "page_no": page, "stage": "ocr", "metric": "edit_distance",
         "value": value + shift}
        for operator, level, intensity, shift in NOISES
        for doc, values in distances.items()
        for page, value in enumerate(values)
    ]  # fmt: skip
    pd.DataFrame(rows).to_parquet(folder / "rows.parquet")
    return folder


@pytest.fixture
def run(tmp_path):
    """Two documents of different pages."""
    return write_rows(tmp_path, {"law/born": [0.1, 0.3], "law/scan": [0.1, 0.5]})


@pytest.fixture
def photographs(tmp_path):
    """Eight digital pages that differ, two photographs of each that err .3 and .4 more, a
    photograph of no page, and a page without one.
    """
    digital = {f"pages/note_{position}": [0.05 * position] for position in range(8)}
    photos = {
        f"{name}_{where}": [value + more]
        for name, (value,) in digital.items()
        for where, more in (("indoor", 0.3), ("outdoor", 0.4))
    }
    rest = {"pages/book_1_outdoor": [0.9], "pages/book_12": [0.0]}
    return write_rows(tmp_path, digital | photos | rest)


def test_every_level_is_summarised_over_its_pages(run):
    summary = summarise(page_errors([run])).set_index("noise")
    assert list(summary.index) == ["clean", "semantic mild", "semantic 0.5"]
    assert summary["pages"].tolist() == [4, 4, 4]
    assert summary.loc["clean", "mean"] == pytest.approx((0.1 + 0.3 + 0.1 + 0.5) / 4)
    assert (summary["ci_low"] < summary["mean"]).all()
    assert set(summary["ci_unit"]) == {"page of these documents"}


def test_different_pages_are_summarised_and_not_compared(run):
    pages = page_errors([run], "*/scan")
    by_kind = pages.groupby("noise", sort=False)["value"].agg(list)
    assert by_kind["natural"] == [0.1, 0.5]
    assert by_kind["semantic mild"] == pytest.approx([0.2, 0.4])
    assert differences(pages).empty
    done = CliRunner().invoke(main, [str(run), "--out", str(run), "--natural", "*/scan"])
    assert "natural and distorted pages are different pages" in done.output
    assert not (run / "differences.csv").exists()


@pytest.mark.slow
def test_distortion_and_nature_are_compared_on_the_same_page(photographs):
    """Pages differ by more than nature does; on one page it is .35 more than clean."""
    table = differences(page_errors([photographs], "*door")).set_index("noise")
    assert table["difference"].tolist() == pytest.approx([-0.35, -0.25, -0.15])
    assert table["pages"].tolist() == table["documents"].tolist() == [8, 8, 8]
    assert set(table["ci_unit"]) == {"document"}
    assert table["p"].tolist() == [2 / 2**8] * 3
    assert table["p_adjusted"].tolist() == [2 / 2**8] * 3, "all agree in every document"
    out = photographs / "out"
    done = CliRunner().invoke(main, [str(photographs), "--out", str(out), "--natural", "*door"])
    assert "16 of 17 pages with natural noise are also in the run with distortions" in done.output
    assert "fewer" in done.output
    assert "3 comparisons of this table" in " ".join(done.output.split())
    summary = pd.read_csv(out / "realism.csv").set_index("noise")
    assert summary["pages"].tolist() == [8, 8, 8, 8]
    named = pd.read_csv(out / "pairs.csv")
    assert len(named) == 16
    assert all(row.document.startswith(row.shows) for row in named.itertuples())


def test_a_page_is_known_by_its_name():
    rest = ["pages/note_4", "pages/note", "pages/note_42", "b/a.b"]
    same = same_pages(
        [
            "x/note_42_left",
            "x/note_42",
            "x/note_421",
            "x/note_4 b",
            "scans/a.b",
            "x/not",
            "x/note_10_left",
        ],
        rest,
    )
    assert same == {
        "x/note_42_left": "pages/note_42",
        "x/note_42": "pages/note_42",
        "x/note_4 b": "pages/note_4",
        "scans/a.b": "b/a.b",
    }


def test_the_command_writes_a_table_and_a_figure(run, tmp_path):
    out = tmp_path / "out"
    result = CliRunner().invoke(main, [str(run), "--out", str(out), "--natural", "*/scan"])
    assert result.exit_code == 0, result.output
    assert "natural" in result.output
    assert len(pd.read_csv(out / "realism.csv")) == 4
    assert (out / "figures" / "realism.png").stat().st_size > 4000


def test_a_run_without_edit_distances_or_matching_documents_is_an_error(run, tmp_path):
    with pytest.raises(OhrError, match="no document"):
        page_errors([run], "nothing/*")
    with pytest.raises(OhrError, match="finished run"):
        page_errors([tmp_path / "absent"])
    rows = pd.read_parquet(run / "rows.parquet")
    rows.assign(stage="retrieval").to_parquet(run / "rows.parquet")
    with pytest.raises(OhrError, match="must include ocr"):
        page_errors([run])


def test_pages_without_truth_have_no_distance(run):
    rows = pd.read_parquet(run / "rows.parquet")
    scanned = rows["doc_id"] == "law/scan"
    rows.assign(value=rows["value"].mask(scanned)).to_parquet(run / "rows.parquet")
    summary = summarise(page_errors([run])).set_index("noise")
    assert summary["pages"].tolist() == [2, 2, 2]
    assert summary.loc["clean", "median"] == pytest.approx(0.2)
    rows.assign(value=float("nan")).to_parquet(run / "rows.parquet")
    with pytest.raises(OhrError, match="has a ground truth"):
        page_errors([run])


def errors_of(values: np.ndarray) -> pd.DataFrame:
    """One page for each document."""
    names = [f"a/{number:03}" for number in range(len(values))]
    return pd.DataFrame({"shows": names, "value": values})


def test_distributions_are_compared_with_intervals_over_documents() -> None:
    rng = np.random.default_rng(0)
    natural = rng.uniform(size=60)
    frame = errors_of
    same = alike(frame(natural), frame(natural))
    assert (same.ks, same.spearman) == (0.0, 1.0)
    shifted = alike(frame(natural + 0.5), frame(natural))
    assert shifted.ks == ks_2samp(natural + 0.5, natural).statistic
    assert shifted.ks_interval.low < shifted.ks < shifted.ks_interval.high
    assert shifted.spearman == pytest.approx(1.0)
    mixed = natural[rng.permutation(60)]
    apart = alike(frame(mixed), frame(natural))
    assert apart.ks == 0.0
    assert apart.spearman == pytest.approx(spearmanr(mixed, natural).statistic)
    assert apart.spearman_interval.low < apart.spearman < apart.spearman_interval.high


def test_documents_of_one_side_are_left_out() -> None:
    first = pd.DataFrame({"shows": ["a", "b", "c"], "value": [0.1, 0.2, 0.9]})
    second = pd.DataFrame({"shows": ["a", "b", "b"], "value": [0.1, 0.2, 0.2]})
    compared = alike(first, second)
    assert compared.ks == pytest.approx(1 / 6)  # a is a half of one side, a third of the other
    assert np.isnan(compared.spearman)


def test_a_scan_is_paired_with_its_twin_of_the_same_folder() -> None:
    rest = ["bill/001", "receipt/001"]
    assert same_pages(["receipt-scan/001", "bill-scan/001"], rest) == {
        "receipt-scan/001": "receipt/001",
        "bill-scan/001": "bill/001",
    }


@pytest.mark.slow
@pytest.mark.parametrize("documents", [12, 30, 100])
def test_intervals_of_distance_and_correlation_hold_the_truth(documents):
    shift = 0.05  # of skewed errors, so that the distance is that of two exponential distributions
    steps = np.linspace(0, 3, 20_001)
    distance = np.abs(np.exp(-steps / 0.2) - np.exp(-np.maximum(steps - shift, 0) / 0.2)).max()
    generator = np.random.default_rng(5)
    holds = []
    for number in range(200):
        common, own, other = generator.exponential(1.0, (3, documents))
        # The common part comes in half of the documents: both have exponential errors.
        is_common = generator.random(documents) < 0.5
        natural = 0.2 * np.where(is_common, common, own)
        made = 0.2 * np.where(is_common, common, other) + shift
        resemblance = alike(errors_of(made), errors_of(natural), seed=number)
        holds.append(
            (
                resemblance.ks_interval.low <= distance <= resemblance.ks_interval.high,
                resemblance.spearman_interval.low <= 0.5 <= resemblance.spearman_interval.high,
            )
        )
    of_distance, of_correlation = np.mean(holds, axis=0)
    assert of_distance >= 0.93
    assert of_correlation >= 0.88
