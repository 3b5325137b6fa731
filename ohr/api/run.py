"""A finished run with its tables and figures: ``run.compare()``, ``run.plot.noise_curve()``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import pandas as pd

from ohr.api.plots import Plots
from ohr.ocr.progress import Progress
from ohr.study import results
from ohr.study.opening import fault_line


class Run(results.Run):
    """A finished run, its tables and its figures."""

    @classmethod
    def of(cls, run: results.Run) -> Run:
        """Wrap a study's results in this class."""
        values = {field.name: getattr(run, field.name) for field in fields(run)}
        return cls(**values).with_cached(**{k: v for k, v in vars(run).items() if k not in values})

    def compare(
        self,
        *others: Run,
        by: str = "",
        metrics: Sequence[str] = (),
        baseline: str = "",
        groups: bool = False,
    ) -> pd.DataFrame:
        """Paired differences with intervals, p and effect sizes.

        ``by`` is what to compare: ``knowledge_base`` (the default for one run), ``engine``,
        ``retriever``, ``reader``, ``chunker`` and so on, or ``run``. ``metrics`` are
        ``stage:metric``, such as ``retrieval:hit@2``. The ``baseline`` is by default the first.
        With ``groups``, also one row per evidence source, domain, answer form and task.
        Raises OhrError if nothing can be paired.
        """
        from ohr.analysis.comparison.table import compare

        return compare(self._and(others), by=by, metrics=metrics, baseline=baseline, groups=groups)

    def curves(self, *others: Run, axis: str = "") -> pd.DataFrame:
        """Area, slope, breakpoint and retention of each noise curve, with 95 % intervals.

        ``axis`` is the measured noise, by default the published r_noise.
        """
        from ohr.analysis.curves.table import statistics_table

        return statistics_table(self._and(others), axis)

    def predictiveness(
        self, *others: Run, metrics: Sequence[str] = (), groups: bool = False
    ) -> pd.DataFrame:
        """How well each metric of OCR quality predicts the loss under noise: rank correlations.

        ``metrics`` are the outcomes to predict, as ``stage:metric``. With ``groups``, also by
        domain, answer form and task. Raises OhrError without noise, without a clean condition, or
        without the stage ocr.
        """
        from ohr.analysis.predictiveness.table import predictiveness

        return predictiveness(self._and(others), metrics=metrics, groups=groups)

    def attribution(self) -> pd.DataFrame:
        """The F1 lost to OCR, chunking, retrieval and the reader; needs the study's cache."""
        from ohr.analysis.attribution.table import make_losses

        return make_losses(self.plan, Progress())

    def robustness(self, baseline: str = "") -> pd.DataFrame:
        """The share of its quality that each reader keeps under noise, with 95 % intervals.

        The ``baseline`` reader is by default the first.
        """
        from ohr.analysis.robustness.table import robustness

        return robustness(self, baseline)

    def structure(self) -> pd.DataFrame:
        """How well each document's outline survives noise; needs the study's cache.

        One row per document, knowledge base and draw.
        """
        from ohr.analysis.structure.table import structure

        return structure(self.config, Progress())

    def _and(self, others: Sequence[results.Run]) -> list[results.Run]:
        """This run and others. Raises OhrError if one was given twice."""
        runs = [self, *others]
        results.check_distinct(run.path for run in runs)
        return runs

    @property
    def plot(self) -> Plots:
        """Its figures: ``run.plot.noise_curve()``."""
        return Plots(self)


def open_run(path: Path | str, *, trust_code: bool = False) -> Run:
    """Open a run's folder. Raises OhrError if it is no run, or the run is not finished.

    Code that the run names is loaded only where the same code is installed, or with ``trust_code``.
    Warns of a run that is no longer what its study wrote.
    """
    run = results.open_run(path, trust_code=trust_code)
    if line := fault_line(run):
        warnings.warn(line, stacklevel=2)
    return Run.of(run)
