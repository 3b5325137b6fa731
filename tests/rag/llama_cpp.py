"""llama.cpp's OpenAI-compatible server on loopback, out of the package ``xllamacpp``."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_S = 300
_SERVE = """
import sys
import time

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.warmup = int(sys.argv[2]), 1, False
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(1_000_000)
"""


@dataclass(frozen=True)
class Served:
    """A server that answers: its base URL, and its process."""

    url: str
    pid: int


@contextmanager
def served(model: Path, log: Path, window: int = 4096) -> Iterator[Served]:
    """A GGUF file behind a server of one thread; ``window`` in tokens, what it prints in ``log``.

    Raises RuntimeError with the end of the log for a server that does not start.
    """
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, str(model), str(window)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        try:
            assert process.stdout is not None
            url = next((line.strip() for line in process.stdout if line.startswith("http")), "")
            if not url or not _healthy(f"{url}/health"):
                raise RuntimeError(f"llama.cpp did not start: {log.read_text()[-500:]}")
            yield Served(f"{url}/v1", process.pid)
        finally:
            process.kill()
            process.wait(30)


def _healthy(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        try:
            opener.open(url, timeout=5).close()
            return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    return False
