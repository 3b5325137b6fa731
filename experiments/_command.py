"""Makes a function a command of the app ``ohr``.

A command is a function called ``main`` that returns its exit code. The first line of its docstring
is its summary in every list. An error is one line that says what is wrong and how to fix it.
Heavy imports stand inside the function, so that ``--help`` answers at once.
"""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer
from typer.core import TyperCommand

from experiments._exit import exit_with, one_line
from experiments._flags import as_flag, as_settings, flags
from ohr.errors import ConfigError, OhrError, did_you_mean
from ohr.files.safe_text import plain

if TYPE_CHECKING:
    from ohr.ocr.shards import Shard
    from ohr.study.config import Stage, StudyConfig
    from ohr.study.results import Run


@dataclass(frozen=True)
class Settings:
    """Marks the parameter of a command that takes a study's options, read as a StudyConfig.

    ``--help`` lists those of ``groups`` (empty: all of them), with the command's own defaults;
    where ``options`` are given, those alone.
    """

    defaults: Mapping[str, Any] = field(default_factory=dict)
    groups: Sequence[str] = ()
    options: Collection[str] | None = None
    reads_pages: bool = True
    """Whether the command reads pages, which shards can share."""


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
    int, typer.Option(min=30, max=1200, help="Of rendered PDFs, and of images that name none.")
]
Workers = Annotated[int, typer.Option(min=1, help="Processes at a time.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")]
Cache = Annotated[Path, typer.Option(help="Where readings are kept.")]
OwnEngines = Annotated[
    str | None,
    typer.Option(
        help="OCR engines, separated by commas; default: all that are installed and need no "
        "weights and no server."
    ),
]
Truth = Annotated[
    Path | None,
    typer.Option(help="Folder of transcribed pages, <domain>/<document>/page_0001.md."),
]
Instability = Annotated[
    bool, typer.Option(help="Read each page again under three mild distortions.")
]
Axis = Annotated[
    Literal["r_noise", "r_noise_content", "edit_distance"],
    typer.Option(help="What the curves' damage is measured by."),
]
AndReport = Annotated[
    bool, typer.Option("--report", help="Also write an interactive report, RUN/report.")
]
OfReview = Annotated[
    Path | None,
    typer.Option(help="verdicts.json of a report's review: bad questions are left out."),
]
OfShard = Annotated[
    str, typer.Option("--shard", metavar="I/N", help="Read only the I-th of N parts of the pages.")
]
Steal = Annotated[
    bool, typer.Option("--steal", help="With --shard: then read what other shards have not.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan and read nothing.")]

_SHARDED: Mapping[str, tuple[Any, Any]] = {"shard": ("", OfShard), "steal": (False, Steal)}
_WHERE = "where should the results go? give --out, such as --out runs/first"
_AS_BEFORE = (
    "{}: this study is finished, and its data, plug-ins, code and files have not changed: the "
    "results above are the earlier ones"
)
_WIDEST = 100
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
    """A command whose help keeps its square brackets, and which refuses empty arguments."""

    def __init__(self) -> None:
        super().__init__(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )


