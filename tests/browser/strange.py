"""A document, an engine, a reader and a system that write what must never become mark-up.

Whatever of theirs were executed would call ``window.__hit``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import ohr
from ohr.plugins import OcrBackend, Reader
from ohr.types import Hit, Outcome

HOSTILE = (
    "</script><script>__hit('script')</script>",
    "<img src=x onerror=\"__hit('img')\">",
    "<svg onload=__hit('svg')><style>body{display:none}</style>",
    "javascript:__hit('url')",
    "\" autofocus onfocus='__hit(1)' x=\"' onload=\"__hit(2)",
    "{{ 7 * 7 }} ${__hit('template')} `${__hit('tick')}`",
    "\u202egnp.exe\u2066 \u2069 \u2028\u2029 \x1b[31m \x7f",
    "<!--<script>",
    "]]> &lt;b&gt; &#x3c;",
    "<iframe srcdoc=\"<script>parent.__hit('frame')</script>\"></iframe>",
    "<base href='https://example.org/'><link rel=stylesheet href='https://example.org/x.css'>",
    "https://example.org/" + "a" * 300,
)
ALL = "\n".join(HOSTILE)
NEVER_UTF8 = "\x00 \ud800 \udc00\ud800"
LONG_LINE = "a long line of words " * 50_000
LONG_WORD = "W" * 1_000_000
NAME = "<img src=x onerror=__hit('name')>\"'`{{7}}&amp;\u202e"
"""Also good as the name of a file."""
PAGE = (
    f"# {HOSTILE[0]}\n\n{ALL}\n\n<table><caption>{HOSTILE[1]}</caption>"
    f'<tr><td rowspan="2" onclick="__hit()">{HOSTILE[2]}</td><td>{HOSTILE[1]}</td></tr>'
    f"<tr><td>2</td></tr></table>\n\n${HOSTILE[0]}$ and $\\href{{javascript:__hit()}}{{x}}$\n\n"
    f"$$\\text{{{HOSTILE[1]}}}$$\n\n```html\n{ALL}\n```\n\n{NEVER_UTF8}\n"
)


class StrangeEngine(OcrBackend):
    """Reads mark-up, half characters, and a line of a megabyte; one page of four fails."""

    name = "strange_engine"

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        assert not isinstance(source, Path)
        for image, page_no in zip(source, page_nos, strict=True):
            kind = int(image[40:120].sum()) % 4
            texts = (PAGE, PAGE + LONG_LINE, LONG_WORD)
            yield page_no, Outcome.error(ALL) if kind == 3 else Outcome.of_text(texts[kind])


class StrangeReader(Reader):
    """Answers in mark-up; now and then it fails, with mark-up."""

    name = "strange_reader"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        if len(question) % 3 == 0:
            return Outcome.error(ALL)
        return Outcome.of_text(ALL + NEVER_UTF8 + (LONG_WORD if len(question) % 3 == 1 else ""))


class StrangeSystem(ohr.System):
    """Answers, quotes and tells its steps in mark-up."""

    name = "strange_system"
    note = HOSTILE[1]

    def answer(self, question: str, documents: Sequence[ohr.Document]) -> ohr.Outcome[ohr.Answer]:
        page = documents[0].pages[0]
        trace = (*HOSTILE, NEVER_UTF8, LONG_LINE)
        return ohr.Outcome(ohr.Answer(ALL, ALL, (page.ref,), trace, HOSTILE[:2]))


class TellingSystem(ohr.System):
    """Answers with the first line of the first document, and says so."""

    name = "telling"

    def answer(self, question: str, documents: Sequence[ohr.Document]) -> ohr.Outcome[ohr.Answer]:
        page = documents[0].pages[0]
        line = page.text.partition("\n")[0]
        return ohr.Outcome(ohr.Answer(line, line, (page.ref,), ("looked at one page", line)))
