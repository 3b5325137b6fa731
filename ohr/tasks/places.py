"""Places of one machine among the parameters of plug-ins: local addresses, and files."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_LOCAL_ENDS = (".local", ".lan", ".internal", ".localdomain", ".home")


def machine_places(value: Any) -> Iterator[str]:
    """``base_url http://localhost:8000/v1``, ``model /models/x`` … in an option of a study."""
    for name, text in _texts("", value):
        if _is_local_address(text):
            yield f"{name} {_shown(text)}"
        elif "://" not in text and _is_file(text):
            yield f"{name} {text}"


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in ("name", "label"):
                yield from _texts(str(key), inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(name, inner)


def _is_local_address(text: str) -> bool:
    """Whether an address names this machine, or one that only its network knows."""
    if not text.lower().startswith(("http://", "https://")):
        return False
    try:
        host = urlsplit(text).hostname or ""
    except ValueError:
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_ENDS)


def _shown(text: str) -> str:
    """An address without what may be a key."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return "an address"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _is_file(text: str) -> bool:
    path = Path(text)
    try:
        exists = path.expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        exists = False
    return (
        path.is_absolute() or text.startswith("~") or (exists and bool(path.suffix or "/" in text))
    )
