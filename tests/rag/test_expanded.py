"""Search with look-alikes of a question's words, and by n-grams."""

from __future__ import annotations

import pytest

from ohr import registry
from ohr.errors import ConfigError
from ohr.types import Chunk, PageRef
from rag.mitigations.ngrams import Ngrams, NgramsParams
from rag.retrievers.expanded import Expanded, ExpandedParams

TEXTS = ["the harbaur master", "a master plan", "timber and salt", "the grain store"]


def chunks(texts):
    return [Chunk(PageRef("a", n), 0, len(text), text) for n, text in enumerate(texts)]


def test_a_misread_word_is_found():
    plain, expanded = registry.create("retriever", "bm25"), Expanded()
    for retriever in (plain, expanded):
        retriever.index(chunks(TEXTS))
    assert plain.search("Where is the harbour?", 2) == []
    assert [hit.ref.page_no for hit in expanded.search("Where is the harbour?", 2)] == [0]


@pytest.mark.parametrize(
    ("question", "params"),
    [
        ("salts", ExpandedParams(shortest=6)),  # too short
        ("timber", ExpandedParams()),  # nothing else is one letter away
        ("master", ExpandedParams()),  # frequent: half of the chunks have it
        ("2023", ExpandedParams()),  # a number
    ],
)
def test_other_questions_stay_as_they_are(question, params):
    retriever = Expanded(params)
    retriever.index(chunks([*TEXTS, "masted", "in 2024"]))
    assert retriever.expanded(question) == question


def test_look_alikes_are_limited_and_in_a_fixed_order():
    retriever = Expanded(ExpandedParams(most=2))
    retriever.index(chunks(["herbour harboun harbaur"] * 1))
    first = retriever.expanded("harbour")
    retriever.index(chunks(["harbaur harboun herbour"]))
    assert retriever.expanded("harbour") == first
    assert len(first.split()) == 3


def test_ngrams_change_bm25_alone():
    assert Ngrams(NgramsParams(n=3)).retriever("bm25", {"k1": 1.2}) == (
        "bm25",
        {"k1": 1.2, "terms": "ngrams", "n": 3},
    )
    with pytest.raises(ConfigError, match="changes bm25"):
        Ngrams().retriever("minilm", {})
