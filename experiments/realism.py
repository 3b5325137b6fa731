"""How realistic the distortions are: pages' edit distances at each level, after figure S2.

``python -m experiments.realism RUN --out DIR`` reads a finished run of ``noise_curve`` with
``noise=[semantic]`` (or single distortions) and draws the distribution of the pages' edit
distance at each level, for each engine. ``--natural 'scans/*'`` names the documents whose pages
are degraded by nature: their clean readings stand beside the distorted readings of the others.
"""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from rich.table import Table
from rich.text import Text
from scipy.stats import ks_2samp

from experiments.csv_files import write_csv
from experiments.failing import CommandLine, with_errors
from experiments.labels import mathless, plain
from experiments.runs import read_rows
from experiments.style import COLOURS, figure, save
from experiments.tables import number, show
from ohr.errors import OhrError

CLEAN, NATURAL = "clean", "natural"
QUARTILES = (0.25, 0.5, 0.75)

main = CommandLine()


@main.command(help="Draw the distribution of pages' edit distance at each level of noise.")
def command(
    run: Annotated[Path, typer.Argument(help="Folder of a finished noise_curve run.")],
    out: Annotated[Path, typer.Option(help="Folder for the table and the figure.")],
    natural: Annotated[
        str, typer.Option(help="Documents that are degraded by nature, as in 'scans/*'.")
    ] = "",
    debug: Annotated[bool, typer.Option("--debug")] = False,
) -> None:
    """Compare the distributions."""
    with_errors(lambda: compare_distances(run, out, natural), debug)


def compare_distances(run: Path, out: Path, natural: str = "") -> int:
    """Write, print and draw the distributions of a finished run. Raises OhrError."""
    pages = page_distances(run, natural)
    summary = summarise(pages)
    write_csv(out / "realism.csv", summary)
    paths = distance_figure(pages, out / "figures")
    show(_table(summary))
    for path in paths:
        print(f"figure: {path}")
    return 0


def page_distances(run: Path, natural: str = "") -> pd.DataFrame:
    """Columns engine, noise (clean, ``semantic mild``, ..., natural) and value, a row a page.

    Raises OhrError if the run measured no edit distances, or if no document matches.
    """
    rows = read_rows(run)
    rows = rows[(rows["metric"] == "edit_distance") & (rows["stage"] == "ocr")]
    if rows.empty:
        raise OhrError(f"{run} has no edit distances: its stages must include ocr")
    rows = rows[rows["value"].notna()]
    if rows.empty:
        raise OhrError(f"no page of {run} has a truth that its reading could be held against")
    strength = (
        rows["level"]
        .astype(str)
        .where(rows["level"].astype(str) != "", rows["intensity"].map("{:g}".format))
    )
    noise = (rows["perturbation"].astype(str) + " " + strength).where(
        rows["perturbation"].astype(str) != "none", CLEAN
    )
    pages = pd.DataFrame(
        {"engine": rows["engine"].astype(str), "noise": noise, "value": rows["value"]}
    )
    if not natural:
        return pages.reset_index(drop=True)
    degraded = rows["doc_id"].astype(str).map(lambda name: fnmatch.fnmatchcase(name, natural))
    if not degraded.any():
        raise OhrError(f"no document of {run} matches {natural!r}")
    by_nature = pages[degraded & (noise == CLEAN)].assign(noise=NATURAL)
    return pd.concat([pages[~degraded], by_nature], ignore_index=True)


def summarise(pages: pd.DataFrame) -> pd.DataFrame:
    """Mean, quartiles and, beside natural pages, the Kolmogorov-Smirnov distance to them."""
    found = []
    for (engine, noise), group in pages.groupby(["engine", "noise"], sort=False):
        values = group["value"].to_numpy()
        low, middle, high = np.quantile(values, QUARTILES)
        by_nature = pages[(pages["engine"] == engine) & (pages["noise"] == NATURAL)]["value"]
        apart = float(ks_2samp(values, by_nature).statistic) if len(by_nature) else float("nan")
        found.append(
            {
                "engine": engine,
                "noise": noise,
                "pages": len(values),
                "mean": float(values.mean()),
                "lower_quartile": low,
                "median": middle,
                "upper_quartile": high,
                "distance_to_natural": apart,
            }
        )
    return pd.DataFrame(found)


def _table(summary: pd.DataFrame) -> Table:
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("engine", "noise"):
        table.add_column(name)
    shown = ["mean", "lower_quartile", "median", "upper_quartile", "distance_to_natural"]
    for name in ["pages", *shown]:
        table.add_column(name.replace("_", " "), justify="right")
    for row in summary.to_dict("records"):
        table.add_row(
            *(Text(plain(str(row[name]))) for name in ("engine", "noise", "pages")),
            *(number(row[name]) for name in shown),
        )
    return table


def distance_figure(pages: pd.DataFrame, folder: Path) -> list[Path]:
    """A panel an engine: each page a point, quartiles as a box, a row a kind of noise."""
    engines = list(pages["engine"].unique())
    kinds = list(dict.fromkeys(pages["noise"]))
    scatter = np.random.default_rng(0)
    with figure(1.6 + 3.6 * len(engines), 1.0 + 0.55 * len(kinds)) as made:
        axes = made.subplots(1, len(engines), squeeze=False, sharey=True, sharex=True)[0]
        for ax, engine in zip(axes, engines, strict=True):
            for place, kind in enumerate(kinds):
                mine = pages[(pages["engine"] == engine) & (pages["noise"] == kind)]
                values = mine["value"].to_numpy()
                if not len(values):
                    continue
                ax.scatter(
                    values,
                    place + scatter.uniform(-0.18, 0.18, len(values)),
                    s=7,
                    alpha=0.5,
                    linewidths=0,
                    color=COLOURS[1] if kind == NATURAL else COLOURS[0],
                )
                low, middle, high = np.quantile(values, QUARTILES)
                ax.hlines([place + 0.3, place - 0.3], low, high, color="#333333", linewidth=1)
                ax.vlines([low, high], place - 0.3, place + 0.3, color="#333333", linewidth=1)
                ax.vlines(middle, place - 0.3, place + 0.3, color="#000000", linewidth=2.2)
            ax.set_title(mathless(engine))
            ax.set_xlabel("edit distance of a page")
            ax.set_xlim(0, 1)
            ax.set_yticks(range(len(kinds)), [mathless(kind) for kind in kinds])
            ax.grid(axis="y", visible=False)
        axes[0].invert_yaxis()
        made.suptitle("each point a page; boxes: quartiles and median", fontsize=8, color="#444444")
        return save(made, folder, "realism")


if __name__ == "__main__":
    main()
