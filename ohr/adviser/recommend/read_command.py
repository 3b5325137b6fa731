"""The command that reads all files as recommended, and what it takes."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ohr.adviser.auto.engines import PREFERRED
from ohr.adviser.own_pages import OcrSettings, reads_images
from ohr.adviser.recommend.decision import Decision
from ohr.adviser.recommend.made_questions import Request
from ohr.adviser.recommend.report import EngineCost
from ohr.display.wording import counted, pages_of
from ohr.ocr.price import comparable_seconds, reading_s, spoken, time_text
from ohr.registry import PluginSpec
from ohr.study.commands import plugins_text

DEFAULT_DPI = 150
DEFAULT_CACHE = Path(".ohr-cache")


@dataclass(frozen=True)
class ReadCommand:
    """``ohr read --auto`` with the engine that was recommended, and its price.

    ``ocr_pages`` of ``pages`` are read with OCR, about, of which ``stored`` are in the cache. The
    others take ``ocr_s`` wall seconds: NaN if the engine's time is not known. The text layers of
    ``layers`` pages are checked in ``layers_s``, and what engines write in ``checks_s``.
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
    stored: int = 0
    first: str = ""
    """The engine that reads every page that needs OCR; empty if none that was given can."""
    checks_s: float = 0.0

    @property
    def command(self) -> str:
        """The command, to be pasted in a shell."""
        return shlex.join(self.words)

    @property
    def engines_sentence(self) -> str:
        """What the command does without a best engine: which one reads first, which one again."""
        if not (self.first and self.ocr_pages):
            return ""
        again = f", and again with {self.witness} where that is in doubt" if self.witness else ""
        return f"Run the command below: it reads pages that need OCR with {self.first}{again}."

    @property
    def price(self) -> str:
        """``about 2 min: 13 of 48 pages with OCR, 36 text layers to check``."""
        stored = f" ({self.stored:,} in the cache)" if self.stored else ""
        parts = [f"{self.ocr_pages:,} of {pages_of(self.pages)} with OCR{stored}"]
        if self.layers:
            parts.append(f"{counted(self.layers, 'text layer')} to check")
        if self.witness and self.ocr_pages:
            more = "" if not self.witness_s > 0 else f", at most {spoken(self.witness_s)} more"
            parts.append(f"{self.witness} reads doubtful pages too{more}")
        time = time_text(self.ocr_s + self.layers_s + self.checks_s)
        return f"{time if time != 'no time' else 'nothing left to read'}: {', '.join(parts)}"

    def json_content(self) -> dict[str, Any]:
        """The command for ``recommendation.json``."""
        return {
            "command": self.command,
            "price": self.price,
            "pages": self.pages,
            "ocr_pages": self.ocr_pages,
            "ocr_pages_stored": self.stored,
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
    check_s: float = 0.0,
    excluded: Collection[str] = (),
    kin: Mapping[str, Collection[str]] = MappingProxyType({}),
    stored: Mapping[str, int] = MappingProxyType({}),
) -> ReadCommand:
    """The command for the files of a recommendation in ``out``.

    It has the engine of ``decision``; without one, those that ``ohr read --auto`` takes by itself
    or the fastest. Of ``pages`` in all, about ``ocr_pages`` need OCR, of which ``stored`` has the
    number that each engine has read. ``layers`` are pages of PDFs, whose text layers take
    ``layer_s`` each to check; the outputs of a page take ``check_s``. Engines that are ``excluded``
    invent, or failed on every page.
    """
    seconds = {cost.engine: cost.wall_s for cost in costs}
    image_engines = {spec.label for spec in settings.engines if reads_images(spec)}
    faster_by = comparable_seconds(
        {
            cost.engine: {"cpu_s": cost.cpu_s, "wall_s": cost.wall_s}
            for cost in costs
            if cost.engine in image_engines
        }
    )
    chosen = _engines(settings.engines, decision.engine, faster_by, excluded, kin)
    words = ["ohr", "read", *map(str, inputs), "--auto"]
    if chosen and (decision.engine or chosen != [PluginSpec(name=name) for name in PREFERRED]):
        words += ["--engines", plugins_text(chosen)]
    if request.pages:
        words += ["--pages", request.pages]
    if request.dpi != DEFAULT_DPI:
        words += ["--dpi", str(request.dpi)]
    if settings.cache != DEFAULT_CACHE:
        words += ["--cache", str(settings.cache)]
    words += ["--out", str(out / "kb")]
    first, witness = ([spec.label for spec in chosen] + ["", ""])[:2]
    ocr_s, witness_s = (
        reading_s(ocr_pages - stored.get(label, 0), seconds.get(label, math.nan), settings.workers)
        for label in (first, witness)
    )
    in_cache = min(ocr_pages, stored.get(first, 0))
    return ReadCommand(
        tuple(words),
        pages,
        ocr_pages,
        ocr_s,
        layers,
        layer_s * layers,
        witness,
        witness_s,
        in_cache,
        first,
        check_s * ocr_pages if ocr_pages else 0.0,
    )


def _engines(
    engines: Sequence[PluginSpec],
    first: str,
    seconds: Mapping[str, float],
    excluded: Collection[str],
    kin: Mapping[str, Collection[str]],
) -> list[PluginSpec]:
    """The engines of the command: ``first`` or, without one, a fast one; then a second one.

    The second is the fastest that is neither ``excluded`` nor of the first one's ``kin``: what an
    engine invents or cannot read shows only beside one that reads for itself. Without ``first``,
    those that ``ohr read --auto`` takes by itself are preferred, then the fastest.
    """
    usable = {
        spec.label: spec
        for spec in engines
        if spec.label == first or (spec.label not in excluded and reads_images(spec))
    }
    preferred = [PluginSpec(name=name) for name in PREFERRED]
    if not first and all(spec in usable.values() for spec in preferred):
        return preferred

    def pace(label: str) -> float:
        return math.inf if math.isnan(s := seconds.get(label, math.nan)) else s

    first = first or min(usable, key=pace, default="")
    rest = [label for label in usable if label not in {first, *kin.get(first, ())}]
    chosen = [usable[first]] if first in usable else []
    return chosen + [usable[label] for label in sorted(rest, key=pace)[:1]]
