"""Makes a function a command of the app ``ohr``.

A command is a function called ``main`` that returns its exit code. The first line of its docstring
is its summary in every list. An error is printed on one line, with the problem and the fix.
Heavy imports are inside the function, so that ``--help`` is fast.
"""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from typer.core import TyperCommand

from experiments._commands import NAMES
from experiments._exit import exit_with, one_line
from experiments._flags import Own, flag_name, flags, normalise
from experiments._parameters import LIST, OfShard, Steal
from ohr.errors import ConfigError, OhrError, did_you_mean

if TYPE_CHECKING:
    from ohr.ocr.shards import Shard


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


_SHARDED: Mapping[str, tuple[Any, Any]] = {"shard": ("", OfShard), "steal": (False, Steal)}
_given: ContextVar[Sequence[str]] = ContextVar("given", default=())
"""The arguments of the command that runs."""
_UNSEEN = frozenset(
    (
        *("--out", "--dry-run", "--debug", "--trust-code", "--shard", "--steal", "--report"),
        *("--cache", "--workers", "--help"),
    )
)
"""Options that change no result."""
_NO_FOLDER = "no folder for the results: give --out, such as --out runs/first"
_WIDEST = 100
_HELP_ALL = "--help-all"
_RARE = frozenset(("shard", "steal", "trust_code", "debug"))
"""Parameters of every study that a short help leaves out."""
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
            if _HELP_ALL in args and self._has_short_help():
                ctx.meta[_HELP_ALL] = True
                args = ["--help"]
            args = normalise(args, self._own(), of_study=self.settings is not None)
            _given.set([arg for arg in args if arg.partition("=")[0] not in _UNSEEN])
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
        is_short = self._has_short_help() and not ctx.meta.get(_HELP_ALL)
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            params = [
                param
                for param in self.get_params(ctx)
                if param.param_type_name == kind and not (is_short and param.name in _RARE)
            ]
            records = [record for param in params if (record := param.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl([(name.split(" <list")[0], text) for name, text in records])
        if self.settings is not None:
            from ohr.display.options import GROUPS, option_table

            groups = self.settings.groups or tuple(GROUPS)
            table = option_table(
                self.settings.defaults, groups, self.settings.options, is_short=is_short
            )
            flags_of_all = [
                flag_name(option.key) for options in table.values() for option in options
            ]
            width = max(map(len, flags_of_all))
            for title, options in table.items():
                with formatter.section(title):
                    formatter.write_dl(
                        [(f"{flag_name(option.key):{width}}", option.help) for option in options]
                    )

            if is_short:
                formatter.write_paragraph()
                formatter.write_text(f"{_HELP_ALL} lists all options.")

    def _has_short_help(self) -> bool:
        """Whether there are so many options that ``--help`` lists only the common ones."""
        return self.settings is not None and not self.settings.groups and not self.settings.options

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
    return make_command(function)


def trusting_command(function: Callable[..., int]) -> CommandLine:
    """As :func:`command`, with ``--trust-code``: its files may name code."""
    return make_command(function, trusts=True)


def results_command(function: Callable[..., int]) -> CommandLine:
    """As :func:`trusting_command`, but without it no code of the working folder is loaded."""
    return make_command(function, trusts=True, only_results=True)


def make_command(
    function: Callable[..., int],
    *,
    trusts: bool = False,
    only_results: bool = False,
    named_by: Callable[..., object] | None = None,
) -> CommandLine:
    """``named_by``: the function in whose file the command is; default: ``function``."""
    name = NAMES.get(Path(inspect.getfile(named_by or function)).stem)
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
                options[name] = _expand_home(value)
            given: list[str] = []
            for name, mark in settings.items():
                from ohr.study.commands import option_texts
                from ohr.study.config import config_of, given_options

                chosen = given_options(options[name] or [])
                options[name] = config_of(chosen, mark.defaults)
                given += option_texts(chosen)
            return call_named(given, shard)

        def call_named(given: list[str], shard: Shard | None) -> int:
            if name is None:
                return call(shard)
            from ohr.study.commands import Command, running

            own = [each for each in _given.get() if settings == {} or each.startswith("--")]
            with running(Command(name, (*given, *own), options.get("out"))):
                return call(shard)

        def call(shard: Shard | None) -> int:
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
    sign(main, parameters)
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


def _expand_home(value: Any) -> Any:
    """``~/data`` is a folder of the user's own, also as ``--out=~/data``."""
    if isinstance(value, list):
        return [_expand_home(item) for item in value]
    return value.expanduser() if isinstance(value, Path) and value.parts[:1] == ("~",) else value


def sign(function: Any, parameters: Sequence[inspect.Parameter]) -> None:
    """Make these the parameters that typer sees."""
    function.__signature__ = inspect.Signature(parameters)


def _settings_of(annotation: Any) -> Settings | None:
    marks = [mark for mark in get_args(annotation)[1:] if isinstance(mark, Settings)]
    return marks[0] if marks else None


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
