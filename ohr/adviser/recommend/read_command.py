"""The command that reads all files as recommended, and what it takes."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ohr.adviser.countdown import spoken
from ohr.adviser.own_pages import OcrSettings, reads_images
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
    ``witness`` is the second engine: it reads the pages whose text by the first is in doubt, which
    takes at most ``witness_s``; empty without one.
    """

    words: tuple[str, ...]
    pages: int
    ocr_pages: int
    ocr_s: float
    layers: int
    layers_s: float
    witness: str = ""
    witness_s: float = 0.0

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
        if self.witness and self.ocr_pages:
            time_again = (
                "" if math.isnan(self.witness_s) else f", at most {spoken(self.witness_s)} more"
            )
            parts.append(f"{self.witness} reads doubtful pages too{time_again}")
        return f"{time}: {', '.join(parts)}"

    def json_content(self) -> dict[str, Any]:
        """The command for ``recommendation.json``."""
        return {
            "command": self.command,
            "pages": self.pages,
            "ocr_pages": self.ocr_pages,
            "ocr_seconds": None if math.isnan(self.ocr_s) else round(self.ocr_s),
            "second_engine": self.witness or None,
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
    vetoed: Collection[str] = (),
    kin: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> ReadCommand:
    """The command for the files of a recommendation in ``out``.

    Of ``pages`` in all, about ``ocr_pages`` need OCR. ``layers`` are pages of PDFs, whose text
    layers take ``layer_s`` each to check. Without an engine in ``decision`` the command chooses.
    The second engine is the fastest that is neither ``vetoed`` nor of the first one's ``kin``: what
    an engine invents or cannot read shows only beside one that reads for itself.
    """
    speeds = {cost.engine: cost.pages_per_hour for cost in costs}
    witness = ""
    words = ["ohr", "read", *map(str, inputs), "--auto"]
    if decision.engine:
        chosen = [spec for spec in settings.engines if spec.label == decision.engine]
        no_witness = {decision.engine, *kin.get(decision.engine, ()), *vetoed}
        rest = {
            spec.label: spec
            for spec in settings.engines
            if spec.label not in no_witness and reads_images(spec)
        }
        if rest:
            witness = max(rest, key=lambda label: speeds.get(label, 0.0))
            chosen.append(rest[witness])
        words += ["--engines", plugins_text(chosen)]
    if request.pages:
        words += ["--pages", request.pages]
    if request.dpi != DEFAULT_DPI:
        words += ["--dpi", str(request.dpi)]
    if settings.cache != DEFAULT_CACHE:
        words += ["--cache", str(settings.cache)]
    words += ["--out", str(out / "kb")]
    ocr_s, witness_s = (
        3600 * ocr_pages / speeds.get(label, math.nan) if ocr_pages else 0.0
        for label in (decision.engine, witness)
    )
    layers_s = layer_s * layers
    return ReadCommand(tuple(words), pages, ocr_pages, ocr_s, layers, layers_s, witness, witness_s)
