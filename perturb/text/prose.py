r"""Plain text (appendix III.1.1): emphasis on runs of words, new titles, line breaks.

Those that the page has already are removed at the same rate (section 3.3).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ohr.markup.scanner import MarkupKind, MarkupRegion
from ohr.markup.structure import is_covered, merged
from ohr.markup.writing_systems import has_unspaced
from perturb.text.edits import Edit
from perturb.text.page import Area, EditablePage, Words
from perturb.text.sites import Sites

INSIDE_STYLES = (("**", "**"), ("*", "*"))
"""Markdown's styles for a part of a word: there ``_`` is a character."""
MARKDOWN_STYLES = (*INSIDE_STYLES, ("_", "_"))
LATEX_STYLES = ((r"\textbf{", "}"), (r"\textit{", "}"), (r"\underline{", "}"))
HTML_STYLES = (("<b>", "</b>"), ("<i>", "</i>"), ("<u>", "</u>"))
"""Bold, italic, underline. A cell of an HTML table takes HTML, where Markdown is not read."""
STYLES = MARKDOWN_STYLES + LATEX_STYLES

TITLES = (
    ("# ", ""), ("## ", ""), ("### ", ""),
    (r"\section{", "}"), (r"\subsection{", "}"), (r"\subsubsection{", "}"),
)  # fmt: skip

CELL_TITLES = {
    "latex": ((r"\section{", "}"), (r"\subsection{", "}"), (r"\subsubsection{", "}")),
    "html": (("<h1>", "</h1>"), ("<h2>", "</h2>"), ("<h3>", "</h3>")),
}
"""Titles in a cell, by the table's format. A cell of a Markdown table can hold none."""
CELL_BREAKS = {"latex": "\n", "html": "\n", "markdown": "<br>"}
"""Line breaks in a cell. A line of a Markdown table is a row."""

SHORTEST_RUN, LONGEST_RUN = 2, 5
"""Words of an item that takes a style."""
LONGEST_TITLE = 5
"""Words of a sentence that may become a title."""
TITLE_WEIGHT = math.inf
"""A title always wins against the sites of other rules that it overlaps, about eight, so that
titles act at their full rate; the other rules leave short sentences alone in turn."""

_SPACES = re.compile(r"[ \t]*")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]?(?=\s|\Z)")
_UNSPACED_SENTENCE_END = re.compile("[\u3002\uff01\uff1f\uff61\u17d4\u104b][」』”’）】]?")
_UNSPACED_STOPS = "\u3002\uff61\u17d4\u104b"
"""Full stops of Chinese and Japanese, Khmer and Burmese."""
_ABBREVIATION = re.compile(
    r"(?:\b(?:Inc|Corp|Co|Ltd|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|Nos|vs|cf|al|Fig|Sec|Art|Vol|Ed|Rev|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|pp?|etc|e\.g|i\.e)|\b[A-Za-z]|\W)\.\Z"
)
_LONGEST_ABBREVIATION = 6
_LINE_START = re.compile(r"(?:\A|\n) {0,3}\Z")


