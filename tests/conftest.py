from __future__ import annotations

import fcntl
import gc
import importlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.loopback import Server, serving

ROOT = Path(__file__).resolve().parent.parent
WriteOnce = Callable[[str, Callable[[Path], object]], Path]


SLOW = ("tests/faults/", "tests/notebooks/")
"""Folders whose tests are all slow."""
BROWSERS = {"chromium_browser", "firefox_process", "window"}
"""Fixtures that open a browser: a test that asks for one is slow."""
REAL_WORKERS = ("tests/faults/", "tests/ohr/workers/")
"""Folders whose tests are all about worker processes."""
COSTLY = (
    *("tests/notebooks/", "tests/test_readme.py", "tests/test_extend.py", "tests/faults/"),
    *("tests/rag/test_real_language_model.py", "tests/experiments/test_ocr.py"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Registers the profiles of Hypothesis before its plugin looks for one."""
    if config.getoption("--hypothesis-profile", None):
        importlib.import_module("tests.examples")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--in-process",
        action="store_true",
        help="run the tasks of worker pools in the tests' own process, where no test is marked "
        "`workers`: half the time",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before the fixtures of any scope."""
    if item.config.getoption("--in-process"):
        from tests.in_process import run_in_process

        run_in_process(item.get_closest_marker("workers") is None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that collection makes is garbage, so none is looked for: a sixth of the time.

    Later searches pass by what was collected.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begins with what takes longest, so that the processes of the tests end together.

    Marks tests by their folders and fixtures, before ``-m`` chooses. Skips what is marked ``torch``
    where it is not installed.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(COSTLY))
    for item in items:
        if item.nodeid.startswith(REAL_WORKERS):
            item.add_marker(pytest.mark.workers)
        if item.nodeid.startswith(SLOW) or BROWSERS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
    lacking = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if lacking:
        reason = f"{' and '.join(lacking)} not installed: make test-all installs them"
        for item in items:
            if item.get_closest_marker("torch"):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """To which the engines of :mod:`tests.fakes` write what they read."""
    path = tmp_path / "log.txt"
    path.touch()
    monkeypatch.setenv("OHR_TEST_READ_LOG", str(path))
    return path


@pytest.fixture(autouse=True)
def draft_figures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn as they stand and coarsely: to arrange them first takes longer than to
    draw them.

    Not where a test, or its module, is marked ``arranged``; nor where nothing has imported
    Matplotlib yet, which takes a second.
    """
    if "matplotlib" in sys.modules and request.node.get_closest_marker("arranged") is None:
        draw_unarranged(monkeypatch)


def draw_unarranged(patch: pytest.MonkeyPatch) -> None:
    """Figures as most tests need them."""
    from matplotlib.figure import Figure

    from ohr.figures import style

    patch.setattr(Figure, "get_layout_engine", lambda figure: None)
    patch.setitem(style._STYLE, "savefig.dpi", 40)


def _data_dir() -> Path:
    return (ROOT / os.environ.get("OHR_DATA", "../shared/data")).resolve()


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data that is not part of the project."""
    folder = _data_dir()
    if not (folder / "ohrbench").is_dir():
        pytest.skip(f"no real data at {folder}: set OHR_DATA to the data folder")
    return folder


def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all processes of the tests have in common."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """While none of the other processes writes to a path."""
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def write_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> WriteOnce:
    """A function that writes a folder once for all processes of the tests, and returns its path.

    Its files are read-only then: a test that changes them copies the folder.
    """
    shared = shared_folder(tmp_path_factory, worker_id)

    def write(name: str, writer: Callable[[Path], object]) -> Path:
        folder = shared / name
        finished = shared / f"{name}.finished"
        with locked(folder):
            if not finished.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a writer that failed
                folder.mkdir()
                with pytest.MonkeyPatch.context() as patch:
                    draw_unarranged(patch)
                    writer(folder)
                for path in folder.rglob("*"):
                    if path.is_file() and not path.is_symlink():
                        path.chmod(0o444)
                finished.touch()
        return folder

    return write


@pytest.fixture(scope="session")
def sample_cache(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A cache that holds the sample, made once for all processes of the tests. Only to be read."""
    from ohr.sample import Sample, SampleParams

    shared = shared_folder(tmp_path_factory, worker_id)
    cache = shared / "sample-cache"
    with locked(cache):
        Sample(SampleParams(cache=cache, strict=True)).load()
    return cache


@pytest.fixture(scope="session")
def documents_cache(
    sample_cache: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Path:
    """A cache that the commands of the documents share: each page of the sample is read once."""
    cache = shared_folder(tmp_path_factory, worker_id) / "documents-cache"
    with locked(cache):
        if not cache.exists():
            shutil.copytree(sample_cache, cache)
    return cache


@pytest.fixture
def documents_folder(tmp_path: Path, documents_cache: Path) -> Path:
    """A folder whose ``.ohr-cache`` is that of all commands of the documents."""
    (tmp_path / ".ohr-cache").symlink_to(documents_cache)
    return tmp_path


@pytest.fixture
def sample_copy(tmp_path: Path, sample_cache: Path) -> Path:
    """A folder in which commands find the sample made."""
    shutil.copytree(sample_cache, tmp_path / ".ohr-cache")
    return tmp_path


@pytest.fixture
def sample_folder(tmp_path: Path, sample_cache: Path) -> Path:
    """The same for commands that write nothing into the cache."""
    (tmp_path / ".ohr-cache").symlink_to(sample_cache)
    return tmp_path


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
