"""The results in sentences, with intervals, and without claims that are not shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohr.display.wording import is_shown, rare_losses
from ohr.report.changes import Changes
from ohr.report.rows import Rows, setting_label
from ohr.statistics import DOCUMENT, too_few
from ohr.statistics.numbers import prose, prose_interval, prose_p
from ohr.study.metrics import MetricInfo


@dataclass(frozen=True)
class Loss:
    """The loss of one setting under one condition, compared with its baseline by question."""

    place: tuple[int, int]
    """Numbers of condition and setting in the rows."""
    condition: str
    baseline: str
    setting: str
    """What distinguishes the setting from the stage's others; empty for a single one."""
    stage: str
    n: int
    clean: float
    score: float
    loss: float
    low: float
    high: float
    p: float
    """p in its family of ``tests`` comparisons; NaN without a test."""
    documents: int
    unit: str
    tests: int

    @property
    def excluded(self) -> float:
        """The largest change that is not excluded; NaN without an interval."""
        return max(abs(self.low), abs(self.high))

    @property
    def is_shown(self) -> bool:
        """Whether a loss or gain is shown."""
        return is_shown(self.p)

    def sentence(self) -> str:
        """``tesseract, severe: 0.85, 0.07 less than tesseract, clean (0.93); 95 % CI …``."""
        size, direction = prose(abs(self.loss)), "less" if self.loss > 0 else "more"
        change = f"{size} {direction} than" if size.strip(".0") else "the same as"
        with_setting = f" with {self.setting}" if self.setting else ""
        return (
            f"{self.condition}{with_setting}: {prose(self.score)}, {change} {self.baseline} "
            f"({prose(self.clean)}); {self._evidence()}."
        )

    def short_text(self) -> str:
        """``tesseract, clean loses 0.02 (95 % CI 0.00 to 0.03; not significant)``."""
        size = prose(abs(self.loss))
        change = f"{'loses' if self.loss > 0 else 'gains'} {size}"
        if not size.strip(".0"):
            change = "does not change"
        with_setting = f" with {self.setting}" if self.setting else ""
        return f"{self.condition}{with_setting} {change} ({self._evidence()})"

    def _evidence(self) -> str:
        """The interval of the size of the change, and its test."""
        if np.isnan(self.low):
            return "no interval"
        low, high = sorted((self.low, self.high) if self.loss > 0 else (-self.low, -self.high))
        interval = f"95 % CI {prose_interval(low, high)}"
        if self.is_shown:
            of = f" in a family of {self.tests}" if self.tests > 1 else ""
            return f"{interval}, {prose_p(self.p)}{of}"
        if self.unit == DOCUMENT and (reason := too_few(self.documents)):
            return f"nothing can be shown: {reason}"
        return f"{interval}, not significant"


def losses(rows: Rows, changes: Changes, stage: str) -> list[Loss]:
    """The loss of every condition with a baseline, under every setting of a stage."""
    of_stage = [n for n, setting in enumerate(rows.settings) if setting["stage"] == stage]
    frame = rows.frame[rows.frame["setting"].isin(of_stage) & rows.frame["loss"].notna()]
    results = []
    for (of, by), group in frame.groupby(["condition", "setting"], sort=True):
        condition, setting = int(str(of)), int(str(by))
        change = changes.get(((condition, setting), "all"), {})
        results.append(
            Loss(
                (condition, setting),
                rows.condition_name(condition),
                rows.conditions[rows.conditions[condition]["clean"]]["name"],
                setting_label(rows, setting),
                stage,
                len(group),
                float(group["clean"].mean()),
                float(group["score"].mean()),
                float(group["loss"].mean()),
                -change.get("ci_high", np.nan),
                -change.get("ci_low", np.nan),
                change.get("p_adjusted", np.nan),
                int(change.get("n_documents", 0)),
                str(change.get("ci_unit", "")),
                int(change.get("family_size", 0)),
            )
        )
    return results


def caveats(rows: Rows, metrics: dict[str, MetricInfo]) -> list[str]:
    """Sentences on the limits of the results."""
    sentences = [
        "Intervals are about further documents like these, not about other kinds of documents.",
        "'Not significant' does not mean 'none': changes within the interval are not excluded.",
        "Noise is compared with the same engine's clean pages, an engine on clean pages with the "
        "ground truth.",
    ]
    documents = rows.questions["doc_id"].nunique()
    if documents < 20:
        few = "1 document" if documents == 1 else f"{documents} documents"
        sentences.insert(0, f"The results rest on {few} and say little about others.")
    if warning := rare_losses(documents):
        sentences.append(f"{warning}.")
    if "overall" not in metrics and "generation" not in metrics:
        sentences.append("No reader was used, so there are no results on answers.")
    return sentences
