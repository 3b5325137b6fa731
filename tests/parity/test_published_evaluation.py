"""Our reference protocol against what the published evaluation code gives on the same data."""

from __future__ import annotations

import gzip
import hashlib
import json

import pytest

from ohr import registry
from ohr.study.run import run_study
from ohr.types import Chunk, PageRef
from tests.builders import load_config

NAMES = {"equation": "source:formula", "text": "source:text", "table": "source:table"}
EDIT_DISTANCE = {"finance": 0.175, "law": 0.169, "manual": 0.243, "textbook": 0.508}


def read_lines(path):
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def cells(data_dir, tmp_path_factory):
    out = tmp_path_factory.mktemp("parity")
    bench = data_dir / "ohrbench"
    config = load_config(
        [
            "dataset.kind=ohrbench",
            f"dataset.path={bench / 'retrieval_base'}",
            f"dataset.questions={bench / 'qas_dev.json'}",
            "engines=[gt,precomputed:MinerU]",
            "retrievers=[bm25]",
            "stages=[ocr,retrieval]",
            "scoring=reference",
            f"cache={out / 'cache'}",
        ]
    )
    return run_study(config, out / "run").cells


def mean(cells, engine, metric, group):
    engine = "gt" if engine == "gt" else f"precomputed:{engine}"
    chosen = cells[
        (cells["engine"] == engine) & (cells["metric"] == metric) & (cells["group"] == group)
    ]
    assert len(chosen) == 1
    return chosen.iloc[0]["mean"], chosen.iloc[0]["n"]


def group_of(name):
    return name if name == "all" else NAMES.get(name, f"domain:{name}")


@pytest.mark.parametrize("engine", ["gt", "MinerU"])
@pytest.mark.slow
def test_retrieval_lcs(cells, data_dir, engine):
    summary = json.loads((data_dir / "reference" / "summary.json").read_text("utf-8"))
    for name, (published, n) in summary[f"retrieval_lcs_{engine}"].items():
        ours, ours_n = mean(cells, engine, "lcs", group_of(name))
        tolerance = {"all": 0.01, "finance": 0.035}.get(name, 0.02)
        assert ours == pytest.approx(published, abs=tolerance), name
        assert ours_n == n


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["gt", "MinerU"])
def test_r_noise_to_the_last_published_decimal(cells, data_dir, engine):
    summary = json.loads((data_dir / "reference" / "summary.json").read_text("utf-8"))
    for name, (published, _) in summary[f"r_noise_page_{engine}"].items():
        assert mean(cells, engine, "r_noise", group_of(name))[0] == pytest.approx(
            published, abs=0.5e-4
        ), name


@pytest.mark.slow
def test_edit_distance_by_domain(cells):
    for domain, published in EDIT_DISTANCE.items():
        ours, _ = mean(cells, "MinerU", "edit_distance", f"domain:{domain}")
        assert ours == pytest.approx(published, abs=0.001), domain


@pytest.mark.slow
def test_ordered_top_2_from_the_published_chunks(data_dir):
    with gzip.open(data_dir / "reference" / "chunks_gt_law.jsonl.gz", "rt") as lines:
        published = [json.loads(line) for line in lines]
    chunks = [
        Chunk(PageRef(f"law/{c['file']}", c["page"]), 0, len(c["text"]), c["text"])
        for c in published
    ]
    answers = [
        answer
        for answer in read_lines(data_dir / "reference" / "retrieval_bm25_gt.jsonl")
        if answer["doc_type"] == "law"
    ]
    entries = json.loads((data_dir / "ohrbench" / "qas_dev.json").read_text("utf-8"))
    text = {entry["ID"]: entry["questions"] for entry in entries}
    retriever = registry.create("retriever", "bm25_reference")
    retriever.index(chunks)
    found = retriever.search_many([text[answer["id"]] for answer in answers], 2)
    agree = [
        [hashlib.sha1(hit.text.encode()).hexdigest() for hit in hits]
        == [chunk["text_sha1"] for chunk in answer["retrieved"]]
        for hits, answer in zip(found, answers, strict=True)
    ]
    assert len(agree) == 1515
    assert sum(agree) / len(agree) >= 0.98
