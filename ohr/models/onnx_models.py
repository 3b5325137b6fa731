"""Encoders in ONNX files, run by ONNX Runtime without torch; the tokenizer is beside the file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from ohr.errors import ConfigError, MissingDependencyError
from ohr.models.forms import Form, no_model, onnx_file
from ohr.store.identity import digest, file_digest

TOKENIZER = "tokenizer.json"
INSTALL = "pip install tokenizers"
LONGEST = 512
"""Tokens of an input, where neither the tokenizer's file nor the user names a limit."""
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


class OnnxModel:
    """A model that reads tokens. ``user``: the plug-in; ``max_tokens``: longer inputs are cut, by
    default where the tokenizer's file says.

    The tokenizer is beside the ONNX file or one folder above, where exporters put it.
    """

    def __init__(
        self, user: str, model: str, max_tokens: int | None, forms: tuple[Form, ...]
    ) -> None:
        path = onnx_file(Path(model).expanduser())
        if path is None:
            raise no_model(user, model, forms)
        self._user, self.path, self._max_tokens = user, path, max_tokens

    def model_version(self) -> str:
        """Version of ONNX Runtime, digests of the files. Raises MissingDependencyError."""
        try:
            packages = [f"{name} {version(name)}" for name in ("onnxruntime", "tokenizers")]
        except PackageNotFoundError as error:
            raise MissingDependencyError(
                f"{self._user}: {error.name} is not installed: pip install {error.name}"
            ) from error
        # Weights of more than 2 GB are in files beside the graph.
        outside = sorted(
            path for path in self.path.parent.glob(f"{self.path.stem}*data*") if path.is_file()
        )
        files = [self.path, *outside, self.file_beside(TOKENIZER, needed=True)]
        return ", ".join([*packages, f"model {digest([file_digest(path) for path in files])}"])

    def file_beside(self, name: str, *, needed: bool = False) -> Path:
        """A file in the model's folder, or in the one above. It may not exist unless ``needed``."""
        places = [folder / name for folder in (self.path.parent, self.path.parent.parent)]
        path = next((place for place in places if place.is_file()), places[0])
        if needed and not path.is_file():
            raise MissingDependencyError(
                f"{self._user}: no {name} beside {self.path}: fetch it with the model"
            )
        return path

    def json_beside(self, name: str) -> dict[str, Any]:
        """The object in a file beside the model; empty without that file. Raises ConfigError."""
        path = self.file_beside(name)
        if not path.is_file():
            return {}
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self._user}: {path} cannot be read: {error}") from error
        return content if isinstance(content, dict) else {}

    def run(self, texts: Sequence[str], pairs: Sequence[str] | None = None) -> list[np.ndarray]:
        """All outputs for texts, or for pairs of texts, of which the second is cut; then the
        attention mask, ``(n, tokens)``.
        """
        inputs: list[Any] = list(texts if pairs is None else zip(texts, pairs, strict=True))
        tokenizer = self._tokenizer
        tokenizer.enable_truncation(
            self._limit, strategy="longest_first" if pairs is None else "only_second"
        )
        try:
            encoded = tokenizer.encode_batch(inputs)
        except Exception as error:  # the library raises a bare Exception
            raise ConfigError(
                f"{self._user}: a text cannot be cut to {self._limit} tokens ({error}): "
                "give more max_tokens"
            ) from error
        mask = np.array([each.attention_mask for each in encoded], np.int64)
        arrays = {
            "input_ids": np.array([each.ids for each in encoded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([each.type_ids for each in encoded], np.int64),
        }
        given = {name: arrays[name] for name in self._inputs}
        try:
            outputs = self._session.run(None, given)
        except Exception as error:  # more tokens than positions, for one
            words = " ".join(f"{self._user}: {self.path} cannot be run: {error}".split())
            raise ConfigError(f"{words[:400]} (max_tokens {self._limit})") from error
        return [*map(np.asarray, outputs), mask]

    def output(self, outputs: Sequence[np.ndarray], name: str) -> np.ndarray | None:
        """The output of a name among what :meth:`run` returned, or None."""
        names = [each.name for each in self._session.get_outputs()]
        return outputs[names.index(name)] if name in names else None

    @cached_property
    def _inputs(self) -> list[str]:
        names = [each.name for each in self._session.get_inputs()]
        if strange := set(names) - _INPUTS:
            raise ConfigError(
                f"{self._user}: {self.path} needs the input {min(strange)!r}: it is no encoder of "
                "texts, whose inputs are input_ids, attention_mask and token_type_ids"
            )
        return names

    @property
    def _limit(self) -> int:
        return self._max_tokens or self.own_limit

    @cached_property
    def has_dense_layer(self) -> bool:
        """Whether vectors of texts go through a further layer, in a file of its own."""
        path = self.file_beside("modules.json")
        try:
            modules = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self._user}: {path} cannot be read: {error}") from error
        kinds = [each.get("type") for each in modules if isinstance(each, dict)]
        return any(str(kind).endswith(".Dense") for kind in kinds)

    @cached_property
    def own_limit(self) -> int:
        """Most tokens of an input, as the files beside the model say."""
        longest = self.json_beside("sentence_bert_config.json").get("max_seq_length")
        if isinstance(longest, int) and 2 <= longest <= 100_000:
            return longest
        truncation = self.json_beside(TOKENIZER).get("truncation")
        limit = truncation.get("max_length") if isinstance(truncation, dict) else None
        if not isinstance(limit, int):
            limit = self.json_beside("tokenizer_config.json").get("model_max_length")
        return limit if isinstance(limit, int) and 2 <= limit <= 100_000 else LONGEST

    @cached_property
    def _tokenizer(self) -> Any:
        path = self.file_beside(TOKENIZER, needed=True)
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingDependencyError(
                f"{self._user}: tokenizers cannot be imported ({error}): {INSTALL}"
            ) from error
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises a bare Exception
            raise ConfigError(f"{self._user}: {path} is no tokenizer: {error}") from error
        pad = str(self._pad_token)
        tokenizer.enable_padding(pad_id=tokenizer.token_to_id(pad) or 0, pad_token=pad)
        return tokenizer

    @property
    def _pad_token(self) -> object:
        padding = self.json_beside(TOKENIZER).get("padding")
        if isinstance(padding, dict) and "pad_token" in padding:
            return padding["pad_token"]
        token = self.json_beside("tokenizer_config.json").get("pad_token", "[PAD]")
        return token.get("content") if isinstance(token, dict) else token

    @cached_property
    def _session(self) -> Any:
        from onnxruntime import InferenceSession, SessionOptions

        options = SessionOptions()
        options.log_severity_level = 4
        try:
            return InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # with a damaged file, the runtime can raise anything
            words = " ".join(f"{self._user}: {self.path} cannot be loaded: {error}".split())
            raise MissingDependencyError(words[:500]) from error
