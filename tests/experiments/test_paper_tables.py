from __future__ import annotations

import pandas as pd
import pytest

from experiments.aggregate import CELL_COLUMNS
from experiments.paper_tables import domain_values, source_values, write_paper_tables
from experiments.reader_table import reader_values
from experiments.table_files import TextTable


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
    found.append(cell("c", "retrieval", "lcs", "source:chart", float("nan"), n=0))
    return pd.DataFrame(found).reindex(columns=list(CELL_COLUMNS))


def test_table_2_is_the_mean_over_retrievers_and_readers(cells):
    values = source_values(cells[cells["noise"] == "none"]).set_index("engine")
    columns = ["edit_distance", "retrieval TXT", "retrieval ALL", "overall TXT", "overall ALL"]
    assert list(values.columns) == columns
    assert list(values.loc["a_b"]) == pytest.approx([0.1, 0.6, 0.5, 0.35, 0.3])


def test_tables_by_domain(cells):
    values = domain_values(cells[cells["noise"] == "none"], "retrieval", "lcs")
    assert list(values["domain"]) == ["law", "all"]
    assert list(values.iloc[0])[1:] == pytest.approx([0.5, 0.4, 0.3])


def test_files_mark_the_best_but_not_the_ground_truth(cells, tmp_path):
    paths = write_paper_tables(cells, tmp_path)
    assert [path.name for path in paths][:3] == ["table2.csv", "table2.md", "table2.tex"]
    assert {path.stem for path in paths} == {"table2", "table_s6", "table_s8"}
    markdown = (tmp_path / "table2.md").read_text()
    assert "| gt | - | 70.0 | 60.0 | 40.0 | 35.0 |" in markdown
    assert "| a\\_b | **0.10** | **60.0** | **50.0** | **35.0** | **30.0** |" in markdown
    assert "| c | <u>0.20</u> | <u>50.0</u>" in markdown
    assert "mean over bm25, dense; mean over one, two" in markdown
    latex = (tmp_path / "table2.tex").read_text()
    assert r"\multicolumn{2}{c}{Retrieval LCS}" in latex
    assert r"a\_b & \textbf{0.10} & \textbf{60.0}" in latex
    assert (
        r"law & 50.0 & \textbf{40.0} & \underline{30.0} \\"
        in (tmp_path / "table_s6.tex").read_text()
    )


def test_table_s5_is_by_reader_with_the_loss_against_the_ground_truth(cells):
    values = reader_values(cells[cells["noise"] == "none"])
    mine = values[values["reader"] == "two"].set_index("knowledge_base")
    assert list(mine.index) == ["gt, clean", "a_b, clean", "c, clean"]
    assert list(mine["ALL"]) == pytest.approx([0.4, 0.35, 0.3])
    assert list(mine["delta"]) == pytest.approx([0, -0.05, -0.1])


def test_text_from_outside_is_escaped():
    table = TextTable(["a|b", "50 %"], [["<b>$x_1$</b>", "\x1b[31m"]], "c & d")
    assert r"a\|b" in table.markdown()
    assert r"&lt;b>\$x\_1\$&lt;/b>" in table.markdown()
    assert r"\$x\_1\$" in table.latex()
    assert r"50 \%" in table.latex()
    assert "\x1b" not in table.markdown() + table.latex()
