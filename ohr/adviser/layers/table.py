"""Text layers as a table: one row per page, one line per PDF, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from ohr.adviser.layers.pages import CheckedPdf
from ohr.documents.layers.verdict import LayerVerdict
from ohr.files.safe_text import plain

COLUMNS = ("document", "page", "usable", "doubtful_words", "order_known", "covered", "reason")
_NAMED = 5
"""PDFs that the advice names."""


@dataclass(frozen=True)
class Assessment:
    """What the table has of a page, as text; what is not known is empty."""

    usable: str
    doubtful_words: int
    order_known: str
    covered: str
    reason: str

    @classmethod
    def from_verdict(cls, verdict: LayerVerdict) -> Assessment:
        """The assessment of a layer. Without words nothing is known of their order."""
        has_words = verdict.words > 0
        return cls(
            _yes(verdict.is_usable),
            len(verdict.doubtful),
            _yes(verdict.holes.order_known) if has_words else "",
            _share(verdict.holes.covered) if has_words else "",
            plain(verdict.reason),
        )


@dataclass(frozen=True)
class PageRow:
    """Pages that follow one another and have the same assessment."""

    pages: str
    """``3``, or ``3-9``."""
    count: int
    assessment: Assessment


def layer_table(checked: Iterable[CheckedPdf]) -> pd.DataFrame:
    """One row per page, in order.

    ``page`` counts from 1. ``covered`` is the share of the page's ink that the layer explains,
    rounded down, so that 1.000 is all of it. A PDF that cannot be opened has one row, as page 1.
    """
    rows = [
        (each.pdf.doc_id, page_no + 1, *vars(assessment).values())
        for each in checked
        for page_no, assessment in _assessments(each)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def document_line(each: CheckedPdf) -> str:
    """``report.pdf: 97 of 100 pages usable; 12 words doubtful``, or why it was not checked."""
    if each.fault:
        return f"{each.pdf.name}: {each.fault}"
    verdicts = each.verdicts
    pages = len(verdicts)
    parts = [f"{each.usable} of {pages} page{'s' * (pages != 1)} usable"]
    usable = [verdict for verdict in verdicts if verdict.is_usable]
    if words := sum(len(verdict.doubtful) for verdict in usable):
        parts.append(f"{words} word{'s' * (words != 1)} doubtful")
    for chosen, what in (
        (_is_unordered, "order of words not known"),
        (_is_partial, "text missing"),
    ):
        if count := sum(map(chosen, usable)):
            parts.append(f"{what} on {_pages(count)}")
    return f"{each.pdf.name}: {'; '.join(parts)}"


def is_flawless(each: CheckedPdf) -> bool:
    """Whether each page has its whole text in the layer, and no word is doubtful."""
    return not each.fault and all(map(_is_flawless, each.verdicts))


def flawed_rows(each: CheckedPdf) -> list[PageRow]:
    """The pages of a PDF that are not flawless, in order."""
    rows: list[PageRow] = []
    first = last = -1
    for page_no, verdict in each.pages:
        if _is_flawless(verdict):
            continue
        assessment = Assessment.from_verdict(verdict)
        if rows and page_no == last + 1 and rows[-1].assessment == assessment:
            rows.pop()
        else:
            first = page_no
        last = page_no
        rows.append(PageRow(_range(first, last), last - first + 1, assessment))
    return rows


def advice(checked: Sequence[CheckedPdf], sheet: str) -> list[str]:
    """What to do, in a sentence or a few; ``sheet`` is where doubtful words are shown."""
    opened = [each for each in checked if not each.fault]
    total = sum(len(each.verdicts) for each in opened)
    usable = sum(each.usable for each in opened)
    if not total:
        return ["No PDF could be opened."]
    if not usable:
        subject = "the page" if total == 1 else f"all {total:,} pages"
        return [f"Read {subject} with OCR (ohr read): no text layer can be trusted."]
    flaws = [
        (_is_partial, "text is missing from the layer"),
        (_is_unordered, "the order of the layer's words is not known"),
    ]
    counts = [sum(map(is_flawed, _verdicts(opened))) for is_flawed, _ in flaws]
    if usable == total:
        end = "." if any(counts) else ": no OCR is needed."
        sentences = [f"Use the text layer{_total_clause(total)}{end}"]
    else:
        sentences = [
            f"Use the text layer of {usable:,} of {total:,} pages; read {_pages(total - usable)} "
            f"with OCR (ohr read): {_named(opened, lambda verdict: not verdict.is_usable)}."
        ]
    sentences += [
        f"On {_pages(count)} {problem}; if you need it, use OCR there too: "
        f"{_named(opened, is_flawed)}."
        for (is_flawed, problem), count in zip(flaws, counts, strict=True)
        if count
    ]
    words = sum(len(verdict.doubtful) for verdict in _verdicts(opened) if verdict.is_usable)
    if words:
        sentences.append(f"Check {words:,} doubtful word{'s' * (words != 1)}: {sheet}")
    return sentences


def _verdicts(checked: Iterable[CheckedPdf]) -> Iterator[LayerVerdict]:
    return (verdict for each in checked for verdict in each.verdicts)


def _assessments(each: CheckedPdf) -> Iterator[tuple[int, Assessment]]:
    if each.fault:
        yield 0, Assessment("no", 0, "", "", each.fault)
    for page_no, verdict in each.pages:
        yield page_no, Assessment.from_verdict(verdict)


def _is_flawless(verdict: LayerVerdict) -> bool:
    return (
        verdict.is_usable
        and not verdict.doubtful
        and not _is_unordered(verdict)
        and not _is_partial(verdict)
    )


def _is_unordered(verdict: LayerVerdict) -> bool:
    return verdict.is_usable and not verdict.holes.order_known


def _is_partial(verdict: LayerVerdict) -> bool:
    return verdict.is_usable and not verdict.holes.is_complete


def _named(checked: Iterable[CheckedPdf], chosen: Callable[[LayerVerdict], bool]) -> str:
    """The chosen pages: ``a.pdf pages 3-4, 9; b.pdf page 1; and 3 more PDFs, in layers.csv``."""
    parts = []
    for each in checked:
        ranges: list[tuple[int, int]] = []
        for page_no, verdict in each.pages:
            if not chosen(verdict):
                continue
            if ranges and ranges[-1][1] == page_no - 1:
                ranges[-1] = ranges[-1][0], page_no
            else:
                ranges.append((page_no, page_no))
        if ranges:
            pages = [_range(*ends) for ends in ranges[:_NAMED]]
            pages += ["…"] if len(ranges) > _NAMED else []
            is_single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
            parts.append(f"{each.pdf.name} page{'s' * (not is_single)} {', '.join(pages)}")
    more = len(parts) - _NAMED
    if more > 0:
        parts = [*parts[:_NAMED], f"and {more} more PDF{'s' * (more != 1)}, in layers.csv"]
    return "; ".join(parts)


def _range(first: int, last: int) -> str:
    return f"{first + 1}" if first == last else f"{first + 1}-{last + 1}"


def _total_clause(total: int) -> str:
    return "" if total == 1 else f" of all {total:,} pages"


def _pages(count: int) -> str:
    return f"{count:,} page{'s' * (count != 1)}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _share(value: float) -> str:
    return f"{math.floor(round(value * 1000, 6)) / 1000:.3f}"
