"""Every exception the toolkit raises on purpose.

::

    OhrError
    ├── ConfigError            a configuration that cannot be run as written
    │   └── UnknownPluginError no plug-in of that name; the message lists the known ones
    ├── DatasetError           a dataset that cannot be read, or fails strict validation
    ├── MissingDependencyError a package, binary or model that is not installed
    ├── EngineError            an OCR engine failed on a page
    └── StoreError             an artefact that cannot be written or read back

Each message is one line that names the thing, the value and the mend.
"""

from __future__ import annotations


class OhrError(Exception):
    """Base class: anything a user can mend, shown as one line without a traceback."""


class ConfigError(OhrError):
    """A configuration that cannot be run as written."""


class UnknownPluginError(ConfigError):
    """No plug-in of that name is registered."""


class DatasetError(OhrError):
    """A dataset that cannot be read, or that fails strict validation."""


class MissingDependencyError(OhrError):
    """Something that is not installed; the message names the command that installs it."""


class EngineError(OhrError):
    """An OCR engine failed on a page; becomes an ``error`` outcome."""


class StoreError(OhrError):
    """An artefact could not be written or read back."""
