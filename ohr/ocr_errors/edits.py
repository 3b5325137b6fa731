"""Errors as edits of a page's source, in its own coordinates: sorted, without overlap."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

import numpy as np

from ohr.metrics.alignment import Fate
from ohr.ocr_errors.make import ErrorMaker, PageErrors, TextEdit
from ohr.ocr_errors.model import ErrorModel
from ohr.ocr_errors.words import PageWords, cached_page_words, page_layout


def make_edits(
    maker: ErrorMaker, source: str, intensity: float, rng: np.random.Generator
) -> list[TextEdit]:
    """The errors that the model draws for a page, at a mean edit distance over all pages.

    Whatever the intensity, ``rng`` gives the same numbers, and the edits of a lower one are among
    those of a higher one.
    """
    model = maker.model
    uniform = float(rng.random())
    marks, errors = (np.random.default_rng(seed) for seed in rng.integers(2**63, size=2))
    if not intensity or not source.strip():
        return []
    least = model.lowest.edit_distance
    gate = min(1.0, intensity / least) if least else 1.0
    page = cached_page_words(source)
    rank = model.page_rank(page_layout(page), uniform)
    share, lost = model.page_share(intensity, rank), is_lost(model, rank)
    return page_edits(maker, page, share, rank, gate, marks, errors, lost=lost)


def is_lost(model: ErrorModel, rank: float) -> bool:
    """Whether a page of this rank is lost as a whole, rather than word by word."""
    lost = max(level.lost / level.pages for level in model.levels)
    return rank >= 1 - lost and lost > 0


def page_edits(
    maker: ErrorMaker,
    page: PageWords,
    share: float,
    rank: float,
    gate: float,
    marks: np.random.Generator,
    errors: np.random.Generator,
    *,
    lost: bool = False,
) -> list[TextEdit]:
    """The errors that give a page's content the edit distance ``share``.

    ``rank`` in [0, 1] is the page's among all pages, best first; ``gate`` in [0, 1] is the share of
    the engine's loss of mark-up. ``marks`` decides about mark-up, ``errors`` about words.
    """
    fixed = maker.fixed(page, np.random.default_rng(errors.integers(2**63)))
    errors_of_page = maker.errors(page, share, rank, errors, fixed, gate=gate, lost=lost)
    return combine(maker, page, errors_of_page, fixed, gate, marks, lost=lost)


def combine(
    maker: ErrorMaker,
    page: PageWords,
    errors_of_page: PageErrors,
    fixed: dict[int, tuple[Fate, str]],
    gate: float,
    marks: np.random.Generator,
    *,
    lost: bool = False,
) -> list[TextEdit]:
    """The edits of these errors, and those of the mark-up that the engine does not write.

    ``lost``: the engine reads nothing of the page, so that its formulas are lost as words are.
    """
    # A formula rewritten here would be lost at a higher intensity: edits would not nest.
    of_mark_up = {} if lost else fixed
    edits = _structure_edits(maker, page, errors_of_page, of_mark_up, gate, marks)
    of_words = word_edits(page, errors_of_page, of_mark_up.keys())
    dropped = {position for position, _, _ in edits}
    lost_words = [
        *(i for i, (fate, _) in errors_of_page.texts.items() if fate is Fate.LOST),
        *(
            i
            for i, (fate, _) in of_mark_up.items()
            if fate is Fate.LOST and page.starts[i] in dropped
        ),
    ]
    return sorted({*edits, *of_words, *_line_edits(page, lost_words)})


def _line_edits(page: PageWords, lost_words: Sequence[int]) -> Iterator[TextEdit]:
    """A line whose words are all lost goes with its line break: an engine writes no empty lines.

    The mark-up of a lost heading goes, too.
    """
    lost = np.zeros(len(page.words) + 1, dtype=np.int64)
    lost[[1 + number for number in lost_words]] = 1
    before = np.cumsum(lost)
    for line in page.lines:
        if before[line.after] - before[line.first] == line.after - line.first:
            start, end = line.line_break
            if start < end:
                yield start, page.source[start:end], ""
            for mark in line.marks:
                yield mark.start, page.source[mark.start : mark.end], mark.plain


def word_edits(
    page: PageWords, errors_of_page: PageErrors, fixed: Container[int] = ()
) -> list[TextEdit]:
    """The errors of words as edits of the page's source.

    A lost word takes the space after it along, unless it is in ``fixed``.
    """
    edits: list[TextEdit] = []
    source = page.source
    starts = {mark.start for mark in page.marks}
    for number, (fate, text) in errors_of_page.texts.items():
        first, last, rest = page.starts[number], page.stops[number], page.others.get(number, ())
        end = rest[-1][1] if rest else last
        space = end < len(source) and source[end] == " " and end not in starts
        put = "" if fate is Fate.LOST else text
        if extra := errors_of_page.inserted.get(number):
            put = put + (" " if put and not page.is_unspaced(number) else "") + extra
        takes_space = space and number not in fixed and (fate is Fate.JOINED or not put)
        if fate is Fate.JOINED and not extra:
            if takes_space:
                edits.append((end, " ", text[len(page.words[number]) :]))
            continue
        if rest:
            edits.append((first, source[first:last], put))
            edits += ((a, source[a:b], "") for a, b in rest)
        elif takes_space and not extra:
            edits.append((first, source[first : last + 1], put))
        else:
            edits.append((first, source[first:last], put))
    for number, extra in errors_of_page.inserted.items():
        if number not in errors_of_page.texts:
            rest = page.others.get(number, ())
            end = rest[-1][1] if rest else page.stops[number]
            edits.append((end, "", extra if page.is_unspaced(number) else f" {extra}"))
    return [edit for edit in edits if edit[1] != edit[2]]


def _structure_edits(
    maker: ErrorMaker,
    page: PageWords,
    errors_of_page: PageErrors,
    fixed: dict[int, tuple[Fate, str]],
    gate: float,
    rng: np.random.Generator,
) -> list[TextEdit]:
    """Mark-up that the engine does not write: marks of headings, tables, emphasis; formulas."""
    rates = {
        kind: lost / count if count else 0.0
        for kind, (count, lost) in maker.model.structure.items()
    }
    regions = max((mark.region for mark in page.marks), default=0)
    drawn = rng.random(regions + 1).tolist()
    of_fixed = rng.random(len(fixed)).tolist()
    edits = [
        (mark.start, page.source[mark.start : mark.end], mark.plain)
        for mark in page.marks
        if drawn[mark.region] < gate * rates.get(mark.kind, 0.0)
    ]
    for uniform, (number, (_, text)) in zip(of_fixed, fixed.items(), strict=True):
        if number in errors_of_page.texts:
            continue
        # A word is fixed only if the engine errs; a formula may stay right.
        rate = rates.get("formula", 0.0) if page.kinds[number] == 3 else 1.0
        if uniform < gate * rate:
            start, end = page.starts[number], page.stops[number]
            edits.append((start, page.source[start:end], text))
            edits += ((a, page.source[a:b], "") for a, b in page.others.get(number, ()))
    return [edit for edit in edits if edit[1] != edit[2]]


def rewrite(source: str, edits: list[TextEdit]) -> str:
    """The source with its edits, which are sorted and do not overlap."""
    pieces: list[str] = []
    done = 0
    for position, removed, put in edits:
        pieces += (source[done:position], put)
        done = position + len(removed)
    return "".join((*pieces, source[done:]))
