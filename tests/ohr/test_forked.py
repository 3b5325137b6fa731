from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from ohr.workers import forked
from ohr.workers.forked import Copy, ForkedCall, spare_cores

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")


@pytest.fixture(params=[0, 1])
def cores(request, monkeypatch):
    monkeypatch.setattr(forked, "spare_cores", lambda workers: request.param)
    return request.param


def test_a_result_comes_from_a_copy_where_a_core_is_spare(cores):
    pids = ForkedCall(os.getpid, workers=2).result()
    assert (pids == os.getpid()) is (cores == 0)


def test_what_fails_in_a_copy_fails_here(cores):
    with pytest.raises(ZeroDivisionError):
        ForkedCall(lambda: 1 / 0, workers=2).result()


def test_what_a_killed_copy_did_not_do_is_done_here(cores):
    here = os.getpid()

    def work():
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    assert ForkedCall(work, workers=2).result() == here


def test_a_copy_has_none_of_the_open_files(tmp_path):
    with (tmp_path / "file").open("w") as file:
        path = f"/proc/self/fd/{file.fileno()}"
        copy = Copy(lambda pipe: pipe.send(os.path.exists(path)))
        assert copy.receive() is False
        copy.close()


def test_temporary_files_of_a_copy_are_removed():
    copy = Copy(lambda pipe: pipe.send(tempfile.mkdtemp()) or signal.pause())
    folder = Path(copy.receive())
    assert folder.is_dir()
    copy.close()
    assert not folder.exists()


@pytest.mark.slow
def test_a_copy_at_work_is_waited_for_and_a_stuck_one_is_not():
    def work(pipe):
        until = time.process_time() + 1
        while time.process_time() < until:
            pass
        pipe.send("done")
        signal.pause()

    copy = Copy(work)
    assert copy.receive(5) == "done"
    with pytest.raises(TimeoutError):
        copy.receive(0.2)
    copy.close()


def test_a_refused_copy_is_done_without(monkeypatch):
    def refuse(*args):
        raise OSError("no more processes")

    monkeypatch.setattr(forked, "spare_cores", lambda workers: 1)
    monkeypatch.setattr(forked, "Copy", refuse)
    assert ForkedCall(os.getpid, workers=2).result() == os.getpid()


KILLED = """
import os, signal
from ohr.workers.forked import Copy
print(Copy(lambda _: signal.pause()).pid, flush=True)
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
