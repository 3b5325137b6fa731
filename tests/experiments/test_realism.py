"""Distributions of pages' edit distance, read from a finished run."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from experiments.analysis.realism import page_distances, summarise
from experiments.realism import main
from ohr.errors import OhrError


@pytest.fixture
def run(tmp_path):
    rows = [
        {"engine": "e", "perturbation": operator, "level": level, "intensity": intensity,
         "doc_id": doc, "stage": "ocr", "metric": "edit_distance", "value": value}
        for operator, level, intensity, shift in (
            ("none", "", 0.0, 0.0), ("semantic", "mild", 1.0, 0.1), ("semantic", "", 0.5, 0.2))
        for doc in ("law/born", "law/scan")
        for value in (0.1 + shift, 0.3 + shift + 0.2 * (doc == "law/scan"))
    ]  # fmt: skip
    pd.DataFrame(rows).to_parquet(tmp_path / "rows.parquet")
    return tmp_path


def test_every_level_is_summarised_over_its_pages(run):
    summary = summarise(page_distances(run)).set_index("noise")
    assert list(summary.index) == ["clean", "semantic mild", "semantic 0.5"]
    assert summary["pages"].tolist() == [4, 4, 4]
    assert summary.loc["clean", "mean"] == pytest.approx((0.1 + 0.3 + 0.1 + 0.5) / 4)
    assert summary["distance_to_natural"].isna().all()


def test_documents_degraded_by_nature_stand_beside_the_distorted_others(run):
    pages = page_distances(run, "*/scan")
    by_kind = pages.groupby("noise", sort=False)["value"].agg(list)
    assert by_kind["natural"] == [0.1, 0.5]
    assert by_kind["semantic mild"] == pytest.approx([0.2, 0.4])
    summary = summarise(pages).set_index("noise")
    assert summary.loc["natural", "distance_to_natural"] == 0
    assert summary.loc["semantic mild", "distance_to_natural"] == 0.5


def test_the_command_writes_a_table_and_a_figure(run, tmp_path):
    out = tmp_path / "out"
    result = CliRunner().invoke(main, [str(run), "--out", str(out), "--natural", "*/scan"])
    assert result.exit_code == 0, result.output
    assert "natural" in result.output
    assert len(pd.read_csv(out / "realism.csv")) == 4
    assert (out / "figures" / "realism.png").stat().st_size > 5000


def test_a_run_without_edit_distances_or_matching_documents_is_an_error(run, tmp_path):
    with pytest.raises(OhrError, match="no document"):
        page_distances(run, "nothing/*")
    with pytest.raises(OhrError, match="finished run"):
        page_distances(tmp_path / "absent")
    rows = pd.read_parquet(run / "rows.parquet")
    rows.assign(stage="retrieval").to_parquet(run / "rows.parquet")
    with pytest.raises(OhrError, match="must include ocr"):
        page_distances(run)


def test_pages_without_truth_have_no_distance(run):
    rows = pd.read_parquet(run / "rows.parquet")
    scanned = rows["doc_id"] == "law/scan"
    rows.assign(value=rows["value"].mask(scanned)).to_parquet(run / "rows.parquet")
    summary = summarise(page_distances(run)).set_index("noise")
    assert summary["pages"].tolist() == [2, 2, 2]
    assert summary.loc["clean", "median"] == pytest.approx(0.2)
    rows.assign(value=float("nan")).to_parquet(run / "rows.parquet")
    with pytest.raises(OhrError, match="has a truth"):
        page_distances(run)
