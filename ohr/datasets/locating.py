r"""Where evidence stands on its pages, and in which LaTeX environment.

Positions are kept in *squeezed* text, all white space removed, so that line breaks and
indents do not matter. Everything is linear in the page, whatever the mark-up looks like.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

_TABLE_TOKEN = re.compile(
    r"(?P<open>\\begin\{(?:tabular|tabularx|longtable|array|table)\*?\}|<table\b)"
    r"|\\end\{(?:tabular|tabularx|longtable|array|table)\*?\}|</table>",
    re.IGNORECASE,
)
_CHART_TOKEN = re.compile(r"(?P<open><chart\b)|</chart>", re.IGNORECASE)
_MATH = re.compile(
    r"\$|\\\(|\\\[|\\begin\{(?:equation|align|gather|aligned|array|multline|cases)"
    r"|[A-Za-z0-9)}][_^]\{|\\(?:[dt]?frac|sqrt|sum|int|prod|times|cdot|infty|left|partial|mathb[bf]"
    r"|[gl]eq?|alpha|beta|gamma|delta|lambda|mu|pi|rho|sigma|phi|omega|Delta|Pi|Sigma|Omega)\b"
)
_ROW = re.compile(r"[^\\]&|^&|\\hline|\\begin\{tabular|<t[dr]\b|\|[^|\n]+\|", re.IGNORECASE)


def squeeze(text: str) -> str:
    """The text without any white space."""
    return "".join(text.split())


class SearchablePage:
    """One page as evidence is looked for on it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def squeezed(self) -> str:
        """Text without white space."""
        return squeeze(self.text)

    @cached_property
    def tables(self) -> list[tuple[int, int]]:
        """Spans of tables in the squeezed text; one that is never closed runs to the end."""
        return _spans(_TABLE_TOKEN, self.squeezed)

    @cached_property
    def charts(self) -> list[tuple[int, int]]:
        """Spans of ``<chart>`` in the squeezed text."""
        return _spans(_CHART_TOKEN, self.squeezed)


def _spans(token: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    depth, start = 0, 0
    for match in token.finditer(text):
        if match["open"]:
            start = start if depth else match.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                spans.append((start, match.end()))
    return [*spans, (start, len(text))] if depth else spans


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of evidence that stands on a page; ``page`` is an index into the stated pages."""

    text: str
    page: int
    start: int


def verbatim_pieces(evidence: str, pages: Sequence[SearchablePage]) -> list[Piece] | None:
    """Evidence cut at line breaks into runs that stand verbatim on the pages, if it can be.

    Evidence of several contexts is joined with line breaks, so that is where it may be cut.
    Each run is as long as possible; what is part of a page still is when it is shortened, so
    this finds a cut whenever there is one. Offsets are those of the page's text.
    """
    return _cover(evidence.strip("\n").split("\n"), [page.text for page in pages], "\n")


def squeezed_pieces(evidence: str, pages: Sequence[SearchablePage]) -> list[Piece] | None:
    """The same with all white space removed on both sides; offsets in the squeezed text."""
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


def inside(spans: Sequence[tuple[int, int]], piece: Piece) -> bool:
    """Whether any part of a squeezed piece lies inside one of the spans."""
    end = piece.start + len(piece.text)
    return any(start < end and piece.start < stop for start, stop in spans)


def has_math(text: str) -> bool:
    """Whether a text contains LaTeX mathematics."""
    return bool(_MATH.search(text))


def looks_like_rows(text: str) -> bool:
    """Whether a text contains cells of a LaTeX, HTML or Markdown table."""
    return bool(_ROW.search(text))
