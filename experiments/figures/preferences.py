"""PDFTriage's figure 3: the share of questions for which each system's answer is the best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from experiments.analysis.labels import mathless
from experiments.figures.style import COLOURS, figure, save, wrapped

_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++")


def preference_bars(shares: pd.DataFrame, caption: str, folder: Path) -> list[Path]:
    """A panel a judge and knowledge base; a stacked bar a group, of the systems' shares."""
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
        fig.suptitle(wrapped(caption, fig.get_figwidth()), fontsize=8, color="#444444")
        return save(fig, folder, "preferences", pdf=True)
