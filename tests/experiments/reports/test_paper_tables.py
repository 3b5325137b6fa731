from __future__ import annotations

import pandas as pd
import pytest

from ohr.analysis.benchmark.paper_tables import (
    domain_values,
    reader_values,
    source_values,
    write_paper_tables,
)
from ohr.display.text_tables import TextTable
from ohr.study.output.cells import CELL_COLUMNS


def cell(engine: str, stage: str, metric: str, group: str, mean: float, **more: object):
    key = {"noise": "none", "perturbation": "none", "level": "", "intensity": 0.0}
    key |= {"retriever": "", "reader": "", "kb_scope": "all", "protocol": "default", "n": 10}
    return (
        key
        | {"engine": engine, "stage": stage, "metric": metric, "group": group}
        | more
        | {"mean": mean}
    )


@pytest.fixture
def cells() -> pd.DataFrame:
    found = []
    for engine, worse in (("gt", 0.0), ("a_b", 0.1), ("c", 0.2)):
        found.append(cell(engine, "ocr", "edit_distance", "all", worse))
        for group, easy in (("all", 0.5), ("source:text", 0.6), ("domain:law", 0.4)):
            for retriever, better in (("bm25", 0.0), ("dense", 0.2)):
                mean = easy - worse + better
                found.append(cell(engine, "retrieval", "lcs", group, mean, retriever=retriever))
                for reader, best in (("one", 0.0), ("two", 0.1)):
                    more = {"retriever": retriever, "reader": reader}
                    found.append(cell(engine, "overall", "f1", group, mean / 2 + best, **more))
    # A noisy reading, and a group without questions, belong to no table of engines.
    found.append(cell("c", "retrieval", "lcs", "all", 0.0, noise="semantic", retriever="bm25"))
    found.append(cell("c", "retrieval", "lcs", "source:chart", float("nan"), n=0, retriever="bm25"))
    return pd.DataFrame(found).reindex(columns=list(CELL_COLUMNS))


@pytest.mark.slow
def test_table_2_has_a_row_a_setting_and_their_mean(cells):
    values = source_values(cells[cells["noise"] == "none"])
    columns = ["edit_distance", "retrieval TXT", "retrieval ALL", "overall TXT", "overall ALL"]
    settings = ["bm25, one", "bm25, two", "dense, one", "dense, two", "mean"]
    assert list(dict.fromkeys(values["setting"])) == settings
    values = values.set_index(["setting", "engine"])
    assert list(values.columns) == [name for column in columns for name in (column, f"n {column}")]
    assert list(values.loc[("mean", "a_b"), columns]) == pytest.approx([0.1, 0.6, 0.5, 0.35, 0.3])
    dense = list(values.loc[("dense, one", "a_b"), columns])
    assert dense == pytest.approx([0.1, 0.7, 0.6, 0.35, 0.3])


def test_one_setting_needs_no_column(cells, tmp_path):
    one = cells[cells["retriever"].isin(["bm25", ""]) & cells["reader"].isin(["one", ""])]
    write_paper_tables(one, tmp_path)
    markdown = (tmp_path / "table2.md").read_text()
    assert "setting" not in markdown
    assert "mean" not in markdown
    assert "| n | 10 | 10 | 10 | 10 | 10 |" in markdown


@pytest.mark.slow
def test_numbers_of_hits_that_no_reader_was_given_are_shown_too(cells):
    more = cells[cells["stage"] == "retrieval"].assign(top_k=5, mean=0.9)
    clean = pd.concat([cells.assign(top_k=cells["stage"].map({"ocr": None}).fillna(2)), more])
    values = source_values(clean[clean["noise"] == "none"].reset_index(drop=True))
    values = values.set_index(["setting", "engine"])
    assert values.loc[("bm25, 5 hits", "gt"), "retrieval ALL"] == pytest.approx(0.9)
    assert pd.isna(values.loc[("bm25, 5 hits", "gt"), "overall ALL"])
    assert values.loc[("mean, 2 hits", "gt"), "retrieval ALL"] == pytest.approx(0.6)
    assert ("mean, 5 hits", "gt") in values.index


def test_tables_by_domain(cells):
    values = domain_values(cells[cells["noise"] == "none"], "retrieval", "lcs")
    assert list(values["domain"]) == ["law", "all"] * 3
    assert list(values["setting"]) == ["bm25", "bm25", "dense", "dense", "mean", "mean"]
    engines = ["gt", "a_b", "c"]
    assert list(values[engines].iloc[4]) == pytest.approx([0.5, 0.4, 0.3])
    assert list(values[engines].iloc[0]) == pytest.approx([0.4, 0.3, 0.2])


