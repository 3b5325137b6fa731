"""The command that reproduces a run."""

from __future__ import annotations

from ohr.study.commands import typed_command
from ohr.study.results import Run


def command_of(run: Run) -> str:
    """``ohr run noise-curve … --out RUN``, as the manifest keeps it.

    Empty for imported results, which no study made.
    """
    entry = run.manifest.get("command")
    return typed_command(entry, run.path) if isinstance(entry, dict) else ""
