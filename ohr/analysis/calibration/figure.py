"""Draws measured noise against intensity, and wanted against measured noise."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ohr.display.labels import mathematical, mathless, noise_title
from ohr.figures.style import COLOURS, LINES, MARKERS, describe, figure, save
from ohr.study.calibration import METRICS, Calibration

TITLES = {metric: mathematical(noise_title(metric)) for metric in METRICS}


def calibration_curves(means: pd.DataFrame, calibration: Calibration, folder: Path) -> list[Path]:
    """Draw measured noise of all pages against intensity: engines in columns, metrics in rows."""
    every = means[means["half"] == "all"]
    engines = list(every["engine"].unique())
    operators = list(every["perturbation"].unique())
    with figure(0.9 + 2.5 * len(engines), 0.9 + 1.5 * len(METRICS)) as fig:
        axes = fig.subplots(len(METRICS), len(engines), squeeze=False, sharex=True, sharey="row")
        for row, metric in enumerate(METRICS):
            for column, engine in enumerate(engines):
                ax = axes[row, column]
                for place, operator in enumerate(operators):
                    points = every[
                        (every["engine"] == engine)
                        & (every["perturbation"] == operator)
                        & (every["metric"] == metric)
                    ].sort_values("intensity")
                    ax.plot(
                        points["intensity"],
                        points["mean"],
                        color=COLOURS[place % len(COLOURS)],
                        marker=MARKERS[place % len(MARKERS)],
                        linestyle=LINES[place // len(COLOURS) % len(LINES)],
                        label=mathless(operator.replace("_", " ")),
                    )
                ax.set_ylim(bottom=0)
                if row == 0:
                    ax.set_title(mathless(engine))
                if row == len(METRICS) - 1:
                    ax.set_xlabel("requested intensity")
                if column == 0:
                    ax.set_ylabel(f"measured {TITLES[metric]}")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)))
        notes = [
            f"n = {int(every['n'].max())} questions",
            f"curves of half of the {calibration.unit}s are in calibration.json",
        ]
        return save(fig, folder, "calibration", notes=describe(fig, notes))


def calibration_checks(checks: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw measured against wanted noise, on pages that the curves were not fitted on."""
    engines = list(checks["engine"].unique())
    operators = list(checks["perturbation"].unique())
    margin = float(checks["margin"].iloc[0])
    with figure(0.9 + 2.5 * len(engines), 3.2) as fig:
        axes = fig.subplots(1, len(engines), squeeze=False, sharey=True)[0]
        for ax, engine in zip(axes, engines, strict=True):
            ax.axline((0, 0), slope=1, color="#777777", linewidth=1)
            ax.fill_between([0, 1], [-margin, 1 - margin], [margin, 1 + margin], color="#eeeeee")
            for place, operator in enumerate(operators):
                points = checks[(checks["engine"] == engine) & (checks["perturbation"] == operator)]
                # Side by side, so that points at the same wanted value do not hide each other.
                shift = (place - (len(operators) - 1) / 2) * 0.012
                ax.errorbar(
                    points["wanted"] + shift,
                    points["held_out"],
                    yerr=[
                        points["difference"] - points["ci_low"],
                        points["ci_high"] - points["difference"],
                    ],
                    color=COLOURS[place % len(COLOURS)],
                    marker=MARKERS[place % len(MARKERS)],
                    linestyle="none",
                    elinewidth=1,
                    label=mathless(operator.replace("_", " ")),
                )
            ax.set_title(mathless(engine))
            ax.set_xlabel("wanted noise")
            ax.set_xlim(0, 1)
            ax.set_ylim(0, 1)
        axes[0].set_ylabel("measured on unseen pages")
        by_label = {
            label: handle
            for ax in axes
            for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        fig.legend(
            by_label.values(),
            by_label.keys(),
            loc="outside lower center",
            ncols=min(4, len(by_label)),
        )
        unit = next((str(unit) for unit in checks["ci_unit"] if unit), "")
        bars = f"bars: 95 % intervals over {unit.partition(' ')[0]}s" if unit else "no intervals"
        notes = describe(fig, [bars, f"band: within {margin:g}"])
        return save(fig, folder, "calibration_checks", notes=notes)
