from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from ohr.documents.images import MAX_PIXELS, check_size, load_image, tiff_pages
from ohr.documents.pdf import render
from ohr.errors import EngineError, MissingDependencyError
from ohr.study.run import run_study
from ohr.workers import WorkerPool
from tests.builders import RUN_STUDY, load_config, write_corpus
from tests.conftest import ROOT
from tests.fakes import LOG

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "experiments.noise_curve"]
NOISE = [
    *("engines=[tests.fakes.SlowLoggingEngine]", "noise=[salt_and_pepper,rotation]"),
    *("levels=[mild,severe]", "ground_truth=true", "workers=2"),
]


def start(settings, out, log):
    return subprocess.Popen(
        [sys.executable, "-c", RUN_STUDY, str(out), *settings, *NOISE],
        cwd=ROOT,
        env=os.environ | {LOG: str(log)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def readings(log):
    return log.read_text().split() if log.exists() else []


@pytest.mark.slow
def test_killed_twice_and_resumed(tmp_path):
    settings = write_corpus(tmp_path, documents=2, pages=4)
    calm = [s for s in settings if not s.startswith("cache=")] + [f"cache={tmp_path / 'calm'}"]
    assert start(calm, tmp_path / "calm-run", tmp_path / "calm.log").wait() == 0
    expected = readings(tmp_path / "calm.log")
    log, out = tmp_path / "log", tmp_path / "run"
    rng = random.Random(0)
    for attempt in range(2):
        process = start(settings, out, log)
        before = len(readings(log))
        goal = before + rng.randrange(3, 12)
        deadline = time.monotonic() + 60
        while len(readings(log)) < goal and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGKILL)
        process.wait()
        _, alive = psutil.wait_procs(family, timeout=60)
        assert alive == [], f"orphans after kill {attempt}"
    assert not (out / "cells.csv").exists()
    assert start(settings, out, log).wait() == 0
    for name in ("rows.parquet", "cells.csv"):
        assert (out / name).read_bytes() == (tmp_path / "calm-run" / name).read_bytes()
    # Only a page that a kill caught between reading and storing may appear again.
    repeated = len(readings(log)) - len(expected)
    assert set(readings(log)) == set(expected)
    assert repeated <= 2 * 2


def test_troubled_pages_are_counted_and_their_outcome_stands(tmp_path, monkeypatch):
    settings = write_corpus(tmp_path, documents=1, pages=4)
    engine = ["engines=tests.fakes.TroubledEngine", "page_wall_s=8", "page_cpu_s=60"]
    config = load_config([*settings, *engine])
    first = run_study(config, tmp_path / "run").cells
    distance = first[(first["metric"] == "edit_distance") & (first["group"] == "all")].iloc[0]
    assert (distance["n"], distance["n_error"], distance["n_timeout"]) == (4, 1, 1)
    overall = first[(first["stage"] == "overall") & (first["group"] == "all")]
    assert (overall["n"] == 8).all()
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    base = manifest["knowledge_bases"]["tests.fakes.TroubledEngine, clean"]
    assert base["by_status"] == {"error": 1, "ok": 2, "timeout": 1}
    assert any("worker died" in line for line in base["failures"])
    where = [line.split(": ")[0] for line in base["failures"]]
    assert where == ["manual/doc0 page 2", "manual/doc0 page 3"]
    pools = []
    run = WorkerPool.run
    monkeypatch.setattr(WorkerPool, "run", lambda pool, *of: pools.append(pool) or run(pool, *of))
    again = run_study(config, tmp_path / "run").cells
    assert again.equals(first)
    # PDFs are opened, but no page is tried again, the hung one neither.
    assert pools
    assert not any(pool.function.endswith(":read_page") for pool in pools)


def test_what_ails_the_machine_is_not_journalled_as_a_pages_outcome(tmp_path):
    settings = write_corpus(tmp_path, documents=1, pages=2)
    config = load_config([*settings, "engines=tests.fakes.HalfInstalledEngine"])
    with pytest.raises(MissingDependencyError, match="pip install half"):
        run_study(config, tmp_path / "run")
    assert not list((tmp_path / "cache").rglob("reading/**/*.json"))


@pytest.mark.parametrize(
    ("name", "content"), [("corrupt", b"%PDF-1.4 nothing else"), ("empty", b"")]
)
def test_a_pdf_that_cannot_be_opened_is_a_counted_outcome(tmp_path, name, content):
    settings = write_corpus(tmp_path, documents=2, pages=2)
    (tmp_path / "pdfs" / "manual" / "doc0.pdf").write_bytes(content)
    config = load_config([*settings, "engines=tests.fakes.LoggingEngine", "stages=ocr"])
    cells = run_study(config, tmp_path / "run").cells
    distance = cells[(cells["metric"] == "edit_distance") & (cells["group"] == "all")].iloc[0]
    assert (distance["n"], distance["n_error"]) == (4, 2)


@pytest.mark.parametrize(("side", "read"), [(20_000, tiff_pages), (11_000, load_image)])
def test_a_page_image_that_is_too_large_is_refused_before_it_is_decoded(tmp_path, side, read):
    """Pillow itself refuses the larger one, with a limit that is not ours."""
    from PIL import Image

    path = tmp_path / "huge.png"
    Image.new("1", (side, side)).save(path)
    with pytest.raises(
        EngineError, match=r"huge\.png: .* 100,000,000 .* are read; make it smaller"
    ):
        read(path)
    check_size(10_000, 10_000, "a page")
    assert MAX_PIXELS == 10_000**2


def test_a_pdf_page_that_would_be_too_large_is_refused(tmp_path):
    settings = write_corpus(tmp_path, documents=1, pages=1)
    assert settings
    with pytest.raises(EngineError, match="lower the dpi"):
        render(tmp_path / "pdfs" / "manual" / "doc0.pdf", 0, 10_000)
    with pytest.raises(EngineError, match="has 1 pages, no page 4"):
        render(tmp_path / "pdfs" / "manual" / "doc0.pdf", 3, 72)


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path):
    settings = write_corpus(tmp_path, documents=1, pages=1)
    (tmp_path / "cache").write_text("a file, not a folder")
    done = subprocess.run(
        [*COMMAND, *settings, "engines=tests.fakes.LoggingEngine", "--out", str(tmp_path / "run")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    errors = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert "cannot" in errors[0]
    assert "Traceback" not in done.stderr
