"""The command that reproduces a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ohr.errors import OhrError
from ohr.study.commands import equal_command, typed_command
from ohr.study.results import StudyRun


def command_of(run: StudyRun) -> str:
    """``ohr run noise-curve … --out RUN``: the run's own, as its manifest keeps it.

    For a run of an earlier version, one that makes the same study. Empty for a run without one
    (see :func:`why_without_command`).
    """
    entry = _entry(run)
    return "" if isinstance(entry, str) else typed_command(entry, run.path)


def why_without_command(run: StudyRun) -> str:
    """Why no command reproduces a run, such as imported results; empty if one does."""
    entry = _entry(run)
    return entry if isinstance(entry, str) else ""


def _entry(run: StudyRun) -> Mapping[str, Any] | str:
    """The command as a manifest keeps it, or why there is none."""
    try:
        config = run.config
    except OhrError as error:
        return str(error)
    entry = run.manifest.get("command")
    if isinstance(entry, dict):
        return entry
    command = equal_command(config)
    return command.entry(run.path) if command else "no options that can be typed make this study"
