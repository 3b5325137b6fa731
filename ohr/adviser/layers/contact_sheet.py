"""A contact sheet of doubtful words: each on its page, in the layer, and as OCR engines read it."""

from __future__ import annotations

import base64
import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
from PIL import Image, ImageDraw

from ohr.adviser.layers.pages import CheckedPdf, Report
from ohr.documents.layers import LayerWord
from ohr.documents.layers.witnesses import MARGIN, Box
from ohr.documents.opening import LIMITS, MOST_WORKERS, lines_read
from ohr.documents.pdf import render
from ohr.files.safe_text import plain
from ohr.workers import Limits, WorkerPool

MOST_WORDS = 200
"""Most words of a sheet: about a minute for the engines, and two megabytes."""
OF_REFUSED = 5
"""Most words shown of a PDF's pages whose layer is refused, where nearly all may be doubtful."""
DPI = 150
_REACH, _LEAST_REACH = 2.5, 40
"""What is shown at both sides of a word, in heights of the word and in pixels at least."""
_ABOVE, _LEAST_ABOVE = 0.7, 10
_WIDEST, _HIGHEST = 900, 240
_OWN_MARGIN = 0.8 * MARGIN
"""What is cut from both ends of a word, in its heights, so that engines see hardly more than it."""
_QUALITY = 80
_FRAME = (200, 72, 0)
_CODES = 4
"""Most code points that are named beside a word."""
_USUAL = frozenset("‘’“”„–—…•©®°€£¥§")

_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("ohr.adviser.layers"), autoescape=True, trim_blocks=True
)


@dataclass
class ShownWord:
    """A doubtful word where it comes first in its PDF; ``places`` are all of its 0-based pages."""

    word: LayerWord
    page_no: int
    is_usable: bool
    """Whether the layer of its page is usable."""
    places: list[int] = field(default_factory=list)
    picture: str = ""
    """The picture as a ``data:`` address; empty if the page could not be drawn."""
    shape: float = 0.0
    """Height of the page divided by its width; 0 if it is not known."""
    engines: Mapping[str, str] = field(default_factory=dict)
    """What each engine reads there, by its name."""

    @property
    def box_to_read(self) -> Box:
        """The place that engines get: they add a margin, which has parts of other words."""
        left_edge, top, right, bottom = self.word.box
        margin = _OWN_MARGIN * (bottom - top) * self.shape
        return left_edge + margin, top, right - margin, bottom


@dataclass(frozen=True)
class Sheet:
    """The words to show, by PDF, and how many different doubtful words there are in all."""

    words: Mapping[str, Sequence[ShownWord]]
    paths: Mapping[str, Path]
    different: int

    @property
    def shown(self) -> int:
        """Number of words that are shown."""
        return sum(map(len, self.words.values()))

    @property
    def engines(self) -> list[str]:
        """Names of the engines that read any of the words."""
        return sorted({name for _, word in self.all_words() for name in word.engines})

    def all_words(self) -> Iterator[tuple[str, ShownWord]]:
        """Each word with the name of its PDF."""
        for name, words in self.words.items():
            for word in words:
                yield name, word


def choose_words(checked: Iterable[CheckedPdf], most: int = MOST_WORDS) -> Sheet:
    """The doubtful words to show: each once per PDF, in order.

    Of pages whose layer is refused, only :data:`OF_REFUSED`. If there are more than ``most``, every
    PDF has the same number, as far as it has that many.
    """
    words, paths, different = dict[str, list[ShownWord]](), dict[str, Path](), 0
    for each in checked:
        by_text: dict[tuple[str, bool], ShownWord] = {}
        for page_no, verdict in each.pages:
            for word in verdict.doubtful:
                first = ShownWord(word, page_no, verdict.is_usable)
                by_text.setdefault((word.text, verdict.is_usable), first).places.append(page_no)
        different += len({text for text, _ in by_text})
        refused = [word for word in by_text.values() if not word.is_usable]
        chosen = [word for word in by_text.values() if word.is_usable] + refused[:OF_REFUSED]
        if chosen:
            words[each.pdf.name] = sorted(chosen, key=lambda word: word.page_no)
            paths[each.pdf.name] = each.pdf.path
    limit = _fair([len(chosen) for chosen in words.values()], most)
    fitting = list(words)[: most if limit else 0]
    return Sheet({name: words[name][:limit] for name in fitting}, paths, different)


def fill_sheet(sheet: Sheet, report: Report, limits: Limits = LIMITS) -> None:
    """Draw the words of a sheet, and have the engines that are installed read them again.

    A word whose page cannot be drawn has no picture, and one that no engine can read has no text.
    """
    if not sheet.shown:
        return
    report("doubtful words", 0, sheet.shown)
    _draw(sheet, limits)
    lines = {
        sheet.paths[name]: [(word.page_no, word.box_to_read, word.word.text) for word in words]
        for name, words in sheet.words.items()
    }
    texts = lines_read(lines, limits)
    for name, words in sheet.words.items():
        for word, engines in zip(words, texts[sheet.paths[name]], strict=True):
            word.engines = engines
    report("doubtful words", sheet.shown, sheet.shown)


