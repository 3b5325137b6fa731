from __future__ import annotations

import re
import unicodedata
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from ohr import registry
from ohr.markup.folding import fold
from ohr.types import Chunk, PageRef
from rag.retrievers import terms
from rag.retrievers._hits import top_k
from rag.retrievers.terms import ENGLISH, REFERENCE, _all_words, _split, analyser

WORDS = "river bank money loan water fish boat interest rate stream".split()
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=12
)


def chunks(texts):
    return [Chunk(PageRef("d/x", i), 0, len(t), t) for i, t in enumerate(texts)]


def ranked(name, texts, query, k):
    retriever = registry.create("retriever", name)
    retriever.index(chunks(texts))
    return retriever.search(query, k)


@settings(deadline=None)
@given(TEXTS.filter(lambda ts: any(ts)), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_reference_agrees_with_rank_bm25_over_sets_of_words(texts, query):
    oracle = BM25Okapi([REFERENCE.ids(t).tolist() for t in texts])
    expected = oracle.get_scores(REFERENCE.ids(" ".join(query)).tolist())
    hits = ranked("bm25_reference", texts, " ".join(query), len(texts))
    assert [h.score for h in hits] == pytest.approx(sorted(expected, reverse=True), abs=1e-9)
    assert [expected[h.ref.page_no] for h in hits] == pytest.approx([h.score for h in hits])


@settings(deadline=None)
@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.integers(1, 5))
def test_hits_are_ranked_chunks_that_share_a_term(texts, query, k):
    hits = ranked("bm25", texts, " ".join(query), k)
    matching = [t for t in texts if set(t.split()) & set(query)]
    assert len(hits) == min(k, len(matching))
    assert [h.rank for h in hits] == list(range(len(hits)))
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    assert all(texts[h.ref.page_no] == h.text for h in hits)


def test_term_frequency_counts_except_in_the_published_evaluation():
    texts = ["loan river boat", "loan loan boat", "fish", "water", "bank"]
    assert ranked("bm25", texts, "loan", 1)[0].ref.page_no == 1
    hits = ranked("bm25_reference", texts, "loan", 2)
    assert [h.ref.page_no for h in hits] == [1, 0]  # the shorter set of words first
    assert ranked("bm25_reference", ["loan boat x"] * 2, "zebra", 2)[0].ref.page_no == 0


def test_equal_scores_come_in_index_order():
    hits = ranked("bm25", ["river"] * 9 + ["bank"], "river", 4)
    assert [h.ref.page_no for h in hits] == [0, 1, 2, 3]


@given(st.lists(st.integers(-3, 3).map(float), max_size=30), st.integers(0, 40))
def test_top_k_is_a_stable_sort(scores, k):
    expected = sorted(range(len(scores)), key=lambda i: -scores[i])[:k]
    assert top_k(np.array(scores), k) == expected


def test_nothing_indexed_and_nothing_asked():
    assert ranked("bm25", [], "loan", 2) == []
    assert ranked("bm25", ["", ""], "loan", 2) == []
    assert ranked("bm25", ["loan"], "the of", 2) == []
    assert ranked("bm25_reference", [], "loan", 2) == []
    assert len(ranked("bm25_reference", ["", "x"], "", 2)) == 2


@given(st.text(st.characters(max_codepoint=127)) | st.text() | st.text("aB_é\u2019\u2028\ud800 ."))
def test_words_are_those_of_the_pattern(text):
    assert _split(text) == re.findall(r"\w+", text.lower())


def test_terms_are_stemmed_and_chinese_is_cut_into_pairs():
    assert ENGLISH.ids("Running the runs").tolist() == [ENGLISH.ids("run")[0]] * 2
    assert len(ENGLISH.ids("总部位于北京 in 2017")) == 6
    assert set(ENGLISH.ids("北京")) <= set(ENGLISH.ids("位于北京"))
    assert len(REFERENCE.ids("loan Loan loan")) == 1


@pytest.mark.parametrize(
    ("word", "other"),
    [("किताब", "कुतुब"), ("বাংলা", "বাংলো"), ("தமிழ்", "தமிழி"), ("كِتَاب", "كُتُب"), ("บริษัท", "บุราษฎร")],
)
@pytest.mark.parametrize("read", [ENGLISH, analyser("ngrams", 4)])
def test_vowel_signs_belong_to_words(read, word, other):
    assert set(read.ids(word)) & set(read.ids(f"x {word} y")) == set(read.ids(word))
    assert set(read.ids(word)) != set(read.ids(other))


