"""Makes a function that prints a finished run the command that runs the study."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from experiments._command import CommandLine, Settings, make_command, results_folder, sign
from experiments._parameters import AndReport, DryRun, OptionalOut
from ohr.errors import ConfigError

if TYPE_CHECKING:
    from ohr.study.config import Stage, StudyConfig


def study_command(
    defaults: Mapping[str, Any],
    out: Path | None = None,
    next_steps: Sequence[str] = (),
    needs: Stage | None = None,
) -> Callable[[Callable[..., None]], CommandLine]:
    """Turn a function that prints a finished run into the command that runs the study.

    ``defaults`` are the study's, ``out`` is the default of ``--out``; ``next_steps`` are printed
    last. Without the stage that the command ``needs``, it ends with an error before reading. The
    function's parameters after the run become further options of the command.
    """

    def make(report: Callable[..., None]) -> CommandLine:
        def main(
            config: StudyConfig,
            out: Path | None,
            dry_run: bool,
            and_report: bool,
            **options: Any,
        ) -> int:
            if needs is not None and needs not in config.stages:
                raise ConfigError(f"stages must include {needs}: this command reports that stage")
            _check_axis(config, options.get("axis"))
            if dry_run:
                from ohr.display.plan import print_plan

                print_plan(config)
                return 0
            from experiments._study import run_and_report

            action = functools.partial(report, **options)
            printed_by = (report.__module__, {**options, "report": and_report})
            return run_and_report(
                config, results_folder(out), action, printed_by, and_report, next_steps
            )

        _, *further = inspect.signature(report).parameters.values()
        config, folder, dry, browser, _ = inspect.signature(main).parameters.values()
        main.__doc__ = report.__doc__
        sign(
            main,
            [
                config.replace(annotation=Annotated[object, Settings(defaults)]),
                folder.replace(annotation=OptionalOut, default=out),
                dry.replace(annotation=DryRun, default=False),
                browser.replace(annotation=AndReport, default=False),
                *(each.replace(annotation=_evaluated(each, report)) for each in further),
            ],
        )
        return make_command(main, named_by=report)

    return make


def _check_axis(config: StudyConfig, axis: str | None) -> None:
    """Raise ConfigError for an axis of noise that a study would not measure, before it is run."""
    if not axis or "ocr" in config.stages:
        return
    from ohr.display.choices import DAMAGE
    from ohr.study.metrics import noise_columns

    if axis in DAMAGE and axis not in noise_columns(config, 0.0):
        raise ConfigError(
            f"{axis} would not be measured: give metrics=[default,{axis}], or add ocr to stages=[…]"
        )


def _evaluated(parameter: inspect.Parameter, function: Any) -> Any:
    """A parameter's annotation as an object; other annotations may be for type checkers only."""
    annotation = parameter.annotation
    return eval(annotation, function.__globals__) if isinstance(annotation, str) else annotation
