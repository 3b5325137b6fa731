"""Several chunkers, retrievers and numbers of hits in one run, and the drops between bases."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from ohr.analysis.drops.report import report
from ohr.analysis.drops.table import paired_drops
from ohr.display.terminal import NARROW
from ohr.ocr.progress import Progress
from ohr.statistics import jackknife_interval
from ohr.store.artefacts import ArtefactStore
from ohr.study.output.cells import KEY_COLUMNS, planned_cells
from ohr.study.results import clusters_of
from ohr.study.run import run_study
from ohr.study.scoring.conditions import make_rankings
from tests.builders import load_config, qa, write_kb, write_questions
from tests.rag.test_combined import Fixed

PAGES = {
    "law/a": ["alpha rent is due. " * 3, "beta fee is paid. " * 3, "gamma", "delta rent"],
    "law/b": ["epsilon tax", "zeta rent rent", "eta fee", "theta"],
}
WORDS = [("law/a", 0, "rent due"), ("law/a", 1, "beta fee"), ("law/b", 0, "epsilon"),
         ("law/b", 1, "zeta rent"), ("law/b", 3, "theta")]  # fmt: skip


class Spy(Fixed):
    """Notes all that a study hands it."""

    name = "spy"
    seen: list[object] = []  # noqa: RUF012

    def index(self, chunks):
        super().index(chunks)

    def search_many(self, queries, k):
        self.seen.append((list(queries), k))
        return [[] for _ in queries]


@pytest.fixture
def settings(tmp_path):
    write_kb(tmp_path / "kb" / "gt", PAGES)
    broken = {doc: [text.replace("e", "c") for text in texts] for doc, texts in PAGES.items()}
    write_kb(tmp_path / "kb" / "bad", broken)
    entries = [
        qa(i, doc, page, questions=f"{words}?", evidence_context=words,
           evidence_source="table" if i % 2 else "text")
        for i, (doc, page, words) in enumerate(WORDS)
    ]  # fmt: skip
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={tmp_path / 'kb'}",
        f"dataset.questions={write_questions(tmp_path / 'qas.json', entries)}",
        f"cache={tmp_path / 'cache'}",
        "engines=[gt,precomputed:bad]",
        "stages=[retrieval,overall]",
    ]


def run(settings, out, *more):
    return run_study(load_config([*settings, *more]), out, progress=Progress())


@pytest.mark.slow
def test_every_number_of_hits_has_the_cells_of_a_run_of_its_own(settings, tmp_path):
    several = run(settings, tmp_path / "all", "ks=[1,3]", "retrievers=[bm25,page,oracle]")
    cells = several.cells
    assert not cells.duplicated(list(KEY_COLUMNS)).any()
    assert len(cells) == len(planned_cells(several.plan))
    assert several.missing == []
    assert set(cells[cells["stage"] == "retrieval"]["top_k"]) == {1, 2, 3}
    assert set(cells[cells["stage"] == "overall"]["top_k"]) == {2}
    for k in (1, 2, 3):
        one = run(settings, tmp_path / str(k), f"top_k={k}", "retrievers=[bm25,page,oracle]").cells
        mine = cells[(cells["stage"] == "retrieval") & (cells["top_k"] == k)]
        theirs = one[one["stage"] == "retrieval"]
        pd.testing.assert_frame_equal(
            mine.reset_index(drop=True), theirs.reset_index(drop=True), check_dtype=False
        )


def test_rankings_are_made_once_at_the_greatest_depth(settings, tmp_path):
    Spy.seen.clear()
    spy = "{name: tests.ohr.study.test_retrievers.Spy, label: spy}"
    run(settings, tmp_path / "run", "ks=[1,5]", f"retrievers=[{spy}]", "engines=[gt]")
    assert Spy.seen == [([f"{words}?" for _, _, words in WORDS], 5)]


def test_chunkers_are_compared_in_one_run(settings, tmp_path):
    result = run(settings, tmp_path / "run", "chunkers=[tokens,{name: words, params: {size: 3}}]")
    assert list(dict.fromkeys(result.cells["chunker"])) == ["tokens", "words"]
    lcs = result.cells[(result.cells["metric"] == "lcs") & (result.cells["group"] == "all")]
    means = lcs.set_index(["engine", "chunker"])["mean"]
    alone = run(settings, tmp_path / "one", "chunkers={name: words, params: {size: 3}}").cells
    alone = alone[(alone["metric"] == "lcs") & (alone["group"] == "all")]
    assert means["gt", "words"] == alone.set_index("engine")["mean"]["gt"]


def test_the_oracle_is_handed_pages_and_finds_them(settings, tmp_path):
    result = run(settings, tmp_path / "run", "retrievers=[oracle]", "engines=[gt]")
    cells = result.cells[result.cells["group"] == "all"].set_index("metric")["mean"]
    assert cells["hit@2"] == cells["mrr@2"] == cells["ndcg@2"] == cells["lcs"] == 1
    rankings = make_rankings(result.plan, ArtefactStore(tmp_path / "cache"))
    assert rankings.retrievers["oracle"].name == "oracle"


@pytest.mark.slow
def test_drops_are_paired_differences_of_rows(settings, tmp_path, capsys):
    gram = "{name: bm25, label: grams, params: {terms: ngrams, n: 3}}"
    result = run(settings, tmp_path / "run", "ks=[1,2]", f"retrievers=[bm25,{gram}]")
    drops = paired_drops(result)
    cells = result.cells[result.cells["stage"] == "retrieval"]
    shown = cells["group"].str.match("all$|source:")
    assert len(drops) == len(cells[shown]) // 2
    rows = pd.read_parquet(tmp_path / "run" / "rows.parquet")
    rows = rows[(rows["stage"] == "retrieval") & (rows["metric"] == "lcs") & (rows["top_k"] == 2)]
    wide = rows.pivot(index=["qid", "doc_id", "page_no"], columns=["retriever", "engine"])["value"]
    one = drops[(drops["metric"] == "lcs") & (drops["group"] == "all") & (drops["top_k"] == 2)]
    for _, row in one.iterrows():
        values = wide[row["retriever"]]
        lost = (values["gt"] - values["precomputed:bad"]).to_numpy()
        assert row["drop"] == pytest.approx(lost.mean())
        assert row["drop"] == pytest.approx(row["clean"] - row["noisy"])
        assert (row["drop_low"], row["drop_high"]) == (-1, 1), "few pages of two documents"
        kept = values["precomputed:bad"].mean() / values["gt"].mean()
        assert row["kept"] == pytest.approx(kept)
        without = [
            rest["precomputed:bad"].mean() / rest["gt"].mean()
            for page in values.index.droplevel("qid").unique()  # the documents are but two
            for rest in [values[values.index.droplevel("qid") != page]]
        ]
        clusters = clusters_of(wide.index.to_frame(index=False))
        interval = jackknife_interval(kept, np.array(without), clusters)
        assert (row["kept_low"], row["kept_high"]) == pytest.approx((interval.low, interval.high))
        first = wide["bm25"]
        equal = np.isclose(values["gt"], first["gt"])
        more = lost - (first["gt"] - first["precomputed:bad"]).to_numpy()
        assert row["n_equal"] == equal.sum() > 0
        assert row["equal_drop_less_first"] == pytest.approx(more[equal].mean())
        of_first = first["precomputed:bad"].mean() / first["gt"].mean()
        assert row["kept_less_first"] == pytest.approx(kept - of_first)
    bm25 = drops[drops["retriever"] == "bm25"]
    assert (bm25["drop_less_first"] == 0).all()
    assert (bm25["kept_less_first"].dropna() == 0).all()
    assert (bm25["n_equal"] == bm25["n"]).all()
    position = ["top_k", "retriever", "group"]
    by_metric = drops.pivot(index=position, columns="metric", values="drop")
    parts = by_metric["page_not_found"] + by_metric["text_missing"]
    assert parts.to_numpy() == pytest.approx(by_metric["lcs"].to_numpy(), abs=1e-12)
    assert (by_metric["page_not_found"] > 0).any()
    assert drops[drops["metric"] == "text_missing"]["kept"].isna().all(), "it has no height"
    report(result)
    printed = capsys.readouterr().out
    assert "grams" in printed
    assert {"found", "missing"} <= set(printed.split()), "the drop's parts have columns"
    verdict, _, tables = printed.partition("\n\n")
    assert verdict.startswith("precomputed:bad, clean, compared with gt, clean: of retrieval LCS, ")
    assert max(map(len, tables.splitlines()[:-1])) <= NARROW
    assert "No letters for ties: fewer than 3 documents." in printed
    written = pd.read_csv(tmp_path / "run" / "drops.csv")
    assert len(written) == len(drops)
    assert written["letters"].isna().all()


@pytest.mark.slow
def test_questions_without_evidence_leave_the_others_their_drops(settings, tmp_path, capsys):
    path = tmp_path / "qas.json"
    entries = json.loads(path.read_text())
    entries[0]["evidence_context"] = ""
    write_questions(path, entries)
    result = run(settings, tmp_path / "some")
    drops = paired_drops(result)
    lcs = drops[(drops["metric"] == "lcs") & (drops["group"] == "all")].iloc[0]
    assert lcs["n"] == len(entries) - 1
    assert lcs["clean"] == 1
    assert lcs["drop"] == pytest.approx(lcs["clean"] - lcs["noisy"])
    hit = drops[(drops["metric"] == "hit@2") & (drops["group"] == "all")].iloc[0]
    assert hit["n"] == len(entries)

    write_questions(path, [entry | {"evidence_context": ""} for entry in entries])
    report(run(settings, tmp_path / "none"))
    assert "drops.csv" in capsys.readouterr().out
