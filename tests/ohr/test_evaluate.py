"""``ohr.evaluate``: the values of a study, without one."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohr
from ohr.errors import ConfigError, DatasetError, OhrError
from ohr.scoring.names import MetricName
from ohr.store.identity import digest
from ohr.study.output.cases import read_cases, read_texts
from ohr.study.output.rows import read_rows
from tests.builders import qa, write_kb, write_questions

PAGES = {
    "law/lease": [
        "The lease begins on 3 May. The rent is 900 euros, paid each month by the tenant.",
        "## Deposit\n\nThe deposit is two rents. It is returned after the keys.",
        "A dog may be kept. Nobody may paint the windows of the kitchen.",
    ],
    "law/statute": ["Whoever fishes here needs a card. The card costs $x^2 + 3$ crowns.", ""],
    "finance/report": ["Net sales rose by 12 % to 4,100 in the north.", "Costs fell by 3 %."],
}
NOISY = {
    "law/lease": [
        "Tne lease begns on 3 May. The rent is 9OO euros, paid by the tenant.",  # typos: ignore
        "## Deposit The deposit is two rents.",
    ],
    "law/statute": ["Whoever fishes here needs a card. The card costs x2 + 3 crowns.", "stray"],
    "finance/report": ["Net sales rose by 12 % to 4,100 in the north.", "Costs fell by 8 %."],
}
ASKED = [
    qa(0, "law/lease", 0, questions="What is the rent?", evidence_context="The rent is 900 euros"),
    qa(
        1,
        "law/lease",
        1,
        questions="When is the deposit returned?",
        evidence_context="It is returned after",
    ),
    qa(
        2,
        "law/statute",
        0,
        questions="What does a card cost?",
        evidence_context="The card costs $x^2 + 3$",
    ),
    qa(
        3,
        "finance/report",
        0,
        questions="How much did sales rise?",
        evidence_context="sales rose by 12 %",
    ),
    qa(
        4,
        "law/lease",
        2,
        questions="Which windows may nobody paint?",
        evidence_context="paint the windows",
    ),
]
METRICS = ["lcs@1", "lcs@2", "lcs@5", "hit@1", "hit@5", "mrr@2", "ndcg@5", "text_missing@2"]
METRICS += ["r_noise", "r_noise_content", "evidence_lcs", "edit_distance", "wer"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("evaluate")
    write_kb(root / "kb" / "gt", PAGES)
    write_kb(root / "kb" / "noisy", NOISY)
    write_questions(root / "qas.json", ASKED)
    return root


def study_of(root, out, **options):
    dataset = {"kind": "ohrbench", "path": root / "kb", "questions": root / "qas.json"}
    study = ohr.Study(
        dataset=dataset,
        engines=["gt", "precomputed:noisy"],
        retrievers=["bm25", "page", "oracle"],
        stages=["ocr", "retrieval"],
        ks=[1, 5],
        cache=root / "cache",
        workers=1,
        **options,
    )
    return study.run(out, progress=False)


def rows_like(frame, run, engine, retriever, metrics):
    """The same rows as a study wrote them."""
    rows = read_rows(run.path)
    rows = rows[rows["engine"] == engine]
    parts = []
    for label in metrics:
        name, _, k = label.partition("@")
        part = rows[rows["metric"].isin([name, label])]
        if k:
            part = part[(part["retriever"] == retriever) & (part["top_k"] == int(k))]
        parts.append(part.assign(metric=label))
    joined = pd.concat(parts, ignore_index=True)[list(frame.columns)]
    return joined.astype(dict.fromkeys(("qid", "doc_id", "metric", "status"), str))


def check_same(frame, expected):
    frame = frame.astype(dict.fromkeys(("qid", "doc_id", "metric", "status"), str))
    pd.testing.assert_frame_equal(frame, expected, check_exact=True, check_dtype=False)


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["default", "reference"])
@pytest.mark.parametrize("scope", ["domain", "document"])
def test_the_values_are_those_of_a_study(corpus, tmp_path, scoring, scope):
    chunkers = [{"name": "words", "params": {"size": 6}}, "tokens"]
    names = [name for name in METRICS if scoring == "default" or name != "wer"]
    for chunker in chunkers:
        run = study_of(
            corpus,
            tmp_path / f"run{digest(chunker)[:6]}",
            scoring=scoring,
            scope=scope,
            chunkers=[chunker],
            metrics=[*dict.fromkeys(name.partition("@")[0] for name in names)],
        )
        texts = read_texts(run.path)["precomputed:noisy, clean"]
        for retriever in ("bm25", "page", "oracle"):
            for kb in (corpus / "kb" / "noisy", texts):
                frame = ohr.evaluate(
                    kb,
                    run.dataset,
                    metrics=names,
                    retriever=retriever,
                    chunker=chunker,
                    scope=scope,
                    scoring=scoring,
                )
                engine = "precomputed:noisy"
                check_same(frame, rows_like(frame, run, engine, retriever, names))


def test_a_truth_by_page_equals_its_folder_and_questions_equal_their_file(corpus):
    texts = {
        (name, number): text
        for name, pages in sorted(PAGES.items())
        for number, text in enumerate(pages)
    }
    noisy = {
        (name, number): text for name, pages in NOISY.items() for number, text in enumerate(pages)
    }
    asked = [
        {
            "qid": entry["ID"],
            "question": entry["questions"],
            "answer": entry["answers"],
            "doc_id": entry["doc_name"],
            "evidence_pages": [entry["evidence_page_no"]],
            "evidence_text": entry["evidence_context"],
        }
        for entry in ASKED
    ]
    by_page = ohr.evaluate(noisy, texts, asked, METRICS)
    by_folder = ohr.evaluate(
        str(corpus / "kb" / "noisy"), corpus / "kb" / "gt", corpus / "qas.json", METRICS
    )
    pd.testing.assert_frame_equal(by_page, by_folder)
    assert list(by_page.columns) == ["qid", "doc_id", "page_no", "metric", "value", "status"]
    (tmp := corpus / "mine.json").write_text(json.dumps(asked), "utf-8")
    pd.testing.assert_frame_equal(ohr.evaluate(noisy, texts, tmp, METRICS), by_page)
    objects = list(ohr.Study(
        dataset={"kind": "ohrbench", "path": corpus / "kb", "questions": corpus / "qas.json"}
    ).plan().questions)  # fmt: skip
    pd.testing.assert_frame_equal(ohr.evaluate(noisy, texts, objects, METRICS), by_page)


def test_the_truth_itself_loses_nothing(corpus):
    gt = corpus / "kb" / "gt"
    frame = ohr.evaluate(gt, gt, corpus / "qas.json", ["r_noise", "edit_distance", "hit@5"])
    means = frame.groupby("metric")["value"].mean()
    assert means.to_dict() == {"r_noise": 0, "edit_distance": 0, "hit@5": 1}


def test_a_page_that_is_missing_counts_as_failed(corpus):
    frame = ohr.evaluate({("law/lease", 0): "The rent"}, corpus / "kb" / "gt", corpus / "qas.json")
    lost = frame[(frame["metric"] == "r_noise") & (frame["qid"] == ASKED[1]["ID"])].iloc[0]
    assert (lost["value"], lost["status"]) == (1, "error")


def test_answers_are_scored_as_those_of_a_study(corpus, tmp_path):
    dataset = {"kind": "ohrbench", "path": corpus / "kb", "questions": corpus / "qas.json"}
    run = ohr.Study(
        dataset=dataset, engines="precomputed:noisy", readers="extractive", stages="overall",
        metrics=["f1", "em", "rouge_l"], cache=corpus / "cache", workers=1,
    ).run(tmp_path / "run", progress=False)  # fmt: skip
    answers = {
        row["qid"]: row["text"] or ""
        for row in read_cases(run.path, "answers").to_pylist()
        if row["stage"] == "overall"
    }
    frame = ohr.evaluate(
        corpus / "kb" / "noisy", run.dataset, metrics=["overall:f1", "em"], answers=answers
    )
    rows = read_rows(run.path)
    for label in ("f1", "em"):
        expected = rows[(rows["metric"] == label) & (rows["stage"] == "overall")]
        values = frame[frame["metric"].str.endswith(label)]["value"]
        np.testing.assert_array_equal(values.to_numpy(), expected["value"].to_numpy())


def test_only_pages_are_scored_without_questions(corpus):
    gt = corpus / "kb" / "gt"
    frame = ohr.evaluate(corpus / "kb" / "noisy", gt, [], ["edit_distance"])
    assert len(frame) == sum(map(len, PAGES.values()))
    with pytest.raises(ConfigError, match="no questions"):
        ohr.evaluate(gt, gt, [])


def test_other_documents_are_named_and_left_out(corpus):
    texts = {("law/lease", 0): "The rent is 900 euros", ("law/leese", 0): "x"}
    with pytest.warns(UserWarning, match="1 of 2 documents .* such as 'law/leese'"):
        ohr.evaluate(texts, corpus / "kb" / "gt", corpus / "qas.json")
    with pytest.raises(ConfigError, match=r"'law/leese'; did you mean 'law/lease'"):
        ohr.evaluate({("law/leese", 0): "x"}, corpus / "kb" / "gt", corpus / "qas.json")


TEXTS = {("a", 0): "One two three.", ("a", 1): "Four five."}
ONE = [{"text": "What?", "doc_id": "a", "evidence_pages": 1, "evidence_text": "Four five"}]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["lsc@2"]}, "unknown metric 'lsc'; did you mean 'lcs'"),
        ({"metrics": ["lcs"]}, "scores the first hits: write how many, as in lcs@2"),
        ({"metrics": ["hit@0"]}, "'0' is no number of hits"),
        ({"metrics": ["hit@two"]}, "'two' is no number of hits"),
        ({"metrics": ["hit@²"]}, "is no number of hits"),
        ({"metrics": ["r_noise@2"]}, "scores evidence, not hits: write it without @2"),
        ({"metrics": ["wer@1"]}, "scores pages, not hits"),
        ({"metrics": ["f1"]}, "give answers="),
        ({"metrics": ["ocr:lcs@2"]}, "lcs is not of the stage ocr"),
        ({"metrics": ["judged"]}, "needs a judge"),
        ({"metrics": ["lcs@2", "lcs@2"]}, "given twice"),
        ({"metrics": "lcs@2"}, "write metrics="),
        ({"metrics": []}, "no metric is named"),
        ({"metrics": ["r_noise_reference"], "scoring": "reference"}, "no meaning under"),
        ({"scoring": "published"}, "unknown scoring 'published'"),
        ({"retriever": "bm52"}, "unknown retriever 'bm52'; did you mean"),
        ({"answers": {"q9": "x"}, "metrics": ["f1"]}, "no question 'q9'"),
        ({"answers": {"q0": 1}, "metrics": ["f1"]}, "'q0' is a int, not a text"),
        ({"truth": {}}, "no pages"),
        ({"truth": {"a": "x"}}, "is no page: write"),
        ({"truth": {("a", -1): "x"}}, "a page number is whole"),
        ({"truth": {("a", 0): None}}, "not a text"),
        ({"truth": 3}, "truth is a int"),
        ({"kb": 3}, "kb is a int"),
        ({"kb": {("a", 0): 3}}, "not a text"),
        ({"questions": [{"text": "What?"}]}, "no field 'doc_id'"),
        ({"questions": [{"txt": "What?", "doc_id": "a"}]}, "unknown field 'txt'; did you mean"),
        ({"questions": ["What?"]}, "a str where a question is expected"),
        ({"questions": {"text": "What?"}}, "expected a list of questions, found dict"),
        ({"questions": ONE * 2 + [{**ONE[0], "qid": "q0"}]}, "comes twice"),
        ({"questions": [{**ONE[0], "doc_id": "b", "evidence_pages": ()}]}, "is about 'b'"),
        ({"questions": [{**ONE[0], "evidence_pages": 2}]}, "page 2 of 'a', which the truth"),
        ({"questions": "nowhere.json"}, "cannot read questions from nowhere.json"),
    ],
)
def test_what_does_not_fit_is_one_clear_line(options, message):
    arguments = {"kb": TEXTS, "truth": TEXTS, "questions": ONE, "metrics": ["lcs@2"]} | options
    with pytest.raises(OhrError, match=message) as raised:
        ohr.evaluate(**arguments)
    assert "\n" not in str(raised.value)


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(DatasetError, match="nowhere"):
        ohr.evaluate(tmp_path / "nowhere", TEXTS, ONE)
    with pytest.raises(DatasetError, match="nowhere"):
        ohr.evaluate(TEXTS, tmp_path / "nowhere", ONE)


@given(
    st.from_regex(r"[a-z_]{1,9}", fullmatch=True),
    st.one_of(st.none(), st.integers(1, 10**6)),
    st.sampled_from(["", "ocr", "retrieval", "overall"]),
)
def test_a_name_is_read_as_it_is_written(metric, k, stage):
    name = MetricName(metric, k, stage)
    assert MetricName.parse(str(name)) == name
