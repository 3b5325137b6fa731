from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ohr.workers import forked
from ohr.workers.forked import Beside, fork, receive, spare_cores


@pytest.fixture(params=[0, 1])
def cores(request, monkeypatch):
    monkeypatch.setattr(forked, "spare_cores", lambda workers: request.param)
    return request.param


def test_a_result_comes_from_a_copy_where_a_core_is_spare(cores):
    pids = Beside(os.getpid).result()
    assert (pids == os.getpid()) is (cores == 0)


def test_what_fails_in_a_copy_fails_here(cores):
    with pytest.raises(ZeroDivisionError):
        Beside(lambda: 1 / 0).result()


def test_what_a_killed_copy_did_not_do_is_done_here(cores):
    here = os.getpid()

    def work():
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    assert Beside(work).result() == here


def test_a_copy_has_none_of_the_open_files(tmp_path):
    with (tmp_path / "file").open("w") as file:
        process, pipe = fork(
            lambda pipe: pipe.send(os.path.exists(f"/proc/self/fd/{file.fileno()}"))
        )
        assert receive(process, pipe) is False
        process.join()


def test_a_copy_at_work_is_waited_for_and_a_stuck_one_is_not():
    def work(pipe):
        until = time.process_time() + 1
        while time.process_time() < until:
            pass
        pipe.send("done")
        signal.pause()

    process, pipe = fork(work)
    assert receive(process, pipe, 0.5) == "done"
    with pytest.raises(TimeoutError):
        receive(process, pipe, 0.5)
    process.kill()
    process.join()


KILLED = """
import os, signal
from ohr.workers.forked import fork
process, _ = fork(lambda _: signal.pause())
print(process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_copy_ends_with_its_parent():
    # The copy has the parent's standard output, so this returns when both have ended.
    ended = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert not Path(f"/proc/{int(ended.stdout)}/fd/0").exists()


def test_no_more_copies_than_cores_and_workers():
    assert spare_cores(1) == 0
    assert 0 <= spare_cores(1000) < len(os.sched_getaffinity(0))
