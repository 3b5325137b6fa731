"""The commands by what one wants to do: ``python -m experiments``.

``python -m experiments NAME …`` runs one, as ``python -m experiments.NAME …`` does.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ohr.errors import did_you_mean

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "Start": ("demo", "recommend"),
    "Read PDFs": ("ocr", "quality"),
    "Distort and inject": ("perturb_images", "perturb_text", "gallery"),
    "Measure": (
        *("noise_curve", "ocr_benchmark", "systems", "attribution", "retrievers", "vision"),
        *("table_format", "question_style", "calibrate", "block_errors", "extraction"),
        *("structure", "drc", "format_counts", "noise_statistics"),
        *("confidence", "fit_quality", "quality_check"),
    ),
    "Look into finished runs": ("report", "review"),
    "Large runs": ("status", "store"),
    "Compare finished runs": (
        *("compare", "curve_statistics", "error_analysis", "predictiveness", "robust_reader"),
        *("realism", "figure3", "cells", "judge_systems", "qasper"),
    ),
    "Reproduce the papers": ("paper", "prototypes"),
    "Datasets": (
        *("make_sample", "contact_sheet", "download", "verify_dataset", "dataset_statistics"),
        *("categories", "make_questions", "question_validity"),
    ),
    "Exchange with other tools": ("import_results", "export", "log_mlflow"),
    "Look at what is installed": ("engines", "plugins"),
}


def summary(name: str) -> str:
    """The first line of a command's help. It is not imported: all of them would take seconds."""
    tree = ast.parse(Path(__file__).with_name(f"{name}.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "main":
            return (ast.get_docstring(node) or "").partition("\n")[0]
    raise LookupError(f"experiments/{name}.py has no function main")


def listing() -> str:
    """Every command with one line on what it does."""
    width = max(len(name) for names in COMMANDS.values() for name in names)
    lines = ["Usage: python -m experiments.COMMAND [--help] ..."]
    for title, names in COMMANDS.items():
        lines += ["", f"{title}:", *(f"  {name:{width}}  {summary(name)}" for name in names)]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """List the commands, or run the one that is named; the exit code."""
    if not arguments or arguments[0] in ("--help", "-h"):
        with contextlib.suppress(BrokenPipeError):  # whoever reads may have seen enough
            print(listing(), flush=True)
        return 0
    name, *rest = arguments
    known = [one for names in COMMANDS.values() for one in names]
    if name not in known:
        print(f"error: unknown command {name!r}; {did_you_mean(name, known)}", file=sys.stderr)
        return 2
    importlib.import_module(f"experiments.{name}").main(
        rest, prog_name=f"python -m experiments.{name}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
