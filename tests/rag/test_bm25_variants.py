"""The variants of BM25 against bm25s, indexes built in blocks, and what counts as a term."""

from __future__ import annotations

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr import registry
from ohr.errors import ConfigError
from ohr.types import Chunk, PageRef
from rag.retrievers import _postings
from rag.retrievers._bm25_index import _Sums
from rag.retrievers._postings import build
from rag.retrievers.terms import analyser
from tests.examples import examples

VARIANTS = ["lucene", "robertson", "atire", "bm25l", "bm25+"]
WORDS = "river bank money loan water fish boat interest rate stream".split()
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=12
).filter(any)
QUERY = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
IDS = st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=9)


def chunks(texts):
    return [Chunk(PageRef("d/x", i), 0, len(t), t) for i, t in enumerate(texts)]


def retriever(texts, **params):
    made = registry.create("retriever", {"name": "bm25", "params": params})
    made.index(chunks(texts))
    return made


@pytest.mark.parametrize("variant", VARIANTS)
@examples(60)
@given(TEXTS, QUERY, st.floats(0.01, 3), st.floats(0, 1), st.floats(0, 2))
def test_scores_are_those_of_bm25s(variant, texts, query, k1, b, delta):
    shape = {"k1": k1, "b": b, "delta": delta}
    oracle = bm25s.BM25(method=variant, dtype="float64", **shape)
    oracle.index([text.split() for text in texts], show_progress=False)
    expected = oracle.get_scores(query.split())
    hits = retriever(texts, variant=variant, terms="english_unstemmed", **shape).search(
        query, len(texts)
    )
    for hit in hits:
        assert hit.score == pytest.approx(expected[hit.ref.page_no], abs=1e-9)
        assert set(hit.text.split()) & set(query.split())
    best = sorted((float(score) for score in expected), reverse=True)[: len(hits)]
    assert [hit.score for hit in hits] == pytest.approx(best, abs=1e-9)


def test_without_saturation_a_term_counts_once_however_often_it_occurs():
    texts = ["river river bank", "river", "money", "water", "fish"]
    for variant in ("lucene", "robertson", "atire", "bm25+"):
        first, second = retriever(texts, variant=variant, k1=0).search("river", 5)
        assert first.score == second.score > 0, variant


@settings(deadline=None)
@given(IDS, st.integers(1, 4))
def test_blocks_make_the_same_index_as_one(ids, block):
    texts = [np.array(text, dtype=np.int64) for text in ids]
    whole, parts = build(iter(texts)), build(iter(texts), block)
    for name in ("terms", "indptr", "texts", "weights", "lengths"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    for index, term in enumerate(whole.terms.tolist()):
        span = slice(whole.indptr[index], whole.indptr[index + 1])
        counts = {i: text.count(term) for i, text in enumerate(ids) if term in text}
        assert dict(zip(whole.texts[span], whole.weights[span], strict=True)) == counts


def test_a_large_index_lies_on_disk_and_finds_the_same(monkeypatch):
    texts = [f"{WORDS[i % 10]} {WORDS[i % 7]} {i}" for i in range(97)]
    before = retriever(texts).search("river rate 42", 10)
    monkeypatch.setattr(_postings.build, "__defaults__", (10,))
    large = retriever(texts)
    assert isinstance(large._index._postings.texts, np.memmap)
    assert large.search("river rate 42", 10) == before
    assert before[0].ref.page_no == 42


def test_character_ngrams_survive_a_misread_letter():
    texts = ["the depreciation of machinery", "the dividend per share", "annual meeting"]
    noisy = [text.replace("depreciation", "deprecialion") for text in texts]
    assert retriever(noisy).search("depreciation", 1) == []
    assert retriever(noisy, terms="ngrams").search("depreciation", 1)[0].ref.page_no == 0


def test_ngrams_lie_within_words():
    grams = analyser("ngrams", 4)
    assert len(grams.ids("ab, cd")) == len(grams.ids("ab")) + len(grams.ids("cd")) == 2
    assert len(grams.ids("Abcdef")) == 5  # " abc", "abcd", "bcde", "cdef", "def "
    assert np.array_equal(grams.ids("ABC-def"), grams.ids("abc def"))
    assert len(grams.ids("")) == 0
    assert len(grams.ids("a")) == 0


@pytest.mark.slow
def test_chinese_words_come_from_a_dictionary():
    ids = analyser("chinese", 4).ids
    whole = ids("营业收入增长，Profits rose 5")
    assert set(ids("收入")) <= set(whole)
    assert ids("profit")[0] in whole
    assert len(ids("，。")) == 0


def test_unstemmed_words_must_match_as_they_are():
    assert retriever(["loans"], terms="english_unstemmed").search("loan", 1) == []
    assert retriever(["loans"]).search("loan", 1)


def test_the_published_retriever_has_no_variants():
    with pytest.raises(ConfigError, match="variant"):
        registry.create("retriever", {"name": "bm25_reference", "params": {"variant": "atire"}})


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_term_that_weighs_nothing_is_a_match_all_the_same(variant):
    texts = ["the river bank", "money", "river water"]
    for k1 in (0, 1.5):
        found = retriever(texts, variant=variant, k1=k1)
        assert sorted(hit.ref.page_no for hit in found.search("river", 5)) == [0, 2]
        assert [hit.ref.page_no for hit in found.search("river", 1)] in ([0], [2])
        assert found.search("fish", 5) == []


def test_bm25s_adds_up_by_our_sum(monkeypatch):
    monkeypatch.setattr(_Sums, "_compute_relevance_from_scores", lambda self, **_: np.ones(1))
    found = registry.create("retriever", "bm25_reference")
    found.index(chunks(["river"]))
    assert found.search("river", 2)[0].score == 1  # one of all chunks: there are not two matches


@given(
    TEXTS, st.lists(QUERY, max_size=6), st.integers(1, 5),
    st.sampled_from(["bm25", "bm25_reference"]),
)  # fmt: skip
def test_queries_scored_together_get_the_same_as_one_by_one(texts, queries, k, name):
    found = registry.create("retriever", name)
    found.index(chunks(texts))
    index = found._index
    together = found.search_many(queries, k)
    for query, hits in zip(queries, together, strict=True):
        terms = index.local(found.analyser.ids(query))
        positions, scores = found._best_of_all(index, terms, k)
        assert [hit.ref.page_no for hit in hits] == positions.tolist()
        assert [hit.score for hit in hits] == scores.tolist()  # to the bit