def render_sheet(sheet: Sheet) -> str:
    """The sheet as a web page that loads nothing; texts of PDFs are escaped."""
    html: str = _TEMPLATES.get_template("doubtful.html").render(
        shown=sheet.shown,
        different=sheet.different,
        most=MOST_WORDS,
        of_refused=OF_REFUSED,
        engines=sheet.engines,
        pdfs=[
            {"name": name, "words": [_word_row(word, sheet.engines) for word in words]}
            for name, words in sheet.words.items()
        ],
    )
    return html


def draw_words(path: Path, page_no: int, boxes: Sequence[Box]) -> tuple[float, list[bytes]]:
    """The page's height divided by its width, and a picture (WebP) of each word.

    A picture has the word in a frame, and some of what is near. Raises EngineError.
    """
    page = render(path, page_no, DPI)
    return page.shape[0] / page.shape[1], [_picture(page, box) for box in boxes]


def _picture(page: np.ndarray, box: Box) -> bytes:
    height, width = page.shape[:2]
    left_edge, top, right, bottom = (
        round(share * size) for share, size in zip(box, (width, height) * 2, strict=True)
    )
    tall = bottom - top
    across = max(_LEAST_REACH, round(_REACH * tall))
    down = max(_LEAST_ABOVE, round(_ABOVE * tall))
    x0, y0 = max(left_edge - across, 0), max(top - down, 0)
    x1, y1 = min(right + across, width), min(bottom + down, height)
    picture = Image.fromarray(page[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)])
    frame = (left_edge - x0 - 3, top - y0 - 3, right - x0 + 3, bottom - y0 + 3)
    ImageDraw.Draw(picture).rectangle(frame, outline=_FRAME, width=2)
    picture.thumbnail((_WIDEST, _HIGHEST), Image.Resampling.LANCZOS)
    sink = io.BytesIO()
    picture.save(sink, "WEBP", quality=_QUALITY)
    return sink.getvalue()


def _draw_task(task: tuple[Path, int, Sequence[Box]]) -> tuple[float, list[bytes]]:
    return draw_words(*task)


def _draw(sheet: Sheet, limits: Limits) -> None:
    """Draw the words in worker processes, page by page: a page may take hours to draw."""
    pages: dict[tuple[Path, int], list[ShownWord]] = {}
    for name, word in sheet.all_words():
        pages.setdefault((sheet.paths[name], word.page_no), []).append(word)
    tasks = [(*page, [word.word.box for word in words]) for page, words in pages.items()]
    by_page = list(pages.values())
    workers = min(len(tasks), MOST_WORKERS)
    with WorkerPool[Any](_draw_task, workers=workers, limits=limits, retry=False) as pool:
        for number, outcome in pool.run(tasks):
            shape, pictures = outcome.value or (0.0, [])
            for word, picture in zip(by_page[number], pictures, strict=False):
                word.shape = shape
                word.picture = f"data:image/webp;base64,{base64.b64encode(picture).decode()}"


def _fair(counts: Sequence[int], most: int) -> int:
    """The largest number of which each part can have that many, or all it has, within ``most``."""
    limit = max(counts, default=0)
    while limit > 1 and sum(min(count, limit) for count in counts) > most:
        limit -= 1
    return limit


def _word_row(shown: ShownWord, engines: Sequence[str]) -> dict[str, Any]:
    text = shown.word.text
    return {
        "picture": shown.picture,
        "text": plain(text),
        "codes": _unusual(text),
        "incomplete": shown.word.incomplete,
        "is_usable": shown.is_usable,
        "page": shown.page_no + 1,
        "times": len(shown.places),
        "pages": len(set(shown.places)),
        "engines": [
            {
                "is_read": name in shown.engines,
                "text": plain(shown.engines.get(name, "").strip()),
                "agrees": _same(shown.engines.get(name, ""), text),
            }
            for name in engines
        ],
    }


def _same(left_side: str, right: str) -> bool:
    """Whether two texts are the same but for the form of their characters, as of ligatures."""
    first, second = (unicodedata.normalize("NFKC", text).strip() for text in (left_side, right))
    return first == second


def _unusual(text: str) -> str:
    """The code points of characters that a reader may not recognise, such as ``U+F0B7``."""
    codes = list(dict.fromkeys(c for c in text if not c.isascii() and c not in _USUAL))
    shown = " ".join(f"U+{ord(c):04X}" for c in codes[:_CODES])
    return f"{shown} …" if len(codes) > _CODES else shown
