"""What noise in text changed, as a run prints it; noise that changes nothing ends the run."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ohr.files.safe_text import plain
from ohr.ocr.dose import check_dose, dose_line, untouched_lines
from ohr.ocr.progress import Progress
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.plan import Variant
from ohr.types import KnowledgeBase


class DoseNotices:
    """The doses of a run's noise in text, one variant after the other."""

    def __init__(self, knowledge_bases: KnowledgeBases, progress: Progress) -> None:
        self._knowledge_bases = knowledge_bases
        self._progress = progress
        self._draws: Counter[tuple[str, str]] = Counter()
        self._changed: Counter[tuple[str, str]] = Counter()

    def note(self, variant: Variant, kb: KnowledgeBase) -> dict[str, Any]:
        """Show the dose of a variant, in the first draw; returns its part of the manifest.

        Raises ConfigError if the noise has changed no page in any of its draws.
        """
        doses = self._knowledge_bases.doses(variant, kb)
        if not doses:
            return {}
        draws = self._knowledge_bases.plan.draws
        name = f"{variant.noise.name} {variant.noise.strength}"
        if variant.seed == draws[0]:
            for line in (dose_line(name, doses), *untouched_lines(name, doses)):
                self._progress.say(plain(line))
        key = (variant.engine.label, name)
        self._draws[key] += 1
        self._changed[key] += sum(dose.changed for dose in doses.values())
        if self._draws[key] == len(draws) and not self._changed[key]:
            check_dose(name, doses)  # in one draw of several it may be chance
        return {"dose": {system: dose.json_content() for system, dose in doses.items()}}
