"""BM25 without the tags of HTML among its terms."""

from __future__ import annotations

from benchmarks._untagged_bm25 import UntaggedBm25
from ohr.types import Chunk, PageRef
from rag.retrievers.bm25 import Bm25

TABLE = '<table><tr><td colspan="2">copper</td></tr><tr><td>7 &lt; 9</td></tr></table>'


def chunks(*texts: str) -> list[Chunk]:
    return [
        Chunk(PageRef("law/a", number), 0, len(text), text) for number, text in enumerate(texts)
    ]


def test_tags_are_no_terms_and_stay_in_the_text():
    indexed = chunks(TABLE, "a row of td and colspan")
    plain, untagged = Bm25(), UntaggedBm25()
    for retriever in (plain, untagged):
        retriever.index(indexed)
    found = {r.name: {h.ref.page_no for h in r.search("colspan td", 2)} for r in (plain, untagged)}
    assert found == {"bm25": {0, 1}, "untagged_bm25": {1}}
    (hit,) = untagged.search("copper", 2)
    assert hit.text == TABLE


def test_without_tags_it_is_bm25():
    texts = chunks("copper < 9 and tin > 3", "tin in a lake", "a fox")
    plain, untagged = Bm25(), UntaggedBm25()
    for retriever in (plain, untagged):
        retriever.index(texts)
    for query in ("tin copper", "9", "fox"):
        assert plain.search(query, 3) == untagged.search(query, 3)
