"""Models held to a schema: whatever their weights, what they write is an object of it."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr import registry
from ohr.errors import EngineError, MissingDependencyError
from ohr.plugins import Message
from rag.readers import _grammar
from rag.readers._grammar import bound_lengths, skeleton
from rag.systems._attributed import SCHEMA
from tests.ocr_backends.checkpoints import needs_torch
from tests.rag.checkpoints import written

ASKED = [Message("system", "Be brief."), Message("user", "Where is it?")]
needs_grammar = pytest.mark.skipif(
    find_spec("llguidance") is None,
    reason="llguidance is not installed: pip install llguidance",
)


def reader(kind: str, **params: Any) -> Any:
    settings = {"model": str(written(kind)), "device": "cpu", "hold_to_schema": True} | params
    return registry.create("reader", {"name": "transformers", "params": settings})


@needs_torch
@needs_grammar
@pytest.mark.parametrize("kind", ["qwen2", "llama"])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_random_weights_write_an_object_of_the_schema(kind: str, temperature: float) -> None:
    short = {"type": "string", "maxLength": 6}
    properties = SCHEMA["properties"] | {"short_answer": short, "quote": short}
    properties["headers"] = {"type": "array", "items": short}
    schema = SCHEMA | {"properties": properties}
    made = reader(kind)

    def write(seed: int) -> Any:
        return made.complete(
            ASKED, schema=schema, max_tokens=400, temperature=temperature, seed=seed
        )

    for seed in range(3):
        completion = write(seed)
        assert not completion.cut
        found = json.loads(completion.text)
        assert list(found) == list(properties)
        assert len(found["quote"]) <= 6
        assert abs(found["page"]) <= 1_000_000
        assert write(seed).text == completion.text
    free = reader(kind, hold_to_schema=False).complete(ASKED, schema=schema, max_tokens=20)
    assert not free.text.startswith('{"short_answer"')


@needs_torch
@needs_grammar
def test_a_tokenizer_that_cannot_be_held_is_one_line() -> None:
    with pytest.raises(EngineError, match="hold_to_schema: not with this tokenizer"):
        reader("t5").complete(ASKED, schema=SCHEMA, max_tokens=5)


@needs_torch
@needs_grammar
def test_what_wants_no_schema_is_not_held() -> None:
    held, free = reader("qwen2"), reader("qwen2", hold_to_schema=False)
    assert held.complete(ASKED, max_tokens=5).text == free.complete(ASKED, max_tokens=5).text


@needs_torch
@needs_grammar
def test_a_schema_that_cannot_be_held_to_is_one_line() -> None:
    impossible = {"type": "object", "properties": {"a": {"type": "nonsense"}}, "required": ["a"]}
    with pytest.raises(EngineError, match="hold_to_schema"):
        reader("qwen2").complete(ASKED, schema=impossible, max_tokens=5)


@needs_torch
def test_the_identity_of_a_model_that_is_not_held_says_nothing_of_it() -> None:
    free = reader("qwen2", hold_to_schema=False).identity()
    assert "hold_to_schema" not in str(free)


@needs_torch
@needs_grammar
def test_the_identity_names_the_package_that_holds() -> None:
    assert "llguidance" in str(reader("qwen2").identity())


def test_without_the_package_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise _grammar.PackageNotFoundError(package)

    monkeypatch.setattr(_grammar, "version", missing)
    with pytest.raises(MissingDependencyError, match="pip install llguidance"):
        _grammar.grammar_version()


@given(st.integers(-100, 10_000))
def test_strings_lists_and_numbers_have_an_end(characters: int) -> None:
    whole = bound_lengths(SCHEMA, characters)
    of = whole["properties"]
    assert of["headers"]["maxItems"] == 4
    assert (of["page"]["minimum"], of["page"]["maximum"]) == (0, 1_000_000)
    lengths = [
        one["maxLength"] for one in (of["short_answer"], of["quote"], of["headers"]["items"])
    ]
    assert min(lengths) >= 8
    assert lengths[0] + lengths[1] + 4 * lengths[2] <= max(48, characters)
    assert "maxLength" not in str(SCHEMA)
    assert bound_lengths({"type": "string", "enum": ["a"]}, 5) == {"type": "string", "enum": ["a"]}


def test_a_skeleton_has_every_name_and_no_text() -> None:
    assert skeleton(SCHEMA) == (
        '{"short_answer":"","quote":"","document":1000000,"page":1000000,"headers":["","","",""]}'
    )
