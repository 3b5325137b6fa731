from __future__ import annotations

import os
from pathlib import Path

import pytest

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
