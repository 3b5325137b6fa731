"""Which text of a page to take, and whether it can be trusted.

**The rule.** A page with a verified text layer takes the layer. Any other page is read by the first
engine. If the error that its output alone predicts is above the largest that is accepted, or cannot
be predicted, or the output has text that the page has not, the second engine reads the page too.
Of both, the second is taken unless it invents text, fails, cannot write the page's writing system,
is cut short or is predicted to be worse. A text is *trusted* if it is assessed, its predicted error
is not above the largest that is accepted, and it invents nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ohr.adviser.routes.table import LEAST_LENGTH
from ohr.ocr.routes import LAYER
from ohr.statistics.numbers import percent
from ohr.types import PageRef


@dataclass(frozen=True)
class Reading:
    """One engine's output of a page: what is predicted of it, and what shows that it is wrong.

    ``error``, ``low`` and ``high`` are the predicted edit distance without mark-up and its
    interval, in [0, 1]; NaN if it is not assessed. ``characters`` is the length of the text.
    """

    engine: str
    error: float = math.nan
    low: float = math.nan
    high: float = math.nan
    characters: float = 0.0
    seconds: float = 0.0
    invents: bool = False
    failed: bool = False
    in_range: bool = True
    not_assessed: str = ""
    """Why no error is predicted, such as a kind of page that predictions are not shown to hold for;
    empty if one is."""
    writes_script: bool = True
    """Whether the engine has letters of the page's writing system."""

    def doubt(self, most_error: float) -> str:
        """Why the text cannot be trusted; empty if it can."""
        if self.failed:
            return f"{self.engine} failed"
        if self.invents:
            return f"{self.engine} writes text that the page does not have"
        if math.isnan(self.error):
            why = f": {self.not_assessed}" if self.not_assessed else ""
            return f"{self.engine} cannot be assessed{why}"
        if not self.in_range:
            why = "the page is unlike those that predictions were checked on"
            return f"{self.engine} cannot be assessed: {why}"
        if self.error > most_error:
            return f"predicted error of {self.engine} above {most_error:.2f}"
        return ""


@dataclass(frozen=True)
class PageChoice:
    """The text that is taken of a page."""

    ref: PageRef
    route: str
    """``layer``, or the label of an engine."""
    reason: str
    reading: Reading | None = None
    """The output that is taken; None for a layer."""
    doubt: str = ""
    """Why the text cannot be trusted; empty if it can."""
    seconds: float = 0.0
    """Seconds of every engine that read the page."""

    @property
    def is_trusted(self) -> bool:
        """Whether nothing speaks against the text."""
        return not self.doubt


def layer_choice(ref: PageRef) -> PageChoice:
    """The choice of a page whose text layer is verified."""
    return PageChoice(ref, LAYER, "its text layer is verified")


def choose_reading(
    ref: PageRef, first: Reading, second: Reading | None, most_error: float, why_once: str = ""
) -> PageChoice:
    """The choice between the outputs of a page; ``why_once`` says why only one engine read it."""
    if second is None:
        doubt = first.doubt(most_error)
        reason = why_once if doubt and why_once else f"read by {first.engine}"
        return PageChoice(ref, first.engine, reason, first, doubt, first.seconds)
    taken, reason = _better(first, second)
    return PageChoice(
        ref,
        taken.engine,
        f"read by both: {reason}",
        taken,
        taken.doubt(most_error),
        first.seconds + second.seconds,
    )


def _better(first: Reading, second: Reading) -> tuple[Reading, str]:
    for other, taken in ((second, first), (first, second)):
        if other.failed and not taken.failed:
            return taken, f"{other.engine} failed"
    for other, taken in ((second, first), (first, second)):
        if other.invents and not taken.invents:
            return taken, f"{other.engine} writes text that the page does not have"
    for other, taken in ((second, first), (first, second)):
        if taken.writes_script and not other.writes_script:
            return taken, f"{other.engine} does not write the page's writing system"
    if second.characters < LEAST_LENGTH * first.characters:
        share = second.characters / first.characters
        return first, f"{second.engine} has only {percent(share)} of its characters"
    if second.error > first.error:
        return first, f"predicted error {first.error:.2f} for {second.error:.2f}"
    if math.isnan(first.error) or math.isnan(second.error):
        return second, f"{second.engine} is the second engine"
    return second, f"predicted error {second.error:.2f} for {first.error:.2f}"
