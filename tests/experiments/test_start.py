"""What a start imports: a help needs no package that a study's work needs."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from experiments._commands import NAMES
from tests.builders import write_corpus

HEAVY = {
    *("numpy", "pandas", "scipy", "pyarrow", "matplotlib", "cv2", "PIL", "pypdfium2", "lxml"),
    *("torch", "transformers", "onnxruntime", "rapidocr", "augraphy", "bm25s", "rapidfuzz"),
    *("jieba", "Stemmer", "rich", "jinja2", "psutil", "ssl", "asyncio", "multiprocessing"),
}
PARSING = {"pydantic", "yaml"}
"""What reads the options of a study, and declares plug-ins."""
NAME_PLUGINS = {"list_plugins", "dataset_make_sample", "dev_contact_sheet"}
"""Commands whose help names kinds of plug-ins, or what a plug-in takes."""
SCRIPT = """
import contextlib, importlib, io, json, sys
seen = set(sys.modules)
def fresh():
    global seen
    new, seen = set(sys.modules) - seen, set(sys.modules)
    return sorted({name.partition(".")[0] for name in new})
import ohr
loaded = {"import ohr": fresh()}
from experiments.__main__ import app
with contextlib.redirect_stdout(io.StringIO()):
    app(["--help"], standalone_mode=False)
loaded["the list of commands"] = fresh()
for name in sys.argv[1:]:
    main = importlib.import_module(f"experiments.{name}").main
    with contextlib.redirect_stdout(io.StringIO()) as help:
        main(["--help"], standalone_mode=False)
    assert help.getvalue().startswith("Usage:")
    loaded[name] = fresh()
print(json.dumps(loaded))
"""


def parses(name: str) -> bool:
    """Whether the help of a command has the options of a study, or of a plug-in."""
    source = Path(sys.modules["experiments"].__path__[0], f"{name}.py").read_text("utf-8")
    return name in NAME_PLUGINS or "StudyConfig" in source or "study_command" in source


@cache
def loaded() -> dict[str, list[str]]:
    """What each start loads that none before it did; those that parse no options come first."""
    names = sorted(NAMES, key=parses)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *names],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["import ohr", "the list of commands", *NAMES])
def test_a_start_imports_nothing_heavy(name: str) -> None:
    assert HEAVY.isdisjoint(loaded()[name])


@pytest.mark.parametrize(
    "name", ["import ohr", "the list of commands", *(n for n in NAMES if not parses(n))]
)
def test_only_what_shows_options_of_a_study_imports_what_parses_them(name: str) -> None:
    assert PARSING.isdisjoint(loaded()[name])


FRAMES = {"pandas", "pyarrow", "matplotlib", "jinja2", "lxml"}
RANKING = {"bm25s", "numba", "llvmlite", "torch"}
RUN = """
from experiments.__main__ import main
try:
    main(sys.argv[2:])
except SystemExit as ended:
    assert not ended.code, ended
"""
STOP = """
import ohr.study.run
def stop(*_):
    raise SystemExit(0)
ohr.study.run._carry_out = stop
"""
SHOW = """
Path(sys.argv[1]).write_text(" ".join({name.partition(".")[0] for name in sys.modules}))
"""
DOORS = {
    # A table of text; the engines themselves import what they read pages with.
    "list engines": (RUN, FRAMES | RANKING | {"scipy"}),
    # Noise of page images needs OpenCV; the least p of a study needs Student's t (scipy.special).
    "run noise-curve --dry-run": (RUN, FRAMES | RANKING),
    "run ocr-benchmark": (STOP + RUN, FRAMES | RANKING | {"cv2"}),
    "a worker that reads pages": (
        "import ohr.ocr.worker",
        FRAMES | RANKING | {"cv2", "scipy", "rich", "typer", "yaml"},
    ),
    "a worker that opens files": (
        "import ohr.documents.opening",
        FRAMES | RANKING | {"cv2", "scipy", "rich", "typer", "yaml", "pydantic"},
    ),
}
"""What each door runs, and the packages that it must not import. A study stops here before its
first stage."""


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_a_door_imports_nothing_before_it_is_needed(door: str, tmp_path: Path) -> None:
    code, unneeded = DOORS[door]
    arguments = [] if code.startswith("import") else door.split()
    if arguments[0:1] == ["run"]:
        arguments += write_corpus(tmp_path)
    if door == "run ocr-benchmark":
        arguments += ["retrievers=[bm25]", "stages=[ocr,retrieval]", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [
            *(sys.executable, "-c", f"import sys\nfrom pathlib import Path\n{code}{SHOW}"),
            *(str(tmp_path / "modules"), *arguments),
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    modules = set((tmp_path / "modules").read_text().split())
    assert "ohr" in modules
    assert sorted(unneeded & modules) == []
