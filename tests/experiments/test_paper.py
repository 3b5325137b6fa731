from __future__ import annotations

import pandas as pd
import pytest

from experiments.ohrbench import main
from ohr.analysis.published import (
    compare_with_published,
    contradictions,
    drop_lines,
    published,
    published_engine,
    weight_by_domains,
)
from tests.builders import CliRunner, write_corpus

FEW = ["workers=1", "seeds=0", "bootstrap=100"]


def value(table, engine, stage, group, reader=""):
    rows = published()
    chosen = rows[
        (rows["table"] == table) & (rows["engine"] == engine) & (rows["stage"] == stage)
        & (rows["group"] == group) & (rows["reader"] == reader)
    ]  # fmt: skip
    assert len(chosen) == 1
    return chosen["value"].iloc[0]


def test_figures_are_the_papers():
    assert value("table 2", "gt", "retrieval", "source:reading_order") == 0.098
    assert value("table 2", "MinerU", "ocr", "all") == 0.24
    assert value("table 2", "InternVL2.5", "overall", "source:chart") == 0.229
    assert value("table S6", "GOT", "retrieval", "domain:newspaper") == 0.124
    assert value("table S5", "Azure", "overall", "all", "Llama3.1-8B") == 0.24
    assert (
        not published().duplicated(["table", "engine", "reader", "stage", "metric", "group"]).any()
    )


def test_where_the_paper_contradicts_itself_both_figures_are_named():
    rows = contradictions().set_index(["table", "engine", "stage"])
    assert rows.loc[("table 2", "MinerU", "generation"), "elsewhere"] == "0.361 (table S7)"
    assert rows.loc[("table S8", "Nougat", "overall"), "elsewhere"] == "0.145 (table 2)"
    assert ("table 2", "gt", "retrieval") not in rows.index


@pytest.mark.parametrize(
    ("label", "name"),
    [("gt", "gt"), ("precomputed:MinerU", "MinerU"), ("got", "GOT"), ("tesseract", None)],
)
def test_an_engine_is_the_papers_by_its_name(label, name):
    assert published_engine(label) == name


@pytest.mark.slow
def test_ours_are_means_over_retrievers_of_clean_cells():
    cells = pd.DataFrame(
        {
            "noise": ["none", "none", "semantic"], "engine": "precomputed:MinerU",
            "stage": "retrieval", "metric": "lcs", "group": "all", "retriever": ["a", "b", "a"],
            "reader": "", "chunker": "tokens", "top_k": 2, "mean": [0.4, 0.6, 0.0], "n": 7,
        }
    )  # fmt: skip
    found = compare_with_published(cells).set_index("table")
    assert list(found.index) == ["table 2", "table S6"]
    assert found["ours"].tolist() == [0.5, 0.5]
    assert found["difference"].tolist() == pytest.approx([0.5 - 0.501] * 2)
    assert found["n"].tolist() == [7, 7]


def domain_cells(counts: dict[str, int], **means: float) -> pd.DataFrame:
    """Retrieval cells: each engine's mean is the same on all domains."""
    key = {"noise": "none", "stage": "retrieval", "metric": "lcs", "reader": "", "top_k": 2}
    return pd.DataFrame(
        [
            key
            | {"engine": engine, "group": f"domain:{domain}", "mean": mean, "n": n}
            | {"retriever": "bm25", "chunker": "tokens"}
            for engine, mean in means.items()
            for domain, n in counts.items()
        ]
    )


def test_the_papers_domains_are_weighted_by_our_questions():
    # The counts of the data folder; the paper's own drop over its seven domains is .199.
    counts = {"law": 1515, "finance": 505, "manual": 676, "textbook": 629}
    rows = weight_by_domains(domain_cells(counts, gt=0.8, MinerU=0.7)).set_index("engine")
    assert list(rows.index) == ["gt", "MinerU", "gt to MinerU"]
    by_hand = (1515 * 0.102 + 505 * 0.233 + 676 * 0.187 + 629 * 0.294) / 3325
    assert rows.loc["gt to MinerU", "paper"] == pytest.approx(by_hand)
    assert round(by_hand, 3) == 0.175
    assert rows.loc["gt to MinerU", "ours"] == pytest.approx(0.1)
    assert rows["n"].unique().tolist() == [3325]
    (line,) = drop_lines(rows.reset_index())
    assert "0.100 of 0.175 (retrieval, 57 %)" in line
    assert "law, finance, manual, textbook" in line