@pytest.mark.slow
def test_files_mark_the_best_but_not_the_ground_truth(cells, tmp_path):
    paths = write_paper_tables(cells, tmp_path)
    assert [path.name for path in paths][:3] == ["table2.csv", "table2.md", "table2.tex"]
    assert {path.stem for path in paths} == {"table2", "table_s6", "table_s8"}
    markdown = (tmp_path / "table2.md").read_text()
    assert "| gt | mean | - | 70.0 | 60.0 | 40.0 | 35.0 |" in markdown
    best = "| a\\_b | mean | **0.10** | **60.0** | **50.0** | **35.0** | **30.0** |"
    assert best in markdown
    assert "| c | mean | <u>0.20</u> | <u>50.0</u>" in markdown
    assert "bm25, dense; one, two; the last rows are means over retrievers and readers" in markdown
    latex = (tmp_path / "table2.tex").read_text()
    assert r"\multicolumn{2}{c}{retrieval LCS}" in latex
    assert r"a\_b & mean & \textbf{0.10} & \textbf{60.0}" in latex
    assert (
        r"mean & law & 50.0 & \textbf{40.0} & \underline{30.0} & 10 \\"
        in (tmp_path / "table_s6.tex").read_text()
    )


def test_every_column_of_table_2_says_its_own_n(cells, tmp_path):
    fewer = (cells["engine"] == "c") & (cells["stage"] == "overall")
    cells.loc[fewer, "n"] = 7
    cells.loc[cells["group"] == "source:text", "n"] -= 1
    one = cells[cells["retriever"].isin(["bm25", ""]) & cells["reader"].isin(["one", ""])]
    write_paper_tables(one, tmp_path)
    markdown = (tmp_path / "table2.md").read_text()
    assert "| n: gt; a\\_b | 10 | 9 | 10 | 9 | 10 |" in markdown
    assert "| n: c | 10 | 9 | 10 | 6 | 7 |" in markdown
    by_domain = (tmp_path / "table_s8.md").read_text()
    assert "| domain | gt | a\\_b | c | n gt | n a\\_b | n c |" in by_domain
    assert by_domain.rstrip().endswith("| 10 | 10 | 7 |")


@pytest.mark.slow
def test_a_readers_note_stands_in_every_table_of_its_figures(cells, tmp_path):
    write_paper_tables(cells, tmp_path, {"two": "read with care"})
    for name in ("table2.md", "table2.tex", "table_s8.md", "table_s8.tex"):
        assert "two: read with care" in (tmp_path / name).read_text(), name
    assert "with care" not in (tmp_path / "table_s6.md").read_text()  # retrieval has no reader


def test_table_s5_is_by_reader_with_the_loss_against_the_ground_truth(cells):
    values = reader_values(cells[cells["noise"] == "none"])
    mine = values[values["reader"] == "two"].set_index("knowledge_base")
    assert list(mine.index) == ["gt, clean", "a_b, clean", "c, clean"]
    assert list(mine["ALL"]) == pytest.approx([0.4, 0.35, 0.3])
    assert list(mine["delta"]) == pytest.approx([0, -0.05, -0.1])


def test_in_latex_a_measure_of_a_single_column_is_named_too(cells, tmp_path):
    write_paper_tables(cells[~cells["group"].str.startswith("source:")], tmp_path)
    heads = (tmp_path / "table2.tex").read_text().partition("\\toprule\n")[2].splitlines()[0]
    named = ["OCR", "retrieval LCS", "answer F1, whole system"]
    assert heads == " &  & " + " & ".join(rf"\multicolumn{{1}}{{c}}{{{n}}}" for n in named) + r" \\"


def test_in_latex_signs_are_what_they_are():
    latex = TextTable(["metric ↓", "P0 → P1", "a|b"], [["x", "<.001", ">2"]], "").latex()
    assert r"metric $\downarrow$ & P0 $\rightarrow$ P1 & a\textbar{}b \\" in latex
    assert r"x & \textless{}.001 & \textgreater{}2 \\" in latex
    assert latex.isascii()


def test_text_from_outside_is_escaped():
    table = TextTable(["a|b", "50 %"], [["<b>$x_1$</b>", "\x1b[31m"]], "c & d")
    assert r"a\|b" in table.markdown()
    assert r"&lt;b>\$x\_1\$&lt;/b>" in table.markdown()
    assert r"\$x\_1\$" in table.latex()
    assert r"50 \%" in table.latex()
    assert "\x1b" not in table.markdown() + table.latex()
