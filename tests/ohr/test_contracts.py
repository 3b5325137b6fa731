"""Plug-ins and data that break their contract are named; what is complete goes on working."""

from __future__ import annotations

import importlib
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ohr
from ohr import registry
from ohr.errors import ConfigError, DatasetError, EngineError, PluginError
from ohr.ocr.worker import PageReader
from ohr.plugins.engine import make_outcome, read_with
from ohr.store.artefacts import ArtefactStore
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.types import Outcome, PageRef, Status
from rag.chunking.token_counter import cumulative_tokens
from rag.chunking.tokens import TokenChunker, TokenChunkerParams
from tests.builders import load_config, qa, write_kb, write_questions

REF = PageRef("law/a", 0)
TEXT = "The pilot came aboard at six. Nobody had slept, and the tide was turning. "


class Cut(ohr.Chunker):
    """Returns what a test says."""

    name = "cut"
    given = ((0, 5),)

    def spans(self, text):
        return self.given


def chunker(*spans, overlaps=False):
    made = type("Cut", (Cut,), {"name": "cut", "given": spans, "overlaps": overlaps})()
    return made


@pytest.mark.parametrize(
    ("spans", "problem"),
    [
        (((0, 20), (5, 30)), r"\(5, 30\) overlaps the one before, \(0, 20\)"),
        (((10, 20), (0, 5)), r"\(0, 5\) overlaps the one before"),
        (((0, 10_000),), r"leaves the page, which has \d+ characters"),
        (((-1, 5),), "leaves the page"),
        (((9, 5),), "leaves the page"),
        (("ab",), "pairs of numbers"),
        (((0, 1, 2),), "pairs of numbers"),
        (((0.0, 1.5),), "pairs of numbers"),
    ],
)
@pytest.mark.parametrize("split", [True, False])
def test_a_chunker_that_breaks_its_contract_is_named(spans, problem, split):
    made = chunker(*spans)
    with pytest.raises(PluginError, match=rf"chunker 'cut'.*{problem}"):
        made.split(REF, TEXT) if split else made.chunks([(REF, TEXT)], sections=False)


def test_declared_overlaps_are_kept():
    spans = ((0, 20), (5, 30), (30, 40))
    made = chunker(*spans, overlaps=True)
    assert [(c.start, c.end) for c in made.split(REF, TEXT)] == list(spans)
    with pytest.raises(PluginError, match="does not start and end after"):
        chunker((0, 20), (0, 30), overlaps=True).split(REF, TEXT)


def test_numpy_spans_will_do():
    made = chunker(*map(tuple, np.array([[0, 4], [4, 9]])))
    assert [(c.start, c.end) for c in made.split(REF, TEXT)] == [(0, 4), (4, 9)]


WORDS = st.sampled_from(
    ["ship", "berth.", "a", "tide,", "Pilot", "灯塔。", "x" * 40, "\n\n\n", "9.5"]
)


@pytest.mark.slow
@given(
    words=st.lists(WORDS, max_size=120),
    size=st.integers(4, 40),
    share=st.floats(0.05, 0.95),
)
@example(words=["ship"] * 4 + ["\n\n\n"], size=4, share=0.5)
@example(words=["\n\n\n", "ship", "x" * 40], size=11, share=0.5)
def test_chunks_of_tokens_overlap_as_they_are_told(words, size, share):
    text = " ".join(words)
    overlap = min(size - 1, max(1, int(size * share)))
    made = TokenChunker(TokenChunkerParams(size=size, overlap=overlap))
    chunks = made.split(REF, text)
    tokens = cumulative_tokens(text)
    covered = 0
    for before, chunk in zip([None, *chunks], chunks, strict=False):
        assert not text[covered : chunk.start].strip()
        covered = max(covered, chunk.end)
        if chunk.end - chunk.start > 1:
            assert tokens[chunk.end] - tokens[chunk.start] <= size + 1e-9
        if before is not None and chunk.start < before.end:
            assert tokens[before.end] - tokens[chunk.start] <= overlap + 1e-9
    assert not text[covered:].strip()


def test_an_overlap_begins_at_a_sentence():
    text = TEXT * 30
    plain = TokenChunker(TokenChunkerParams(size=60)).split(REF, text)
    over = TokenChunker(TokenChunkerParams(size=60, overlap=20)).split(REF, text)
    assert len(over) > len(plain)
    shared = [b.start < a.end for a, b in pairwise(over)]
    assert all(shared)
    assert {chunk.text[:4] for chunk in over} <= {"The ", "Nobo"}


