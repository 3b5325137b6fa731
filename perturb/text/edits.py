"""Edits of a text, in its own coordinates, and the record that replays and undoes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from ohr.plugins.base import first_error
from ohr.plugins.perturbation import Fraction
from ohr.store.identity import digest


class Edit(NamedTuple):
    """At ``at`` in the clean text, ``removed`` gives way to ``inserted``."""

    at: Annotated[StrictInt, Field(ge=0)]
    removed: StrictStr
    inserted: StrictStr


class TextRecord(BaseModel):
    """What was done to a text. It is read back from disk, so types are strict and extra fields are
    refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: StrictStr
    version: StrictStr
    intensity: Fraction
    text: StrictStr
    """Digest of the clean text."""
    edits: tuple[Edit, ...]
    """In the order of their places; they do not overlap."""


def write_record(
    name: str, version: str, intensity: float, text: str, edits: Iterable[Edit]
) -> dict[str, Any]:
    """A record as plain JSON: each edit is ``[at, removed, inserted]``."""
    return {
        "name": name,
        "version": version,
        "intensity": intensity,
        "text": digest(text),
        "edits": [list(edit) for edit in edits],
    }


def read_record(record: Mapping[str, Any], name: str, version: str) -> TextRecord:
    """The checked record of this perturbation and version. Raises ValueError."""
    try:
        parsed = TextRecord.model_validate(record)
    except ValidationError as error:
        raise ValueError(f"not a record of {name!r}: {first_error(error)}") from error
    for field, expected in (("name", name), ("version", version)):
        if (recorded := getattr(parsed, field)) != expected:
            raise ValueError(f"record has {field} {recorded!r}, this perturbation has {expected!r}")
    return parsed


def rewrite(text: str, edits: Iterable[Edit]) -> str:
    """The edited text. Raises ValueError unless each edit finds what it removes, in order."""
    pieces: list[str] = []
    done = 0
    for position, removed, inserted in edits:
        if (
            position < done
            or not text.startswith(removed, position)
            or position + len(removed) > len(text)
        ):
            raise ValueError(
                f"record does not fit the text: no {removed!r} at character {position}"
            )
        pieces += (text[done:position], inserted)
        done = position + len(removed)
    return "".join((*pieces, text[done:]))


def undone(value: str, edits: Iterable[Edit]) -> str:
    """The text that :func:`rewrite` turned into ``value``. Raises ValueError likewise."""
    back: list[Edit] = []
    shift = 0
    for position, removed, inserted in edits:
        back.append(Edit(position + shift, inserted, removed))
        shift += len(inserted) - len(removed)
    return rewrite(value, back)
