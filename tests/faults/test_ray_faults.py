"""Workers on the nodes of a Ray cluster: same bytes, whatever dies."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import psutil
import pytest

from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.ocr.files import FileOutputs, file_pages
from ohr.ocr.pools import Runners
from ohr.ocr.sources import find_pages
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.run import run_study
from ohr.types import Outcome, Status
from ohr.workers import Limits, RayPool
from tests.builders import RUN_STUDY, load_config, write_corpus
from tests.conftest import ROOT
from tests.faults import tasks
from tests.faults.engines import CRASH, EAT, EMPTY, FINE, FLOOD, HANG, LOOP
from tests.faults.test_pages_faults import write_pages

pytestmark = pytest.mark.slow

KILLS = 20
PIXELS = PluginSpec(name="tests.faults.engines.PixelEngine")
NOISE = ["engines=[tests.fakes.SlowLoggingEngine]", "noise=[rotation]", "stages=ocr"]


@pytest.fixture
def cluster(log):
    """Two nodes of two CPUs; of the first runs the head."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'ohr[ray]'")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    made.add_node(num_cpus=2)
    made.connect()
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


def calmly(tmp_path, log, **size):
    """The settings of a study that has run without Ray, in ``calm-run``, and what it has read."""
    settings = [*write_corpus(tmp_path, **size), *NOISE]
    calm = [s for s in settings if not s.startswith("cache=")] + [f"cache={tmp_path / 'calm'}"]
    run_study(load_config(calm), tmp_path / "calm-run")
    expected = Counter(log.read_text().split())
    log.write_text("")
    return settings, expected


def test_pages_read_on_two_nodes_of_which_one_dies(cluster, tmp_path, log):
    settings, expected = calmly(tmp_path, log, documents=3, pages=6)
    second = next(iter(cluster.worker_nodes))

    def kill_when_half_is_read():
        deadline = time.monotonic() + 120
        while len(log.read_text().split()) < 15 and time.monotonic() < deadline:
            time.sleep(0.05)
        cluster.remove_node(second, allow_graceful=False)

    killer = threading.Thread(target=kill_when_half_is_read)
    killer.start()
    config = load_config([*settings, "runner=ray", "workers=4"])
    run_study(config, tmp_path / "run")
    killer.join()
    read = Counter(log.read_text().split())
    for name in ("rows.parquet", "cells.csv", "cases.zip"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "calm-run" / name).read_bytes()
    assert set(read) == set(expected)
    # Of a dead node's two pages, and of equal pixels read at once, some are read again.
    assert read.total() - expected.total() <= 2 + 3 * len(expected) // 2


