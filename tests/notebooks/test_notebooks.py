"""Every notebook runs from its first cell to its last, and shows figures."""

from __future__ import annotations

import re
import shutil

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


SMALLER = {
    'ohr.Study(noise="formatting"': 'ohr.Study(seeds=0, dataset={"limit": 24}, noise="formatting"',
    "ohr.Study(": "ohr.Study(bootstrap=100, ",
    '"kind": "sample",': '"kind": "sample", "limit": 40,',
}
"""Fewer questions."""


UNARRANGED = """
from matplotlib.figure import Figure
Figure.get_layout_engine = lambda figure: None
"""
"""As in all tests, figures are drawn as they stand."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory, documents_cache):
    """Where they run: what one has read, the next need not read again."""
    folder = tmp_path_factory.mktemp("notebooks")
    (folder / ".ohr-cache").symlink_to(documents_cache)
    return folder


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_figures(path, folder, monkeypatch):
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        for whole, part in SMALLER.items():
            cell.source = cell.source.replace(whole, part)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(UNARRANGED))
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, resources=resources).execute()
    shown = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(shown) >= 1
    assert (folder / "runs/notebooks").is_dir()


def test_every_notebook_is_there_with_its_figures():
    assert [path.stem[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05"]
    for path in NOTEBOOKS:
        assert '"image/png"' in path.read_text("utf-8"), path.name


@pytest.mark.parametrize("number", ["01", "02", "03", "05"])
def test_a_notebook_ends_with_a_loss_that_is_shown(number):
    """On documents enough that it is shown, with its interval: what one may cite."""
    (path,) = (path for path in NOTEBOOKS if path.name.startswith(number))
    (output,) = nbformat.read(path, as_version=4).cells[-1].outputs
    assert re.search(r"costs? .*\d\.\d\d \(95 % CI 0\.\d\d to \d\.\d\d\)", output["text"])
    assert re.search(r"636 questions on 60 documents", output["text"])


def test_what_the_notebooks_keep_shows_no_warning_and_no_path():
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", []):
                assert output.get("name") != "stderr", (path.name, output)
        assert str(ROOT) not in path.read_text("utf-8"), path.name
