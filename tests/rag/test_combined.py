"""Retrievers made of retrievers, whole pages, and the oracle."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohr
from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import ImageRetriever, Oracle, Params, Retriever
from ohr.types import Chunk, Hit, PageImage, PageRef

WORDS = "river bank money loan water fish boat interest rate stream".split()
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=14)


class Fixed(Retriever):
    """Ranks by the number that each chunk holds at a place, whatever is asked."""

    class Params(Params):
        place: int = 0

    name = "fixed"

    def index(self, chunks):
        self.chunks = chunks

    def search_many(self, queries, k):
        scored = sorted(self.chunks, key=lambda c: -float(c.text.split()[self.params.place]))
        return [
            [
                Hit(c.ref, c.text, float(c.text.split()[self.params.place]), i, (c.start, c.end))
                for i, c in enumerate(scored[:k])
            ]
            for _ in queries
        ]


def fixed(place):
    return {"name": "tests.rag.test_combined.Fixed", "params": {"place": place}}


def chunks(texts, per_page=1):
    found = []
    for i, text in enumerate(texts):
        start = (i % per_page) * 100
        found.append(Chunk(PageRef("d/x", i // per_page), start, start + len(text), text))
    return found


def search(name, texts, k, per_page=1, query="?", **params):
    made = registry.create("retriever", {"name": name, "params": params})
    made.index(chunks(texts, per_page))
    return made.search(query, k)


def test_reciprocal_rank_fusion():
    hits = search("hybrid", ["3 1", "2 3", "1 2"], 3, retrievers=[fixed(0), fixed(1)])
    assert [h.ref.page_no for h in hits] == [1, 0, 2]
    assert [h.score for h in hits] == pytest.approx(
        [1 / 62 + 1 / 61, 1 / 61 + 1 / 63, 2 / 62.5], 1e-3
    )


def test_weighted_sum_of_scaled_scores():
    params = {"retrievers": [fixed(0), fixed(1)], "method": "weighted", "weights": [1, 3]}
    hits = search("hybrid", ["10 1", "0 3", "5 2"], 3, **params)
    assert [(h.ref.page_no, h.score) for h in hits] == [(1, 3.0), (2, 2.0), (0, 1.0)]


def test_depth_bounds_what_each_retriever_contributes():
    texts = [f"{i} {-i}" for i in range(9)]
    hits = search("hybrid", texts, 2, retrievers=[fixed(0), fixed(1)], depth=2)
    assert [h.ref.page_no for h in hits] == [0, 8]  # equal scores come in index order


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12),
    st.sampled_from(["rrf", "weighted"]),
    st.integers(1, 5),
    st.integers(1, 12),
)
def test_no_hit_depends_on_how_many_are_asked_for(scores, method, depth, k):
    texts = [f"{one} {other}" for one, other in scores]
    params = {"retrievers": [fixed(0), fixed(1)], "depth": depth, "method": method}
    hits = search("hybrid", texts, k, **params)
    assert hits == search("hybrid", texts, 12, **params)[:k]
    assert len(hits) == min(k, len(texts))


@settings(deadline=None)
@given(TEXTS, st.sampled_from(WORDS), st.integers(1, 5))
def test_a_hybrid_of_one_retriever_twice_ranks_as_it_does(texts, query, k):
    alone = search("bm25", texts, k, query=query)
    both = search("hybrid", texts, k, query=query, retrievers=["bm25", "bm25"])
    assert [h.ref for h in both] == [h.ref for h in alone]


@pytest.mark.parametrize(
    "params",
    [
        {"retrievers": ["bm25"]},
        {"retrievers": ["bm25", "bm25"], "weights": [1]},
        {"retrievers": ["bm25", "bm25"], "weights": [0, 0]},
        {"retrievers": ["bm25", "oracle"]},
        {"retrievers": ["bm25", "bm52"]},
    ],
)
def test_combinations_that_mean_nothing(params):
    with pytest.raises(ConfigError):
        registry.create("retriever", {"name": "hybrid", "params": params})


def test_pages_go_around_a_hybrid_and_not_inside():
    reranked = {"name": "rerank", "params": {"model": "m", "retriever": "page"}}
    for part in ("page", reranked):
        with pytest.raises(ConfigError, match=r"ranks whole pages.*put page outside: \{name"):
            search("hybrid", ["a"], 1, retrievers=["bm25", part])
    hybrid = {"name": "hybrid", "params": {"retrievers": ["bm25", "bm25"]}}
    hits = search("page", ["a b", "c", "d", "e"], 1, 2, "c", retriever=hybrid)
    assert [(h.ref.page_no, h.text.split()) for h in hits] == [(0, ["a", "b", "c"])]


def test_parts_are_part_of_the_identity():
    def identity(*parts):
        made = registry.create("retriever", {"name": "hybrid", "params": {"retrievers": parts}})
        return made.identity()

    assert identity("bm25", fixed(0)) == identity("bm25", fixed(0))
    assert identity("bm25", fixed(0)) != identity("bm25", fixed(1))


@settings(deadline=None)
@given(TEXTS, st.sampled_from(WORDS), st.integers(1, 4), st.integers(1, 3))
def test_pages_are_ranked_by_their_best_chunk(texts, query, k, per_page):
    everything = search("bm25", texts, len(texts), per_page, query)
    best = list(dict.fromkeys(hit.ref for hit in everything))[:k]
    hits = search("page", texts, k, per_page, query)
    assert [h.ref for h in hits] == best
    for hit in hits:
        on_page = [c for c in chunks(texts, per_page) if c.ref == hit.ref]
        assert hit.span == (on_page[0].start, on_page[-1].end)
        assert hit.text.split() == " ".join(c.text for c in on_page).split()
        assert len(hit.text) == hit.span[1] - hit.span[0]


def test_the_oracle_gives_the_evidence_pages_it_has():
    made = registry.create("retriever", "oracle")
    assert isinstance(made, Oracle)
    made.index(chunks(["a", "b", "c", "d"], per_page=2))
    gold = [PageRef("d/x", 1), PageRef("d/x", 7), PageRef("d/x", 0)]
    assert [(h.ref, h.text.split()) for h in made.look_up(gold, 5)] == [
        (gold[0], ["c", "d"]),
        (gold[2], ["a", "b"]),
    ]
    assert [h.ref for h in made.look_up(gold, 1)] == [gold[0]]


def test_no_retriever_can_be_told_the_gold_pages():
    for name in registry.known("retriever"):
        kind = registry.plugin_class("retriever", name)
        assert issubclass(kind, Oracle) == (name == "oracle")
        assert issubclass(kind, Retriever | ImageRetriever) != issubclass(kind, Oracle)
        assert hasattr(kind, "look_up") == (name == "oracle")


# --- pages by text and picture ---------------------------------------------------------


class FixedPages(ImageRetriever):
    """Ranks pages by numbers that it is told."""

    class Params(Params):
        order: tuple[int, ...] = ()

    name = "fixed_pages"

    def index_images(self, pages):
        self.pages = {page.ref.page_no: page.ref for page in pages}
        return {}

    def search_many(self, queries, k):
        order = [self.pages[n] for n in self.params.order if n in self.pages][:k]
        hits = [Hit(ref, "", 1.0 - rank, rank) for rank, ref in enumerate(order)]
        return [hits for _ in queries]


def rank_by_picture(*order):
    return {"name": "tests.rag.test_combined.FixedPages", "params": {"order": order}}


def fused(texts, pictures, k, per_page=1, **params):
    made = registry.create("retriever", {"name": "hybrid", "params": params})
    made.index_images([PageImage(PageRef("d/x", n), str(n), None) for n in range(pictures)])
    made.index(chunks(texts, per_page))
    return made.search("?", k)


def test_text_and_pictures_are_fused_by_page():
    # By text 1, 0, 2 (the best chunk of each page); by picture 2, 1, 0.
    parts = [fixed(0), rank_by_picture(2, 1, 0)]
    hits = fused(["5", "1", "9", "0", "3", "4"], 3, 3, per_page=2, retrievers=parts)
    assert [h.ref.page_no for h in hits] == [1, 2, 0]
    assert [h.score for h in hits] == pytest.approx(
        [1 / 61 + 1 / 62, 1 / 61 + 1 / 63, 1 / 62 + 1 / 63]
    )


def test_a_page_without_a_text_is_found_by_its_picture_and_the_other_way_round():
    hits = fused(["5", "1"], 4, 9, retrievers=[fixed(0), rank_by_picture(3, 2)])
    assert [h.ref.page_no for h in hits] == [0, 3, 1, 2]  # ties in index order
    hits = fused(["5", "1", "7"], 1, 9, retrievers=[fixed(0), rank_by_picture(0)])
    assert [h.ref.page_no for h in hits] == [0, 2, 1]


def test_hybrids_of_pictures_may_be_nested_and_know_what_they_see():
    inner = {
        "name": "hybrid",
        "params": {"retrievers": [rank_by_picture(0, 1), rank_by_picture(1, 0)]},
    }
    outer = registry.create(
        "retriever", {"name": "hybrid", "params": {"retrievers": [inner, fixed(0)]}}
    )
    assert outer.sees_images
    assert outer.whole_pages
    text = {"name": "hybrid", "params": {"retrievers": [fixed(0), fixed(1)]}}
    assert not registry.create("retriever", text).sees_images
    with pytest.raises(ConfigError, match="looks at page images"):
        registry.create("retriever", {"name": "page", "params": {"retriever": inner}})
    with pytest.raises(ConfigError, match="needs page images: use it in a study"):
        ohr.retriever(inner)
