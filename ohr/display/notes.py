"""What must be said wherever a reader's figures stand: its own note, decided by its plug-in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from ohr import registry
from ohr.study.results import Run

Notes = Mapping[str, str]
"""The note of each reader that has one, by its label."""


def reader_notes(readers: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The notes of a study's readers, as its manifest's ``readers`` describes them.

    Manifests that were written before readers had notes say nothing: the plug-in of that name
    decides.
    """
    notes = {
        label: reader["note"] if "note" in reader else note_of(str(reader["identity"]["name"]))
        for label, reader in readers.items()
    }
    return {label: note for label, note in notes.items() if note}


def run_notes(runs: Iterable[Run]) -> dict[str, str]:
    """The notes of the readers of finished runs. Imported results have none."""
    notes: dict[str, str] = {}
    for run in runs:
        notes |= reader_notes(run.readers)
    return notes


def note_of(name: str) -> str:
    """The note of a registered reader or system; of a name that is none, nothing."""
    if name in registry.known("reader"):
        return registry.plugin_class("reader", name).note
    return registry.plugin_class("system", name).note if name in registry.known("system") else ""


def answerers(frame: pd.DataFrame) -> list[str]:
    """The readers and systems of cells, or of another frame with these columns, each once."""
    columns = [frame[name] for name in ("reader", "system") if name in frame]
    return [str(label) for label in dict.fromkeys(v for column in columns for v in column) if label]


def note_lines(labels: Iterable[object], notes: Notes | None = None) -> list[str]:
    """``extractive: …``, a line a note, of the readers with these labels.

    Without ``notes`` a label is taken to be the plug-in's name, which it is unless a study's
    configuration gives another.
    """
    named = [str(label) for label in dict.fromkeys(labels) if label]
    known = {label: note_of(label) for label in named} if notes is None else notes
    by_note: dict[str, list[str]] = {}
    for label in named:
        if note := known.get(label, ""):
            by_note.setdefault(note, []).append(label)
    return [f"{', '.join(readers)}: {note}" for note, readers in by_note.items()]
