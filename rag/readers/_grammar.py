"""Holds a model to a JSON schema: of the next token, only those that the schema still allows."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ohr.errors import EngineError, MissingDependencyError

PACKAGE = "llguidance"
INSTALL = f"pip install {PACKAGE}"
MOST_ITEMS = 4
"""Of a list: a small model that is held to a form has to be held to an end."""
LARGEST = 1_000_000
"""Of a whole number, which else may have any number of digits."""
CHARS_A_TOKEN = 2
"""Characters that a token is counted on to write, at least."""


def grammar_version() -> str:
    """The package and its version. Raises MissingDependencyError."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError as error:
        raise MissingDependencyError(
            f"hold_to_schema: {PACKAGE} is not installed: {INSTALL}"
        ) from error


def bounded(schema: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
    """The schema with an end to its strings, lists and numbers, so that what is written within
    the tokens is whole: a cut object cannot be read.
    """
    strings = max(1, _strings(schema))
    most = max(8, max_tokens * CHARS_A_TOKEN // strings)
    bound = copy.deepcopy(dict(schema))
    _bound(bound, most)
    return bound


def _strings(schema: Any) -> int:
    """How many strings an object of the schema has, a list's counted once."""
    if isinstance(schema, Mapping):
        return int(schema.get("type") == "string") + sum(map(_strings, schema.values()))
    return sum(map(_strings, schema)) if isinstance(schema, list) else 0


def _bound(schema: Any, most: int) -> None:
    if isinstance(schema, dict):
        if schema.get("type") == "string" and "enum" not in schema:
            schema.setdefault("maxLength", most)
        if schema.get("type") == "integer":
            schema.setdefault("minimum", -LARGEST)
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
        """``vocabulary``: tokens that the model scores. Raises MissingDependencyError, and
        EngineError for a tokenizer that the package does not know (T5's, say).
        """
        grammar_version()
        import llguidance
        from llguidance.hf import from_tokenizer

        self._torch, self._package = torch, llguidance
        try:
            self._tokens = from_tokenizer(
                tokenizer, n_vocab=max(vocabulary, len(tokenizer)), eos_token=sorted(eos)
            )
        except ValueError as error:
            reason = " ".join(str(error).split())[:200]
            raise EngineError(f"hold_to_schema: not with this tokenizer: {reason}") from error

    def held(self, schema: Mapping[str, Any], max_tokens: int, prompt: int) -> Held:
        """What masks the scores of the tokens after a prompt of so many. Raises EngineError."""
        grammar = self._package.LLMatcher.grammar_from_json_schema(
            bounded(schema, max_tokens), overrides={"whitespace_flexible": False}
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
