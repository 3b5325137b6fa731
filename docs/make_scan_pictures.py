"""Makes the pictures of the page on real scans.

``python docs/make_scan_pictures.py RUNS`` draws what a scan costs from the runs of ``make
claims-runs``, and one invented receipt: as a twin, as the noise ``scan`` damages it, and
as engines read that; rows with an error are coloured. A real receipt may not be shown.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import ohr
from ohr.datasets.line_boxes import text_of_rows
from ohr.documents.pdf import render
from ohr.figures.ends import name_curves
from ohr.figures.style import COLOURS, MARKERS, figure, series_numbers
from ohr.sample.typesetting.twin import twin_pdf
from ohr.study.results import open_run
from ohr.types import Line

PICTURES = Path(__file__).resolve().parent / "pictures"
ENGINES = {"tesseract": "Tesseract", "rapidocr": "RapidOCR", "tiny": "RapidOCR tiny"}
SCANS, TWINS = "scans_80", "twins_80"
"""The runs in which all engines read the same receipts."""
PANELS = (
    ("retrieval", "lcs", "bm25", "retrieval LCS"),
    ("retrieval", "lcs", "4-grams", "retrieval LCS, 4-grams"),
    ("retrieval", "hit@2", "bm25", "page found"),
    ("ocr", "edit_distance", "", "edit distance of pages"),
)
"""Stage, metric and retriever of each panel, and its title."""
STEPS = ("truth", "twin", "scan")
RECEIPT = (
    (60, 24, 300, 30, "NORTH PIER CHANDLERS"),
    (92, 62, 236, 20, "14 HARBOUR WALK, ELLIE"),
    (110, 90, 200, 20, "TEL: 01333 555 018"),
    (30, 140, 150, 20, "DATE: 14/09/2018"),
    (250, 140, 140, 20, "NO. 004817"),
    (30, 190, 130, 20, "ROPE 8MM X 20M"),
    (330, 190, 60, 20, "31.40"),
    (30, 218, 140, 20, "SHACKLE D 10MM"),
    (330, 218, 60, 20, "12.75"),
    (30, 246, 120, 20, "LAMP OIL 1L"),
    (338, 246, 52, 20, "8.90"),
    (30, 296, 110, 22, "TOTAL GBP"),
    (325, 296, 65, 22, "53.05"),
    (30, 324, 60, 20, "CASH"),
    (328, 324, 62, 20, "60.00"),
    (30, 352, 80, 20, "CHANGE"),
    (338, 352, 52, 20, "6.95"),
    (76, 402, 268, 20, "THANK YOU FOR YOUR CUSTOM"),
)
"""Left, top, width and height in pixels, and text: invented."""
SIZE = (420, 450)
SEED = 3
ROW = 0.066
"""Height of a row of text, as a share of its panel."""


def draw_costs(runs: Path) -> Path:
    """What each engine loses on twins and on scans, with 95 % intervals."""
    cells = {name: open_run(runs / name).cells for name in (SCANS, TWINS)}
    numbers = series_numbers(list(ENGINES))
    with figure(6.9, 2.6) as fig:
        axes = fig.subplots(1, len(PANELS), squeeze=False)
        for ax, (stage, metric, retriever, title) in zip(axes[0], PANELS, strict=True):
            for number, (engine, name) in enumerate(ENGINES.items()):
                points = [
                    _cell(cells[run], stage, metric, retriever, read_by)
                    for run, read_by in ((SCANS, "gt"), (TWINS, engine), (SCANS, engine))
                ]
                x = [place + (number - 1) * 0.08 for place in range(len(STEPS))]
                colour, mark = COLOURS[numbers[number]], MARKERS[numbers[number]]
                ax.plot(x, [p["mean"] for p in points], color=colour, marker=mark, label=name)
                for place, point in zip(x, points, strict=True):
                    if not (stage == "ocr" and place < 0.5):  # the truth has no errors
                        ax.vlines(place, point["ci_low"], point["ci_high"], color=colour, alpha=0.5)
            ax.set_title(title, fontsize="medium")
            ax.set_xticks(range(len(STEPS)), STEPS)
            ax.set_xlim(-0.4, len(STEPS) - 0.6)
            ax.set_ylim(0, 1.02 if stage != "ocr" else None)
        name_curves(fig, axes)
        path = PICTURES / "scan_cost.png"
        fig.savefig(path)
    return path


def _cell(cells: pd.DataFrame, stage: str, metric: str, retriever: str, engine: str) -> pd.Series:
    chosen = cells[
        (cells["stage"] == stage)
        & (cells["metric"] == metric)
        & (cells["engine"] == engine)
        & (cells["group"] == "all")
        & (cells["retriever"].fillna("") == retriever)
    ]
    [(_, cell)] = chosen.iterrows()
    return cell


def draw_receipt(engines: Mapping[str, str]) -> Path:
    """An invented receipt as twin and as damaged scan, and what engines read of the scan."""
    lines = [Line(text, (x, y, x + width, y + height)) for x, y, width, height, text in RECEIPT]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "receipt.pdf"
        path.write_bytes(twin_pdf(lines, SIZE, 150))
        twin = render(path, 0, 150)
    scan = ohr.perturb(twin, "scan", 1.0, seed=SEED)
    true_rows = text_of_rows(lines).split("\n")
    images = {"twin": twin, "the same under scan 1": scan}
    widths = [1.25] * len(images) + [1.0] * len(engines)
    with figure(6.9, 2.25) as fig:
        axes = list(fig.subplots(1, len(widths), gridspec_kw={"width_ratios": widths}))
        for ax, (title, image) in zip(axes, images.items(), strict=False):
            ax.imshow(image, cmap="gray", vmin=0, vmax=255)
            ax.set_title(title, fontsize="medium")
        for ax, (engine, name) in zip(axes[len(images) :], engines.items(), strict=True):
            ax.set_title(f"read by {name}", fontsize="medium")
            rows = [row for row in ohr.read(scan, engine).splitlines() if row.strip()]
            for place, row in enumerate(rows):
                colour = "black" if row in true_rows else COLOURS[1]
                y = 0.9 - place * ROW
                ax.text(0, y, row, family="DejaVu Sans Mono", fontsize=5.5, color=colour)
        for ax in axes:
            ax.axis("off")
            ax.set_anchor("N")
        path = PICTURES / "scan_receipt.png"
        fig.savefig(path)
    return path


def main() -> None:
    """Draw both pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", type=Path, help="the folder of the runs")
    given = parser.parse_args()
    print(draw_costs(given.runs))
    print(draw_receipt({"tesseract": "Tesseract", "rapidocr": "RapidOCR"}))


if __name__ == "__main__":
    main()
