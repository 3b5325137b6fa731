"""The parameters that several commands share, in typer's form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from ohr.errors import ConfigError

LIST = "A,B"
"""Metavar of an option whose text is a list; given several times, it has the items of all."""
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
Domains = Annotated[
    str, typer.Option(metavar=LIST, help="Domains to use, separated by commas; default: all.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same bytes.")]
Cache = Annotated[Path, typer.Option(help="Folder of the cache.")]
OwnEngines = Annotated[
    str | None,
    typer.Option(
        metavar=LIST,
        help="OCR engines, separated by commas; default: all installed ones that need no "
        "downloaded weights and no server.",
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
    Literal["r_noise_reference", "r_noise", "r_noise_content", "edit_distance", "intensity"] | None,
    typer.Option(help="Axis of noise; default: the first that noise raises, else the intensity."),
]
Baseline = Annotated[
    str,
    typer.Option(
        help="Condition to compare with, such as 'gt, clean', or reader; default: the first."
    ),
]
OutcomeMetrics = Annotated[
    list[str] | None,
    typer.Option("--metric", help="stage:metric, such as overall:f1; repeat for more."),
]
Look = Annotated[
    Literal["paper", "slides"], typer.Option(help="Draw figures for a paper or for slides.")
]
AndReport = Annotated[
    bool, typer.Option("--report", help="Also write an interactive report, RUN/report.")
]
OfShard = Annotated[
    str, typer.Option("--shard", metavar="I/N", help="Read only part I of N of the pages.")
]
Steal = Annotated[
    bool,
    typer.Option("--steal", help="With --shard: then read pages that other shards have not read."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan, and do nothing.")]


def check_out_given(out: Path | None, *, dry_run: bool) -> None:
    """Raise ConfigError without the folder of ``--out``, which only a dry run does not need."""
    if out is None and not dry_run:
        raise ConfigError("--out is missing: name the folder for the results")