def processes_with(text):
    """Descendants of this process, and of the cluster, whose command line holds a text."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if any(text in part for part in process.info["cmdline"] or ()):
            found.append(process)
    return found


def test_twenty_kills_of_workers_actors_nodes_and_the_driver(cluster, tmp_path, log):
    """Whatever dies, the same bytes come out, and what was stored is not read again."""
    settings, expected = calmly(tmp_path, log, documents=16, pages=16)
    out, rng = tmp_path / "run", random.Random(0)
    nodes = list(cluster.worker_nodes)

    def drive():
        return subprocess.Popen(
            [sys.executable, "-c", RUN_STUDY, str(out), *settings, "runner=ray", "workers=4"],
            cwd=ROOT,
            env=os.environ | {"RAY_ADDRESS": cluster.address},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    driver = drive()
    kinds = ["worker", "actor", "node", "driver"] * (KILLS // 4)
    rng.shuffle(kinds)
    killed = Counter()
    for kind in kinds:
        wanted = len(log.read_text().split()) + rng.randrange(0, 4)
        deadline = time.monotonic() + 90
        while len(log.read_text().split()) < wanted and driver.poll() is None:
            assert time.monotonic() < deadline, killed
            time.sleep(0.02)
        if driver.poll() is not None:
            assert driver.returncode == 0
            break
        victims = []
        if kind == "worker":
            victims = processes_with("ohr.workers._worker")
        elif kind == "actor":
            victims = processes_with("ray::Worker")
        elif kind == "driver":
            driver.kill()
            driver.wait()
            driver = drive()
        else:
            cluster.remove_node(nodes.pop(), allow_graceful=False)
            nodes.append(cluster.add_node(num_cpus=2))
        if victims:
            with contextlib.suppress(psutil.NoSuchProcess):
                rng.choice(victims).kill()
        killed[kind] += 1
    assert driver.wait(timeout=300) == 0
    assert killed.total() == KILLS, killed
    read = Counter(log.read_text().split())
    for name in ("rows.parquet", "cells.csv", "cases.zip"):
        assert (out / name).read_bytes() == (tmp_path / "calm-run" / name).read_bytes()
    assert set(read) == set(expected)
    # A kill costs at most the four pages that are being read; equal pixels may be read at once.
    assert read.total() - expected.total() <= 4 * killed.total() + 3 * len(expected) // 2


def test_a_tenth_of_bad_pages_on_ray(cluster, tmp_path):
    (tmp_path / "pages").mkdir()
    kinds = write_pages(tmp_path / "pages")
    engine = registry.ocr_engine(PIXELS)
    sources = list(find_pages([tmp_path / "pages"], 150))
    pages = file_pages(sources, PIXELS, engine, hand_over_pdfs=False)
    limits = Limits(cpu_s=30, wall_s=3.0, memory_mb=400)
    store = ArtefactStore(tmp_path / "cache")
    readings = FileOutputs(PIXELS, engine.identity(), store, limits, Runners(4, "ray"))
    readings.make(pages, lambda _: None)
    found = [readings.stored(page).outcome for page in pages]
    by_kind = {}
    for kind, outcome in zip(kinds, found, strict=True):
        by_kind.setdefault(kind, Counter())[outcome.status] += 1
    count = Counter(kinds)
    assert by_kind == {
        FINE: {Status.OK: count[FINE]},
        EMPTY: {Status.EMPTY: count[EMPTY]},
        HANG: {Status.TIMEOUT: count[HANG]},
        CRASH: {Status.ERROR: count[CRASH]},
        EAT: {Status.ERROR: count[EAT]},
        LOOP: {Status.OK: count[LOOP]},
        FLOOD: {Status.TIMEOUT: count[FLOOD]},
    }


def test_outcomes_are_those_of_a_local_pool(cluster):
    limits = Limits(cpu_s=60, wall_s=3.0)
    with RayPool(tasks.square, workers=3, limits=limits) as pool:
        found = dict(pool.run(range(20)))
        assert found == {number: Outcome(number * number) for number in range(20)}
        assert sum(slot.tasks for slot in pool.slots()) == 20


def test_a_killed_actor_is_replaced_and_its_task_given_to_another(cluster, tmp_path):
    end = tmp_path / "end"
    with RayPool(tasks.wait_for, workers=2) as pool:
        results = pool.run([str(end), str(tmp_path)])
        assert next(results) == (1, Outcome(str(tmp_path)))
        actors = [
            process
            for process in psutil.Process(os.getpid()).children(recursive=True)
            if "ray::Worker.run" in " ".join(process.cmdline())
        ]
        assert len(actors) == 1
        actors[0].send_signal(signal.SIGKILL)
        end.touch()
        assert [index for index, _ in results] == [0]


def test_without_ray_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(MissingDependencyError, match=r"ohr\[ray\]"),
        RayPool(tasks.square, workers=1),
    ):
        pass


def test_a_plan_says_that_ray_is_lacking_and_that_gpus_are_rays(monkeypatch, tmp_path):
    settings = [*write_corpus(tmp_path, documents=1, pages=1), *NOISE]
    monkeypatch.setitem(sys.modules, "ray", None)
    config = load_config([*settings, "runner=ray"])
    with pytest.raises(MissingDependencyError, match=r"ohr\[ray\]"):
        make_plan(config, load_dataset(config))
    with pytest.raises(ConfigError, match="worker_gpus is for runner=ray"):
        load_config([*settings, "worker_gpus=0.5"])


def test_without_a_cluster_it_is_said_how_to_begin_one(monkeypatch):
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'ohr[ray]'")
    from ohr.errors import OhrError

    monkeypatch.setenv("RAY_TMPDIR", "/nowhere")
    with pytest.raises(OhrError, match="ray start --head"), RayPool(tasks.square, workers=1):
        pass
