"""The reader over HTTP against a real compatible server: ``transformers serve``, a tiny model."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ohr import registry
from ohr.errors import MissingDependencyError
from ohr.types import Hit, PageRef
from tests.rag.checkpoints import written

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("fastapi", "uvicorn", "openai")),
        reason="transformers cannot serve: pip install 'transformers[serving]'",
    ),
]

QUESTIONS = ["Who built it?", "When was it built, and why?", "Is it open?"]
CONTEXTS = [[Hit(PageRef("a/b", 0), "The harbour was built in 1902. " * n, 1.0, 0)] for n in
            (1, 4, 2)]  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = written("qwen2")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve", str(folder)]
    log = (tmp_path_factory.mktemp("serve") / "log").open("w")
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"],
        stdout=log,
        stderr=subprocess.STDOUT,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
    )
    url = f"http://127.0.0.1:{port}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + 120
    try:
        while True:
            try:
                opener.open(f"{url}/health", timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None, Path(log.name).read_text()
                assert time.monotonic() < deadline
                time.sleep(0.2)
        yield f"{url}/v1", folder
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def reader(name: str, **params: Any) -> Any:
    return registry.create("reader", {"name": name, "params": params})


def test_it_says_what_the_same_model_says_in_process(served: tuple[str, Path]) -> None:
    url, folder = served
    remote = reader(
        "openai", model=str(folder), base_url=url, max_tokens=12, concurrency=3, prompt_price=1
    )
    local = reader("transformers", model=str(folder), max_new_tokens=12, device="cpu")
    there, here = (
        {r.index: r for r in made.answer_many(QUESTIONS, CONTEXTS)} for made in (remote, local)
    )
    assert {i: r.outcome for i, r in there.items()} == {i: r.outcome for i, r in here.items()}
    for index, reply in there.items():
        for name in ("prompt_tokens", "completion_tokens"):
            assert reply.usage[name] == here[index].usage[name]
        assert reply.usage["cost"] == pytest.approx(reply.usage["prompt_tokens"] / 1e6)


def test_what_it_refuses_is_said(served: tuple[str, Path]) -> None:
    url, _ = served
    wrong = reader("openai", model="x", base_url=url.removesuffix("/v1") + "/v2")
    with pytest.raises(MissingDependencyError, match="no such endpoint or model"):
        wrong.answer(QUESTIONS[0], CONTEXTS[0])
