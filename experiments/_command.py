"""Makes a function a command of the app ``ohr``.

A command is a function called ``main`` that returns its exit code. The first line of its docstring
is its summary in every list. An error is printed on one line, with the problem and the fix.
Heavy imports are inside the function, so that ``--help`` is fast.
"""

from __future__ import annotations

import functools
import inspect
import logging
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer
from typer.core import TyperCommand

from experiments._exit import exit_with, one_line
from experiments._flags import LIST, Own, as_flag, flags, normalise
from ohr.errors import ConfigError, OhrError, did_you_mean

if TYPE_CHECKING:
    from ohr.ocr.shards import Shard
    from ohr.study.config import Stage, StudyConfig


@dataclass(frozen=True)
class Settings:
    """Marks the parameter of a command that takes a study's options, as a StudyConfig.

    ``--help`` lists the options of ``groups`` (empty: all groups) with the command's defaults. With
    ``options`` it lists only those.
    """

    defaults: Mapping[str, Any] = field(default_factory=dict)
    groups: Sequence[str] = ()
    options: Collection[str] | None = None
    reads_pages: bool = True
    """Whether the command reads pages, so that it can be split into shards."""


Out = Annotated[Path, typer.Option(help="Folder for the results.")]
OptionalOut = Annotated[Path | None, typer.Option(help="Folder for the results.")]
FinishedRun = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a finished run.")]
FinishedRuns = Annotated[
    list[Path], typer.Argument(metavar="RUN", help="Folders of finished runs.")
]
Inputs = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="PDFs, images, or folders of them.")
]
Dpi = Annotated[
    int,
    typer.Option(min=30, max=1200, help="Resolution of rendered PDFs, and of images without one."),
]
Workers = Annotated[int, typer.Option(min=1, help="Number of processes; default: all cores.")]
CORES = os.cpu_count() or 1
"""Default of ``--workers``."""
PageRanges = Annotated[
    str,
    typer.Option("--pages", help="Pages of each file, from 1, such as 1-3,7 or 5-; default: all."),
]
Budget = Annotated[int, typer.Option(min=1, help="Largest number of pages to read.")]
OcrOutput = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE ...", help="A finished run, or the truth's folder and the output's."
    ),
]
OutputQuestions = Annotated[
    Path | None, typer.Option(help="Q&A file, for two folders; without, pages alone count.")
]
Domains = Annotated[str, typer.Option(help="Domains to use, separated by commas; default: all.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same bytes.")]
Cache = Annotated[Path, typer.Option(help="Folder of the cache.")]
OwnEngines = Annotated[
    str | None,
    typer.Option(
        help="OCR engines, separated by commas; default: all installed ones that need no "
        "downloaded weights and no server."
    ),
]
Truth = Annotated[
    Path | None,
    typer.Option(help="Folder of transcribed pages: <domain>/<document>/page_0001.md."),
]
Instability = Annotated[
    bool, typer.Option(help="Read each page also under three mild distortions.")
]
Axis = Annotated[
    Literal["r_noise_reference", "r_noise", "r_noise_content", "edit_distance"] | None,
    typer.Option(help="Metric of noise on the axis of curves; default: the published r_noise."),
]
Look = Annotated[
    Literal["paper", "slides"], typer.Option(help="Draw figures for a paper or for slides.")
]
AndReport = Annotated[
    bool, typer.Option("--report", help="Also write an interactive report, RUN/report.")
]
OfReview = Annotated[
    Path | None,
    typer.Option(help="verdicts.json of a review: leave out questions marked as bad."),
]
OfShard = Annotated[
    str, typer.Option("--shard", metavar="I/N", help="Read only part I of N of the pages.")
]
Steal = Annotated[
    bool,
    typer.Option("--steal", help="With --shard: then read pages that other shards have not read."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan, and do nothing.")]

_SHARDED: Mapping[str, tuple[Any, Any]] = {"shard": ("", OfShard), "steal": (False, Steal)}
_NO_FOLDER = "no folder for the results: give --out, such as --out runs/first"
_WIDEST = 100
_TrustCode = Annotated[
    bool,
    typer.Option("--trust-code", help="Load code that a run or a file names."),
]
_Debug = Annotated[bool, typer.Option("--debug", help="Print a traceback with an error.")]
_Arguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CONFIG.yaml|key=value",
        help="A YAML file of the study's options. Options can also be written key=value, such "
        "as dpi=100 for --dpi 100.",
    ),
]


