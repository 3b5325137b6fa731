"""What PDFs call their pages (i, ii, 1, 2), for rows of questions that name pages so."""

from __future__ import annotations

from pathlib import Path

from ohr.documents.opening import LIMITS, labels_of
from ohr.workers import Limits


class PageLabels:
    """The labels of PDFs, looked up when a row does not fit its page."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._labels: dict[Path, list[str]] = {}

    def hint(self, path: Path | None, written: str) -> str:
        """``; the PDF has page labels: 1 is its page 3``, or nothing where no label says so.

        A label that is the page's own number is no hint.
        """
        if path is None or not written.strip():
            return ""
        if path not in self._labels:
            [outcome] = labels_of([path], self._limits)
            self._labels[path] = outcome.value or []
        wanted = written.strip().casefold()
        pages = [
            number
            for number, label in enumerate(self._labels[path], start=1)
            if label.casefold() == wanted and label != str(number)
        ]
        if not pages:
            return ""
        return f"; the PDF has page labels: {written.strip()} is its page {pages[0]}"
