"""Shards that are killed at random, and bad pages among them: same bytes, every page told."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.builders import write_corpus
from tests.conftest import ROOT
from tests.fakes import LOG
from tests.faults.engines import CRASH, EAT, EMPTY, FINE, FLOOD, HANG, LOOP
from tests.faults.test_pages_faults import write_pages

pytestmark = pytest.mark.slow

NOISE = ["engines=[tests.fakes.SlowLoggingEngine]", "noise=[salt_and_pepper,rotation]"]
KILLS = 4


def start(command: str, arguments: list[str], log: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"experiments.{command}", *arguments],
        cwd=ROOT,
        env=os.environ | {LOG: str(log)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


def lines(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def test_shards_killed_again_and_again(tmp_path):
    settings = [*write_corpus(tmp_path, documents=2, pages=8), *NOISE, "stages=ocr"]
    calm = [s for s in settings if not s.startswith("cache=")] + [f"cache={tmp_path / 'calm'}"]
    run = [*calm, "--out", str(tmp_path / "calm-run")]
    assert start("noise_curve", run, tmp_path / "calm.log").wait() == 0
    expected = Counter(lines(tmp_path / "calm.log"))
    out, log, rng = tmp_path / "run", tmp_path / "log", random.Random(0)

    def shard(index: int) -> subprocess.Popen[bytes]:
        more = ["--out", str(out), "--shard", f"{index}/3", "--steal"]
        return start("noise_curve", [*settings, *more], log)

    at_work = {index: shard(index) for index in (1, 2, 3)}
    for _ in range(KILLS):
        before = len(lines(log))
        deadline = time.monotonic() + 60
        index = rng.choice([1, 2, 3])
        # Of the start too: a shard is killed with its first page, or before it.
        wanted = before + rng.randrange(0, 4)
        while len(lines(log)) < wanted and at_work[index].poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        if at_work[index].poll() is None:
            kill(at_work[index])
        at_work[index] = shard(index)
    assert [process.wait() for process in at_work.values()] == [0, 0, 0]
    read = lines(log)
    assert start("noise_curve", [*settings, "--out", str(out)], log).wait() == 0
    assert lines(log) == read, "the shards have left something"
    for name in ("rows.parquet", "cells.csv", "cases.zip"):
        assert (out / name).read_bytes() == (tmp_path / "calm-run" / name).read_bytes()
    assert set(read) == set(expected)
    # Only a page that a kill caught before it was stored, or that two read at once because its
    # pixels are another's, may appear again.
    assert len(read) - expected.total() <= KILLS + 2 * len(expected)


def test_a_tenth_of_bad_pages_over_four_shards(tmp_path):
    (tmp_path / "pages").mkdir()
    kinds = write_pages(tmp_path / "pages")
    given = [str(tmp_path / "pages"), "--engine", "tests.faults.engines.PixelEngine",
             "--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "kb"), "--workers", "1",
             "--page-cpu-s", "30", "--page-wall-s", "3"]  # fmt: skip
    shards = [
        start("ocr", [*given, "--shard", f"{index}/4", "--steal"], tmp_path / "log")
        for index in (1, 2, 3, 4)
    ]
    assert [process.wait() for process in shards] == [0] * 4
    last = subprocess.run(
        [sys.executable, "-m", "experiments.read", *given],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert last.returncode == 1
    hung = sum(map(kinds.count, (HANG, EAT, FLOOD)))  # what eats memory then sleeps
    fine = kinds.count(FINE) + kinds.count(LOOP)
    counted = f"{fine} ok, {kinds.count(EMPTY)} empty, {kinds.count(CRASH)} error, {hung} timeout"
    assert counted in last.stdout, last.stdout
    assert "read now" not in last.stdout
