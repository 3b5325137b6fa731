"""The adviser: text layers, OCR engine and retriever for your PDFs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ohr.adviser.own_pages import OcrSettings
from ohr.adviser.recommend.advice import Recommendation
from ohr.adviser.recommend.made_questions import Request
from ohr.adviser.recommend.study import recommend as make_recommendation
from ohr.machine.engines import usable_engines
from ohr.ocr.progress import Progress, Silent
from ohr.registry import PluginSpec, PluginValue


def recommend(
    inputs: Path | str | Sequence[Path | str],
    out: Path | str,
    *,
    engines: Sequence[PluginValue] | None = None,
    retrievers: Sequence[PluginValue] = ("bm25",),
    budget: int = 200,
    minutes: float | None = None,
    read_all: bool = False,
    pages: str = "",
    questions: int = 200,
    levels: Sequence[str] = (),
    truth: Path | str | None = None,
    instability: bool = True,
    dpi: int = 150,
    seed: int = 0,
    workers: int | None = None,
    cache: Path | str = ".ohr-cache",
    progress: Progress | Literal[False] | None = None,
) -> Recommendation:
    """What to use for PDFs and images: their text layers, an OCR engine, a retriever.

    ``inputs`` are files or folders. At most ``budget`` pages are read, in at most ``minutes``;
    fewer if they settle which engine has fewer errors, unless ``read_all``. ``pages`` selects pages
    of each file, such as ``"1-3,7"``. ``engines`` are by default all that are ready to use,
    ``levels`` the noise under which retrieval is measured as well, ``truth`` a folder of
    transcribed pages. The results are also written to the folder ``out``. ``progress`` is reported
    to standard error by default; False reports nothing. Raises OhrError, as for files of which none
    can be opened.
    """
    paths = [inputs] if isinstance(inputs, str | Path) else inputs
    specs = usable_engines() if engines is None else list(map(PluginSpec.parse, engines))
    settings = OcrSettings(
        specs, Path(cache), workers or os.cpu_count() or 1, instability=instability
    )
    request = Request(
        budget,
        questions,
        list(map(PluginSpec.parse, retrievers)),
        levels,
        dpi,
        seed,
        None if truth is None else Path(truth),
        pages=pages,
        minutes=minutes,
        read_all=read_all,
    )
    shown = Silent() if progress is False else progress or Progress()
    with shown:
        return make_recommendation(
            list(map(Path, paths)), settings, request, Path(out), shown, shown.write
        )
