"""The command that reads all files as recommended, and what it takes."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ohr.adviser.countdown import spoken
from ohr.adviser.own_pages import OcrSettings
from ohr.adviser.recommend.decision import Decision
from ohr.adviser.recommend.made_questions import Request
from ohr.adviser.recommend.report import EngineCost
from ohr.display.wording import counted, pages_of
from ohr.study.commands import plugins_text

DEFAULT_DPI = 150
DEFAULT_CACHE = Path(".ohr-cache")


@dataclass(frozen=True)
class ReadCommand:
    """``ohr read --auto`` with the engine that was recommended, and its price.

    ``ocr_pages`` of ``pages`` are read with OCR, about, which takes ``ocr_s`` wall seconds: NaN if
    the engine's time is not known. The text layers of ``layers`` pages are checked in ``layers_s``.
    """

    words: tuple[str, ...]
    pages: int
    ocr_pages: int
    ocr_s: float
    layers: int
    layers_s: float

    @property
    def command(self) -> str:
        """The command, to be pasted in a shell."""
        return shlex.join(self.words)

    @property
    def price(self) -> str:
        """``about 2 min: 13 of 48 pages with OCR, 36 text layers to check``."""
        parts = [f"{self.ocr_pages:,} of {pages_of(self.pages)} with OCR"]
        if self.layers:
            parts.append(f"{counted(self.layers, 'text layer')} to check")
        seconds = self.ocr_s + self.layers_s
        time = "time not known" if math.isnan(seconds) else f"about {spoken(seconds)}"
        return f"{time}: {', '.join(parts)}"

    def json_content(self) -> dict[str, Any]:
        """The command for ``recommendation.json``."""
        return {
            "command": self.command,
            "pages": self.pages,
            "ocr_pages": self.ocr_pages,
            "ocr_seconds": None if math.isnan(self.ocr_s) else round(self.ocr_s),
        }


def read_command(
    inputs: Sequence[Path],
    out: Path,
    settings: OcrSettings,
    request: Request,
    decision: Decision,
    costs: Sequence[EngineCost],
    *,
    pages: int,
    ocr_pages: int,
    layers: int,
    layer_s: float,
) -> ReadCommand:
    """The command for the files of a recommendation in ``out``.

    Of ``pages`` in all, about ``ocr_pages`` need OCR. ``layers`` are pages of PDFs, whose text
    layers take ``layer_s`` each to check. Without an engine in ``decision`` the command chooses.
    """
    words = ["ohr", "read", *map(str, inputs), "--auto"]
    if decision.engine:
        chosen = [spec for spec in settings.engines if spec.label == decision.engine]
        words += ["--engines", plugins_text(chosen)]
    if request.pages:
        words += ["--pages", request.pages]
    if request.dpi != DEFAULT_DPI:
        words += ["--dpi", str(request.dpi)]
    if settings.cache != DEFAULT_CACHE:
        words += ["--cache", str(settings.cache)]
    words += ["--out", str(out / "kb")]
    speeds = {cost.engine: cost.pages_per_hour for cost in costs}
    speed = speeds.get(decision.engine, math.nan)
    ocr_s = 3600 * ocr_pages / speed if ocr_pages else 0.0
    return ReadCommand(tuple(words), pages, ocr_pages, ocr_s, layers, layer_s * layers)
