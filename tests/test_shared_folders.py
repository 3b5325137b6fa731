"""Folders that all processes of the tests share are written once, and are read-only."""

from __future__ import annotations

import pytest


def test_a_folder_is_written_once(write_once, tmp_path):
    name = f"shared-{tmp_path.name}"
    written = []

    def write(folder):
        written.append(folder)
        (folder / "inner").mkdir()
        (folder / "inner" / "file.txt").write_text("text")

    first, second = write_once(name, write), write_once(name, write)
    assert first == second == written[0]
    assert len(written) == 1
    assert (first / "inner" / "file.txt").stat().st_mode & 0o222 == 0


def test_what_a_failed_writer_left_goes(write_once, tmp_path):
    name = f"failed-{tmp_path.name}"

    def fail(folder):
        (folder / "half.txt").touch()
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        write_once(name, fail)
    folder = write_once(name, lambda folder: (folder / "whole.txt").touch())
    assert [path.name for path in folder.iterdir()] == ["whole.txt"]


@pytest.mark.parametrize(
    ("path", "slow"),
    [("faults/test_workers_faults.py", True), ("test_shared_folders.py", False)],
)
def test_faults_are_slow_and_have_real_workers(path, slow, request):
    items = [item for item in request.session.items if item.nodeid.startswith(f"tests/{path}")]
    for item in items:
        assert bool(item.get_closest_marker("slow")) is slow
        assert bool(item.get_closest_marker("workers")) is slow
    assert items or slow  # that folder may have been left out
