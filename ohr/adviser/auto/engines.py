"""The engines that read pages without a usable text layer when none is named."""

from __future__ import annotations

from ohr.errors import ConfigError
from ohr.machine.engines import usable_engines
from ohr.registry import PluginSpec

PREFERRED = ("tesseract", "rapidocr")
"""The engines that read by default, the faster one first."""


def auto_engines() -> list[PluginSpec]:
    """The engines that read without ``--engines``: a fast one, then a second one if there is one.

    Empty if no engine is installed. The project's own and other composite engines are left out.
    """
    try:
        usable = {spec.label: spec for spec in usable_engines()}
    except ConfigError:
        return []
    named = [usable[name] for name in PREFERRED if name in usable]
    return named or [*usable.values()][:1]
