"""A plug-in of one's own is known by its source: its module, its bases', and what they import."""

from __future__ import annotations

import importlib
import linecache
import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ohr import registry
from ohr.errors import ConfigError, PluginError
from ohr.plugins import Plugin, check_unedited, source_of

FILES = {
    "mine.py": "from ohr.plugins import Reader\nfrom shared.words import say\nimport json, numpy\n"
    "class Mine(Reader):\n    name = 'mine'\n"
    "    def answer(self, question, context):\n"
    "        from late import LATE\n        return say(LATE)\n",
    "late.py": "from importlib import import_module\nLATE = import_module('named_at_run_time')\n",
    "named_at_run_time.py": "",
    "unused.py": "",
    "shared/__init__.py": "from . import constants\n",
    "shared/words.py": "from .deep.er import *\nfrom . import deep\ndef say(x): return x\n",
    "shared/deep/__init__.py": "",
    "shared/deep/er.py": "from ..constants import A\nimport shared.words\n",
    "shared/constants.py": "A = 1\n",
    "shared/other.py": "",
    "derived.py": "import mine\nclass Derived(mine.Mine):\n    name = 'derived'\n",
}
OF_MINE = {
    "mine", "late", "shared", "shared.words", "shared.deep", "shared.deep.er", "shared.constants",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name, text in FILES.items():
        write(tmp_path, name, text)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    time = 1_000_000_000 + len(text)  # an edit in the same second counts
    os.utime(path, (time, time))


def fresh(name: str, kind: str = "reader") -> type[Plugin]:
    """The class as a new process would have it."""
    for module in (*OF_MINE, "derived", "named_at_run_time"):
        sys.modules.pop(module, None)
    importlib.invalidate_caches()
    return registry.plugin_class(kind, name)


def sources(cls: type) -> dict[str, str]:
    found = source_of(cls)["sources"]
    assert isinstance(found, dict)
    return found


def test_what_a_plugin_imports_of_ones_own_counts_and_nothing_else(folder: Path) -> None:
    assert set(sources(fresh("mine.Mine"))) == OF_MINE
    assert set(sources(fresh("derived.Derived"))) == OF_MINE | {"derived"}


@pytest.mark.parametrize("module", sorted(OF_MINE))
def test_an_edit_of_any_of_them_makes_it_another_plugin(folder: Path, module: str) -> None:
    before = fresh("derived.Derived")().identity()
    assert fresh("derived.Derived")().identity() == before
    name = module.replace(".", "/")
    name = f"{name}/__init__.py" if (folder / name).is_dir() else f"{name}.py"
    write(folder, name, FILES[name] + "# edited\n")
    after = fresh("derived.Derived")().identity()
    assert {key for key in before if before[key] != after[key]} == {"sources"}
    changed = {
        name for name, digest in after["sources"].items() if digest != before["sources"][name]
    }
    assert changed == {module}


def test_an_edit_that_python_has_not_seen_does_not_count(folder: Path) -> None:
    cls = fresh("mine.Mine")
    write(folder, "mine.py", FILES["mine.py"] + "# edited\n")
    late = cls().identity()
    assert late != fresh("mine.Mine")().identity()
    with pytest.raises(ConfigError, match="'mine': mine was edited while the study ran"):
        check_unedited(sys.modules["mine"].Mine, late)
    check_unedited(cls, late)


def test_classes_of_one_name_are_two_plugins(folder: Path) -> None:
    text = FILES["mine.py"]
    write(
        folder, "late.py", text + text.partition("import json, numpy\n")[2].replace("Mine", "Too")
    )
    write(folder, "derived.py", text)
    names = ("mine.Mine", "late.Mine", "late.Too", "derived.Mine")
    identities = [fresh(name)().identity() for name in names]
    assert {identity["name"] for identity in identities} == {"mine"}
    assert all(one not in identities[:index] for index, one in enumerate(identities))


def test_of_an_installed_plugin_its_package_counts(folder: Path, monkeypatch: Any) -> None:
    packages = folder / "site-packages"
    for name, text in FILES.items():
        write(packages / "theirs", name, text.replace("from shared", "from .shared"))
    write(packages, "theirs/__init__.py", "")
    write(packages, "neighbour.py", "")
    write(packages / "theirs", "late.py", "import neighbour, shared.constants\n")
    (packages / "theirs" / "mine.py").write_text(
        FILES["mine.py"].replace("from shared", "from .shared").replace("late", "theirs.late")
    )
    monkeypatch.syspath_prepend(packages)
    found = sources(registry.plugin_class("reader", "theirs.mine.Mine"))
    assert {"theirs", "theirs.mine", "theirs.late", "theirs.shared.words"} <= set(found)
    assert "neighbour" not in found


def test_a_module_of_ones_own_may_be_called_as_one_of_pythons(folder: Path) -> None:
    write(folder, "nntplib.py", FILES["mine.py"])
    write(folder, "late.py", "import nntplib\n")
    assert set(sources(fresh("nntplib.Mine"))) == OF_MINE - {"mine"} | {"nntplib"}
    assert set(sources(fresh("mine.Mine"))) == OF_MINE | {"nntplib"}


def test_built_in_plugins_are_known_by_their_version_alone() -> None:
    assert set(registry.create("chunker", "page").identity()) == {"name", "version", "params"}
    assert source_of(registry.plugin_class("engine", "tesseract")) == {}


CELLS = """
from dataclasses import dataclass
from functools import lru_cache
from ohr.plugins import Params, Reader
import mine

ENDING = "."
LIMIT = 3

@dataclass
class Answer:
    text: str
    def shown(self):
        return self.text + ENDING

@lru_cache
def shorten(text):
    return Answer(text[:LIMIT]).shown()

class TypedParams(Params):
    upper: bool = False

class Typed(Reader[TypedParams]):
    name = "typed"
    word = "no"
    @property
    def own(self):
        return self.word
    def answer(self, question, context):
        return mine.say(shorten(self.own))

def unused(): return 1
"""


def run_cells(monkeypatch: pytest.MonkeyPatch, text: str, readable: bool = True) -> type[Plugin]:
    """The class ``Typed`` of a module without a file, as a notebook is."""
    module = types.ModuleType("of_a_notebook")
    monkeypatch.setitem(sys.modules, "of_a_notebook", module)
    name = f"<cell {hash(text)}>"
    if readable:
        lines = (len(text), None, text.splitlines(keepends=True), name)
        monkeypatch.setitem(linecache.cache, name, lines)
    exec(compile(text, name, "exec"), vars(module))
    cls = vars(module)["Typed"]
    assert isinstance(cls, type)
    return cls


def test_a_notebooks_plugin_is_known_by_what_it_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def identity(change: Callable[[str], str] = str) -> dict[str, Any]:
        sys.modules.pop("mine", None)
        return run_cells(monkeypatch, change(CELLS))().identity()

    first = identity()
    assert set(first["sources"]) == {"of_a_notebook.Typed", *OF_MINE}
    same = [("\n\n", "\n\n\n"), ("return 1", "return 2")]
    other = [
        ("LIMIT = 3", "LIMIT = 4"),
        ('ENDING = "."', 'ENDING = ""'),
        ('word = "no"', 'word = ""'),
        ("self.text +", "self.text * 2 +"),
        ("return self.word", "return self.word[::-1]"),
        ("(self.own)", "(self.own + question)"),
        ("@lru_cache\n", "@lru_cache(1)\n"),
    ]
    for before, after in same:
        assert identity(lambda text, a=before, b=after: text.replace(a, b)) == first
    for before, after in other:
        assert identity(lambda text, a=before, b=after: text.replace(a, b)) != first, after
    write(folder, "shared/constants.py", "A = 2\n")
    assert identity() != first


def test_a_class_without_any_source_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = run_cells(monkeypatch, CELLS, readable=False)
    with pytest.raises(PluginError, match=r"of_a_notebook.Typed has no source .* my_plugins.Typed"):
        cls().identity()


@pytest.mark.slow
def test_a_script_is_a_file_and_what_is_typed_beside_it_is_none(folder: Path) -> None:
    script = (
        "from mine import Mine\n"
        "class Own(Mine):\n    name = 'own'\n    def answer(self, question, context): ...\n"
        "print(sorted(Own().identity()['sources']))\n"
    )
    (folder / "script.py").write_text(script)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), os.getcwd()])}
    for arguments, text in (["script.py"], ""), (["-i", "script.py"], script), (["-"], script):
        done = subprocess.run(
            [sys.executable, *arguments],
            input=text, capture_output=True, text=True, cwd=folder, env=environment, check=False,
        )  # fmt: skip
        if "-" in arguments:
            assert "Own has no source that can be read" in done.stderr
        else:
            assert done.stdout.splitlines()[0] == str(sorted(OF_MINE | {"__main__"})), done.stderr