class CommandLine(typer.Typer):
    """A command whose help keeps its square brackets."""

    def __init__(self) -> None:
        super().__init__(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )


class _Command(TyperCommand):
    settings: Settings | None = None
    paths: Collection[str] = ()
    """Parameters that are paths."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            # As a path, the empty text is the current folder.
            if any(arg == "" or (arg.startswith("--") and arg.endswith("=")) for arg in args):
                raise OhrError("an argument is empty: is a shell variable not set?")
            args = normalise(args, self._own(), of_study=self.settings is not None)
            return super().parse_args(ctx, args)
        except (OhrError, typer.TyperException) as error:
            message = str(error)
            if isinstance(error, typer.TyperException):
                message = self._usage_message(error)
            print(f"error: {one_line(message)}", file=sys.stderr)
            raise typer.Exit(2) from error

    def _own(self) -> dict[str, Own]:
        """How each option of the command takes values, by each of its names."""
        options = [param for param in self.params if param.param_type_name == "option"]
        return {
            name: Own(
                param.opts[0],
                is_switch=bool(getattr(param, "is_flag", False)),
                is_repeated=param.multiple,
                is_joined=param.metavar == LIST,
                is_path=param.name in self.paths,
            )
            for param in options
            for name in (*param.opts, *param.secondary_opts)
        } | {"--help": Own("--help", is_switch=True, is_repeated=True)}

    def _option_names(self) -> list[str]:
        """All names of the command's options: ``--out``, ``--no-check``."""
        return [name for param in self.params for name in (*param.opts, *param.secondary_opts)]

    def _usage_message(self, error: typer.TyperException) -> str:
        """What is wrong with the arguments, and the fix."""
        options = [name for name in [*self._option_names(), "--help"] if name.startswith("--")]
        name = getattr(error, "option_name", "")
        if name and name not in options:
            if self.settings is not None:
                options += flags()
            return f"unknown option {name!r}; {did_you_mean(name, sorted(options))}"
        message = error.format_message()
        if message == "Missing option '--out'.":
            return _NO_FOLDER
        return f"{message[0].lower()}{message[1:].removesuffix('.')}; see --help"

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            params = [param for param in self.get_params(ctx) if param.param_type_name == kind]
            records = [record for param in params if (record := param.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl([(name.split(" <list")[0], text) for name, text in records])
        if self.settings is not None:
            from ohr.display.options import GROUPS, option_table

            groups = self.settings.groups or tuple(GROUPS)
            table = option_table(self.settings.defaults, groups, self.settings.options)
            flags_of_all = [as_flag(option.key) for options in table.values() for option in options]
            width = max(map(len, flags_of_all))
            for title, options in table.items():
                with formatter.section(title):
                    formatter.write_dl(
                        [(f"{as_flag(option.key):{width}}", option.help) for option in options]
                    )

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Also complete the flags of a study."""
        items = super().shell_complete(ctx, incomplete)
        if self.settings is not None and incomplete.startswith("--"):
            from typer._click.shell_completion import CompletionItem

            items += [
                CompletionItem(name, help=about)
                for name, about in flags().items()
                if name.startswith(incomplete)
            ]
        return items


def command(function: Callable[..., int]) -> CommandLine:
    """Make a function the command line of its module, with ``--debug`` and one-line errors.

    The function's parameters are the command's, in typer's form. A parameter annotated with
    ``Settings`` gets the StudyConfig of the arguments. The docstring is the help.
    """
    return _command(function)


def trusting_command(function: Callable[..., int]) -> CommandLine:
    """As :func:`command`, with ``--trust-code``: its files may name code."""
    return _command(function, trusts=True)


def results_command(function: Callable[..., int]) -> CommandLine:
    """As :func:`trusting_command`, but without it no code of the working folder is loaded."""
    return _command(function, trusts=True, only_results=True)


def _command(
    function: Callable[..., int], *, trusts: bool = False, only_results: bool = False
) -> CommandLine:
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    marks = {each.name: _settings_of(each.annotation) for each in parameters}
    settings = {name: mark for name, mark in marks.items() if mark is not None}

    sharded = any(mark.reads_pages for mark in settings.values())
    trusts = trusts or bool(settings)

    @functools.wraps(function)
    def main(*, debug: bool, trust_code: bool = False, **options: Any) -> None:
        def action() -> int:
            from ohr.plugins.trust import leave_folder, trusting

            if only_results and not trust_code:
                leave_folder()
            with trusting(trust_code):
                return carry_out()

        def carry_out() -> int:
            shard = parse_shard(*(options.pop(name) for name in _SHARDED)) if sharded else None
            for name, value in options.items():
                options[name] = _at_home(value)
            for name, mark in settings.items():
                from ohr.study.config import load_config

                options[name] = load_config(options[name] or [], mark.defaults)
            if shard is None or options.get("dry_run"):
                return function(**options)
            from ohr.ocr.shards import ShardEnded, use_shard

            with use_shard(shard):
                try:
                    function(**options)
                except ShardEnded as ended:
                    print(ended)
                    return 0
            raise OhrError("--shard: with these options this command reads no pages")

        logging.basicConfig(level=logging.WARNING, format="%(message)s")
        exit_with(action, debug)

    debug = inspect.Parameter("debug", inspect.Parameter.KEYWORD_ONLY, default=False)
    parameters = [
        each.replace(annotation=_Arguments, default=None) if each.name in settings else each
        for each in parameters
    ]
    if sharded:
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=mark)
            for name, (value, mark) in _SHARDED.items()
        ]
    if trusts:
        parameters.append(debug.replace(name="trust_code", annotation=_TrustCode))
    parameters.append(debug.replace(annotation=_Debug))
    # Keyword-only, so that a parameter with a default can precede one without.
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    _sign(main, parameters)
    main.__annotations__ = {each.name: each.annotation for each in parameters}

    class Command(_Command):
        pass

    Command.settings = next(iter(settings.values()), None)
    Command.paths = {each.name for each in parameters if "Path" in str(each.annotation)}
    line = CommandLine()
    line.command(
        help=inspect.getdoc(function),
        cls=Command,
        context_settings={"max_content_width": _WIDEST},
    )(main)
    return line


def _at_home(value: Any) -> Any:
    """``~/data`` is a folder of the user's own, also as ``--out=~/data``."""
    if isinstance(value, list):
        return [_at_home(item) for item in value]
    return value.expanduser() if isinstance(value, Path) and value.parts[:1] == ("~",) else value


def _sign(function: Any, parameters: Sequence[inspect.Parameter]) -> None:
    """Make these the parameters that typer sees."""
    function.__signature__ = inspect.Signature(parameters)


def _evaluated(parameter: inspect.Parameter, function: Any) -> Any:
    """A parameter's annotation as an object; other annotations may be for type checkers only."""
    annotation = parameter.annotation
    return eval(annotation, function.__globals__) if isinstance(annotation, str) else annotation


def _settings_of(annotation: Any) -> Settings | None:
    marks = [mark for mark in get_args(annotation)[1:] if isinstance(mark, Settings)]
    return marks[0] if marks else None


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
            verdicts: Path | None,
            **options: Any,
        ) -> int:
            if verdicts is not None:
                dataset = config.dataset.model_copy(update={"verdicts": verdicts})
                config = config.model_copy(update={"dataset": dataset})
            if needs is not None and needs not in config.stages:
                raise ConfigError(f"stages must include {needs}: this command reports that stage")
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
        config, folder, dry, browser, review, _ = inspect.signature(main).parameters.values()
        main.__doc__ = report.__doc__
        _sign(
            main,
            [
                config.replace(annotation=Annotated[object, Settings(defaults)]),
                folder.replace(annotation=OptionalOut, default=out),
                dry.replace(annotation=DryRun, default=False),
                browser.replace(annotation=AndReport, default=False),
                review.replace(annotation=OfReview, default=None),
                *(each.replace(annotation=_evaluated(each, report)) for each in further),
            ],
        )
        return command(main)

    return make


def parse_shard(shard: str, steal: bool) -> Shard | None:
    """The shard of ``--shard`` and ``--steal``, or None. Raises ConfigError."""
    if shard:
        from ohr.ocr.shards import Shard

        return Shard.parse(shard, steal=steal)
    if steal:
        raise ConfigError("--steal works only with --shard: give --shard too")
    return None


def names(text: str) -> tuple[str, ...]:
    """The names in a text, separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def results_folder(out: Path | None) -> Path:
    """The folder of ``--out``. Raises OhrError without one."""
    if out is None:
        raise OhrError(_NO_FOLDER)
    return out