class _Command(TyperCommand):
    settings: Settings | None = None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            # As a path, the empty text is the current folder.
            if any(arg == "" or (arg.startswith("--") and arg.endswith("=")) for arg in args):
                raise OhrError("an argument is empty: is a shell variable not set?")
            if self.settings is not None:
                own = {name for one in self.params for name in (*one.opts, *one.secondary_opts)}
                args = as_settings(args, own | {"--help"})
            return super().parse_args(ctx, args)
        except (OhrError, typer.TyperException) as error:
            said = self._said(error) if isinstance(error, typer.TyperException) else str(error)
            print(f"error: {one_line(said)}", file=sys.stderr)
            raise typer.Exit(2) from error

    def _said(self, error: typer.TyperException) -> str:
        """What is wrong with the arguments, and the fix."""
        options = [name for one in self.params for name in (*one.opts, *one.secondary_opts)]
        options = [name for name in [*options, "--help"] if name.startswith("--")]
        name = getattr(error, "option_name", "")
        if name and name not in options:
            if self.settings is not None:
                options += flags()
            return f"unknown option {name!r}; {did_you_mean(name, sorted(options))}"
        said = error.format_message()
        if said == "Missing option '--out'.":
            return _WHERE
        return f"{said[0].lower()}{said[1:].removesuffix('.')}; --help says what is wanted"

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            params = [one for one in self.get_params(ctx) if one.param_type_name == kind]
            records = [record for one in params if (record := one.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl([(name.split(" <list")[0], text) for name, text in records])
        if self.settings is not None:
            from ohr.display.options import GROUPS, option_table

            groups = self.settings.groups or tuple(GROUPS)
            table = option_table(self.settings.defaults, groups, self.settings.options)
            width = max(len(as_flag(one.key)) for options in table.values() for one in options)
            for title, options in table.items():
                with formatter.section(title):
                    formatter.write_dl(
                        [(f"{as_flag(one.key):{width}}", one.help) for one in options]
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

    Its parameters are the command's, as typer reads them; one that is annotated with ``Settings``
    is given the StudyConfig of the arguments. Its docstring is the help.
    """
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    marked = {one.name: _settings_of(one.annotation) for one in parameters}
    settings = {name: mark for name, mark in marked.items() if mark is not None}

    sharded = any(mark.reads_pages for mark in settings.values())

    @functools.wraps(function)
    def main(*, debug: bool, **options: Any) -> None:
        def action() -> int:
            shard = parse_shard(*(options.pop(name) for name in _SHARDED)) if sharded else None
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
            raise OhrError("--shard: this command, with these options, reads no pages")

        logging.basicConfig(level=logging.WARNING, format="%(message)s")
        exit_with(action, debug)

    debug = inspect.Parameter("debug", inspect.Parameter.KEYWORD_ONLY, default=False)
    parameters = [
        one.replace(annotation=_Arguments, default=None) if one.name in settings else one
        for one in parameters
    ]
    if sharded:
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=mark)
            for name, (value, mark) in _SHARDED.items()
        ]
    parameters.append(debug.replace(annotation=_Debug))
    # By name alone: so one with a default may stand before one without.
    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    _sign(main, parameters)
    main.__annotations__ = {one.name: one.annotation for one in parameters}

    class Command(_Command):
        pass

    Command.settings = next(iter(settings.values()), None)
    line = CommandLine()
    line.command(
        help=inspect.getdoc(function),
        cls=Command,
        context_settings={"max_content_width": _WIDEST},
    )(main)
    return line


def _sign(function: Any, parameters: Sequence[inspect.Parameter]) -> None:
    """Make these the parameters that typer sees."""
    function.__signature__ = inspect.Signature(parameters)


def _evaluated(parameter: inspect.Parameter, function: Any) -> Any:
    """A parameter's annotation, where others of the function are for type checkers alone."""
    written = parameter.annotation
    return eval(written, function.__globals__) if isinstance(written, str) else written


def _settings_of(annotation: Any) -> Settings | None:
    marks = [one for one in get_args(annotation)[1:] if isinstance(one, Settings)]
    return marks[0] if marks else None


def study_command(
    defaults: Mapping[str, Any],
    out: Path | None = None,
    next_steps: Sequence[str] = (),
    needs: Stage | None = None,
) -> Callable[[Callable[..., None]], CommandLine]:
    """Make a function that draws and prints a finished study the command that runs it.

    ``defaults`` are the study's, ``out`` is the default of ``--out``; ``next_steps`` are printed
    last. Without the stage that it ``needs`` nothing is read. What the function takes beside the
    run are further options of the command.
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
                raise ConfigError(f"stages must include {needs}: that is what this command reports")
            if dry_run:
                from ohr.display.plan import print_plan

                print_plan(config)
                return 0
            from experiments._receipt import Printed, Receipts

            folder = results_folder(out)
            given = {**options, "report": and_report}
            receipts = Receipts(config, folder, report.__module__, given)
            if (printed := receipts.printed()) is not None:
                printed.print()
                print(_AS_BEFORE.format(folder), file=sys.stderr)
                return 0
            from ohr.ocr.progress import Progress
            from ohr.study.run import run_study

            progress = Progress()
            run = run_study(config, folder, progress=progress)
            with receipts.kept_text() as text:
                code = _report(run, functools.partial(report, **options), next_steps)
                _to_look_into(run, and_report)
            if code == 0:
                printed = Printed(progress.notes, text.getvalue(), run.failures)
                receipts.write(printed, run.manifest)
            return code

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
                *(one.replace(annotation=_evaluated(one, report)) for one in further),
            ],
        )
        return command(main)

    return make


def parse_shard(shard: str, steal: bool) -> Shard | None:
    """The shard of ``--shard`` and ``--steal``, None without. Raises ConfigError."""
    if shard:
        from ohr.ocr.shards import Shard

        return Shard.parse(shard, steal=steal)
    if steal:
        raise ConfigError("--steal says what a shard does at its end: give --shard too")
    return None


def names(text: str) -> tuple[str, ...]:
    """Names that are parted by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def results_folder(out: Path | None) -> Path:
    """The folder of a command that can also do without one. Raises OhrError if none is given."""
    if out is None:
        raise OhrError(_WHERE)
    return out


def _report(result: Run, report: Callable[[Run], None], next_steps: Sequence[str]) -> int:
    from ohr.display.terminal import reader_lines, report_failures
    from ohr.ocr.costs import cost_lines
    from ohr.study.notices.truth import same_lines

    report(result)
    for line in same_lines(result.cells):
        print(plain(line))
    bases = result.manifest.get("knowledge_bases", {})
    taken = {label: base.get("taken", {}) for label, base in bases.items()}
    for line in (
        *cost_lines(taken),
        *reader_lines(result.readers),
        f"results: {result.path}",
        *next_steps,
    ):
        print(line)
    code = report_failures(result.failures, result.failed)
    if result.missing:
        print(f"error: planned cells are missing: {', '.join(result.missing)}", file=sys.stderr)
        return 1
    return code


def _to_look_into(run: Run, wanted: bool) -> None:
    """Write the run's report, or say how."""
    folder = run.path / "report"
    if not wanted:
        from ohr.display.terminal import report_line

        print(report_line(folder, run.path))
        return
    from ohr.report.build import build_report
    from ohr.report.options import ReportOptions

    for line in build_report([run], folder, ReportOptions()).lines(folder):
        print(line)
