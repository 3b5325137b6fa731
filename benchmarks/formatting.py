"""What formatting noise costs on a whole knowledge base, on one core.

    python -m benchmarks.formatting D/ohrbench/retrieval_base D/ohrbench/qas_dev.json

Each page of the dataset (the OHR-Bench layout) is read, rewritten and discarded. Target: all rules
together on the 5,723 pages of the data folder in under 20 s.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import psutil
from rich.table import Table

from ohr import registry
from ohr.collection import Dataset
from ohr.display.terminal import show
from ohr.plugins import TextPerturbation
from ohr.plugins.randomness import generator_for
from ohr.registry import PluginSpec
from perturb.text.noise import Formatting, FormattingRule


def cost(operator: TextPerturbation, dataset: Dataset, intensity: float) -> tuple[float, int]:
    """CPU seconds to rewrite every page, and how many pages changed."""
    changed, started = 0, time.process_time()
    for ref, page in dataset.pages.items():
        rng = generator_for(0, operator.name, ref)
        changed += operator.apply(page.text, intensity=intensity, rng=rng).value != page.text
    return time.process_time() - started, changed


def main() -> None:
    """Print a row for all rules at each level, then one for each rule alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("questions", type=Path)
    params = vars(parser.parse_args())
    dataset = registry.create("dataset", PluginSpec(name="ohrbench", params=params)).load()
    megabytes = sum(len(page.text.encode()) for page in dataset.pages.values()) / 1e6
    held = psutil.Process().memory_info().rss
    table = Table("rules", "intensity", "CPU s", "pages changed", box=None)
    points = [(Formatting(), level.intensity) for level in Formatting.levels.values()]
    points += [(rule(), 1.0) for rule in FormattingRule.__subclasses__()]
    for operator, intensity in points:
        seconds, changed = cost(operator, dataset, intensity)
        table.add_row(operator.name, f"{intensity:g}", f"{seconds:.1f}", f"{changed:,}")
    grown = (psutil.Process().memory_info().rss - held) / 1e6
    print(f"{len(dataset.pages):,} pages, {megabytes:.1f} MB; memory grew by {grown:.0f} MB")
    show(table)


if __name__ == "__main__":
    main()
