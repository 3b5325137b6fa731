"""What a class without a file is made of: one of a notebook, or that was typed or made by code.

Its functions count as they stand in their cells, its plain values, and the functions, classes and
plain values of the notebook that its functions name, and what those name. Of modules of one's own
that they use, the files count.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ohr.errors import PluginError
from ohr.store.identity import canonical_json, digest


def cell_sources(classes: Sequence[type]) -> tuple[str, list[str]]:
    """The digest of a class and its bases, the class first, and names of modules that they use.

    Raises PluginError for a function whose source cannot be read.
    """
    found = _Found(classes[0])
    for cls in classes:
        found.add(cls.__qualname__, cls)
    return digest(found.texts), sorted(found.modules)


class _Found:
    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.texts: dict[str, str] = {}
        self.modules: set[str] = set()

    def add(self, name: str, value: Any) -> None:
        """Add what a class or function names, and what that names in turn."""
        if name in self.texts:
            return
        self.texts[name] = ""
        if isinstance(value, ModuleType):
            self.modules.add(value.__name__)
        elif isinstance(value, type | FunctionType) and value.__module__ != self.cls.__module__:
            self.modules.add(value.__module__)
        elif isinstance(value, type):
            self.texts[name] = str(vars(value).get("__annotations__", ""))
            for key, part in sorted(vars(value).items()):
                if not _is_generated(key, part):
                    self.add(f"{name}.{key}", part)
        elif functions := _inside(value):
            self.texts[name] = "".join(map(self.text, functions))
            for function in functions:
                there = function.__globals__
                for used in sorted(_names(function.__code__) & there.keys()):
                    self.add(used, there[used])
        else:
            try:
                self.texts[name] = canonical_json(value)
            except (TypeError, ValueError):  # no plain value: what it is an object of counts
                if type(value).__module__ == self.cls.__module__:
                    self.add(type(value).__qualname__, type(value))

    def text(self, function: FunctionType) -> str:
        try:
            return inspect.getsource(function)
        except (OSError, TypeError) as error:
            name = self.cls.__name__
            raise PluginError(
                f"plug-in {self.cls.__module__}.{name} has no source that can be read, so what an "
                "edited one made could not be told from what it made before: write it to a file, "
                f"such as my_plugins.py, and name it my_plugins.{name}"
            ) from error


def functions_of(cls: type) -> list[FunctionType]:
    """Functions that a class itself defines."""
    return [function for value in vars(cls).values() for function in _inside(value)]


def _is_generated(key: str, value: object) -> bool:
    """Whether Python, or a decorator such as ``dataclass``, has put it there."""
    if not (key.startswith("__") and key.endswith("__")):
        return key == "_abc_impl"
    functions = _inside(value)
    return not functions or functions[0].__code__.co_filename == "<string>"


def _names(code: CodeType) -> set[str]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _inside(value: Any) -> list[FunctionType]:
    """The functions of a method, of a property, or of what a decorator wraps."""
    if isinstance(value, property):
        parts = [value.fget, value.fset, value.fdel]
    else:
        parts = [inspect.unwrap(getattr(value, "__func__", getattr(value, "func", value)))]
    return [part for part in parts if isinstance(part, FunctionType)]
