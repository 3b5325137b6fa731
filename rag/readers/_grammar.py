"""Holds a model to a JSON schema: it can only write tokens that the schema still allows."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ohr.errors import EngineError, MissingDependencyError

PACKAGE = "llguidance"
INSTALL = f"pip install {PACKAGE}"
BOUNDS = 1
"""Version of the limits below."""
MOST_ITEMS = 4
"""Items of a list at most: without a limit, a small model may never end it."""
LARGEST = 1_000_000
"""Integers are from 0 to this unless the schema has limits: without any, they may never end."""
SHORTEST = 8
"""Characters that a string may have even if there are hardly any tokens left."""


def grammar_version() -> str:
    """Version of the package and limits that decide which tokens are allowed.

    Raises MissingDependencyError.
    """
    try:
        return f"{PACKAGE} {version(PACKAGE)}, bounds {BOUNDS}"
    except PackageNotFoundError as error:
        raise MissingDependencyError(
            f"hold_to_schema: {PACKAGE} is not installed: {INSTALL}"
        ) from error


def bound_lengths(schema: Mapping[str, Any], characters: int) -> dict[str, Any]:
    """The schema with limits on its strings, lists and numbers, so that the object is complete: one
    that is cut off cannot be parsed. ``characters``: of all strings together.
    """
    limited = copy.deepcopy(dict(schema))
    _bound_in_place(limited, max(SHORTEST, characters // max(1, _count_strings(schema))))
    return limited


def skeleton(schema: Mapping[str, Any]) -> str:
    """An object of the schema with empty strings, the longest numbers and full lists."""
    return json.dumps(_skeleton_of(schema), separators=(",", ":"))


def _skeleton_of(schema: Mapping[str, Any]) -> Any:
    match schema.get("type"):
        case "object":
            return {
                name: _skeleton_of(value) for name, value in schema.get("properties", {}).items()
            }
        case "array":
            return [_skeleton_of(schema.get("items", {}))] * MOST_ITEMS
        case "integer":
            return LARGEST
        case _:
            return ""


def _count_strings(schema: Any) -> int:
    """The most strings that an object of the schema can have, with full lists."""
    if isinstance(schema, Mapping):
        times = schema.get("maxItems", MOST_ITEMS) if schema.get("type") == "array" else 1
        below = sum(map(_count_strings, schema.values()))
        return int(schema.get("type") == "string") + int(times) * below
    return sum(map(_count_strings, schema)) if isinstance(schema, list) else 0


def _bound_in_place(schema: Any, max_length: int) -> None:
    if isinstance(schema, dict):
        if schema.get("type") == "string" and "enum" not in schema:
            schema.setdefault("maxLength", max_length)
        if schema.get("type") == "integer":
            schema.setdefault("minimum", 0)
            schema.setdefault("maximum", LARGEST)
        if schema.get("type") == "array":
            schema.setdefault("maxItems", MOST_ITEMS)
        for value in list(schema.values()):
            _bound_in_place(value, max_length)
    elif isinstance(schema, list):
        for value in schema:
            _bound_in_place(value, max_length)


class Grammars:
    """The grammars of one tokenizer."""

    def __init__(self, torch: Any, tokenizer: Any, vocabulary: int, eos: frozenset[int]) -> None:
        """``vocabulary``: how many tokens the model scores. Raises MissingDependencyError, and
        EngineError for a tokenizer that the package does not support, such as T5's.
        """
        grammar_version()
        import llguidance
        from llguidance.hf import from_tokenizer

        self._torch, self._package, self._tokenizer = torch, llguidance, tokenizer
        try:
            self._tokens = from_tokenizer(
                tokenizer, n_vocab=max(vocabulary, len(tokenizer)), eos_token=sorted(eos)
            )
        except ValueError as error:
            reason = " ".join(str(error).split())[:200]
            raise EngineError(f"hold_to_schema: not with this tokenizer: {reason}") from error

    def mask(self, schema: Mapping[str, Any], max_tokens: int, prompt: int) -> SchemaMask:
        """A mask for what follows a prompt of ``prompt`` tokens. Raises EngineError."""
        # A token is at least one character, except for parts of rare ones.
        spent = len(self._tokenizer(skeleton(schema), add_special_tokens=False)["input_ids"])
        grammar = self._package.LLMatcher.grammar_from_json_schema(
            bound_lengths(schema, max_tokens - spent), overrides={"whitespace_flexible": False}
        )
        matcher = self._package.LLMatcher(self._tokens, grammar, log_level=0)
        if matcher.is_error():
            raise EngineError(f"hold_to_schema: {' '.join(matcher.get_error().split())[:300]}")
        return SchemaMask(self._torch, matcher, prompt)


class SchemaMask:
    """A logits processor of transformers, for one prompt and one generation."""

    def __init__(self, torch: Any, matcher: Any, prompt: int) -> None:
        self._torch, self._matcher, self._read = torch, matcher, prompt

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """``scores`` ``(1, vocabulary)``, minus infinity where a token is not allowed."""
        tokens = input_ids[0, self._read :].tolist()
        self._read += len(tokens)
        self._matcher.consume_tokens(tokens)
        allowed = self._torch.frombuffer(
            bytearray(self._matcher.compute_logit_bias()), dtype=self._torch.uint8
        )
        is_barred = allowed[: scores.shape[1]] == 0
        if self._matcher.is_error():
            raise EngineError(f"hold_to_schema: {self._matcher.get_error()}"[:300])
        return scores.masked_fill(is_barred.to(scores.device), float("-inf"))
