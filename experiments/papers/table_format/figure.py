"""The paper's figure 4: quality by the format of the tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from experiments.papers.table_format.table import GROUP, METRICS
from ohr.display.labels import mathless
from ohr.display.notes import Notes
from ohr.display.settings import Setting, settings_of
from ohr.figures.axes import HATCHES, caption, from_zero
from ohr.figures.style import COLOURS, figure, legend_below, save
from ohr.study.output.select import cells_of


def format_bars(cells: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """Draw one panel per metric, with a bar and interval per format and system."""
    metrics = [m for m in METRICS if len(cells_of(cells, m[0], m[1], GROUP))]
    engines = list(dict.fromkeys(cells["engine"]))
    systems = settings_of(cells)
    width = 0.8 / len(engines)
    with figure(0.8 + 1.5 * len(metrics) * max(1.0, 0.6 * len(systems)), 2.4) as fig:
        axes = fig.subplots(1, len(metrics), squeeze=False, sharey="row")[0]
        for ax, (stage, metric, title) in zip(axes, metrics, strict=True):
            for place, setting in enumerate(systems):
                chosen = setting.of(cells_of(cells, stage, metric, GROUP))
                for rank, engine in enumerate(engines):
                    for _, cell in chosen[chosen["engine"] == engine].iterrows():
                        x = place + (rank - (len(engines) - 1) / 2) * width
                        ax.bar(
                            x,
                            cell["mean"],
                            width * 0.92,
                            color=COLOURS[rank % len(COLOURS)],
                            hatch=HATCHES[rank % len(HATCHES)],
                            edgecolor="white",
                            linewidth=0,
                            label=mathless(str(engine)) if place == 0 else None,
                        )
                        ax.vlines(x, cell["ci_low"], cell["ci_high"], color="#333333", linewidth=1)
            ax.set_title(title)
            ax.grid(axis="x", visible=False)
            ax.set_xticks(range(len(systems)), [_ticks(stage, system) for system in systems])
        from_zero(axes)
        handles, labels = axes[0].get_legend_handles_labels()
        legend_below(fig, handles, labels, len(engines))
        description = caption(fig, cells.assign(group="all"), notes=notes)
        return save(fig, folder, "table_format", notes=description)


def _ticks(stage: str, setting: Setting) -> str:
    """The parts of the system that a stage uses."""
    used: Sequence[str] = {
        "retrieval": (setting.retriever,),
        "generation": (setting.reader,),
    }.get(stage, setting.system_parts)
    return "\n".join(mathless(name) for name in used if name)
