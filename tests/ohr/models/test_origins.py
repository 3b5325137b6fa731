"""Which model answered is in the manifest, and a line says if it is not the one asked for."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from ohr import registry
from ohr.display.origins import origin_lines
from ohr.models.origins import is_same, origin_notes, origin_of, split_origins, take_embeddings
from tests.loopback import Reply, Server
from tests.ohr.study.test_readers import openai, run, write_small


def named(content: object, model: object, fingerprint: object = None) -> Reply:
    choice = {"message": {"content": content}, "finish_reason": "stop"}
    answer = {"choices": [choice], "model": model, "system_fingerprint": fingerprint}
    return 200, json.dumps(answer).encode(), {}


@pytest.mark.parametrize(
    ("asked", "name"),
    [("qwen-7b", "qwen-7b"), ("Org/Qwen-7B", "qwen-7b"), ("m", "/models/m.gguf"),
     ("gpt-x", "gpt-x-2031-08-06"), ("gpt-x", "gpt-x-0613"), ("m:latest", "m"), ("m", "m@001")],
)  # fmt: skip
def test_names_of_one_model(asked: str, name: str) -> None:
    assert is_same(asked, name)
    assert origin_notes("r", {"params": {"model": asked}}, {name: 3}) == []


@pytest.mark.parametrize(
    ("asked", "name"),
    [("gpt-x", "gpt-x-mini"), ("llama-3", "llama-3-70b"), ("claude-3", "claude-3-5"),
     ("a/m", "a/n"), ("m", "m-instruct")],
)  # fmt: skip
def test_names_of_two_models(asked: str, name: str) -> None:
    [line] = origin_notes("r", {"params": {"model": asked}}, {name: 3})
    assert line == f"r: another model answered than {asked!r}: {name!r} (3)"


def test_a_change_of_model_or_fingerprint_is_a_line() -> None:
    identity = {"params": {"reader": {"params": {"model": "m"}}}}
    [line] = origin_notes("r", identity, {"m-2031-01-02": 3, "m-2031-05-06": 2})
    assert line.startswith("r: the model changed between replies: 'm-2031-01-02' (3)")
    [line] = origin_notes("r", identity, {"m, fingerprint a": 3, "m, fingerprint b": 1})
    assert "fingerprint changed between replies" in line
    assert line.endswith("'m a' (3), 'm b' (1)")
    assert origin_notes("r", identity, {"m, fingerprint a": 3}) == []
    assert origin_notes("r", identity, {}) == []


def test_names_are_one_short_line_without_anything_odd() -> None:
    [name] = origin_of({"model": "x\n" * 500})
    assert len(name) < 150
    assert "\n" not in name
    for answer in (None, [], {}, {"model": 3}, {"model": ""}, {"model": None}):
        assert origin_of(answer) == {}
    usage, models = split_origins({"views_answered by m": 2.0, "cost": 1.0, "answered by m": 1.0})
    assert (usage, models) == ({"cost": 1.0}, {"m": 3})


@pytest.mark.slow
def test_a_study_counts_the_models_of_its_readers(server: Server, tmp_path: Any) -> None:
    def answer(request: dict[str, Any]) -> Reply:
        n = len(server.requests)
        return named("<answer>x</answer>", "m" if n < 4 else "m-mini", f"fp{n // 4}")

    server.answer = answer
    settings = [*write_small(tmp_path), "stages=[generation]"]
    first = run(settings, tmp_path / "one", openai(server, concurrency=1))
    models = first.manifest["readers"]["openai"]["models"]
    assert sum(models.values()) == first.readers["openai"]["answers"]
    assert {name.partition(",")[0] for name in models} == {"m", "m-mini"}
    assert not any("answered by" in name for name in first.readers["openai"]["usage"])
    lines = origin_lines(first.manifest)
    assert any("another model answered than 'm': 'm-mini'" in line for line in lines)
    assert any("fingerprint changed" in line for line in lines)
    asked = len(server.requests)
    again = run(settings, tmp_path / "two", openai(server, concurrency=1))
    assert len(server.requests) == asked
    assert again.manifest["readers"]["openai"]["models"] == models


def test_an_engine_counts_the_models_of_its_pages(server: Server) -> None:
    server.replies = [named("# A page", "other")]
    params = {"model": "m", "base_url": server.url}
    engine = registry.create("engine", {"name": "openai_vlm", "params": params})
    image = np.full((60, 80, 3), 255, np.uint8)
    list(engine.transcribe([image, image], [0, 1]))  # type: ignore[attr-defined]
    usage, models = split_origins(engine.usage())  # type: ignore[attr-defined]
    assert models == {"other": 2}
    assert usage["replies"] == 2


def test_embeddings_are_counted_by_the_model_asked_for(server: Server) -> None:
    take_embeddings()
    vectors = [{"index": 0, "embedding": [1.0, 0.0]}]
    server.replies = [(200, json.dumps({"data": vectors, "model": "other"}).encode(), {})]
    params = {"model": "m", "base_url": server.url, "batch_size": 1}
    retriever = registry.create("retriever", {"name": "openai_embeddings", "params": params})
    retriever.encode_queries(["a", "b"])  # type: ignore[attr-defined]
    counts = take_embeddings()
    assert counts == {"m": {"other": 2}}
    assert take_embeddings() == {}
    assert origin_lines({"embedding_models": counts}) == [
        "embeddings of m: another model answered than 'm': 'other' (2)"
    ]
