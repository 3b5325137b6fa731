"""Prints the noise suites."""

from __future__ import annotations

from ohr.display.columns import Column, make_table, text_column
from ohr.display.terminal import show, terminal_table
from ohr.suites.suite import Suite, load_suite, suite_names


def list_suites() -> int:
    """Print each suite: what it is, and its intensities; returns 0."""
    for name in suite_names():
        suite = load_suite(name)
        full, quick = (len(suite.conditions(track)) for track in ("full", "quick"))
        print(f"{suite.name}: {suite.about}")
        print(
            f"{full} noisy conditions, {quick} in the quick track ({suite.quick.documents} "
            f"documents); {len(suite.conditions('text'))} of text; frozen engine: "
            f"{suite.frozen_engine}"
        )
        show(terminal_table(make_table(_columns(suite), _rows(suite))))
        r_noises = ", ".join(f"{value:g}" for value in suite.targets)
        print(
            f"intensities at severities 1 to {len(suite.targets)}, set so that "
            f"{suite.frozen_engine} has a content r_noise of {r_noises}; at most: what it has at "
            "intensity 1"
        )
    return 0


def _columns(suite: Suite) -> list[Column]:
    severities = [
        Column(f"s{number}", lambda row, at=number - 1: f"{row['intensities'][at]:.3f}")  # type: ignore[misc]
        for number in range(1, len(suite.targets) + 1)
    ]
    return [
        text_column("group"),
        text_column("distortion"),
        *severities,
        Column("at most", lambda row: f"{row['reached'][-1]:.2f}"),
    ]


def _rows(suite: Suite) -> list[dict[str, object]]:
    return [
        {
            "group": noise["label"],
            "distortion": name,
            "intensities": intensities,
            "reached": suite.reached[name],
        }
        for noise in suite.images
        for name, intensities in noise["params"]["grades"].items()
    ]
