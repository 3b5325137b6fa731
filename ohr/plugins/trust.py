"""Whether code that a file names may be loaded.

A dotted path, such as ``my_engines.Fast``, names code. One that a user types, or passes in Python,
is loaded. One in a file may be somebody else's:

- in a study's YAML or in routes, it must be installed: found without the working folder;
- in the manifest of a run, its sources must also have the digests that the manifest states.

Anything else is loaded only inside :func:`trusting`, which is what ``--trust-code`` means.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from ohr.errors import UntrustedCodeError
from ohr.plugins.sources import PROJECT
from ohr.store.identity import file_digest

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
"""A dotted path: names of Python, joined by dots."""


@dataclass(frozen=True)
class _Run:
    """A run whose plug-ins are loaded."""

    place: Path
    sources: Mapping[str, str]
    """Module -> digest of its file."""


_TRUSTS: ContextVar[bool] = ContextVar("trusts", default=False)
_RUN: ContextVar[_Run | None] = ContextVar("run", default=None)


@contextmanager
def trusting(trust: bool = True) -> Iterator[None]:
    """Inside, code that files name is loaded, if ``trust`` is true; else nothing changes."""
    token = _TRUSTS.set(_TRUSTS.get() or trust)
    try:
        yield
    finally:
        _TRUSTS.reset(token)


@contextmanager
def named_by_run(place: Path, sources: object) -> Iterator[None]:
    """Inside, plug-ins are those that the manifest of a run names.

    ``sources`` is what the manifest states: the digest of each module of its plug-ins.
    """
    stated = sources if isinstance(sources, Mapping) else {}
    token = _RUN.set(_Run(place, stated))
    try:
        yield
    finally:
        _RUN.reset(token)


def check_name(kind: str, name: str) -> None:
    """Raise UntrustedCodeError for a dotted path that a run names, unless it is what the run used.

    Outside :func:`named_by_run` every name is the user's own.
    """
    run = _RUN.get()
    if run is None or _TRUSTS.get() or _is_ours(name):
        return
    module = name.rpartition(".")[0]
    top = module.partition(".")[0]
    stated = {part: value for part, value in run.sources.items() if part.partition(".")[0] == top}
    files = {part: _installed_file(part) for part in stated}
    if module not in stated or any(
        path is None or file_digest(path) != stated[part] for part, path in files.items()
    ):
        raise UntrustedCodeError(
            f"{run.place} names code, {kind} {name!r}, that is not installed as the run used it: "
            "it is loaded only with --trust-code"
        )


def check_content(content: Any, place: Path) -> None:
    """Raise UntrustedCodeError if a file names code of the working folder, at any depth."""
    if _TRUSTS.get():
        return
    for name in (text.partition(":")[0] for text in _texts(content)):
        module = name.rpartition(".")[0]
        if _NAME.fullmatch(name) and not _is_ours(name) and _is_of_folder(module):
            raise UntrustedCodeError(
                f"{place} names code of this folder, {name!r}: if you trust both, add --trust-code"
            )


def leave_folder() -> None:
    """Take the working folder off ``sys.path``, unless the toolkit itself is imported from it."""
    folder = Path.cwd().resolve()
    if folder != Path(__file__).resolve().parents[2]:
        sys.path[:] = _search_path(folder)


def _is_of_folder(module: str) -> bool:
    """Whether a module would be imported from the working folder."""
    imported = _file(module, sys.path)
    return imported is not None and imported != _installed_file(module)


def _installed_file(module: str) -> Path | None:
    """The file of a module without the working folder; None without one, or if it is hidden."""
    installed = _file(module, _search_path(Path.cwd().resolve()))
    return installed if installed == _file(module, sys.path) else None


def _search_path(folder: Path) -> list[str]:
    return [place for place in sys.path if Path(place or ".").resolve() != folder]


def _file(module: str, where: Sequence[str]) -> Path | None:
    """The file of a module, found without running anything; None without one."""
    spec = None
    for part in module.split("."):
        # By its own name alone: for a dotted one, Python looks into packages that are not imported.
        try:
            spec = PathFinder.find_spec(part, where)
        except (ImportError, ValueError):
            return None
        if spec is None:
            return None
        if spec.origin is None:  # a folder without __init__.py, which may be in several places
            where = [str(Path(place, part)) for place in where if Path(place, part).is_dir()]
        else:
            where = list(spec.submodule_search_locations or ())
    origin = Path(spec.origin) if spec and spec.origin else None
    return origin.resolve() if origin is not None and origin.is_file() else None


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in PROJECT


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
