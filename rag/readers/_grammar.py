"""Holds a model to a JSON schema: of the next token, only those that the schema still allows."""

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
"""Version of the bounds below."""
MOST_ITEMS = 4
"""Of a list: a small model that is held to a form has to be held to an end."""
LARGEST = 1_000_000
"""Of a whole number, from 0 on where the schema does not say; else it has any number of digits."""
SHORTEST = 8
"""Characters that a string may have however few tokens there are."""


def grammar_version() -> str:
    """What decides which tokens are allowed. Raises MissingDependencyError."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}, bounds {BOUNDS}"
    except PackageNotFoundError as error:
        raise MissingDependencyError(
            f"hold_to_schema: {PACKAGE} is not installed: {INSTALL}"
        ) from error


def bounded(schema: Mapping[str, Any], characters: int) -> dict[str, Any]:
    """The schema with an end to its strings, lists and numbers, so that what is written is whole:
    a cut object cannot be read. ``characters`` are what all strings together may have.
    """
    bound = copy.deepcopy(dict(schema))
    _bound(bound, max(SHORTEST, characters // max(1, _strings(schema))))
    return bound


def skeleton(schema: Mapping[str, Any]) -> str:
    """An object of the schema with nothing in it but its names, the longest numbers, and lists of
    empty strings.
    """
    return json.dumps(_empty(schema), separators=(",", ":"))


def _empty(schema: Mapping[str, Any]) -> Any:
    match schema.get("type"):
        case "object":
            return {name: _empty(of) for name, of in schema.get("properties", {}).items()}
        case "array":
            return [_empty(schema.get("items", {}))] * MOST_ITEMS
        case "integer":
            return LARGEST
        case _:
            return ""


def _strings(schema: Any) -> int:
    """How many strings an object of the schema has at most, its lists full."""
    if isinstance(schema, Mapping):
        times = schema.get("maxItems", MOST_ITEMS) if schema.get("type") == "array" else 1
        below = sum(map(_strings, schema.values()))
        return int(schema.get("type") == "string") + int(times) * below
    return sum(map(_strings, schema)) if isinstance(schema, list) else 0


def _bound(schema: Any, most: int) -> None:
    if isinstance(schema, dict):
        if schema.get("type") == "string" and "enum" not in schema:
            schema.setdefault("maxLength", most)
        if schema.get("type") == "integer":
            schema.setdefault("minimum", 0)
            schema.setdefault("maximum", LARGEST)
        if schema.get("type") == "array":
            schema.setdefault("maxItems", MOST_ITEMS)
        for value in list(schema.values()):
            _bound(value, most)
    elif isinstance(schema, list):
        for value in schema:
            _bound(value, most)


class Grammars:
    """The grammars of one tokenizer."""

    def __init__(self, torch: Any, tokenizer: Any, vocabulary: int, eos: frozenset[int]) -> None:
        """``vocabulary``: how many tokens the model scores. Raises MissingDependencyError, and
        EngineError for a tokenizer that the package does not know (T5's, say).
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

    def held(self, schema: Mapping[str, Any], max_tokens: int, prompt: int) -> Held:
        """What masks the scores of the tokens after a prompt of so many. Raises EngineError."""
        # A token writes a character at least, but for parts of rare ones.
        spent = len(self._tokenizer(skeleton(schema), add_special_tokens=False)["input_ids"])
        grammar = self._package.LLMatcher.grammar_from_json_schema(
            bounded(schema, max_tokens - spent), overrides={"whitespace_flexible": False}
        )
        matcher = self._package.LLMatcher(self._tokens, grammar, log_level=0)
        if matcher.is_error():
            raise EngineError(f"hold_to_schema: {' '.join(matcher.get_error().split())[:300]}")
        return Held(self._torch, matcher, prompt)


class Held:
    """A logits processor of transformers, for one prompt and one generation."""

    def __init__(self, torch: Any, matcher: Any, prompt: int) -> None:
        self._torch, self._matcher, self._read = torch, matcher, prompt

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """``scores`` ``(1, vocabulary)``, minus infinity where a token is not allowed."""
        written = input_ids[0, self._read :].tolist()
        self._read += len(written)
        self._matcher.consume_tokens(written)
        allowed = self._torch.frombuffer(
            bytearray(self._matcher.compute_logit_bias()), dtype=self._torch.uint8
        )
        barred = allowed[: scores.shape[1]] == 0
        if self._matcher.is_error():
            raise EngineError(f"hold_to_schema: {self._matcher.get_error()}"[:300])
        return scores.masked_fill(barred.to(scores.device), float("-inf"))
