"""A finished run with its tables and figures: ``run.compare()``, ``run.plot.noise_curve()``."""

from __future__ import annotations

import warnings
from dataclasses import fields
from pathlib import Path

from ohr.api.analyses import Analyses
from ohr.api.plots import Plots
from ohr.study import results
from ohr.study.opening import fault_line


class Run(Analyses):
    """A finished run, its tables, its analyses and its figures."""

    @classmethod
    def wrap(cls, run: results.StudyRun) -> Run:
        """Wrap a study's results in this class."""
        values = {field.name: getattr(run, field.name) for field in fields(run)}
        return cls(**values).cache_values(**{k: v for k, v in vars(run).items() if k not in values})

    @property
    def plot(self) -> Plots:
        """Its figures: ``run.plot.noise_curve()``."""
        return Plots(self)

    def cite(self, form: str = "markdown") -> tuple[str, str]:
        """The methods paragraph and the appendix for a paper, in ``markdown`` or ``tex``.

        Raises OhrError for another form, and for results that were imported.
        """
        from ohr.analysis.citation.report import cite

        return cite(self, form)


def open_run(path: Path | str, *, trust_code: bool = False) -> Run:
    """Open a run's folder. Raises OhrError if it is no run, or the run is not finished.

    Code that the run names is loaded only where the same code is installed, or with ``trust_code``.
    Warns of a run that is no longer what its study wrote.
    """
    run = results.open_run(path, trust_code=trust_code)
    if line := fault_line(run):
        warnings.warn(line, stacklevel=2)
    return Run.wrap(run)
