"""A finished run with its tables and figures: ``run.compare()``, ``run.plot.noise_curve()``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import pandas as pd

from ohr.api.plots import Plots
from ohr.ocr.progress import Progress
from ohr.study import results


class Run(results.Run):
    """A finished run, its tables and its figures."""

    @classmethod
    def of(cls, run: results.Run) -> Run:
        """A study's results with the methods of this class."""
        values = {one.name: getattr(run, one.name) for one in fields(run)}
        return cls(**values).with_cached(**{k: v for k, v in vars(run).items() if k not in values})

    def compare(
        self,
        *others: Run,
        by: str = "",
        metrics: Sequence[str] = (),
        baseline: str = "",
        groups: bool = False,
    ) -> pd.DataFrame:
        """Paired differences with intervals, p (Holm, Benjamini-Hochberg) and effect sizes.

        ``by``: what is compared: ``knowledge_base`` (the default for one run), ``engine``,
        ``retriever``, ``reader``, ``chunker`` and so on, or ``run``. ``metrics``:
        ``stage:metric``, as ``retrieval:hit@2``. ``baseline``: what the others are compared
        with, else the first. ``groups``: also for each evidence source, domain, form and task.
        Raises OhrError where nothing can be paired.
        """
        from ohr.analysis.comparison.table import compare

        return compare([self, *others], by=by, metrics=metrics, baseline=baseline, groups=groups)

    def curves(self, *others: Run, axis: str = "r_noise") -> pd.DataFrame:
        """Area, slope, breakpoint and retention of each noise curve, with 95 % intervals.

        ``axis``: what damage is measured by: ``r_noise``, ``edit_distance`` and so on.
        """
        from ohr.analysis.curves.table import statistics_table

        return statistics_table([self, *others], axis)

    def predictiveness(
        self, *others: Run, metrics: Sequence[str] = (), groups: bool = False
    ) -> pd.DataFrame:
        """How well each measure of reading predicts what noise costs: rank correlations.

        ``metrics``: the outcomes, ``stage:metric``. ``groups``: also each domain, answer form
        and task. Raises OhrError where there is no noise, nothing clean or no stage ocr.
        """
        from ohr.analysis.predictiveness.table import predictiveness

        return predictiveness([self, *others], metrics=metrics, groups=groups)

    def attribution(self) -> pd.DataFrame:
        """The F1 that OCR, chunking, retrieval and reading each cost; reads the study's cache."""
        from ohr.analysis.attribution.table import make_losses

        return make_losses(self.plan, Progress())

    def robustness(self, baseline: str = "") -> pd.DataFrame:
        """What each reader keeps of its quality under noise, with 95 % intervals.

        ``baseline``: the reader that the others are compared with, else the first.
        """
        from ohr.analysis.robustness.table import robustness

        return robustness(self, baseline)

    def structure(self) -> pd.DataFrame:
        """What noise leaves of each document's outline; reads the study's cache.

        One row for each document, knowledge base and draw.
        """
        from ohr.analysis.structure.table import structure

        return structure(self.config, Progress())

    @property
    def plot(self) -> Plots:
        """Its figures: ``run.plot.noise_curve()``."""
        return Plots(self)


def open_run(path: Path | str) -> Run:
    """Read a run's folder. Raises OhrError if it is not one, or not a finished one."""
    return Run.of(results.open_run(path))
