"""Any Hugging Face tokenizer on this machine as a counter of tokens."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ohr.errors import ConfigError, MissingDependencyError
from ohr.store.identity import file_digest

FILE = "tokenizer.json"


class Tokenizer:
    """Counts the tokens of a ``tokenizer.json``. Raises MissingDependencyError for no file."""

    version = "2"

    def __init__(self, path: Path) -> None:
        self._path = path / FILE if path.is_dir() else path
        if not self._path.is_file():
            raise MissingDependencyError(
                f"no tokenizer at {self._path}: name a {FILE} or a model's folder that holds one"
            )

    @cached_property
    def digest(self) -> str:
        """Digest of the file: what tells one tokenizer from another."""
        return file_digest(self._path)

    def __call__(self, text: str) -> np.ndarray:
        """Tokens that end within the first characters: float array of ``len(text) + 1``.

        Special tokens do not count. The pieces of a character that takes several count there.
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
            made = HuggingFace.from_file(str(self._path))
        except Exception as error:  # the library raises a bare Exception
            raise ConfigError(f"{self._path} is not a tokenizer: {error}") from error
        # A file may hold both, as its model wants them.
        made.no_truncation()
        made.no_padding()
        return made
