"""Where the loss arises: OCR, retrieval, chunking or reading.

``python -m experiments.attribution [CONFIG.yaml] [key=value ...] --out RUN`` runs a study and then
swaps in the truth part by part (see :mod:`experiments.swapping`). What F1 lacks of 1 with the
clean evidence pages is the reader's loss; the rest is shared among the others, averaged over the
orders of swapping. ``RUN/attribution.csv`` has a row for each knowledge base, setting, group
and cause; ``order_low`` and ``order_high`` are the least and the greatest of the orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from rich.table import Table
from rich.text import Text

from experiments.aggregate import Units, make_grouping
from experiments.answering import Answering
from experiments.cli import study_command
from experiments.conditions import Condition, condition_of
from experiments.csv_files import write_csv
from experiments.figures import HATCHES, caption, each_setting
from experiments.labels import group_label, mathless, plain
from experiments.notes import Notes, note_lines, reader_notes
from experiments.plan import Plan
from experiments.reading import Readings
from experiments.scoring import Scorer
from experiments.study import Result
from experiments.style import COLOURS, figure, save
from experiments.swapping import CAUSES, COALITIONS, swapped_scores
from experiments.tables import number, show
from ohr.attribution import Coalition, attribute
from ohr.errors import ConfigError
from ohr.statistics import Clusters, mean_interval
from ohr.store import ArtefactStore
from ohr.types import KnowledgeBase, Outcome

ROWS = ("reading", *reversed(CAUSES))
"""From the perfect score downwards."""
SETTING = ["engine", "perturbation", "level", "intensity", "chunker", "retriever", "reader"]
CONDITION = ["noise", *SETTING, "top_k", "kb_scope", "protocol", "seed"]


def report(result: Result) -> None:
    """Print the causes' shares, write the table, draw the waterfalls."""
    losses = make_losses(result.plan)
    notes = reader_notes(result.readers)
    write_csv(result.out / "attribution.csv", losses)
    show(loss_table(losses))
    print("F1 that each cause costs; ±: how far the orders of swapping part")
    for line in note_lines(losses["reader"], notes):
        print(plain(line))
    for path in waterfalls(losses, result.cells, result.out / "figures", notes):
        print(f"figure: {path}")


def make_losses(plan: Plan) -> pd.DataFrame:
    """The F1 that each cause costs. Raises ConfigError without a retriever and a reader."""
    if not plan.retrievers or not plan.readers:
        raise ConfigError("attribution swaps retrieval and reading: it needs the stage overall")
    store = ArtefactStore(plan.config.cache)
    readings, scorer = Readings(plan, store), Scorer(plan, store, Answering(store))
    truth = KnowledgeBase(
        {ref: Outcome.of_text(page.text) for ref, page in plan.dataset.pages.items()}
    )
    questions = make_grouping(plan).questions
    draws: dict[Condition, list[dict[Coalition, np.ndarray]]] = {}
    for variant in plan.variants:
        kb = readings.knowledge_base(variant)
        for setting in product(plan.chunkers, plan.retrievers, plan.readers):
            scores = swapped_scores(scorer, kb, truth, *setting)
            condition = condition_of(plan, variant, *setting, plan.config.top_k)
            draws.setdefault(condition, []).append(scores)
    losses: list[dict[str, Any]] = []
    for condition, parts in draws.items():
        key = {name: getattr(condition, name) for name in CONDITION}
        # Losses are linear in the scores, so means over draws of one are those of the other.
        means = {
            removed: np.mean([part[removed] for part in parts], axis=0) for removed in parts[0]
        }
        losses += [key | loss for loss in _losses(means, questions)]
    return pd.DataFrame(losses)


def _losses(scores: dict[Coalition, np.ndarray], questions: Units) -> Iterator[dict[str, Any]]:
    attribution = attribute(scores, CAUSES)
    system, perfect = scores[COALITIONS[0]], scores[COALITIONS[-1]]
    by_cause = dict(zip(CAUSES, attribution.values, strict=True)) | {"reading": 1 - perfect}
    for group, members in questions.groups.items():
        if not len(members):
            continue
        extremes = zip(*attribution.extremes(members), strict=True)
        orders = dict(zip(CAUSES, extremes, strict=True))
        for cause in ROWS:
            values = by_cause[cause][members]
            clusters = Clusters.of(questions.documents[members], questions.pages[members])
            interval = mean_interval(values, clusters, bounded=False)
            mean = float(values.mean())
            low, high = orders.get(cause, (mean, mean))
            yield {
                "group": group,
                "cause": cause,
                "f1_lost": mean,
                "ci_low": interval.low,
                "ci_high": interval.high,
                "ci_unit": interval.unit,
                "order_low": low,
                "order_high": high,
                "overall_f1": float(system[members].mean()),
                "n": len(members),
            }


