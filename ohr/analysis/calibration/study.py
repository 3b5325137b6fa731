"""Fits curves of noise against intensity on half of the pages, and checks them on the rest."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.calibration.figure import calibration_checks, calibration_curves
from ohr.analysis.calibration.table import (
    MET,
    Split,
    check_lines,
    check_targets,
    drops,
    fit_curves,
    halves,
    measured_means,
)
from ohr.display.choices import MARGIN
from ohr.display.columns import Column, make_table, number_column, text_column, value_column
from ohr.display.terminal import (
    empty_table,
    print_caption,
    report_failures,
    say,
    say_files,
    show,
    terminal_table,
)
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.noise import distorts_images
from ohr.ocr.progress import Progress
from ohr.statistics.numbers import ends, number
from ohr.store.csv import write_csv
from ohr.study.calibration import UnreachableError
from ohr.study.config import StudyConfig
from ohr.study.output.rows import read_rows
from ohr.study.run import run_study

INTENSITIES = {
    "image": (0.125, 0.25, 0.5, 0.75, 1.0),
    "text": (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
}
"""For noise of images and of text; a point of the latter takes only seconds."""
TARGETS = (0.3, 0.5, 0.7)


def measurement(config: StudyConfig) -> StudyConfig:
    """The study that measures the noise. Raises ConfigError."""
    if config.levels:
        raise ConfigError("levels=[…] cannot be calibrated: give intensities=[…]")
    if not config.noise:
        raise ConfigError("no noise to calibrate: give noise=[…]")
    images = any(map(distorts_images, config.noise))
    return config.model_copy(
        update={
            "levels": (),
            "stages": ("ocr",),
            "intensities": config.intensities or INTENSITIES["image" if images else "text"],
            "calibration": None,
            "r_noise": (),
            "edit_distance": (),
            "ground_truth": False,
        }
    )


def calibrate(config: StudyConfig, out: Path, check: bool, margin: float = MARGIN) -> int:
    """Measure and fit; with ``check``, also run wanted values, to be met within ``margin``.

    Returns the exit code. Raises OhrError.
    """
    result = run_study(measurement(config), out / "measured", progress=Progress())
    rows = read_rows(out / "measured")
    split = halves(result.plan, config.seed)
    calibration = fit_curves(result.plan, rows, split)
    calibration.write(out / "calibration.json")
    means = measured_means(rows, split)
    write_csv(out / "curves.csv", means)
    paths = calibration_curves(means, calibration, out / "figures")
    checks = pd.DataFrame()
    if check:
        try:
            checks = _checks(config, out, split, margin)
            say(_verdict(checks, split, margin))
        except UnreachableError as error:
            say(str(error))
    else:
        say("The fitted curves are not checked: --check reads pages at the fitted intensities.")
    print()
    show(_curve_table(means))
    for line in drops(means):
        print(line)
    if len(checks):
        show(terminal_table(make_table(_CHECKS, checks)))
        for line in check_lines(checks):
            print_caption(line)
        paths += [out / "checks.csv", *calibration_checks(checks, out / "figures")]
    say_files([out / "calibration.json", out / "curves.csv", *paths])
    return report_failures(result.failures, result.failed)


def _checks(config: StudyConfig, out: Path, split: Split, margin: float) -> pd.DataFrame:
    """Run the wanted values, and compare them with the noise on the unseen half."""
    targets = config.model_copy(
        update={
            "levels": (),
            "stages": ("ocr",),
            "intensities": (),
            "ground_truth": False,
            "calibration": out / "calibration.json",
            "r_noise": config.r_noise or (() if config.edit_distance else TARGETS),
        }
    )
    run_study(targets, out / "checked", progress=Progress())
    rows = read_rows(out / "checked")
    checks = check_targets(rows, split, margin)
    write_csv(out / "checks.csv", checks)
    return checks


def _verdict(checks: pd.DataFrame, split: Split, margin: float) -> str:
    """How many wanted values are shown to be met."""
    return (
        f"{int((checks['check'] == MET).sum())} of {len(checks)} wanted values shown to be met "
        f"within {margin:g} on the {split.held_out_size} {split.unit}s that the curves were not "
        f"fitted on: the whole 95 % interval of the difference, over {split.unit}s, lies within"
    )


def _curve_table(means: pd.DataFrame) -> Table:
    """One row per engine, noise and metric; one column per intensity."""
    every = means[means["half"] == "all"]
    intensities = sorted(every["intensity"].unique())
    table = empty_table(
        ["engine", "noise", "measured"],
        [f"{intensity:g}" if intensity else "clean" for intensity in intensities],
    )
    for keys, group in every.groupby(["engine", "perturbation", "metric"], sort=False):
        cells = [number(value) for value in group.sort_values("intensity")["mean"]]
        table.add_row(*(Text(plain(str(key))) for key in keys), *cells)
    return table


_CHECKS = (
    text_column("engine"),
    text_column("perturbation", "noise"),
    Column("wanted", lambda row: f"{row['metric']} {row['wanted']:g}", is_text=True),
    number_column("intensity"),
    number_column("fitted", "fitted half"),
    number_column("held_out", "other half"),
    Column(
        "difference [95 %]",
        lambda row: number(row["difference"]) + ends(row["ci_low"], row["ci_high"]),
    ),
    value_column("check"),
)
