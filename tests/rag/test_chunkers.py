"""What every chunker promises, and what each is for."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.markup.headings import headings, opened, titles
from ohr.types import PageRef
from rag.chunking.token_counter import count_tokens, fits_many
from rag.chunking.tokenizer import Tokenizer
from rag.chunking.tokens import TokenChunker, TokenChunkerParams

CHUNKERS = [
    {"name": "tokens", "params": {"size": 7}},
    {"name": "sentences", "params": {"size": 2}},
    {"name": "words", "params": {"size": 3}},
    {"name": "characters", "params": {"size": 5}},
    {"name": "headings", "params": {"size": 9}},
    "headings",
    "page",
]
TEXT = st.text(alphabet=st.sampled_from("abC 12.!?#\n\n 。中文\\{}"), max_size=200) | st.lists(
    st.sampled_from(
        [
            "# One\n",
            "## Two\n",
            "### Three\n",
            "\\section{Four}",
            "Some words here. ",
            "\n\n",
            "1 2",
        ]
    ),
    max_size=12,
).map("".join)
REF = PageRef("law/a", 0)


def create(chunker):
    return registry.create("chunker", chunker)


@pytest.mark.parametrize("chunker", CHUNKERS, ids=str)
@settings(deadline=None)
@given(TEXT)
def test_spans_are_in_order_and_lose_only_white_space(chunker, text):
    chunks = create(chunker).split(REF, text)
    spans = [(chunk.start, chunk.end) for chunk in chunks]
    assert all(a < b for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in itertools.pairwise(spans))
    assert "".join("".join(c.text.split()) for c in chunks) == "".join(text.split())
    assert all(c.text == text[c.start : c.end] == c.text.strip() and c.ref == REF for c in chunks)


@settings(deadline=None)
@given(st.integers(1, 30), TEXT)
def test_sizes_hold(size, text):
    for chunk in create({"name": "words", "params": {"size": size}}).split(REF, text):
        assert len(re.findall(r"[中文]|[^\s中文]+", chunk.text)) <= size
    for chunk in create({"name": "characters", "params": {"size": size}}).split(REF, text):
        assert len(chunk.text) <= size


def pieces(chunker, text):
    return [chunk.text for chunk in create(chunker).split(REF, text)]


def test_words_and_sentences_are_counted():
    text = " ".join(f"w{i}" for i in range(250))
    assert [len(piece.split()) for piece in pieces("words", text)] == [100, 100, 50]
    text = "One is here. Two is J. Smith. Three\n\nFour! 五在这里。六？ Seven"
    one = {"name": "sentences", "params": {"size": 1}}
    assert pieces(one, text) == [
        *("One is here.", "Two is J. Smith.", "Three", "Four!", "五在这里。", "六？", "Seven")
    ]
    assert pieces({"name": "sentences", "params": {"size": 4}}, text) == [text[:42], text[43:]]


PAGES = [
    "Preface.\n# Report\n## Sales\nSales rose.\n## Costs\n### Rent\nRent fell.",
    "Still about rent.\n## Outlook\n\nBright.",
]


def test_headings_keep_their_parents_over_pages():
    chunks = create("headings").chunks((PageRef("d/x", i), text) for i, text in enumerate(PAGES))
    assert [(c.text, c.section, c.context) for c in chunks] == [
        ("Preface.", (), ""),
        ("# Report\n## Sales\nSales rose.", ("Report",), ""),
        ("## Costs\n### Rent\nRent fell.", ("Report", "Costs"), "Report"),
        ("Still about rent.", ("Report", "Costs", "Rent"), "Report\nCosts\nRent"),
        ("## Outlook\n\nBright.", ("Report", "Outlook"), "Report"),
    ]
    assert chunks[2].indexed_text == "Report\n## Costs\n### Rent\nRent fell."
    bare = create({"name": "headings", "params": {"parents": False}})
    assert {c.context for c in bare.chunks([(REF, PAGES[0])])} == {""}


def test_a_new_document_starts_without_headings():
    pages = [(PageRef("d/x", 0), PAGES[0]), (PageRef("d/y", 0), "No heading.")]
    assert create("tokens").chunks(pages)[-1].section == ()
    assert create("tokens").chunks([pages[0], (PageRef("d/x", 1), "More.")])[-1].section == (
        *("Report", "Costs", "Rent"),
    )


def test_a_long_section_keeps_its_heading_in_every_piece():
    text = "# Report\n## Sales\n" + "Sales rose again this year. " * 30
    chunks = create({"name": "headings", "params": {"size": 40}}).split(REF, text)
    assert len(chunks) > 3
    assert {c.context for c in chunks[1:]} == {"Report\nSales"}


def test_headings_of_markdown_and_latex():
    text = "# A #\n```\n# no\n```\n\\section*{B} x\n\\subsection{C}\n####### no\n#no\n  ## D\n#  \n"
    assert [(h.level, h.title) for h in headings(text)] == [(1, "A"), (3, "B"), (4, "C"), (2, "D")]
    assert titles(opened((), headings(text))) == ("A", "D")
    assert [text[h.start :][:3] for h in headings(text)] == ["# A", "\\se", "\\su", "## "]


def test_no_heading_in_a_table_and_a_title_is_one():
    text = "\\title{A}\n\\begin{tabular}{c}\n\\section{no} \\\\\n# no\n\\end{tabular}\n# B $x$\n"
    assert [(h.level, h.title) for h in headings(text)] == [(1, "A"), (1, "B $x$")]


def test_a_tokenizer_of_ones_own_counts(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    chunker = TokenChunker(TokenChunkerParams(size=4, tokenizer=tmp_path))
    text = "one two three four five six seven eight nine"
    assert [text[a:b] for a, b in chunker.spans(text)] == [
        *("one two three four", "five six seven eight", "nine")
    ]
    before = chunker.identity()
    (tmp_path / "tokenizer.json").write_text(tokenizer.to_str(pretty=True) + "\n")
    again = TokenChunker(TokenChunkerParams(size=4, tokenizer=tmp_path))
    assert again.identity() != before


def test_a_tokenizer_counts_beyond_the_length_its_file_cuts_at(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.enable_truncation(5)
    tokenizer.enable_padding(length=5)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    counted = Tokenizer(tmp_path)
    assert counted("one two")[[0, -1]].tolist() == [0, 2]
    assert counted("one " * 200)[-1] == 200


def test_a_tokenizer_that_is_missing_or_is_none_says_so(tmp_path):
    with pytest.raises(MissingDependencyError, match=r"tokenizer\.json"):
        TokenChunker(TokenChunkerParams(tokenizer=tmp_path)).spans("text")
    pytest.importorskip("tokenizers")
    (tmp_path / "tokenizer.json").write_text(json.dumps({}))
    with pytest.raises(ConfigError, match="not a tokenizer"):
        TokenChunker(TokenChunkerParams(tokenizer=tmp_path)).spans("text")


@given(st.lists(st.text("ab A1.\n\u2019\u4e2d"), max_size=6), st.integers(1, 40))
def test_texts_counted_together_fit_as_each_does_by_itself(texts, budget):
    assert fits_many(texts, budget) == [count_tokens(text) <= budget for text in texts]


def test_sections_are_left_out_where_nobody_reads_them():
    pages = [(PageRef("d/x", 0), "# One\n\ntext"), (PageRef("d/x", 1), "more")]
    whole, bare = create("tokens").chunks(pages), create("tokens").chunks(pages, sections=False)
    assert [chunk.section for chunk in whole] == [("One",), ("One",)]
    assert bare == [replace(chunk, section=()) for chunk in whole]
    with_titles = create("headings").chunks(pages, sections=False)
    assert with_titles == create("headings").chunks(pages), "it indexes the titles"