def loss_table(losses: pd.DataFrame) -> Table:
    """A row a knowledge base, setting and group; a column a cause, with the orders' extremes."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("engine", "noise", "chunker, retriever, reader", "questions on"):
        table.add_column(name)
    for name in ("n", *ROWS, "overall F1"):
        table.add_column(name.replace("ocr", "OCR"), justify="right")
    for _, rows in losses.groupby([*SETTING, "group"], sort=False):
        named: dict[Any, Any] = rows.iloc[0].to_dict()
        if not _shown(named["group"]):
            continue
        first = named["group"] == "all"
        noise = _noise(named["perturbation"], named["level"], named["intensity"])
        system = ", ".join(named[name] for name in ("chunker", "retriever", "reader"))
        heads = (named["engine"], noise, system)
        table.add_row(
            *(Text(plain(str(head)) if first else "") for head in heads),
            group_label(named["group"]),
            str(named["n"]),
            *(_loss(row) for row in _by_cause(rows)),
            number(named["overall_f1"]),
        )
    return table


def _shown(group: str) -> bool:
    return group == "all" or group.startswith("source:")


def _noise(operator: str, level: str, intensity: float) -> str:
    return "clean" if operator == "none" else f"{operator} {level or f'{intensity:g}'}"


def _by_cause(losses: pd.DataFrame) -> list[dict[Any, Any]]:
    """The rows of one group, in the order of ``ROWS``."""
    rows: list[dict[Any, Any]] = losses.set_index("cause").loc[list(ROWS)].to_dict("records")
    return rows


def _loss(row: dict[Any, Any]) -> str:
    """The mean, and half the range of the orders."""
    text, spread = number(row["f1_lost"]), (row["order_high"] - row["order_low"]) / 2
    return f"{text} ±{spread:.3f}".replace("-0.000", "0.000")


def waterfalls(
    losses: pd.DataFrame, cells: pd.DataFrame, folder: Path, notes: Notes | None = None
) -> list[Path]:
    """From a perfect score down to the system's, a row a knowledge base, a column a group.

    A figure a setting; black lines span the orders of swapping.
    """
    paths = []
    for setting, name in each_setting(cells[cells["stage"] == "overall"], "attribution"):
        mine = losses
        for column in ("chunker", "retriever", "reader"):
            mine = mine[mine[column] == getattr(setting, column)]
        paths += _waterfalls(mine, setting.of(cells), folder, name, notes)
    return paths


def _waterfalls(
    losses: pd.DataFrame, cells: pd.DataFrame, folder: Path, name: str, notes: Notes | None
) -> list[Path]:
    groups = [group for group in dict.fromkeys(losses["group"]) if _shown(group)]
    bases = losses[SETTING].drop_duplicates()
    with figure(0.9 + 1.75 * len(groups), 0.8 + 2.1 * len(bases)) as made:
        axes = made.subplots(len(bases), len(groups), squeeze=False, sharey=True, sharex=True)
        for place, (_, base) in enumerate(bases.iterrows()):
            mine = losses[(losses[SETTING] == base).all(axis=1)]
            for ax, group in zip(axes[place], groups, strict=True):
                _waterfall(ax, _by_cause(mine[mine["group"] == group]))
                if place == 0:
                    ax.set_title(group_label(group))
            noise = _noise(base["perturbation"], base["level"], base["intensity"])
            names = [mathless(name) for name in (base["engine"], noise, "F1")]
            axes[place, 0].set_ylabel("\n".join(names))
        caption(made, cells, "black lines: from order to order of swapping", notes)
        return save(made, folder, name)


def _waterfall(ax: Axes, by_cause: list[dict[Any, Any]]) -> None:
    at = 1.0
    for place, loss in enumerate(by_cause):
        lost, low, high = (loss[name] for name in ("f1_lost", "order_low", "order_high"))
        _bar(ax, place, at, at - lost, COLOURS[place], HATCHES[place], above=at - low)
        ax.vlines(place, at - high, at - low, "#000000", linewidth=1.2)
        at -= lost
        ax.hlines(at, place - 0.4, place + 1.4, "#777777", linewidth=0.8)
    _bar(ax, len(ROWS), 0.0, at, "#999999", "")
    names = [cause.replace("ocr", "OCR") for cause in ROWS]
    ax.set_xticks(range(len(ROWS) + 1), [*names, "system"], rotation=60)
    ax.set_ylim(0, 1.1)
    ax.grid(axis="x", visible=False)


def _bar(
    ax: Axes, place: int, start: float, end: float, colour: str, hatch: str, above: float = 0.0
) -> None:
    """A bar from one height to another, with its length above it and above another height."""
    ax.bar(
        place,
        end - start,
        0.75,
        bottom=start,
        color=colour,
        hatch=hatch,
        edgecolor="white",
        linewidth=0,
    )
    length = start - end if start else end
    ax.annotate(
        f"{length:.2f}".replace("-0.00", "0.00"),
        (place, max(start, end, above)),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        fontsize=7,
    )


main = study_command(
    "Attribute the F1 that a system lacks to OCR, chunking, retrieval and reading.",
    report,
    {"stages": ["ocr", "generation", "overall"]},
)

if __name__ == "__main__":
    main()
