"""The warning of engines that read a PDF's text layer, where it is not what the page shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ohr.documents.verifying import verified_page
from ohr.errors import EngineError
from ohr.types import Outcome

FAULT = "unreliable text layer"
"""In the detail of every outcome that was taken from such a layer."""


def add_layer_fault(outcome: Outcome[str], path: Path, page_no: int) -> Outcome[str]:
    """A page's outcome (0-based), with what is wrong with its layer, or why that is unknown."""
    if not outcome.value:
        return outcome
    try:
        fault = verified_page(path, page_no).gap
    except EngineError as error:
        fault = f"not checked: {error}"
    return add_fault(outcome, fault)


def add_fault(outcome: Outcome[str], fault: str) -> Outcome[str]:
    """An outcome with the fault of its layer in the detail, if there is one."""
    if not fault:
        return outcome
    return replace(outcome, detail="; ".join(filter(None, [outcome.detail, f"{FAULT}: {fault}"])))