def test_scripts_without_spaces_are_cut_into_pairs_of_characters_with_their_marks():
    assert list(_all_words("ที่อยู่ abc 25")) == ["ที่อ", "อยู่", "abc", "25"]
    assert list(_all_words("ភាសា 总部位")) == ["ភាសា", "总部", "部位"]
    assert list(_all_words("ភាសា។ ១២៣៤។ ฿๒๕๖๗")) == ["ភាសា", "១២៣៤", "๒๕๖๗"]
    assert set(ENGLISH.ids("อยู่")) <= set(ENGLISH.ids("ที่อยู่"))


@given(st.text("abcdé \u0301中文—1_") | st.text("abcdé—1_"))
def test_other_text_is_cut_as_ever(text):
    text = fold(text)
    runs = re.findall(r"[一-鿿]+|[^\W一-鿿]+", text)
    pairs = (
        [r] if len(r) < 3 or r[0] < "一" else [r[i : i + 2] for i in range(len(r) - 1)]
        for r in runs
    )
    assert list(_all_words(text)) == [word for run in pairs for word in run]


@pytest.mark.parametrize("kind", ["english", "english_unstemmed", "german", "ngrams"])
@pytest.mark.parametrize(
    ("plain", "other"),
    [
        ("Wärme für Zürich", unicodedata.normalize("NFD", "Wärme für Zürich")),
        ("the office files affidavits", "the o\ufb03ce \ufb01les a\ufb03davits"),
        ("hundert Gulden", "hun\u00addert Gul\u200bden"),
        ("ABC 123", "\uff21\uff22\uff23\u3000\uff11\uff12\uff13"),
        ("1 1/2 cups, 45.3 1", "1\u00bd cups, 45.3\u00b9"),
        ("non-zero don't", "non\u2011zero don\u02bct"),
    ],
)
def test_the_same_text_in_other_code_points_has_the_same_terms(kind, plain, other):
    read = analyser(kind, 4)
    assert read.ids(other).tolist() == read.ids(plain).tolist()


def test_the_published_terms_are_of_the_code_points_as_they_stand():
    assert REFERENCE.ids("o\ufb03ce").tolist() != REFERENCE.ids("office").tolist()


def test_other_parameters_change_scores_and_identity():
    weak = {"name": "bm25", "params": {"b": 0}}
    texts = ["loan", "loan boat fish water"]
    scores = [h.score for h in ranked(weak, texts, "loan", 2)]
    assert scores[0] == pytest.approx(scores[1])
    plain = [h.score for h in ranked("bm25", texts, "loan", 2)]
    assert plain[0] > plain[1]


def test_german_words_are_stemmed_and_their_stop_words_left_out() -> None:
    texts = ["Die Versicherungen zahlen.", "Der Tarif ist neu."]
    chunks = [Chunk(PageRef("a", index), 0, len(text), text) for index, text in enumerate(texts)]
    german = registry.create("retriever", {"name": "bm25", "params": {"terms": "german"}})
    german.index(chunks)
    assert [hit.ref.page_no for hit in german.search("Was zahlt die Versicherung?", 2)] == [0]
    assert german.search("die der ist", 2) == []


ODD = (
    "aA an the U.S. -5 3.14 \\alpha $x_1$ —a— naïve Σ ΑΣ ﬁ ½ 1½ m² ™ № ﷺ 中文字 ที่อยู่ "
    "किताब كِتَاب e\u0301 \u00ad \u200b \u00a0 \u2028 \u3000 \x1c \x85 İ ß ſ 한국어 🙂 \ud800 \n \t"
)


@given(st.lists(st.text(ODD + " ", max_size=20), max_size=8))
def test_texts_that_are_read_together_have_the_same_terms(texts):
    for read in (ENGLISH, REFERENCE, analyser("german", 4), analyser("english_unstemmed", 4)):
        together = list(read._ids_of_texts(texts))
        with mock.patch.object(terms, "_FEWEST_TOGETHER", 1):
            for ids, of_text in zip(read._ids_of_texts(texts), together, strict=True):
                assert ids.dtype == np.int64
                assert ids.tolist() == of_text.tolist()
