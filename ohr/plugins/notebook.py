"""The sources of a class without a file: one in a notebook, typed at a prompt, or made by code.

They are the source text of its functions, its plain values, and the functions, classes and plain
values of the notebook that its functions use, directly or through others. For your own modules
that these use, the files count.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ohr.errors import PluginError
from ohr.store.identity import canonical_json, digest


def cell_sources(classes: Sequence[type]) -> tuple[str, list[str]]:
    """The digest of the sources of a class and its bases, and the names of the modules they use.

    ``classes``: the class, then its bases. Raises PluginError for a function whose source cannot
    be read.
    """
    sources = _Sources(classes[0])
    for cls in classes:
        sources.add(cls.__qualname__, cls)
    return digest(sources.texts), sorted(sources.modules)


class _Sources:
    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.texts: dict[str, str] = {}
        self.modules: set[str] = set()

    def add(self, name: str, value: Any) -> None:
        """Add a named value, and everything that its functions use in turn."""
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
        elif functions := _wrapped_functions(value):
            self.texts[name] = "".join(map(self.text, functions))
            for function in functions:
                names = function.__globals__
                for used in sorted(_names(function.__code__) & names.keys()):
                    self.add(used, names[used])
        else:
            try:
                self.texts[name] = canonical_json(value)
            except (TypeError, ValueError):  # no plain value: its class counts instead
                if type(value).__module__ == self.cls.__module__:
                    self.add(type(value).__qualname__, type(value))

    def text(self, function: FunctionType) -> str:
        try:
            return inspect.getsource(function)
        except (OSError, TypeError) as error:
            name = self.cls.__name__
            raise PluginError(
                f"plug-in {self.cls.__module__}.{name} has no source that can be read, so results "
                "of an edited version could not be distinguished from earlier ones: write it to a "
                f"file, such as my_plugins.py, and name it my_plugins.{name}"
            ) from error


def functions_of(cls: type) -> list[FunctionType]:
    """The functions that a class itself defines, without those of its bases."""
    return [function for value in vars(cls).values() for function in _wrapped_functions(value)]


def _is_generated(key: str, value: object) -> bool:
    """Whether Python, or a decorator such as ``dataclass``, added this attribute to the class."""
    if not (key.startswith("__") and key.endswith("__")):
        return key == "_abc_impl"
    functions = _wrapped_functions(value)
    return not functions or functions[0].__code__.co_filename == "<string>"


def _names(code: CodeType) -> set[str]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _wrapped_functions(value: Any) -> list[FunctionType]:
    """The functions behind a method, a property or a decorated function."""
    if isinstance(value, property):
        parts = [value.fget, value.fset, value.fdel]
    else:
        parts = [inspect.unwrap(getattr(value, "__func__", getattr(value, "func", value)))]
    return [part for part in parts if isinstance(part, FunctionType)]
