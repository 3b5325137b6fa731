"""Notes on readers, from their plug-ins, to print beside their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ohr import registry
from ohr.study.results import StudyRun

if TYPE_CHECKING:
    import pandas as pd


Notes = Mapping[str, str]
"""The note of each reader that has one, by its label."""


def reader_notes(readers: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The notes of a study's readers, as its manifest's ``readers`` describes them.

    For older manifests without notes, the plug-in of that name decides.
    """
    notes = {
        label: reader["note"] if "note" in reader else note_of(str(reader["identity"]["name"]))
        for label, reader in readers.items()
    }
    return {label: note for label, note in notes.items() if note}


def run_notes(runs: Iterable[StudyRun]) -> dict[str, str]:
    """The notes of the readers of finished runs. Imported results have none."""
    notes: dict[str, str] = {}
    for run in runs:
        notes |= reader_notes(run.readers)
    return notes


def note_of(name: str) -> str:
    """The note of a registered reader or system; empty for another name."""
    if name in registry.known("reader"):
        return registry.plugin_class("reader", name).note
    return registry.plugin_class("system", name).note if name in registry.known("system") else ""


def answerers(frame: pd.DataFrame) -> list[str]:
    """The readers and systems of cells, or of another frame with these columns, each once."""
    columns = [frame[name] for name in ("reader", "system") if name in frame]
    return [str(label) for label in dict.fromkeys(v for column in columns for v in column) if label]


def note_lines(labels: Iterable[object], notes: Notes | None = None) -> list[str]:
    """``extractive: …``: one line per note, for the readers with these labels.

    Without ``notes``, labels are taken as plug-in names, which they are unless a study's
    configuration sets others.
    """
    names = [str(label) for label in dict.fromkeys(labels) if label]
    known_values = {label: note_of(label) for label in names} if notes is None else notes
    by_note: dict[str, list[str]] = {}
    for label in names:
        if note := known_values.get(label, ""):
            by_note.setdefault(note, []).append(label)
    return [f"{', '.join(readers)}: {note}" for note, readers in by_note.items()]
