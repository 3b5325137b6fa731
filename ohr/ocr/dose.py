"""What noise in text changed, by writing system: a rule may act in one and be idle in another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ohr.errors import ConfigError
from ohr.markup.writing_systems import writing_system

MOST_MEASURED = 200
"""Pages of a writing system whose edit distance is measured, the first ones."""


@dataclass(slots=True)
class Dose:
    """The noise on the pages of one writing system."""

    pages: int = 0
    changed: int = 0
    """Pages that are not what they were."""
    total: float = 0.0
    """Sum of the edit distances of up to :data:`MOST_MEASURED` pages."""

    @property
    def edit_distance(self) -> float:
        """Mean edit distance from the clean pages, in [0, 1]; white space counts as one space."""
        return self.total / min(self.pages, MOST_MEASURED) if self.pages else 0.0

    def json_content(self) -> dict[str, float]:
        """For a manifest."""
        return {
            "pages": self.pages,
            "changed": self.changed,
            "edit_distance": round(self.edit_distance, 4),
        }


def measure_doses(pairs: Iterable[tuple[str, str]]) -> dict[str, Dose]:
    """Writing system -> its dose, that with most pages first, from (clean text, noisy text).

    A page is of the writing system of most of its letters; one without letters is left out.
    """
    doses: dict[str, Dose] = {}
    for clean, noisy in pairs:
        if not (system := page_system(clean)):
            continue
        dose = doses.setdefault(system, Dose())
        dose.pages += 1
        if noisy != clean:
            dose.changed += 1
            if dose.pages <= MOST_MEASURED:
                dose.total += Levenshtein.normalized_distance(_spaced(clean), _spaced(noisy))
    return dict(sorted(doses.items(), key=lambda item: (-item[1].pages, item[0])))


def page_system(text: str) -> str:
    """The writing system of most letters of a text; empty if it has none."""
    if text.isascii():
        return "Latin" if any(map(str.isalpha, text)) else ""
    systems = Counter(system for char in text if (system := writing_system(char)))
    return systems.most_common(1)[0][0] if systems else ""


def _spaced(text: str) -> str:
    return " ".join(text.split())


def dose_line(name: str, doses: Mapping[str, Dose]) -> str:
    """A line that says how far the noise ``name`` moved the pages of each writing system."""
    parts = [
        f"{dose.edit_distance:.3f} on {dose.pages} page{'s' * (dose.pages > 1)} in {system}"
        for system, dose in doses.items()
    ]
    return f"{name}: edit distance from the clean pages: {', '.join(parts)}"


def untouched_lines(name: str, doses: Mapping[str, Dose]) -> list[str]:
    """A line for each writing system in which the noise changed no page."""
    return [
        f"warning: {name} changed none of the {dose.pages} page{'s' * (dose.pages > 1)} in "
        f"{system}: nothing that is measured there is robustness"
        for system, dose in doses.items()
        if not dose.changed
    ]


def check_dose(name: str, doses: Mapping[str, Dose]) -> None:
    """Raise ConfigError if the noise ``name`` changed no page: such a level is the clean text."""
    if not doses or any(dose.changed for dose in doses.values()):
        return
    pages = sum(dose.pages for dose in doses.values())
    raise ConfigError(
        f"{name} changed none of the {pages} page{'s' * (pages > 1)} (in {', '.join(doses)}), so "
        "nothing can be measured at this level: leave it out, choose a stronger one, or noise that "
        "acts on such pages"
    )
