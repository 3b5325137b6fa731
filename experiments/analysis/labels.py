"""How columns and groups are called in tables and figures."""

from __future__ import annotations

from collections.abc import Iterable

from ohr.printable import plain
from ohr.statistics import DOCUMENT, PAGE

SOURCES = {
    "text": "text",
    "table": "table",
    "formula": "formula",
    "chart": "chart",
    "reading_order": "reading order",
}
STAGE_METRICS = (
    ("retrieval", "lcs", "Retrieval LCS"),
    ("generation", "f1", "Generation F1"),
    ("overall", "f1", "Overall F1"),
)
"""The three measures of the paper's figure 3."""

_PLURALS = {DOCUMENT: "documents", PAGE: "pages of these documents"}


def interval_units(units: Iterable[str]) -> str:
    """What intervals of these units are over, in the plural; empty where there is none."""
    return " or ".join(_PLURALS[unit] for unit in dict.fromkeys(units) if unit in _PLURALS)


def group_label(group: str) -> str:
    """``source:reading_order`` -> ``reading order``; ``domain:law`` -> ``law``."""
    name = group.partition(":")[2] or group
    return SOURCES.get(name, name)


def mathless(text: str) -> str:
    """Text for matplotlib, which would read a formula between dollar signs."""
    return plain(text).replace("$", r"\$")
