"""PDFTriage's figure 3: the share of questions for which each system's answer is the best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ohr.analysis.judging.table import is_better
from ohr.display.labels import mathless
from ohr.figures.style import COLOURS, describe, figure, save

_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++")


def preference_bars(shares: pd.DataFrame, caption: str, folder: Path) -> list[Path]:
    """Draw one panel per judge and knowledge base, with a stacked bar of shares per group."""
    panels = list(shares.groupby(["judge", "knowledge_base"], sort=False))
    groups = list(dict.fromkeys(shares["group"]))
    with figure(2.6 + 3.4 * len(panels), 1.4 + 0.36 * len(groups)) as fig:
        axes = fig.subplots(1, len(panels), squeeze=False, sharey=True, sharex=True)[0]
        for ax, ((judge, base), part) in zip(axes, panels, strict=True):
            left = np.zeros(len(groups))
            for number, system in enumerate(dict.fromkeys(part["system"])):
                of_system = part[part["system"] == system].set_index("group")["share"]
                widths = of_system.reindex(groups).fillna(0).to_numpy()
                ax.barh(
                    range(len(groups)),
                    widths,
                    left=left,
                    color=COLOURS[number % len(COLOURS)],
                    hatch=_HATCHES[number % len(_HATCHES)],
                    edgecolor="white",
                    linewidth=0,
                    label=mathless(str(system)),
                )
                left += widths
            ax.set_title(mathless(f"{judge}: {base}"))
            ax.set_xlabel("share of questions")
            ax.set_xlim(0, 1)
            ax.grid(axis="y", visible=False)
        names = [mathless(group.partition(":")[2] or group) for group in groups]
        axes[0].set_yticks(range(len(groups)), names)
        axes[0].invert_yaxis()
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        notes = describe(fig, caption.split("; "))
        return save(fig, folder, "preferences", pdf=True, notes=notes)


def preference_differences(pairs: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw the differences of each pair of systems, one panel per judge and knowledge base.

    A difference is the share of questions that the first wins less the second's, with its interval;
    filled if one is shown to be better.
    """
    everyone = pairs[pairs["group"] == "all"]
    panels = list(everyone.groupby(["judge", "knowledge_base"], sort=False))
    names = list(dict.fromkeys(zip(everyone["first"], everyone["second"], strict=True)))
    with figure(2.6 + 3.4 * len(panels), 1.5 + 0.36 * len(names)) as fig:
        axes = fig.subplots(1, len(panels), squeeze=False, sharey=True, sharex=True)[0]
        for ax, ((judge, base), part) in zip(axes, panels, strict=True):
            ax.axvline(0, color="#777777", linewidth=1)
            for row in part.to_dict("records"):
                place = names.index((row["first"], row["second"]))
                ax.hlines(place, row["ci_low"], row["ci_high"], color=COLOURS[0])
                ax.plot(
                    row["difference"],
                    place,
                    "o",
                    color=COLOURS[0],
                    markerfacecolor=COLOURS[0] if is_better(row) else "white",
                )
            ax.set_title(mathless(f"{judge}: {base}"))
            ax.set_xlabel("share won by the first - by the second")
            ax.set_xlim(-1, 1)
            ax.grid(axis="y", visible=False)
        axes[0].set_yticks(range(len(names)), [mathless(" - ".join(pair)) for pair in names])
        axes[0].set_ylim(len(names) - 0.5, -0.5)
        tested = int(everyone["p"].notna().sum())
        caption = (
            "95 % intervals over documents; filled: a difference is shown (p after Holm over "
            f"{tested} comparisons)"
            if tested
            else "no intervals: fewer than three documents"
        )
        notes = describe(fig, caption.split("; "))
        return save(fig, folder, "preference_differences", pdf=True, notes=notes)
