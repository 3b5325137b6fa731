"""Every exception the toolkit raises on purpose.

::

    OhrError
    ├── ConfigError            a configuration that cannot be run as written
    │   ├── UnknownPluginError no plug-in of that name; the message lists the known ones
    │   └── UntrustedCodeError a file names code that is loaded only with --trust-code
    ├── DatasetError           a dataset that cannot be read, or fails strict validation
    ├── MissingDependencyError a package, binary or model that is not installed
    ├── EngineError            a model failed on a page or a question
    │   ├── LateError          it did not answer in time
    │   └── RefusedError       a server refused one request; the message quotes it
    ├── PluginError            a plug-in that fails or breaks its contract, whatever its input
    └── StoreError             an artefact that cannot be written or read back

Each message is one line that names the thing, the value and the fix.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


class OhrError(Exception):
    """Base class: anything a user can fix, shown as one line without a traceback."""


class ConfigError(OhrError):
    """A configuration that cannot be run as written."""


class UnknownPluginError(ConfigError):
    """No plug-in of that name is registered."""


class UntrustedCodeError(ConfigError):
    """A file, such as a run's manifest, names code that nobody has said to trust."""


class DatasetError(OhrError):
    """A dataset that cannot be read, or that fails strict validation."""


class MissingDependencyError(OhrError):
    """Something that is not installed; the message names the command that installs it."""


class EngineError(OhrError):
    """An engine or model failed on a page or a question; becomes an ``error`` outcome."""


class LateError(EngineError):
    """No answer in time; a reader's becomes a ``timeout`` outcome."""


class RefusedError(EngineError):
    """A server refused one request (HTTP 403, 404); if it refuses all of them, a run stops."""

    MARK: ClassVar[str] = "refused (HTTP "
    """Part of every such message, and so of the detail of the outcome that it becomes."""


class PluginError(OhrError):
    """A plug-in failed or broke its contract, and no page or question caused it."""


class StoreError(OhrError):
    """An artefact could not be written or read back."""


def did_you_mean(name: str, known_values: Iterable[str], parent: str = "") -> str:
    """A hint for an unknown name: ``did you mean 'bm25'? known: bm25, hybrid``.

    Without a similar known name, only the list. ``parent`` is a prefix that all the names share,
    such as ``dataset.``.
    """
    close = difflib.get_close_matches(name, names := list(known_values), n=1)
    hint = f"did you mean {parent + close[0]!r}? " if close else ""
    return f"{hint}known: {', '.join(parent + name for name in names)}"
