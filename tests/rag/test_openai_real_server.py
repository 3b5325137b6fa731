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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ohr import registry
from ohr.types import Hit, PageRef, Status
from tests.rag.checkpoints import written
from tests.rag.test_image_retrievers import random_pages
from tests.rag.test_picture_readers import context
from tests.rag.vision_checkpoints import written as seeing

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
def server_and_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    with serving(written("qwen2"), tmp_path_factory.mktemp("serve")) as url:
        yield url, written("qwen2")


@contextmanager
def serving(folder: Path, logs: Path) -> Iterator[str]:
    """The address of a server of a checkpoint."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = "from transformers.cli.transformers import main; main()"
    command = [sys.executable, "-c", start, "serve", str(folder)]
    log = (logs / "log").open("w")
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
        yield f"{url}/v1"
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def reader(name: str, **params: Any) -> Any:
    return registry.create("reader", {"name": name, "params": params})


def test_it_says_what_the_same_model_says_in_process(server_and_model: tuple[str, Path]) -> None:
    url, folder = server_and_model
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


def test_what_it_refuses_is_said(server_and_model: tuple[str, Path]) -> None:
    url, _ = server_and_model
    wrong = reader("openai", model="x", base_url=url.removesuffix("/v1") + "/v2")
    outcome = wrong.answer(QUESTIONS[0], CONTEXTS[0])
    assert outcome.status is Status.ERROR
    assert "HTTP 404" in outcome.detail


@pytest.mark.slow
@pytest.mark.parametrize("read", ["images", "both"])
def test_pages_are_shown_to_it_as_to_the_same_model_in_process(read: str, tmp_path: Path) -> None:
    folder = seeing("smolvlm")  # others also load a processor of videos, which wants torchvision
    shown = [context(random_pages(2)), context(random_pages(1, seed=7)), []]
    local = reader("transformers", model=str(folder), max_new_tokens=6, device="cpu", read=read)
    here = {r.index: r for r in local.answer_many(QUESTIONS, shown)}
    with serving(folder, tmp_path) as url:
        remote = reader("openai", model=str(folder), base_url=url, max_tokens=6, read=read)
        there = {r.index: r for r in remote.answer_many(QUESTIONS, shown)}
    for index, reply in there.items():
        assert reply.outcome == here[index].outcome
        assert reply.usage["prompt_tokens"] == here[index].usage["prompt_tokens"]
