"""Commands run from the folder that holds a clone, whatever the clone is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_a_clone_called_as_the_package_does_not_hide_it(tmp_path: Path) -> None:
    (tmp_path / "ohr").symlink_to(Path(__file__).parents[1])
    run = subprocess.run(
        [sys.executable, "-m", "experiments.dataset_verify", "--help"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
