"""Letters for ties beside the means of printed tables and of their CSV."""

from __future__ import annotations

import pandas as pd
import pytest

from ohr.analysis.benchmark.paper_tables import write_paper_tables
from ohr.analysis.comparison.differences import run_differences
from ohr.analysis.comparison.not_shown import NOT_SHOWN, mark_not_shown, not_shown_note
from ohr.analysis.comparison.report import compare_runs
from ohr.analysis.comparison.table import compare
from ohr.analysis.comparison.ties import cells_with_letters
from ohr.display.terminal import benchmark_tables
from ohr.display.wording import LETTERS, letters_line
from ohr.study.results import StudyRun, rows_of


@pytest.fixture(scope="module")
def separated_run(benchmark_runs) -> StudyRun:
    """A run of 12 documents in which one engine finds everything, the other nothing."""
    run = benchmark_runs[1]
    rows = run.drawn.copy()
    of_lcs = (rows["stage"] == "retrieval") & (rows["metric"] == "lcs")
    rows.loc[of_lcs, "value"] = (rows.loc[of_lcs, "engine"] == "gt").astype(float)
    return run_with(run, rows)


def run_with(run: StudyRun, rows: pd.DataFrame) -> StudyRun:
    return StudyRun(run.path, run.manifest, run.cells).cache_values(drawn=rows)


def lcs_letters(cells: pd.DataFrame) -> dict[str, str]:
    of_lcs = rows_of(cells, "retrieval", "lcs")
    assert set(of_lcs.loc[of_lcs["group"] != "all", "letters"]) == {""}
    of_lcs = of_lcs[of_lcs["group"] == "all"]
    return dict(zip(of_lcs["engine"], of_lcs["letters"], strict=True))


def test_engines_that_differ_share_no_letter(separated_run):
    cells = cells_with_letters(separated_run)
    assert lcs_letters(cells) == {"gt": "a", "precomputed:theirs": "b"}
    assert letters_line(cells.attrs["ties"]) == LETTERS
    assert set(rows_of(cells, "ocr", "r_noise")["letters"]) == {""}, "an axis ranks nothing"
    pd.testing.assert_frame_equal(cells.drop(columns="letters"), separated_run.cells)


def test_equal_engines_share_a_letter(separated_run):
    rows = separated_run.drawn.copy()
    rows.loc[rows["stage"] == "retrieval", "value"] = 1.0
    cells = cells_with_letters(run_with(separated_run, rows))
    assert lcs_letters(cells) == {"gt": "a", "precomputed:theirs": "a"}


@pytest.mark.slow
def test_one_condition_or_few_documents_have_no_letter_and_the_caption_says_why(separated_run):
    alone = run_with(separated_run, separated_run.drawn[separated_run.drawn["engine"] == "gt"])
    cells = cells_with_letters(alone, engine="gt")
    assert set(cells.loc[cells["stage"] == "retrieval", "letters"]) == {""}
    first = separated_run.drawn["doc_id"].iloc[0]
    one = cells_with_letters(
        run_with(separated_run, separated_run.drawn[separated_run.drawn["doc_id"] == first])
    )
    assert set(one["letters"]) == {""}
    why = "No letters for ties: fewer than 3 documents."
    assert letters_line(one.attrs["ties"]) == why
    assert why in str(benchmark_tables(one, {})[-1].caption)
    few = separated_run.drawn[
        separated_run.drawn["doc_id"].isin(sorted(set(separated_run.drawn["doc_id"]))[:5])
    ]
    five = cells_with_letters(run_with(separated_run, few))
    why = "No letters for ties: 5 documents: the smallest possible p is 0.063."
    assert letters_line(five.attrs["ties"]) == why


@pytest.mark.slow
def test_tables_of_engines_have_them(separated_run, tmp_path):
    cells = cells_with_letters(separated_run)
    by_source, by_domain = benchmark_tables(cells, {})
    for table in (by_source, by_domain):
        column = next(c for c in table.columns if str(c.header) == "retrieval LCS")
        assert sum(str(cell).endswith(" b") for cell in column.cells) == 2  # a row per reader
    assert LETTERS in str(by_domain.caption)
    write_paper_tables(cells, tmp_path)
    values = pd.read_csv(tmp_path / "table2.csv")
    letters = values.groupby("engine")["letters retrieval ALL"].first()
    assert letters.to_dict() == {"gt": "a", "precomputed:theirs": "b"}
    domains = pd.read_csv(tmp_path / "table_s6.csv")
    assert set(domains.loc[domains["domain"] == "all", "letters precomputed:theirs"]) == {"b"}
    assert "conditions that share a letter" in (tmp_path / "table2.md").read_text()


def test_compare_has_the_letters_of_both_sides(separated_run, tmp_path, monkeypatch, capsys):
    table = compare([separated_run], by="engine", metrics=["retrieval:lcs"], groups=True)
    of_all = table[table["group"] == "all"]
    assert set(of_all["letters"]) == {"b"}
    assert set(of_all["baseline_letters"]) == {"a"}
    assert set(table.loc[table["group"] != "all", "letters"]) == {""}
    assert "letters" not in compare([separated_run], metrics=["retrieval:lcs"])
    monkeypatch.setattr("ohr.analysis.comparison.report.open_runs", lambda paths: [separated_run])
    assert compare_runs([separated_run.path], tmp_path, "engine", metric=["retrieval:lcs"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "1.000 a" in printed
    assert "conditions that share a letter do not differ significantly" in printed
    written = pd.read_csv(tmp_path / "differences.csv")
    assert list(written["letters"]) == list(of_all["letters"])


def test_paper_tables_mark_every_cell_that_is_not_shown_to_differ(separated_run, tmp_path):
    run = separated_run
    differences = run_differences(run, groups=True)
    cells = mark_not_shown(cells_with_letters(run), differences)
    of_all = differences["group"] == "all"
    crossing = ~of_all & ~(differences["p_adjusted"] <= 0.05)
    assert 0 < crossing.sum() < (~of_all).sum(), "some groups are shown to differ, some are not"
    intervals = differences[~of_all & differences["ci_low"].notna()]
    over = (intervals["ci_low"] <= 0) & (intervals["ci_high"] >= 0)
    pd.testing.assert_series_equal(over, crossing[intervals.index], check_names=False)

    keys = ["stage", "metric", "retriever", "reader", "group"]
    marked = cells[(cells["letters"] == NOT_SHOWN) & (cells["group"] != "all")]
    assert set(marked["engine"]) == {"precomputed:theirs"}, "the truth is nobody's other"
    expected = differences[crossing][keys].fillna("").astype(str)
    assert set(map(tuple, marked[keys].values)) == set(map(tuple, expected.values))

    write_paper_tables(cells, tmp_path)
    values = pd.read_csv(tmp_path / "table2.csv").set_index("engine")
    shown = values[[name for name in values if name.startswith("letters overall")]]
    for suffix, mark in (("md", " ns |"), ("tex", " ns &")):
        text = (tmp_path / f"table2.{suffix}").read_text()
        assert mark in text
        assert "ns: not shown to differ from its baseline" in text
        assert "noise on top" not in text, "the tables have clean pages only"
    assert (shown == NOT_SHOWN).to_numpy().any()


def test_cells_without_differences_have_no_mark(benchmark_runs):
    run = benchmark_runs[1]
    cells = mark_not_shown(run.cells, run_differences(run, groups=True).iloc[:0])
    assert set(cells["letters"]) == {""}
    assert not_shown_note(cells) == []