def test_a_domain_that_one_side_lacks_is_left_out_of_both():
    cells = domain_cells({"law": 10, "cooking": 90}, gt=0.9, MinerU=0.5)
    rows = weight_by_domains(cells).set_index("engine")
    assert rows.loc["gt", "paper"] == 0.812
    assert rows["n"].unique().tolist() == [10]
    assert weight_by_domains(domain_cells({"cooking": 90}, gt=0.9)).empty
    assert drop_lines(weight_by_domains(domain_cells({"law": 1}, MinerU=0.9))) == []


@pytest.mark.slow
def test_everything_runs_from_one_configuration(tmp_path):
    corpus = write_corpus(tmp_path, documents=1, pages=2)
    out = tmp_path / "run"
    engines = "engines=[gt,tests.fakes.LoggingEngine]"
    result = CliRunner().invoke(main, [*corpus, engines, *FEW, "--out", str(out)])
    assert result.exit_code == 0, result.output
    for name in (
        "benchmark/tables/table2.tex", "formatting/curves.csv", "semantic/cells.csv",
        "figure3/figure3.pdf", "error_analysis/error_analysis.csv",
        "noise_statistics/format_counts.csv", "paper.md",
    ):  # fmt: skip
        assert (out / name).exists(), name
    beside = pd.read_csv(out / "paper.csv", keep_default_na=False)
    assert set(beside["engine"]) == {"gt"}
    assert set(beside["group"]) == {"all", "source:text", "domain:manual", "our domains"}
    assert "our domains: manual" in (out / "paper.tex").read_text()
    assert "our domains" in result.output
    runs = " ".join(str(out / name) for name in ("benchmark", "formatting", "semantic"))
    assert f"ohr report {runs} --out {out / 'report'}\n" in result.output
    assert not (out / "table_format").exists()  # no question is asked of a table


def test_it_has_noise_of_its_own(tmp_path):
    corpus = write_corpus(tmp_path, documents=1, pages=1)
    result = CliRunner().invoke(main, [*corpus, "noise=[rotation]", "--out", str(tmp_path / "r")])
    assert result.exit_code == 2
    assert "paper ohrbench sets its own noise" in result.output


@pytest.mark.slow
def test_reworded_questions_are_asked_apart_and_two_readers_are_compared(tmp_path):
    corpus = write_corpus(tmp_path, documents=2, pages=2)
    (tmp_path / "w.csv").write_text("qid,question\nq0,Tell me fact 0.\n", "utf-8")
    out = tmp_path / "run"
    readers = "readers=[tests.fakes.FactReader,tests.fakes.SteadyReader]"
    settings = [*corpus, "engines=[gt]", readers, f"dataset.rewritten={tmp_path / 'w.csv'}"]
    result = CliRunner().invoke(main, [*settings, *FEW, "--out", str(out)])
    assert result.exit_code == 0, result.output
    asked = pd.read_parquet(out / "benchmark" / "rows.parquet")["qid"]
    assert len(set(asked) - {""}) > 1
    assert set(pd.read_parquet(out / "question_style" / "original" / "rows.parquet")["qid"]) == {
        *("", "q0")
    }
    # Alone, the ground truth's clean pages are nothing to stand: the formatting noise is.
    robust = pd.read_csv(out / "robust_reader" / "robust_reader.csv")
    assert robust["knowledge_base"].str.contains("formatting").all()
    assert "mean over" not in (out / "robust_reader" / "table_s5.md").read_text()
    assert (out / "paper.csv").exists()
