from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loopback import Server, serving

ROOT = Path(__file__).resolve().parent.parent


def _data_dir() -> Path:
    return (ROOT / os.environ.get("OHR_DATA", "../shared/data")).resolve()


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data that is not part of the project."""
    folder = _data_dir()
    if not (folder / "ohrbench").is_dir():
        pytest.skip(f"no real data at {folder}: set OHR_DATA to the data folder")
    return folder


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback that answers as the test scripts it."""
    with serving() as state:
        yield state


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that requests meant to wait before another try; they do not."""
    slept: list[float] = []
    monkeypatch.setattr("ohr.models.http.pause", lambda stop, seconds: slept.append(seconds))
    return slept
