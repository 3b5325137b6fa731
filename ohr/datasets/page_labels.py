"""Labels of PDF pages (i, ii, 1, 2), to explain rows of questions that use them."""

from __future__ import annotations

from pathlib import Path

from ohr.documents.opening import LIMITS, labels_of
from ohr.workers import Limits


class PageLabels:
    """The page labels of PDFs, looked up when a row does not match its page."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._labels: dict[Path, list[str]] = {}

    def hint(self, path: Path | None, written: str) -> str:
        """The hint ``; the PDF has page labels: 1 is its page 3``, or empty without such a label.

        A label that equals the page's number gives no hint.
        """
        if path is None or not written.strip():
            return ""
        if path not in self._labels:
            [outcome] = labels_of([path], self._limits)
            self._labels[path] = outcome.value or []
        written_label = written.strip().casefold()
        pages = [
            number
            for number, label in enumerate(self._labels[path], start=1)
            if label.casefold() == written_label and label != str(number)
        ]
        if not pages:
            return ""
        return f"; the PDF has page labels: {written.strip()} is its page {pages[0]}"
