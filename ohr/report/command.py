"""The command that reproduces a run."""

from __future__ import annotations

from ohr.errors import OhrError
from ohr.study.commands import equal_command, typed_command
from ohr.study.results import StudyRun


def command_of(run: StudyRun) -> str:
    """``ohr run noise-curve … --out RUN``: the run's own, as its manifest keeps it.

    For a run of an earlier version, one that makes the same study. Empty for a run without one
    (see :func:`why_without_command`).
    """
    if why_without_command(run):
        return ""
    entry = run.manifest.get("command")
    if not isinstance(entry, dict):
        entry = equal_command(run.config).entry(run.path)
    return typed_command(entry, run.path)


def why_without_command(run: StudyRun) -> str:
    """Why no command reproduces a run, such as imported results; empty if one does."""
    try:
        _ = run.config
    except OhrError as error:
        return str(error)
    return ""
