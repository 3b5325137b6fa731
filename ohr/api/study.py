"""A study in Python: ``Study(engines=["tesseract"]).run("runs/first")``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from typing_extensions import Unpack

from ohr.api.run import Run
from ohr.metrics.protocol import Protocol
from ohr.ocr.progress import Progress, Silent
from ohr.plugins.trust import trusting
from ohr.registry import PluginValue
from ohr.study.config import Stage, StudyConfig, make_config
from ohr.study.loading import load_dataset
from ohr.study.plan import Plan, make_plan
from ohr.study.run import run_study

Plugins = PluginValue | Sequence[PluginValue]
Numbers = float | Sequence[float]


class Options(TypedDict, total=False):
    """The options of a study: the fields of :class:`ohr.study.config.StudyConfig`.

    A plug-in is a name, ``"bm25"``, a name with parameters,
    ``{"name": "bm25", "params": {"k1": 1.2}}``, or your own class. A single value stands for a
    list of one.
    """

    dataset: str | Mapping[str, Any]
    dpi: int
    engines: Plugins
    noise: Plugins
    levels: str | Sequence[str] | None
    intensities: Numbers
    calibration: Path | str | None
    r_noise: Numbers
    edit_distance: Numbers
    ground_truth: bool
    chunkers: Plugins
    retrievers: Plugins
    readers: Plugins
    read_from: str | Sequence[str]
    systems: Plugins
    scope: str
    judge: PluginValue | None
    repeats: int
    retry_failed: bool
    stages: Stage | Sequence[Stage]
    top_k: int
    ks: int | Sequence[int]
    scoring: Protocol
    metrics: Plugins
    seed: int
    seeds: int | Sequence[int] | None
    stop_after_failures: int
    max_cost: float | None
    workers: int
    runner: Literal["local", "ray"]
    worker_gpus: float
    cache: Path | str
    page_cpu_s: float
    page_wall_s: float
    bootstrap: int


class Study:
    """A study: it measures every combination of engine, noise, chunker, retriever and reader."""

    def __init__(self, **options: Unpack[Options]) -> None:
        """The options are those of ``ohr run noise-curve --help``.

        Raises ConfigError for an unknown option, naming the nearest known one, or a wrong value.
        """
        self.config: StudyConfig = make_config(options)
        """Every option with its value."""

    @classmethod
    def from_file(
        cls, path: Path | str, *, trust_code: bool = False, **options: Unpack[Options]
    ) -> Study:
        """A study from a YAML file. ``options`` override those of the file.

        Raises ConfigError, also if the file names code of the working folder without
        ``trust_code``.
        """
        study = cls.__new__(cls)
        with trusting(trust_code):
            study.config = make_config(options, Path(path))
        return study

    def __repr__(self) -> str:
        options = self.config.model_dump(mode="json", exclude_unset=True)
        return f"Study({', '.join(f'{name}={value!r}' for name, value in options.items())})"

    def plan(self) -> Plan:
        """All conditions and cells, without reading a page.

        Raises OhrError for a study that cannot be run.
        """
        return make_plan(self.config, load_dataset(self.config))

    def run(
        self,
        path: Path | str,
        *,
        progress: Progress | Literal[False] | None = None,
        overwrite: bool = False,
    ) -> Run:
        """Run the study, or finish an interrupted one, and write the results into a folder.

        ``progress`` is reported to standard error by default; False reports nothing. With
        ``overwrite``, another study's results in the folder may be replaced. Pages and answers
        that failed are in the run's ``failures``. Raises OhrError for anything the user can fix,
        before anything costly happens.
        """
        reported = Silent() if progress is False else progress
        return Run.wrap(run_study(self.config, path, progress=reported, overwrite=overwrite))
