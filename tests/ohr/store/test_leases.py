"""Leases: of several processes one works at a thing, and what a dead one had is taken over."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ohr.errors import StoreError
from ohr.store import leases as module
from ohr.store.leases import Leases, this_process

NAME = "0123456789abcdef"


def age(folder: Path, seconds: float) -> None:
    """Set every owner's heartbeat back, and have it be of another machine."""
    for path in folder.glob("owner-*"):
        facts = json.loads(path.read_text())
        then = path.stat().st_mtime - seconds
        path.write_text(json.dumps(facts | {"machine": "another"}))
        os.utime(path, (then, then))


def test_what_one_has_leased_no_other_takes_until_it_is_given_back(tmp_path):
    with Leases(tmp_path) as one, Leases(tmp_path) as other:
        assert one.take(NAME)
        assert not other.take(NAME)
        assert not one.take(NAME)
        assert other.take("ff")
        one.release(NAME)
        assert other.take(NAME)
        assert [owner["pid"] for owner in one.owners()] == [os.getpid()]
    assert list(tmp_path.iterdir()) == []


def test_an_owner_without_a_heartbeat_is_replaced_once(tmp_path):
    gone = Leases(tmp_path, beat_s=1000)
    with gone, Leases(tmp_path) as one, Leases(tmp_path) as other:
        assert gone.take(NAME)
        owner = tmp_path / gone._token
        then = owner.stat().st_mtime - 61
        os.utime(owner, (then, then))
        assert one.take(NAME)
        assert not other.take(NAME)  # the first link is stale, but it has a successor
        one.release(NAME)
        assert other.take(NAME)


def test_the_file_systems_clock_counts_not_this_machines(tmp_path, monkeypatch):
    with Leases(tmp_path, beat_s=1000) as one:
        assert one.take(NAME)
        for hours in (-30, 30):
            monkeypatch.setattr(time, "time", lambda hours=hours: 1e9 + 3600 * hours)
            with Leases(tmp_path) as other:
                assert not other.take(NAME)
                assert 0 <= other.owners()[0]["age_s"] < 10


def test_a_heartbeat_keeps_a_lease(tmp_path):
    beaten = threading.Event()
    with Leases(tmp_path, beaten.set, beat_s=0.02) as one:
        assert one.take(NAME)
        age(tmp_path, 1000)
        beaten.clear()
        assert beaten.wait(20)
        with Leases(tmp_path) as other:
            assert not other.take(NAME)


def test_the_heart_does_not_stop_for_what_fails_with_a_beat(tmp_path):
    beats = []
    thrice = threading.Event()

    def fail():
        beats.append(1)
        if len(beats) == 3:
            thrice.set()
        raise RuntimeError("a defect")

    with Leases(tmp_path, fail, beat_s=0.01):
        assert thrice.wait(20)


def test_one_that_was_swept_away_while_it_was_stopped_goes_on(tmp_path):
    beaten = threading.Event()
    with Leases(tmp_path, beaten.set, beat_s=0.02) as one:
        assert one.take(NAME)
        (tmp_path / one._token).unlink()
        beaten.clear()
        assert beaten.wait(20)
        assert (tmp_path / one._token).exists()
        one.release(NAME)


def test_what_a_killed_process_had_is_free_at_once_on_its_machine(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from ohr.store.leases import Leases\n"
        f"with Leases(Path({str(tmp_path)!r})) as one:\n"
        f"    print(one.take({NAME!r}), flush=True); time.sleep(1000)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    with Leases(tmp_path) as one:
        assert not one.take(NAME)
        process.kill()
        process.wait()
        assert one.take(NAME)
    remaining = {path.name for path in tmp_path.iterdir()}
    with Leases(tmp_path):
        pass
    assert len(remaining) == 1  # the owner's file, which the next process sweeps away
    assert list(tmp_path.iterdir()) == []


def test_a_process_of_another_machine_is_not_known_to_be_dead(tmp_path):
    with Leases(tmp_path, beat_s=1000) as one:
        assert one.take(NAME)
        facts = this_process() | {"machine": "another", "pid": 2**22 + 1}
        (tmp_path / one._token).write_text(json.dumps(facts))
        with Leases(tmp_path) as other:
            assert not other.take(NAME)


def test_a_number_that_another_process_has_now_is_no_sign_of_life(tmp_path):
    with Leases(tmp_path, beat_s=1000) as one:
        assert one.take(NAME)
        (tmp_path / one._token).write_text(json.dumps(this_process() | {"started": "1"}))
        with Leases(tmp_path) as other:
            assert other.take(NAME)
            other.release(NAME)


def test_of_many_that_take_over_one_does(tmp_path):
    (tmp_path / f"{NAME}-0").symlink_to("owner-that-is-gone")
    taken = []
    barrier = threading.Barrier(8)
    everyone = [Leases(tmp_path) for _ in range(8)]

    def take(leases: Leases) -> None:
        with leases:
            barrier.wait()
            taken.append(leases.take(NAME))
            barrier.wait()

    threads = [threading.Thread(target=take, args=(one,)) for one in everyone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 7 + [True]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write"), Leases(tmp_path / "file"):
        pass


def test_without_symbolic_links_all_is_free_and_it_is_said_once(tmp_path, monkeypatch, caplog):
    def refuse(*of: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "symlink", refuse)
    with Leases(tmp_path) as one, Leases(tmp_path) as other:
        assert one.take(NAME)
        assert one.take("ff")
        assert not one.take(NAME)  # equal pages, of which one process reads one
        assert other.take(NAME)
        one.release(NAME)
    assert [str(tmp_path) in record.getMessage() for record in caplog.records] == [True, True]


def test_a_disk_that_is_full_is_one_line(tmp_path, monkeypatch):
    def refuse(*of: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "symlink", refuse)
    with Leases(tmp_path) as one, pytest.raises(StoreError, match="No space left"):
        one.take(NAME)


def test_names_are_digests(tmp_path):
    with Leases(tmp_path) as one, pytest.raises(ValueError, match="name of a lease"):
        one.take("../elsewhere")
    assert module.STALE_S > 3 * module.BEAT_S
