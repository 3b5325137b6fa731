"""The source files of a plug-in from outside the project, as digests.

The project's own plug-ins are identified by their ``version``. For any other class these files
count:

- the module that defines it, and the modules outside the project that define its bases;
- the user's modules that these import, directly or through others, wherever the import is in the
  file. They are found by reading import statements, without running anything, next to the plug-in
  and on ``sys.path``. A user's module lies outside the standard library, the project and
  ``site-packages``; for a plug-in of an installed package, that package counts too.

The files are read when the class is defined, so an edit while Python runs does not count until
the module is imported again. For classes without a file, such as those of a notebook, see
:mod:`ohr.plugins.notebook`.

Not covered: other packages, data files, modules that are imported by a computed name. A plug-in
whose output changes with these needs a new ``version``.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
import sysconfig
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from ohr.errors import ConfigError
from ohr.plugins.notebook import cell_sources, functions_of
from ohr.store.identity import digest, file_digest

PROJECT = frozenset({"ohr", "perturb", "ocr_backends", "rag", "experiments"})
"""Packages whose plug-ins are identified by their ``version`` alone."""
INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders of installed packages."""
STANDARD = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib")}
"""Folders of the standard library."""

_FILES: WeakKeyDictionary[type, dict[str, str]] = WeakKeyDictionary()


def source_of(cls: type) -> dict[str, object]:
    """Module, class, and module name -> digest of each source; empty for built-in plug-ins.

    Raises PluginError for a class without a file whose source cannot be read.
    """
    if _top(cls.__module__) in PROJECT:
        return {}
    if cls in _FILES:
        sources = _FILES[cls]
    else:
        texts, modules = cell_sources([b for b in cls.__mro__ if b is cls or not _is_known(b)])
        files: dict[str, str] = {}
        for name in modules:
            if (path := _file_of(name)) is not None and _counts(name, path, ()):
                _collect(name, path, (), files)
        sources = {f"{cls.__module__}.{cls.__qualname__}": texts, **files}
    return {"module": cls.__module__, "class": cls.__qualname__, "sources": sources}


def source_of_function(function: FunctionType) -> dict[str, object]:
    """Module name -> digest of each source of a function, as :func:`source_of` for a class."""
    if _top(function.__module__) in PROJECT:
        return {}
    path, files = _file_of(function.__module__), dict[str, str]()
    if path is None or Path(function.__code__.co_filename).resolve() != path:
        return {"sources": {function.__qualname__: digest(inspect.getsource(function))}}
    _collect(function.__module__, path, (), files)
    return {"sources": dict(sorted(files.items()))}


def check_unedited(cls: type, identity: Mapping[str, Any]) -> None:
    """Raise ConfigError if a class was edited since this identity of it was taken."""
    known_values = identity.get("sources", {})
    now = source_of(cls).get("sources", {})
    assert isinstance(now, dict)
    for module in sorted(now.keys() & known_values.keys()):
        if now[module] != known_values[module]:
            what = f"{module} was edited while the study ran: run the command again"
            raise ConfigError(f"plug-in {identity['name']!r}: {what}")


def read_sources(cls: type, root: type) -> None:
    """Remember the present digests of the files of ``cls``, a subclass of ``root``."""
    if _top(cls.__module__) in PROJECT or not _is_of_a_file(cls):
        return
    digests: dict[str, str] = {}
    bases = [base for base in cls.__mro__ if not _is_known(base)]
    packages = {_top(base.__module__) for base in bases if issubclass(base, root)}
    for base in bases:
        path = _file_of(base.__module__)
        if path is not None and _counts(base.__module__, path, packages):
            _collect(base.__module__, path, packages, digests)
    _FILES[cls] = dict(sorted(digests.items()))


def _collect(name: str, path: Path, packages: Collection[str], digests: dict[str, str]) -> None:
    """Add the digests of a module, of the packages around it, and of what they import."""
    depth = len(name.split(".")) + (path.name == "__init__.py")
    where = [*sys.path, str(path.parents[min(depth, len(path.parents)) - 1])]
    digests.setdefault(name, file_digest(path))
    waiting = [name, *_imports(name, path)]
    while waiting:
        for spec in _specs(waiting.pop(), where):
            file = Path(spec.origin).resolve() if spec.origin else None
            if spec.name in digests or file is None or not file.is_file():
                continue
            if _counts(spec.name, file, packages):
                with contextlib.suppress(OSError):  # what cannot be read cannot be imported
                    digests[spec.name] = file_digest(file)
                    waiting += _imports(spec.name, file)


def _specs(name: str, where: Sequence[str]) -> Iterator[ModuleSpec]:
    """A module and the packages around it, as far as they are found. Runs none of them."""
    if _top(name) in PROJECT:
        return
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:count]), where)
        if spec is None:
            return
        yield spec
        try:
            where = list(spec.submodule_search_locations or ())
        except KeyError:  # a folder without __init__.py in another that is not imported
            return


def _imports(name: str, path: Path) -> list[str]:
    """Absolute names that a module imports; some name an object in a module, not a module."""
    status = path.stat()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    names = []
    for level, module, imported in _statements(path, status.st_mtime_ns, status.st_size):
        above = package.split(".")[: max(0, package.count(".") + 2 - level)] if level else []
        base = ".".join([part for part in (*above, module) if part])
        names += [base, *(f"{base}.{part}".lstrip(".") for part in imported)]
    return [name for name in names if name]


Statement = tuple[int, str, tuple[str, ...]]
"""An import: the number of leading dots, the module, and the imported names."""


@lru_cache(maxsize=4096)
def _statements(path: Path, mtime_ns: int, size: int) -> tuple[Statement, ...]:
    """The import statements of a file in this state; none for a file that is not Python."""
    if path.suffix != ".py":
        return ()
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return ()
    statements: list[Statement] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            statements += [(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imported = tuple(alias.name for alias in node.names if alias.name != "*")
            statements.append((node.level, node.module or "", imported))
    return tuple(statements)


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).resolve() if file is not None and Path(file).is_file() else None


def _is_of_a_file(cls: type) -> bool:
    """Whether a class is defined in a file: not in a notebook, and not typed at a prompt."""
    path = _file_of(cls.__module__)
    if path is not None and cls.__module__ == "__main__":
        files = {Path(function.__code__.co_filename).resolve() for function in functions_of(cls)}
        return files <= {path}
    return path is not None


def _counts(name: str, path: Path, packages: Collection[str]) -> bool:
    """Whether a module is the user's, or belongs to the packages of the plug-in."""
    return _top(name) not in PROJECT and (_top(name) in packages or not _is_shared(path))


def _is_shared(path: Path) -> bool:
    """Whether a file belongs to the standard library or an installed package."""
    return not (INSTALLED.isdisjoint(path.parts) and STANDARD.isdisjoint(path.parents))


def _is_known(cls: type) -> bool:
    """Whether a class belongs to the project or the standard library."""
    path = _file_of(cls.__module__)
    if path is None:
        return _top(cls.__module__) in PROJECT | sys.stdlib_module_names
    return _top(cls.__module__) in PROJECT or not STANDARD.isdisjoint(path.parents)


def _top(name: str) -> str:
    return name.partition(".")[0]
