"""Servers that embed most texts: what they cannot embed is found, left out, named and counted."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from ohr import registry
from ohr.errors import EngineError
from ohr.store.artefacts import ArtefactStore
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.types import Chunk, PageRef
from rag.retrievers.openai_embeddings import OpenAiEmbeddings
from tests.builders import load_config, write_corpus
from tests.loopback import Reply, Server, refused

TEXTS = ["aab", "abb", "bax", "bba", "bbb"]


def chunks(texts: list[str]) -> list[Chunk]:
    return [Chunk(PageRef("doc", index), 0, len(text), text) for index, text in enumerate(texts)]


def create(server: Server, **params: Any) -> OpenAiEmbeddings:
    params = {"model": "m", "base_url": server.url, "retries": 0, **params}
    made: OpenAiEmbeddings = registry.create(
        "retriever", {"name": "openai_embeddings", "params": params}
    )
    return made


def vectors(texts: list[str], odd: object = None) -> Reply:
    """How often a and b stand in each text; ``odd`` for one with an x."""
    data = [
        {"index": index, "embedding": odd if "x" in text and odd is not None
         else [float(text.count("a")), float(text.count("b")), 0.1]}
        for index, text in enumerate(texts)
    ]  # fmt: skip
    return 200, json.dumps({"data": data}).encode(), {}


def refusing(status: int, words: str) -> Any:
    """Refuses whatever holds a text with an x."""

    def answer(request: dict[str, Any]) -> Reply:
        texts = request["input"]
        return refused(status, words) if any("x" in text for text in texts) else vectors(texts)

    return answer


def odd(vector: object) -> Any:
    return lambda request: vectors(request["input"], vector)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refusing(400, "maximum context length is 60 tokens"), "HTTP 400 maximum context length"),
        (refusing(403, "flagged"), "refused (HTTP 403, no key was sent): flagged"),
        (refusing(500, "NaN"), "HTTP 500 NaN"),
        (odd([math.nan, 1, 1]), "a vector with 1 numbers that are not finite"),
        (odd([None, 1, 1]), "a vector with 1 numbers that are not finite"),
        (odd([0, 0, 0]), "a vector of 3 zeros"),
        (odd({"a": 1}), 'no vector: {"a": 1}'),
    ],
)
def test_one_text_costs_no_other_its_vector(
    server: Server, waits: list[float], answer: Any, reason: str
) -> None:
    server.answer = answer
    made = create(server)
    made.index(chunks(TEXTS))
    assert [hit.ref.page_no for hit in made.search("b", 9)] == [4, 1, 3, 0]
    left_out = made.left_out()
    assert list(left_out.chunks) == [(PageRef("doc", 2), 0, 3)]
    assert reason in left_out.chunks[PageRef("doc", 2), 0, 3]
    assert not left_out.questions


def test_a_question_that_cannot_be_embedded_finds_nothing(server: Server) -> None:
    server.answer = refusing(400, "no")
    made = create(server)
    made.index(chunks(["aa", "bb"]))
    found = made.search_many(["b", "x", "a"], 1)
    assert [[hit.ref.page_no for hit in hits] for hits in found] == [[1], [], [0]]
    assert made.left_out().questions == {"x": "HTTP 400 no"}


def test_a_batch_that_is_too_large_is_sent_in_halves(server: Server) -> None:
    def answer(request: dict[str, Any]) -> Reply:
        texts = request["input"]
        return vectors(texts) if len(texts) <= 2 else refused(400, "batch size must be <= 2")

    server.answer = answer
    made = create(server)
    made.index(chunks(["aa", "ab", "ba", "bb", "b"]))
    assert not made.left_out()
    assert [len(request["input"]) for request in server.requests] == [5, 2, 3, 1, 2]


def test_what_failed_is_not_asked_for_again_in_the_run_and_again_in_the_next(
    server: Server, tmp_path: Any
) -> None:
    server.answer = refusing(400, "no")
    made = create(server)
    made.use_store(ArtefactStore(tmp_path))
    made.index(chunks(TEXTS))
    n = len(server.requests)
    made.index(chunks(TEXTS))
    assert (len(server.requests), len(made.left_out().chunks)) == (n, 1)
    again = create(server)
    again.use_store(ArtefactStore(tmp_path))
    again.index(chunks(TEXTS))  # nothing but the bad one is sent, and the server is not doubted
    assert [request["input"] for request in server.requests[n:]] == [["bax"]]
    assert len(again.left_out().chunks) == 1


def test_bad_texts_alone_are_no_reason_to_stop(server: Server) -> None:
    server.answer = refusing(400, "no")
    made = create(server)
    made.index(chunks(["bax", "xab"]))
    assert len(made.left_out().chunks) == 2
    assert made.search("a", 3) == []


def test_vectors_of_two_lengths_are_named(server: Server) -> None:
    server.answer = lambda request: vectors(request["input"])
    made = create(server)
    made.index(chunks(["aa", "bb"]))
    server.answer = odd([1.0] * 4)
    with pytest.raises(EngineError, match="openai_embeddings: vectors of 3 and of 4 numbers"):
        made.search("x", 1)
    with pytest.raises(EngineError, match="openai_embeddings: vectors of 3 and of 4 numbers"):
        made.index(chunks(["ab", "ax"]))


@pytest.mark.slow
@pytest.mark.parametrize("around", ["{}", "{name: page, params: {retriever: {}}}"])
def test_a_study_goes_on_and_says_what_was_not_indexed(
    server: Server, tmp_path: Any, around: str
) -> None:
    params = f"model: m, base_url: '{server.url}', retries: 0"
    inner = f"{{name: openai_embeddings, params: {{{params}}}}}"
    settings = [
        *write_corpus(tmp_path, documents=2, pages=2), "stages=[retrieval]", "engines=[gt]",
        "workers=1", f"retrievers=[{around.replace('{}', inner)}]",
    ]  # fmt: skip
    flagged: list[str] = []

    def answer(request: dict[str, Any]) -> Reply:
        texts = request["input"]
        if not flagged:
            flagged.append(texts[0])
        return refused(400, "too long") if flagged[0] in texts else vectors(texts)

    server.answer = answer
    result = run_study(load_config(settings), tmp_path / "run")
    [line] = result.failures
    assert "1 chunk of 1 page not indexed (never found): " in line
    assert "page 1, characters 0 to " in line
    assert "HTTP 400 too long" in line
    [entry] = result.manifest["knowledge_bases"]["gt, clean"]["not_ranked"].values()
    assert (entry["chunks"], entry["pages"], entry["questions"]) == (1, 1, 0)
    assert entry["reasons"] == {"HTTP 400 too long": 1}
    rows = result.rows[result.rows["stage"] == "retrieval"]
    assert 0 < (rows["status"] == "error").sum() < len(rows)
    n = len(server.requests)
    first = (tmp_path / "run" / "rows.parquet").read_bytes()
    again = run_study(load_config(settings), tmp_path / "run")
    assert (tmp_path / "run" / "rows.parquet").read_bytes() == first
    assert again.failures == open_run(tmp_path / "run").failures == [line]
    assert len(server.requests) == n
    flagged[0] = "nothing"
    again = run_study(load_config([*settings, "retry_failed=true"]), tmp_path / "run")
    assert (again.failures, again.failed) == ([], [])
    assert len(server.requests) == n + 1
