"""The lines of a page that carry a question's evidence."""

from __future__ import annotations

from ohr.metrics.alignment import match_words
from ohr.ocr_errors.words import PageWords, page_words

LEAST_SHARE = 0.5
"""A line with at least this share of its words in the evidence carries it."""


def evidence_lines(page: PageWords, evidence: str) -> list[tuple[int, int]]:
    """The lines of a page's truth that carry evidence, as starts and ends in its source.

    Words of the evidence are found on the page by their order, and passages that stand elsewhere.
    """
    words = page_words(evidence).words
    if not words or not page.words:
        return []
    matches = match_words(page.words, words)
    carried = set(range(len(page.words)))
    for of_page, _ in matches.gaps:
        carried.difference_update(of_page)
    for number, _, length in matches.fragments:
        carried.update(range(number, number + length))
    spans = []
    for line in page.lines:
        own = range(line.first, line.after)
        if len(carried.intersection(own)) >= LEAST_SHARE * len(own):
            spans.append((page.starts[line.first], line.line_break[1]))
    return spans
