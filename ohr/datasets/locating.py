r"""Finds evidence on its pages, and the regions that it is in.

Positions are in *squeezed* text, without any white space, so that line breaks and indents do not
matter. Everything is linear in the page, for any mark-up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ohr.datasets.wording import verdict
from ohr.markup.folding import fold, fold_glyphs
from ohr.markup.page import formulas_of, read_page
from ohr.markup.scanner import MarkupKind
from ohr.markup.structure import Span

# Remains of a formula in evidence that was cut from it.
_MATH = re.compile(
    r"\\[()\[\]]|[A-Za-z0-9)}][_^]\{|\\(?:[dt]?frac|sqrt|sum|int|prod|times|cdot|infty|left|partial"
    r"|mathb[bf]|[gl]eq?|alpha|beta|gamma|delta|lambda|mu|pi|rho|sigma|phi|omega|Delta|Pi|Sigma"
    r"|Omega)\b|\\begin\{(?:equation|align|gather|aligned|array|multline|cases)"
)
_ROW = re.compile(r"[^\\]&|^&|\\hline|\\begin\{tabular|<t[dr]\b|\|[^|\n]+\|", re.IGNORECASE)


def squeeze(text: str) -> str:
    """The text without white space, with equivalent code points folded."""
    return "".join(fold_glyphs(text).split())


class SearchablePage:
    """A page on which evidence is searched for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def squeezed(self) -> str:
        """Text without white space."""
        return squeeze(self.text)

    @cached_property
    def tables(self) -> list[Span]:
        """Spans of tables in the squeezed text, including LaTeX arrays, which look like tables."""
        page = read_page(self.text)
        spans = [table.span for table in page.tables]
        spans += [
            (formula.start, formula.end)
            for formula in formulas_of(self.text)
            if "\\begin{array" in self.text[formula.start : formula.end]
        ]
        return squeezed_spans(self.text, spans)

    @cached_property
    def charts(self) -> list[Span]:
        """Spans of ``<chart>`` in the squeezed text; an unclosed one runs to the end."""
        spans: list[Span] = []
        if "<chart" not in self.text:
            return spans
        depth, start = 0, 0
        for region in read_page(self.text).marked():
            tag = self.text[region.start : region.start + 8]
            if region.kind is not MarkupKind.TAG or not tag.startswith(("<chart", "</chart>")):
                continue
            if tag[1] == "c":
                start = start if depth else region.start
                depth += 1
            elif depth:
                depth -= 1
                if not depth:
                    spans.append((start, region.end))
        return squeezed_spans(self.text, [*spans, (start, len(self.text))] if depth else spans)


def squeezed_spans(text: str, spans: Iterable[Span]) -> list[Span]:
    """Convert spans of a text to spans of its squeezed text."""
    spans = list(spans)
    places: dict[int, int] = {}
    done = count = 0
    for edge in sorted({edge for span in spans for edge in span}):
        count += len(squeeze(text[done:edge]))
        places[edge], done = count, edge
    return [(places[start], places[end]) for start, end in spans]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of evidence that is on a page; ``page`` is an index into the stated pages."""

    text: str
    page: int
    start: int


def verbatim_pieces(evidence: str, pages: Sequence[SearchablePage]) -> list[Piece] | None:
    """Evidence split at line breaks into runs that are verbatim on the pages; None if impossible.

    Evidence of several contexts is joined with line breaks, so it is split only there. Each run is
    as long as possible; since a part of such a run is on the page too, this finds a split whenever
    there is one. Offsets are those of the page's text.
    """
    return _cover(evidence.strip("\n").split("\n"), [page.text for page in pages], "\n")


def squeezed_pieces(evidence: str, pages: Sequence[SearchablePage]) -> list[Piece] | None:
    """:func:`verbatim_pieces` without white space on both sides; offsets in squeezed text."""
    lines = [squeezed for line in evidence.split("\n") if (squeezed := squeeze(line))]
    return _cover(lines, [page.squeezed for page in pages], "")


def _cover(lines: Sequence[str], texts: Sequence[str], join: str) -> list[Piece] | None:
    pieces: list[Piece] = []
    begin = 0
    while begin < len(lines):
        if not lines[begin].strip():  # an empty line between two contexts
            begin += 1
            continue
        piece, end = None, begin + 1
        run = lines[begin]
        while (place := _find(run, texts)) is not None:
            piece = Piece(run, *place)
            end += 1
            if end > len(lines):
                break
            run = f"{run}{join}{lines[end - 1]}"
        if piece is None:
            return None
        pieces.append(piece)
        begin = end - 1
    return pieces or None


def _find(run: str, texts: Sequence[str]) -> tuple[int, int] | None:
    for number, text in enumerate(texts):
        start = text.find(run)
        if start >= 0:
            return number, start
    return None


def lines_with(answers: Iterable[str], text: str) -> str:
    """The lines of a page that contain an answer; case does not matter.

    A number is not found inside another one: 5 is not in 15, 1.5 or 5,000. Yes and no are not
    searched for.
    """
    looked_for = [_pattern(fold(answer).casefold()) for answer in answers if not verdict(answer)]
    lines = (
        line
        for line in text.splitlines()
        if any(p.search(fold(line).casefold()) for p in looked_for)
    )
    return "\n".join(lines)


def _pattern(answer: str) -> re.Pattern[str]:
    before = r"(?<!\d)(?<!\d[.,])" if answer[:1].isdigit() else ""
    after = r"(?!\d)(?!,\d)(?!\.\d*[1-9])" if answer[-1:].isdigit() else ""
    return re.compile(before + re.escape(answer) + after)


def overlaps(spans: Sequence[tuple[int, int]], piece: Piece) -> bool:
    """Whether any part of a squeezed piece is inside one of the spans."""
    end = piece.start + len(piece.text)
    return any(start < end and piece.start < stop for start, stop in spans)


def has_math(text: str) -> bool:
    """Whether a text contains a formula, or a part of one."""
    return bool(_MATH.search(text) or formulas_of(text))


def looks_like_rows(text: str) -> bool:
    """Whether a text contains cells of a LaTeX, HTML or Markdown table."""
    return bool(_ROW.search(text))
