from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.ocr_backends.programs import PAGES, write_pdf


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "report; rm -rf $HOME.pdf"  # a file's name is not trusted
    write_pdf(path, PAGES)
    return path


@pytest.fixture
def blank() -> np.ndarray:
    return np.full((60, 80), 255, np.uint8)
