"""What of an identity is the project's, and not the machine's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ENVIRONMENT = ("engine_version", "augraphy", "tesseract", "symspellpy", "digest")
"""Parts of an identity, at any depth, that name what is not the project's."""


def portable_identity(identity: Any, made_with: dict[str, str], path: str = "") -> Any:
    """An identity without its :data:`ENVIRONMENT` parts, nor those of the plug-ins that it names;
    ``made_with`` gets each of them, by its path.
    """
    if isinstance(identity, Mapping):
        rest = {}
        for part, value in identity.items():
            if part in ENVIRONMENT:
                made_with[f"{path}{part}"] = str(value)
            else:
                rest[part] = portable_identity(value, made_with, f"{path}{part}/")
        return rest
    if isinstance(identity, list | tuple):
        return [
            portable_identity(value, made_with, f"{path}{place}/")
            for place, value in enumerate(identity)
        ]
    return identity
