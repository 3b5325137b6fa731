"""What the text layers of your PDFs are good for: on how many pages they can be used."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ohr.adviser.sampling import PageSample
from ohr.display.wording import counted

_Z = 1.959964
_SHOWN = 3
NOT_IN_LAYERS = "tables, formulas or reading order"
"""What a layer's plain text does not have."""


@dataclass(frozen=True)
class LayerSummary:
    """The pages of PDFs whose text layer was checked.

    ``estimated`` is the number of all pages of the PDFs with a usable layer, with its 95 %
    interval. Documents are weighted by their pages; the interval is Wilson's over the checked pages
    (Probable inference, 1927; their effective number), cut to what the checked pages prove.
    """

    checked: int
    usable: int
    documents: int
    pages: int
    """Number of all pages of these PDFs."""
    estimated: int
    low: int
    high: int
    faults: Mapping[str, int]
    """Number of checked pages by what is wrong with their layer, the most frequent first."""
    single: int = 0
    """Number of PDFs with several pages of which one page was checked."""
    several: int = 0
    """Number of PDFs of which two or more pages were checked."""
    mixed: int = 0
    """Number of these on which some, but not all, checked pages have a usable layer."""
    unchecked: int = 0
    """Number of PDFs of which no page was checked."""

    @property
    def is_complete(self) -> bool:
        """Whether all pages were checked."""
        return self.checked == self.pages

    @property
    def is_usable(self) -> bool:
        """Whether any checked page has a usable layer."""
        return self.usable > 0

    @property
    def is_everywhere(self) -> bool:
        """Whether every checked page has a usable layer."""
        return self.usable == self.checked

    @property
    def caution(self) -> str:
        """What one page a PDF, or none, leaves open; empty if two were checked of all."""
        parts = []
        if self.single:
            parts.append(f"one page decides for each of {counted(self.single, 'PDF')}")
        if self.unchecked:
            parts.append(f"{counted(self.unchecked, 'PDF')} not checked")
        if parts and self.several:
            parts.append(
                f"of {counted(self.several, 'PDF')} with two or more checked pages, "
                f"{self.mixed} {'is' if self.mixed == 1 else 'are'} mixed"
            )
        return "; ".join(parts)

    def sentences(self) -> list[str]:
        """What to do with the layers."""
        of = counted(self.documents - self.unchecked, "PDF")
        if not self.is_usable:
            return [
                f"Text layer: none is usable on the {_pages(self.checked, 'checked')} of {of} "
                f"({self._reasons()}): OCR is needed."
            ]
        if self.is_everywhere:
            first = (
                f"Text layer: use it, without OCR. It passes the checks on all {self.checked} "
                f"checked pages of {of}{self._total_clause()}."
            )
        else:
            first = (
                f"Text layer: use it, without OCR, on the pages where it passes the checks: "
                f"{self.usable} of {self.checked} checked pages of {of}{self._total_clause()}. "
                f"Read the others with OCR; of the checked pages: {self._reasons()}."
            )
        lines = [first, f"The layer is plain text: it has no {NOT_IN_LAYERS}."]
        if caution := self.caution:
            caution = f"{caution[0].upper()}{caution[1:]}"
            lines.insert(1, f"{caution} (ohr read --auto checks all pages).")
        return lines

    def _total_clause(self) -> str:
        if self.is_complete:
            return ""
        ends = f"{self.low:,} to {self.high:,}"
        return f"; of all {self.pages:,} pages about {self.estimated:,} (95 % interval {ends})"

    def _reasons(self) -> str:
        shown = [f"{count} {fault}" for fault, count in list(self.faults.items())[:_SHOWN]]
        more = sum(list(self.faults.values())[_SHOWN:])
        return "; ".join([*shown, *([f"{more} for other reasons"] if more else [])])

    def json_content(self) -> dict[str, Any]:
        """The summary for ``recommendation.json``."""
        return {
            "checked": self.checked,
            "usable": self.usable,
            "documents": self.documents,
            "pages": self.pages,
            "estimated": self.estimated,
            "low": self.low,
            "high": self.high,
            "faults": dict(self.faults),
            "single": self.single,
            "several": self.several,
            "mixed": self.mixed,
            "unchecked": self.unchecked,
        }


def summarise_layers(sample: PageSample) -> LayerSummary | None:
    """The summary of the checked layers; None if there are no PDFs."""
    if not sample.checked:
        return None
    checked = Counter(ref.doc_id for ref in sample.checked)
    usable = Counter(ref.doc_id for ref, fault in sample.checked.items() if not fault)
    pages = {name: sample.counts[name] for name in sample.pdfs}
    total, n, passed = sum(pages.values()), checked.total(), usable.total()
    weighted = sum(pages[name] for name in checked)
    share = sum(pages[name] * usable[name] / checked[name] for name in checked) / weighted
    low, high = _wilson(share, _effective(pages, checked))
    faults = Counter(_kind(fault) for fault in sample.checked.values() if fault)
    if n == total:
        low = high = share
    several = [name for name, count in checked.items() if count > 1]
    return LayerSummary(
        n,
        passed,
        len(pages),
        total,
        round(total * share),
        max(passed, math.floor(total * low)),
        min(total - (n - passed), math.ceil(total * high)),
        dict(faults.most_common()),
        single=sum(count == 1 and pages[name] > 1 for name, count in checked.items()),
        several=len(several),
        mixed=sum(0 < usable[name] < checked[name] for name in several),
        unchecked=len(pages.keys() - checked.keys()),
    )


def _kind(fault: str) -> str:
    """A fault without the numbers that differ from page to page."""
    if "are sure and agree" in fault:
        return "contradicted by two engines that agree"
    if "it lacks" in fault:
        return "with letters on the page that the layer lacks"
    if "are not those" in fault:
        return "with letters that are not those of the page"
    if "no character for" in fault:
        return "with glyphs that have no character"
    if "only a stamp" in fault:
        return "with only a stamp on a scan"
    if "not drawn" in fault or "under an image" in fault or "invisible" in fault:
        return "with text that the page does not show, such as OCR output under a scan"
    return "without text" if fault == "it has no text" else f"where {fault}"


def _effective(pages: Mapping[str, int], checked: Mapping[str, int]) -> float:
    """The number of pages that would say as much if each document had its share of them (Kish,
    1965): fewer than were checked where some documents were checked more closely than others."""
    weighted = sum(pages[name] for name in checked)
    return 1 / sum((pages[name] / weighted) ** 2 / checked[name] for name in checked)


def _wilson(share: float, n: float) -> tuple[float, float]:
    square = _Z**2 / n
    middle = (share + square / 2) / (1 + square)
    half = _Z * math.sqrt(share * (1 - share) / n + square / n / 4) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def _pages(count: int, kind: str) -> str:
    return f"{count} {kind} page{'s' * (count != 1)}"
