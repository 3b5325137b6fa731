"""What a distorted page costs: ours beside Augraphy's, on one core.

    python -m benchmarks.distortions [--sheet FILE.png] [NAME ...]

For every registered distortion (or those named) at intensity 1, on a page of 1240 x 1754 pixels,
grey and RGB, each in a fresh process: CPU milliseconds per page (median), pages per second, seconds
to import it and for its first call (Numba's cache empty, as after an installation), the most memory
that later calls needed beyond that after the import, and the most of the whole process. Then our
distortions beside Augraphy's for the same effect. ``--sheet`` draws them side by side instead.
Linux only, for its account of memory.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rich.table import Table

from experiments.noisy.sheets import busiest_pages, contact_sheet
from ohr import registry
from ohr.display.terminal import show
from ohr.plugins import ImagePerturbation

SIZE = (1240, 1754)
CALLS = 15
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
PAIRS = {
    "binarization": ("augraphy_letterpress", "augraphy_ink_bleed"),
    "dirty_rollers": ("augraphy_dirty_rollers",),
    "warping": ("augraphy_folding",),
    "shadow": ("augraphy_shadow_cast", "augraphy_lighting_gradient"),
}
"""Our distortion -> Augraphy's for the same effect of the paper."""


def distortions() -> list[str]:
    """Names of the registered distortions of page images."""
    known = registry.known("perturbation")
    return [
        name
        for name in known
        if issubclass(registry.plugin_class("perturbation", name), ImagePerturbation)
    ]


def make_page() -> np.ndarray:
    """A page of the sample with text and a table, uint8 RGB of ``SIZE``."""
    pages = [page.image for page in busiest_pages((), 0) if page.image]
    with Image.open(pages[1]) as image:
        return np.array(image.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS))


def memory(field: str) -> float:
    """``VmRSS`` (now) or ``VmHWM`` (the most since the last reset) of this process, in MB."""
    status = Path("/proc/self/status").read_text("utf-8")
    match = re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)
    if match is None:
        raise OSError(f"no {field} in /proc/self/status: this benchmark needs Linux")
    return int(match[1]) / 1024


def measure(name: str, colour: str, page_file: str) -> dict[str, float]:
    """Time one distortion in this process, which must be a fresh one."""
    cv2.setNumThreads(1)
    page = cv2.imread(page_file, cv2.IMREAD_GRAYSCALE if colour == "grey" else cv2.IMREAD_COLOR)
    if page is None:
        raise FileNotFoundError(page_file)
    start = time.perf_counter()
    operator = registry.create("perturbation", name)
    if name.startswith("augraphy_"):
        importlib.import_module("augraphy")
    imported = time.perf_counter() - start

    def call(seed: int) -> float:
        began = time.process_time()
        operator.apply(page, intensity=1.0, rng=np.random.default_rng(seed))
        return time.process_time() - began

    standing = memory("VmRSS")
    start = time.perf_counter()
    call(0)
    first = time.perf_counter() - start
    whole = memory("VmHWM")
    Path("/proc/self/clear_refs").write_text("5", "utf-8")  # resets VmHWM
    times = [call(seed) for seed in range(1, CALLS + 1)]
    most = memory("VmHWM")
    return {
        "ms": 1e3 * statistics.median(times),
        "import": imported,
        "first": first,
        "extra": most - standing,
        "whole": max(whole, most),
    }


def measure_apart(name: str, colour: str, page_file: Path) -> dict[str, float]:
    """:func:`measure` in a process of its own, with an empty cache of compiled code."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.distortions", "--one", name, colour, str(page_file)],
            env=os.environ | ONE_CORE | {"NUMBA_CACHE_DIR": cache},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def print_costs(names: list[str]) -> None:
    """Measure and print the two tables."""
    with tempfile.TemporaryDirectory() as folder:
        page_file = Path(folder) / "page.png"
        Image.fromarray(make_page()).save(page_file)
        costs: dict[str, dict[str, dict[str, float]]] = {}
        for name in names:
            costs[name] = {
                colour: measure_apart(name, colour, page_file) for colour in ("grey", "RGB")
            }
    columns = ("ms", "pages/s", "extra MB", "whole MB", "first call s", "import s")
    table = Table("distortion", "page", *columns, box=None)
    for name, of in costs.items():
        for colour, cost in of.items():
            table.add_row(
                name,
                colour,
                f"{cost['ms']:.1f}",
                f"{1e3 / cost['ms']:.0f}",
                f"{cost['extra']:.0f}",
                f"{cost['whole']:.0f}",
                f"{cost['first']:.2f}",
                f"{cost['import']:.2f}",
            )
    show(table)
    ratios = Table("ours", "Augraphy's", "page", "ms", "ms", "times", "extra MB", "MB", box=None)
    for ours, others in PAIRS.items():
        for other in others:
            if ours not in costs or other not in costs:
                continue
            for colour in ("grey", "RGB"):
                own_cost, augraphy_cost = costs[ours][colour], costs[other][colour]
                ratios.add_row(
                    ours,
                    other,
                    colour,
                    f"{own_cost['ms']:.1f}",
                    f"{augraphy_cost['ms']:.1f}",
                    f"{augraphy_cost['ms'] / own_cost['ms']:.1f}",
                    f"{own_cost['extra']:.0f}",
                    f"{augraphy_cost['extra']:.0f}",
                )
    if ratios.row_count:
        print()
        show(ratios)


def draw_sheet(path: Path, names: list[str]) -> None:
    """Ours in the left two columns, Augraphy's in the right two; a row for each pair."""
    page, images = make_page(), []
    for ours, others in PAIRS.items():
        for other in others:
            if ours not in names or other not in names:
                continue
            for name in (ours, other):
                for seed in (0, 1):
                    images.append(labelled(page, name, seed + 2 * others.index(other)))
    contact_sheet(images, columns=4, width=SIZE[0] // 2).save(path, "PNG", optimize=True)
    print(f"{len(images)} pages: {path}")


def labelled(page: np.ndarray, name: str, seed: int) -> Image.Image:
    """The page distorted at full intensity, with the distortion's name on it."""
    operator: Any = registry.create("perturbation", name)
    value = operator.apply(page, intensity=1.0, rng=np.random.default_rng(seed)).value
    image = Image.fromarray(value)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(40)
    draw.rectangle((0, 0, draw.textlength(name, font) + 30, 60), fill=(255, 255, 200))
    draw.text((15, 5), name, (0, 0, 0), font)
    return image


def main() -> None:
    """Print the tables, or draw the sheet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as warping; default: all")
    parser.add_argument("--sheet", type=Path, help="PNG file to draw instead of measuring")
    parser.add_argument("--one", dest="task", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in options.names:
        registry.plugin_class("perturbation", name)  # an unknown name lists the known ones
    if options.task:
        print(json.dumps(measure(*options.task)))
    elif options.sheet:
        draw_sheet(options.sheet, options.names or distortions())
    else:
        print_costs(options.names or distortions())


if __name__ == "__main__":
    main()
