"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def make_getattr(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Make a package's ``__getattr__``, which also finds the modules themselves.

    ``homes`` maps each module to its names, separated by spaces; ``Engine=OcrBackend`` exports
    ``OcrBackend`` as ``Engine``. The function raises AttributeError for an unknown name.
    """
    places = {
        name: (module, attribute or name)
        for module, names in homes.items()
        for name, _, attribute in (entry.partition("=") for entry in names.split())
    }

    def get(name: str) -> object:
        if f"{package}.{name}" in homes:
            return import_module(f"{package}.{name}")
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = places[name]
        value = getattr(import_module(module), attribute)
        setattr(sys.modules[package], name, value)
        return value

    return get
