"""What every plug-in is: a name, a version, parameters, an identity."""

from __future__ import annotations

import contextlib
import inspect
import sys
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict

from ohr.store.identity import digest, file_digest

PROJECT = frozenset({"ohr", "perturb", "ocr_backends", "rag", "experiments"})
"""Packages whose plug-ins are told apart by their ``version`` alone."""


_SOURCES: WeakKeyDictionary[type, dict[str, str]] = WeakKeyDictionary()


class Params(BaseModel):
    """Parameters of a plug-in: immutable, no unknown names, no infinity or NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Plugin:
    """Base of every plug-in; subclasses declare a ``Params`` model of their own."""

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    argument: ClassVar[str | None] = None
    """The parameter that ``name:value`` sets, as in ``precomputed:MinerU``."""

    Params: ClassVar[type[BaseModel]] = Params

    def __init__(self, params: BaseModel | None = None) -> None:
        self.params: Any = params if params is not None else self.Params()

    def identity(self) -> dict[str, object]:
        """Name, version and parameters as plain JSON; equal identities give equal output."""
        return {
            "name": self.name,
            "version": self.version,
            "params": self.params.model_dump(mode="json"),
            **source_of(type(self)),
        }


def source_of(cls: type) -> dict[str, str]:
    """Module and digest of the source of a class from outside the project, else nothing.

    So an edited plug-in of one's own never returns what it made before, whatever its ``version``.
    Modules that it imports are not looked at. Of a class in a notebook, its functions are.
    """
    if cls.__module__.partition(".")[0] in PROJECT:
        return {}
    if cls not in _SOURCES:  # as it was when the class was first used, not as it is edited now
        _SOURCES[cls] = {"module": cls.__module__, "source": _source_digest(cls)}
    return _SOURCES[cls]


def _source_digest(cls: type) -> str:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if file is not None and Path(file).is_file():
        return file_digest(Path(file))
    functions = [value for value in vars(cls).values() if inspect.isfunction(value)]
    sources = []
    for function in functions:
        with contextlib.suppress(OSError, TypeError):
            sources.append(inspect.getsource(function))
    return digest(sources)