def test_without_overlap_the_chunker_is_what_it_was():
    assert "overlap" not in TokenChunker().identity()["params"]
    with_overlap = TokenChunker(TokenChunkerParams(overlap=100)).identity()
    assert with_overlap["params"]["overlap"] == 100
    with pytest.raises(ConfigError, match="overlap must be smaller"):
        registry.create("chunker", {"name": "tokens", "params": {"size": 9, "overlap": 9}})


class Silent(ohr.Engine):
    """Forgets to return."""

    name = "silent"
    answer = None

    def read(self, image):
        return self.answer


@pytest.mark.parametrize("answer", [None, 5, ["a"], b"a", Outcome(None, Status.OK), Outcome(7)])
def test_an_engine_that_returns_no_text_is_an_error_that_says_so(answer):
    engine = type("Silent", (Silent,), {"name": "silent", "answer": answer})()
    with pytest.raises(EngineError, match=r"read of the engine 'silent' returned .* in place of"):
        read_with(engine, np.zeros((8, 8), np.uint8))


@pytest.mark.parametrize("answer", ["text", "", Outcome("x"), Outcome.error("no")])
def test_what_an_engine_may_return(answer):
    outcome = make_outcome("e", answer)
    assert outcome == answer or outcome.value == answer


def test_an_engine_whose_transcribe_returns_none(tmp_path):
    class Nothing(ohr.Engine):
        name = "nothing"

        def transcribe(self, source, page_nos):
            return None

    reader = PageReader(registry.PluginSpec(name="nothing"), {}, ArtefactStore(tmp_path), Nothing())
    with pytest.raises(EngineError, match="transcribe of the engine 'nothing' returned None"):
        list(reader.transcribe_together([np.zeros((8, 8), np.uint8)], [0]))


FILE = """
import ohr

class Whole(ohr.Chunker):
    name = "whole"

    def spans(self, text):
        return [(0, len(text))]

class Unfinished(ohr.Chunker):
    name = "unfinished"

class Nameless(ohr.Reader):
    def answer(self, question, context):
        return ohr.Outcome("x")

class Odd(ohr.Metric):
    name = "odd"
    of = "paragraph"

    def score(self, prediction, reference):
        return 1.0
"""


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    (tmp_path / "several_plugins_of_a_test.py").write_text(FILE)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield "several_plugins_of_a_test"
    sys.modules.pop("several_plugins_of_a_test", None)


def test_one_broken_class_leaves_the_others_of_its_file(own_file):
    assert registry.create("chunker", f"{own_file}.Whole").name == "whole"
    with pytest.raises(PluginError, match="Unfinished lacks a method: def spans"):
        registry.create("chunker", f"{own_file}.Unfinished")
    with pytest.raises(PluginError, match="Nameless has no name"):
        registry.create("reader", f"{own_file}.Nameless")
    with pytest.raises(PluginError, match="of is 'paragraph'"):
        registry.create("metric", f"{own_file}.Odd")


def test_outside_a_file_a_broken_class_raises_at_once():
    with pytest.raises(PluginError, match="lacks a method"):

        class Unfinished(ohr.Chunker):
            name = "unfinished"


def study(tmp_path, texts, *settings):
    write_kb(tmp_path / "kb/gt", {"law/a": texts})
    write_questions(tmp_path / "qas.json", [qa(0, "law/a", 0)])
    return load_config(
        [
            "dataset.kind=ohrbench",
            f"dataset.path={tmp_path / 'kb'}",
            f"dataset.questions={tmp_path / 'qas.json'}",
            *settings,
        ]
    )


@pytest.mark.parametrize("texts", [[""], ["", "  \n"]])
def test_ground_truth_without_any_text_is_refused(tmp_path, texts):
    config = study(tmp_path, texts)
    with pytest.raises(DatasetError, match=rf"no text on any of its {len(texts)} pages"):
        make_plan(config, load_dataset(config))


def test_an_engine_beside_an_empty_truth_is_told(tmp_path):
    from ohr.study.notices.truth import truth_lines

    write_kb(tmp_path / "kb/other", {"law/a": ["Some text."]})
    config = study(tmp_path, [""], "engines=[precomputed:other]")
    [line] = truth_lines(make_plan(config, load_dataset(config)))
    assert "no text on any of its 1 pages" in line
