from __future__ import annotations

import gzip
import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.types import PageRef
from rag.chunking.token_counter import count_tokens, cumulative_tokens
from rag.chunking.tokens import TokenChunker, TokenChunkerParams
from tests.patience import ends

TEXT = st.text(alphabet=st.sampled_from("abcDE 12.,;?!\n。中文é()"), max_size=400)


@given(st.text(max_size=300))
def test_counts_add_up_and_never_fall(text):
    cumulative = cumulative_tokens(text)
    assert len(cumulative) == len(text) + 1
    assert (np.diff(cumulative) >= 0).all()
    assert cumulative[-1] == pytest.approx(count_tokens(text))


def test_counts_are_near_what_a_tokenizer_gives():
    sentence = "The committee approved the annual report and the proposed dividend. "
    assert count_tokens(sentence * 50) / 50 == pytest.approx(12, rel=0.15)
    assert count_tokens("1234567890") == pytest.approx(4, abs=0.5)


@given(TEXT, st.integers(1, 40))
def test_chunks_are_ordered_pieces_that_lose_only_white_space(text, size):
    spans = TokenChunker(TokenChunkerParams(size=size)).spans(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(a < b for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in itertools.pairwise(spans))
    tokens = cumulative_tokens(text)
    for a, b in spans:
        assert tokens[b] - tokens[a] <= size + 1e-9 or b - a == 1


def test_short_pages_are_one_chunk_and_sentences_stay_whole():
    chunker = TokenChunker(TokenChunkerParams(size=12))
    assert chunker.spans("A short page.") == [(0, 13)]
    text = "First sentence of the page here. Second sentence of the page here."
    assert [text[a:b] for a, b in chunker.spans(text)] == [text[:32], text[33:]]
    assert [c.text for c in chunker.split(PageRef("d", 0), text)] == [text[:32], text[33:]]


def test_initials_and_ellipses_end_no_sentence():
    text = "Signed by J. Smith of the board and others ... then approved. Next one."
    chunker = TokenChunker(TokenChunkerParams(size=int(count_tokens(text[:-10])) + 1))
    assert [text[a:b] for a, b in chunker.spans(text)] == [text[:-10], text[-9:]]


def test_empty_pages():
    assert TokenChunker().spans("") == []
    assert TokenChunker(TokenChunkerParams(keep_empty=True)).spans("") == [(0, 0)]
    assert TokenChunker().spans(" \n ") == []


def test_a_megabyte_of_one_character():
    with ends(cpu_s=60):
        spans = TokenChunker().spans("a" * 1_000_000)
    assert spans[0][0] == 0
    assert spans[-1][1] == 1_000_000


def test_reserve_must_leave_room():
    with pytest.raises(ValueError, match="reserve"):
        TokenChunkerParams(size=10, reserve=10)


def test_boundaries_agree_with_the_published_chunks(data_dir):
    published: dict[tuple[str, int], list[str]] = {}
    with gzip.open(data_dir / "reference" / "chunks_gt_law.jsonl.gz", "rt") as lines:
        for line in lines:
            chunk = json.loads(line)
            published.setdefault((chunk["file"], chunk["page"]), []).append(chunk["text"])
    chunker = TokenChunker(TokenChunkerParams(reserve=30, keep_empty=True))
    same = []
    for path in (data_dir / "ohrbench" / "retrieval_base" / "gt" / "law").glob("*.json"):
        for page in json.loads(path.read_text("utf-8")):
            text = page["text"]
            ours = [text[a:b] for a, b in chunker.spans(text)]
            same.append(ours == published[path.stem, page["page_idx"]])
    assert len(same) == 1187
    assert np.mean(same) > 0.93
