"""The one way to make a command line: ``python -m experiments.<name>``.

A command is a function that returns its exit code. An error is one line that says what, and how
to mend it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO, cast

import typer
from typer.core import TyperCommand

from experiments.reports.plan import print_plan
from experiments.reports.terminal import reader_lines, report_troubles
from ohr.errors import OhrError
from ohr.printable import plain
from ohr.study.config import StudyConfig, load_config
from ohr.study.results import Run
from ohr.study.run import run_study
from ohr.study.truth import same_lines

Report = Callable[[Run], None]
"""Draws the figures and prints the table of a finished study."""
Settings = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CONFIG.yaml] [key=value ...]",
        help="A YAML file and options such as engines=[tesseract]; quote brackets.",
    ),
]
"""A study's options."""

_MOST_CHARACTERS = 2000
_Debug = Annotated[bool, typer.Option("--debug", help="Print a traceback with an error.")]


class CommandLine(typer.Typer):
    """A command whose help keeps its square brackets, and which refuses empty arguments."""

    def __init__(self) -> None:
        super().__init__(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )


class _Command(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # As a path, the empty text is the current folder.
        if any(arg == "" or (arg.startswith("--") and arg.endswith("=")) for arg in args):
            raise typer.BadParameter("an argument is empty: is a shell variable not set?")
        return super().parse_args(ctx, args)


def command(help_text: str) -> Callable[[Callable[..., int]], CommandLine]:
    """Make a function the command line of its module, with ``--debug`` and one-line errors.

    Its parameters are the command's, as typer reads them; what it returns is the exit code.
    """

    def make(function: Callable[..., int]) -> CommandLine:
        @functools.wraps(function)
        def main(*args: Any, debug: bool, **options: Any) -> None:
            logging.basicConfig(level=logging.WARNING, format="%(message)s")
            exit_with(functools.partial(function, *args, **options), debug)

        signature = inspect.signature(function, eval_str=True)
        debug = inspect.Parameter(
            "debug", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_Debug
        )
        parameters = [*signature.parameters.values(), debug]
        main.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        main.__annotations__ = {one.name: one.annotation for one in parameters}
        line = CommandLine()
        line.command(help=help_text, cls=_Command)(main)
        return line

    return make


def study_command(
    help_text: str,
    report: Report,
    defaults: Mapping[str, Any],
    default_out: Path | None = None,
    after: Callable[[Run], Sequence[str]] | None = None,
) -> CommandLine:
    """A command line that runs a study with some defaults and reports it."""

    @command(help_text)
    def main(
        settings: Settings = None,
        out: Annotated[
            Path | None, typer.Option(help="Folder for the results of this run.")
        ] = default_out,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Print the plan and read nothing.")
        ] = False,
    ) -> int:
        config = load_config(settings or [], defaults)
        if dry_run:
            print_plan(config)
            return 0
        if out is None:
            raise OhrError("where should the results go? give --out RUN, such as --out runs/first")
        return _run_and_report(config, out, report, after)

    return main


def _run_and_report(
    config: StudyConfig,
    out: Path,
    report: Report,
    after: Callable[[Run], Sequence[str]] | None,
) -> int:
    result = run_study(config, out)
    report(result)
    for line in same_lines(result.cells):
        print(plain(line))
    for line in reader_lines(result.readers):
        print(line)
    for line in after(result) if after is not None else [f"results: {out}"]:
        print(line)
    code = report_troubles(result.troubles, result.failed)
    if result.missing:
        print(f"error: planned cells are missing: {', '.join(result.missing)}", file=sys.stderr)
        return 1
    return code


class _Tolerant:
    """A stream whose reader may go away: that must not cost a run its results."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost: OSError | None = None
        """Why what was written last did not arrive."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._unread():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._unread():
            self._stream.flush()

    @contextlib.contextmanager
    def _unread(self) -> Iterator[None]:
        """Send to nowhere what nobody reads any more."""
        try:
            yield
        except OSError as error:
            self.lost = error
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def _tolerant_streams() -> Iterator[None]:
    before = sys.stdout, sys.stderr
    for stream in before:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="backslashreplace"
            )  # nor may a terminal without the character
    sys.stdout, sys.stderr = (cast(TextIO, _Tolerant(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def exit_with(action: Callable[[], int], debug: bool) -> None:
    """Exit with the action's code; an error is one line on standard error and exit code 2."""
    with _tolerant_streams():
        code = _code(action, debug)
        sys.stdout.flush()
        lost = getattr(sys.stdout, "lost", None)
        if lost is not None and not isinstance(lost, BrokenPipeError):
            print(f"error: cannot write to standard output: {lost.strerror}", file=sys.stderr)
            code = code or 1
    raise typer.Exit(code)


def _code(action: Callable[[], int], debug: bool) -> int:
    try:
        return action()
    except OhrError as error:
        if debug:
            traceback.print_exc()
        else:
            print(f"error: {one_line(str(error))}", file=sys.stderr)
        return 2
    except Exception as error:
        if debug:
            traceback.print_exc()
        else:
            at = traceback.extract_tb(error.__traceback__)[-1]
            said = one_line(f"{type(error).__name__}: {error}")
            print(
                f"error: {said} (at {at.filename}:{at.lineno}): a defect of the toolkit, or of a "
                "plug-in of your own; --debug prints the traceback",
                file=sys.stderr,
            )
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130


def one_line(text: str) -> str:
    """Text on one line without control characters; the middle of a long one is left out."""
    line = plain(" ".join(text.split()))
    if len(line) <= _MOST_CHARACTERS:
        return line
    half = _MOST_CHARACTERS // 2
    return f"{line[:half]} […] {line[-half:]}"
