"""Any local Hugging Face tokenizer as a token counter."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ohr.errors import ConfigError, MissingDependencyError
from ohr.store.identity import file_digest

FILE = "tokenizer.json"


class Tokenizer:
    """Counts tokens by a ``tokenizer.json``. Raises MissingDependencyError without it."""

    version = "2"

    def __init__(self, path: Path) -> None:
        self._path = path / FILE if path.is_dir() else path
        if not self._path.is_file():
            raise MissingDependencyError(
                f"no tokenizer at {self._path}: name a {FILE} or a model's folder that holds one"
            )

    @cached_property
    def digest(self) -> str:
        """Digest of the file: it identifies the tokenizer."""
        return file_digest(self._path)

    def __call__(self, text: str) -> np.ndarray:
        """Tokens that end at or before each character position: float array of ``len(text) + 1``.

        Special tokens do not count. A character of several tokens counts all of them at its end.
        """
        encoded = self._tokenizer.encode(text, add_special_tokens=False)
        ends = np.array([end for _, end in encoded.offsets], dtype=np.int64)
        return np.cumsum(np.bincount(ends, minlength=len(text) + 1)).astype(np.float64)

    @cached_property
    def _tokenizer(self) -> Any:
        try:
            from tokenizers import Tokenizer as HuggingFace
        except ImportError as error:
            raise MissingDependencyError(
                f"tokenizers cannot be imported ({error}): pip install tokenizers"
            ) from error
        try:
            tokenizer = HuggingFace.from_file(str(self._path))
        except Exception as error:  # the library raises a bare Exception
            raise ConfigError(f"{self._path} is not a tokenizer: {error}") from error
        # The file may switch on both, as its model needs them.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer
