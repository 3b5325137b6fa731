"""The app ``ohr``, with all commands grouped by purpose.

``ohr run noise-curve …`` runs the same function as ``python -m experiments.noise_curve …``. A
command's module is imported when the command is called. Its summary is read from the file.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from experiments._commands import GROUPS, OTHER_PATHS, SECTIONS, SINGLE, nearest
from experiments._exit import one_line
from ohr.errors import did_you_mean

_WIDTH = 16


@cache
def summary(module: str) -> str:
    """The first line of a command's help, read from its file without importing it."""
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "main":
            return (ast.get_docstring(node) or "").partition("\n")[0]
    raise LookupError(f"experiments/{module}.py has no function main")


class _Group(TyperGroup):
    """A group of commands, each imported when it is called."""

    def __init__(self, name: str, entries: Mapping[str, Any], sections: Mapping[str, Any]) -> None:
        super().__init__(name=name, rich_markup_mode=None, subcommand_metavar="COMMAND ...")
        self._entries = entries
        self._sections = sections

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for names in self._sections.values() for name in names]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        entry = self._entries.get(cmd_name)
        if not isinstance(entry, str):
            return entry
        command = get_command(importlib.import_module(f"experiments.{entry}").main)
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        other = OTHER_PATHS.get((args[0], args[1])) if len(args) > 1 else None
        if other is not None and other[0] in self._entries:
            args = [*other, *args[2:]]
        name = args[0].replace("_", "-")
        if name not in self._entries:
            near = nearest(name)
            hint = did_you_mean(name, self.list_commands(ctx))
            if near and not hint.startswith("did you mean"):
                hint = f"did you mean {near!r}? {hint}"
            print(f"error: unknown command {one_line(name)!r}; {hint}", file=sys.stderr)
            raise typer.Exit(2)
        return name, self.get_command(ctx, name), args[1:]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            args = ["--help"]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, names in self._sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(_WIDTH), self._summary(name)) for name in names], col_spacing=2
                )

    def _summary(self, name: str) -> str:
        entry = self._entries[name]
        return summary(entry) if isinstance(entry, str) else str(entry.help)


def _print_version(ctx: typer.Context, requested: bool) -> None:
    if requested and not ctx.resilient_parsing:
        from importlib.metadata import version

        print("ohr", version("ohr"))
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """The options of the app itself; Typer adds those for completion in the shell."""


def _app() -> _Group:
    groups: dict[str, Any] = {}
    for name, (about, entries) in GROUPS.items():
        groups[name] = _Group(name, entries, {"Commands": tuple(entries)})
        groups[name].help = about
    app = _Group("ohr", {**groups, **SINGLE}, SECTIONS)
    app.help = (
        "Measure how OCR noise spreads through retrieval-augmented generation.\n\n"
        "'ohr COMMAND --help' explains a command."
    )
    options = typer.Typer()
    options.command()(_options)
    app.params.extend(get_command(options).params)
    return app


app = _app()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the app with these arguments, by default those of the command line; exits."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(
            folder
        )  # last, so that a folder named rag or experiments does not hide ours
    app(list(sys.argv[1:] if arguments is None else arguments), prog_name="ohr")


if __name__ == "__main__":
    main()