def text_style(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    """Bold, italic or underline on runs of 2 to 5 words; existing emphasis goes."""
    regions = [region for area in page.body for region in area.regions]
    return [_styled(page, page.body, rng), emphasis_removal(page, regions)]


def _styled(page: EditablePage, areas: Sequence[Area], rng: np.random.Generator) -> Sites:
    lines = [words for area in areas for words in area.words]
    runs = partition(page.text, lines, rng)
    return styled_runs(page, runs, [STYLES] * len(runs), rng)


def partition(
    text: str, lines: Sequence[Words], rng: np.random.Generator, *, whole: bool = False
) -> list[tuple[int, int]]:
    """Lines of words cut into items of 2 to 5 words; a last single word is left over.

    With ``whole``, a line of at most 5 words is one item, even of one word.
    """
    lengths = iter(
        rng.integers(SHORTEST_RUN, LONGEST_RUN + 1, sum(w.count for w in lines)).tolist()
    )
    runs = []
    for words in lines:
        if whole and words.count <= LONGEST_RUN:
            whole_line = words.start, words.end
            runs.append(_letters_only(text, *whole_line) if words.unspaced else whole_line)
            continue
        position = 0
        while (remaining := words.count - position) >= SHORTEST_RUN:
            length = min(next(lengths), remaining)
            run = words.word(position)[0], words.word(position + length - 1)[1]
            position += length
            if words.unspaced:
                run = _letters_only(text, *run)
                position += 1  # marks of two items that touch would be read as one
            if run[0] < run[1]:
                runs.append(run)
    return runs


def _letters_only(text: str, start: int, end: int) -> tuple[int, int]:
    """A run without the punctuation at its ends: no mark is read between that and a letter."""
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not f"a{text[end - 1]}".isidentifier():  # a letter, digit or vowel sign
        end -= 1
    return start, end


def styled_runs(
    page: EditablePage,
    runs: Sequence[tuple[int, int]],
    styles: Sequence[Sequence[tuple[str, str]]],
    rng: np.random.Generator,
) -> Sites:
    """A site for each run that holds a letter or digit, with a style drawn from its own list."""
    drawn = rng.random(len(runs)).tolist()
    # After a LaTeX comment sign, in this paragraph, a closing brace could be lost.
    limit = len(page.text)
    comments = merged(
        [(a, max(b, page.structure.paragraph_end(a, limit))) for a, b in page.comments]
    )
    lettered = [i for i, (a, b) in enumerate(runs) if any(map(str.isalnum, page.text[a:b]))]

    def edits(number: int) -> list[Edit]:
        start, end = runs[lettered[number]]
        options = styles[lettered[number]]
        if options is STYLES:
            inside = has_unspaced(page.text[max(0, start - 1) : end + 1])
            options = INSIDE_STYLES if inside else MARKDOWN_STYLES
            if not is_covered(comments, end - 1):
                options = options + LATEX_STYLES
        opening, closing = options[int(drawn[lettered[number]] * len(options))]
        return [Edit(start, "", opening), Edit(end, "", closing)]

    return Sites([runs[i][0] for i in lettered], [runs[i][1] for i in lettered], edits)


def emphasis_removal(page: EditablePage, regions: Iterable[MarkupRegion]) -> Sites:
    """A site for each existing emphasis: its delimiters go, its text stays."""
    emphases = [
        region
        for region in regions
        if region.kind is MarkupKind.EMPHASIS and not page.starts_block(region.inner_start)
    ]

    def edits(number: int) -> list[Edit]:
        return _unwrapped(page.text, emphases[number])

    return Sites([r.start for r in emphases], [r.end for r in emphases], edits)


def _unwrapped(text: str, region: MarkupRegion) -> list[Edit]:
    return [
        Edit(region.start, text[region.start : region.inner_start], ""),
        Edit(region.inner_end, text[region.inner_end : region.end], ""),
    ]


def titles(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    """Short sentences become titles of level 1 to 3; existing headings become text."""
    sentences = [
        title
        for area in page.body
        for words in area.words
        for title in (_short_unspaced if words.unspaced else _short)(page, words)
    ]
    forms = rng.integers(0, len(TITLES), len(sentences)).tolist()

    def edits(number: int) -> list[Edit]:
        title = sentences[number]
        opening, closing = TITLES[forms[number]]
        before, after = page.text[title.lead : title.start], page.text[title.end : title.tail]
        return [
            Edit(title.lead, before, ("\n" if before or title.cut_before else "") + opening),
            Edit(title.end, after, closing + ("\n" if after or title.cut_after else "")),
        ]

    # The claim takes in a line break next to it, so that no removal joins another line on.
    starts = [max(0, title.lead - title.at_line_start) for title in sentences]
    ends = [min(len(page.text), title.tail + title.at_line_end) for title in sentences]
    return [Sites(starts, ends, edits, TITLE_WEIGHT), _heading_removal(page)]


@dataclass(frozen=True, slots=True)
class _Short:
    """A short sentence ``text[start:end]``, from the gap before it to the gap after it."""

    lead: int
    start: int
    end: int
    tail: int
    at_line_start: bool
    at_line_end: bool
    cut_before: bool = False
    """Other text touches it there, without a space that could become a line break."""
    cut_after: bool = False


def _short(page: EditablePage, words: Words) -> Iterator[_Short]:
    """Sentences of at most 5 words that end with a full stop and could be lines of their own."""
    text = page.text
    lead, start = words.start, words.start
    usable = _LINE_START.search(text, max(0, start - 4), start) is not None
    for match in _SENTENCE_END.finditer(text, words.start, words.end):
        end = match.end()
        gap = _SPACES.match(text, end)
        tail = gap.end() if gap is not None else end
        closes_line = tail == len(text) or text[tail] == "\n"
        if text[tail : tail + 1].islower() or _ABBREVIATION.search(
            text, max(start, end - _LONGEST_ABBREVIATION), end
        ):
            continue
        if (
            usable
            and text[end - 1] == "."
            and text[start].isupper()
            and text.count(" ", start, end) < LONGEST_TITLE
            and not (page.ruled(tail + 1) if closes_line else page.starts_block(tail))
            and not page.is_in_container(start)
        ):
            first = start == words.start
            yield _Short(lead, start, end, end if closes_line else tail, first, closes_line)
        lead, start, usable = end, tail, True


def _short_unspaced(page: EditablePage, words: Words) -> Iterator[_Short]:
    """:func:`_short` in scripts without spaces between words."""
    text = page.text
    places = [words.start, *(end for _, end in words.gaps)]
    lead, start = words.start, words.start
    usable = _LINE_START.search(text, max(0, start - 4), start) is not None
    for match in _UNSPACED_SENTENCE_END.finditer(text, words.start, words.end):
        end = match.end()
        gap = _SPACES.match(text, end)
        tail = gap.end() if gap is not None else end
        closes_line = tail == len(text) or text[tail] == "\n"
        if (
            usable
            and text[end - 1] in _UNSPACED_STOPS
            and has_unspaced(text[start])
            and bisect_left(places, end) - bisect_left(places, start) <= LONGEST_TITLE
            and not (page.ruled(tail + 1) if closes_line else page.starts_block(tail))
            and not page.is_in_container(start)
        ):
            first, ends = start == words.start, end if closes_line else tail
            cut = not closes_line and tail == end
            yield _Short(lead, start, end, ends, first, closes_line, not first, cut)
        lead, start, usable = end, tail, True


def cell_titles(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    """Cells that are one short sentence become titles; cells that are titles become text."""
    sentences = [
        (words.start, words.end, CELL_TITLES[cell.format])
        for cell in page.cells
        for words in cell.words
        if cell.format in CELL_TITLES
        and page.text[cell.start : cell.end].strip() == page.text[words.start : words.end]
        and _is_short_sentence(page.text, words)
    ]
    drawn = rng.random(len(sentences)).tolist()

    def edits(number: int) -> list[Edit]:
        start, end, forms = sentences[number]
        opening, closing = forms[int(drawn[number] * len(forms))]
        return [Edit(start, "", opening), Edit(end, "", closing)]

    titled = [
        region
        for cell in page.cells
        for region in cell.regions
        if region.kind is MarkupKind.HEADING
    ]
    return [
        Sites([a for a, _, _ in sentences], [b for _, b, _ in sentences], edits, TITLE_WEIGHT),
        Sites(
            [region.start for region in titled],
            [region.end for region in titled],
            lambda number: _unwrapped(page.text, titled[number]),
        ),
    ]


def _is_short_sentence(text: str, words: Words) -> bool:
    if words.unspaced:
        stop = _UNSPACED_SENTENCE_END.search(text, words.start, words.end)
        return (
            words.count <= LONGEST_TITLE
            and has_unspaced(text[words.start])
            and text[words.end - 1] in _UNSPACED_STOPS
            and stop is not None
            and stop.end() == words.end
        )
    end = _SENTENCE_END.search(text, words.start, words.end)
    return (
        words.count <= LONGEST_TITLE
        and text[words.start].isupper()
        and text[words.end - 1] == "."
        and end is not None
        and end.end() == words.end
        and not _ABBREVIATION.search(text, words.start, words.end)
    )


def _heading_removal(page: EditablePage) -> Sites:
    """A site for each heading, in Markdown or LaTeX, that could stand as text."""
    removals: list[list[Edit]] = []
    for start, end in page.headings:
        below = page.text.find("\n", end) + 1
        if not page.starts_block(end) and not (below and page.ruled(below)):
            removals.append([Edit(start, page.text[start:end], "")])
    for region in (region for area in page.body for region in area.regions):
        if region.kind is MarkupKind.HEADING and not page.starts_block(region.inner_start):
            removals.append(_unwrapped(page.text, region))
    removals.sort()
    ends = [edits[-1].at + len(edits[-1].removed) for edits in removals]
    return Sites([edits[0].at for edits in removals], ends, removals.__getitem__)


def line_breaks(page: EditablePage, rng: np.random.Generator) -> list[Sites]:
    """A line break for the space between two words; existing breaks in a paragraph go."""
    return [broken(page, page.body), _joined(page, page.body)]


def cell_breaks(page: EditablePage) -> list[Sites]:
    """Line breaks between the words of a cell; existing ones go."""
    return [broken(page, page.cells), _joined(page, page.cells)]


def broken(page: EditablePage, areas: Iterable[Area]) -> Sites:
    """A site for each space between words that may become a line break."""
    text = page.text
    spaces = [
        (*gap, CELL_BREAKS.get(area.format, "\n"))
        for area in areas
        for words in area.words
        for gap in words.gaps
        if text[gap[0] - 1] not in "-=" and not page.starts_block(gap[1])
    ]

    def edits(number: int) -> list[Edit]:
        start, end, line_break = spaces[number]
        return [Edit(start, text[start:end], line_break)]

    return Sites([a for a, _, _ in spaces], [b for _, b, _ in spaces], edits)


def _joined(page: EditablePage, areas: Iterable[Area]) -> Sites:
    """A site for each line break inside a paragraph: the lines become one."""
    spans, text = line_joins(page, areas), page.text

    def edits(number: int) -> list[Edit]:
        start, end = spans[number]
        # Nothing stands between two ideographs; ASCII is put apart as in a line of its own script.
        touches = has_unspaced(text[start - 1 : start] + text[end : end + 1])
        touches = touches and not text[start - 1].isascii() and not text[end].isascii()
        return [Edit(start, text[start:end], "" if touches else " ")]

    return Sites([a for a, _ in spans], [b for _, b in spans], edits)


def line_joins(page: EditablePage, areas: Iterable[Area]) -> list[tuple[int, int]]:
    """The line breaks, with the space around them, between two lines of words."""
    return [
        (above.end, below.start)
        for area in areas
        for above, below in pairwise(area.words)
        if page.text[above.end : below.start].strip(" \t") == "\n"
        and not page.ruled(below.start)
        and not page.starts_block(above.start)
        and not page.starts_block(below.start)
        and not is_covered(page.comments, above.end - 1)
    ]
