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

from experiments._exit import one_line
from ohr.errors import did_you_mean

GROUPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "run": (
        "Run a study: distort pages, read, retrieve, answer, score.",
        {
            "noise-curve": "noise_curve",
            "ocr-benchmark": "ocr_benchmark",
            "systems": "systems",
            "vision": "vision",
            "retrievers": "retrievers",
            "table-format": "table_format",
            "attribution": "attribution",
            "structure": "structure",
            "mitigations": "mitigations",
            "calibrate": "calibrate",
        },
    ),
    "analyse": (
        "Analyse finished runs.",
        {
            "compare": "compare",
            "noise-cost": "noise_cost",
            "curves": "curve_statistics",
            "predictiveness": "predictiveness",
            "robustness": "robust_reader",
            "errors": "error_analysis",
            "realism": "realism",
            "figure3": "figure3",
            "judge": "judge_systems",
            "review": "review",
            "cells": "cells",
        },
    ),
    "quality": (
        "Estimate the errors of OCR output without ground truth.",
        {
            "estimate": "quality",
            "confidence": "confidence",
            "fit": "fit_quality",
            "check": "quality_check",
        },
    ),
    "perturb": (
        "Distort page images; add noise to texts.",
        {
            "images": "perturb_images",
            "text": "perturb_text",
            "gallery": "gallery",
            "fit-errors": "fit_errors",
            "check-errors": "check_errors",
        },
    ),
    "dataset": (
        "Make, fetch and check datasets.",
        {
            "make-sample": "make_sample",
            "contact-sheet": "contact_sheet",
            "download": "download",
            "verify": "verify_dataset",
            "layers": "layers",
            "statistics": "dataset_statistics",
            "categories": "categories",
        },
    ),
    "questions": (
        "Make questions from documents, and validate them.",
        {
            "make": "make_questions",
            "validity": "question_validity",
            "style": "question_style",
        },
    ),
    "paper": (
        "Reproduce tables and figures of the papers.",
        {
            "ohrbench": "paper",
            "prototypes": "prototypes",
            "drc": "drc",
            "extraction": "extraction",
            "block-errors": "block_errors",
            "format-counts": "format_counts",
            "noise-statistics": "noise_statistics",
        },
    ),
    "convert": (
        "Exchange data and results with other tools.",
        {
            "export": "export",
            "import-results": "import_results",
            "mlflow": "log_mlflow",
            "qasper": "qasper",
        },
    ),
    "list": (
        "List OCR engines and all other plug-ins.",
        {"engines": "engines", "plugins": "plugins"},
    ),
}
"""Groups of commands: the purpose of each group, and the module of each of its commands."""
SINGLE: Mapping[str, str] = {
    "demo": "demo",
    "read": "ocr",
    "recommend": "recommend",
    "report": "report",
    "board": "board",
    "verify": "verify",
    "cache": "store",
    "status": "status",
}
"""Commands outside the groups, and the module of each."""
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Start": ("demo", "recommend", "read"),
    "Measure": ("run", "analyse", "report", "board", "verify", "quality", "paper"),
    "Prepare": ("perturb", "dataset", "questions", "convert"),
    "Manage": ("list", "status", "cache"),
}
"""The sections of ``ohr --help``, in order."""
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
        name = args[0].replace("_", "-")
        if name not in self._entries:
            hint = did_you_mean(name, self.list_commands(ctx))
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
