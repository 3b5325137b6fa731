"""Writes knowledge bases with formatting noise, in the layout of OHR-Bench.

``python -m experiments.perturb_text [CONFIG.yaml] [key=value ...] --out DIR`` writes
``DIR/formatting_noise_mild/<domain>/<document>.json`` and so on (lists of ``page_idx`` and
``text``, 0-based), the records that replay and undo each page's edits in
``DIR/records/formatting_noise_mild/<domain>/<document>.jsonl``, and ``DIR/manifest.json``.
``--show 10`` adds ``before_after.html``: ten pages, edits marked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.interchange.noisy_text import (
    write_noisy_text,
)
from ohr.study.config import load_config

DEFAULTS = {"engines": ["gt"], "noise": ["formatting"], "stages": ["ocr"]}


@command("Write knowledge bases with formatting noise.")
def main(
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help='dataset.*, noise=[formatting], "levels=[mild,severe]", intensities=[0.2], seed.',
        ),
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="Pages in before_after.html.")] = 0,
) -> int:
    """Write the knowledge bases, their records, and pages to look at."""
    return write_noisy_text(load_config(settings or [], DEFAULTS), out, show)


if __name__ == "__main__":
    main()
