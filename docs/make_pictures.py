"""Makes the pictures of the guide to reports: ``python docs/make_pictures.py``.

Reads four documents of the sample with Tesseract, clean and distorted, builds the report, and
takes pictures of its parts in Chromium. The study is not made again where it is finished.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

DOCUMENTS = (
    "finance/grispelta-annual-report-2023",
    "finance/quilgora-annual-report-2023",
    "law/quilgora-morvessa-supply-agreement-2023",
    "manual/quilgora-dh-600-operating-manual-2023",
)
"""Documents of the bundled sample."""
ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
STUDY = (
    "noise_curve dataset.kind=sample dataset.documents=[{documents}] dpi=100 engines=[tesseract] "
    "noise=[semantic] levels=[mild,moderate,severe] ground_truth=true seeds=0 workers=1"
)
SIZE = {"width": 1280, "height": 640}
ROWS = "table.cases tbody tr"


def command(words: str, *paths: str) -> None:
    """Run a command by its module, ``experiments.<words>``."""
    name, *arguments = shlex.split(words)
    python = [sys.executable, "-m", f"experiments.{name}", *arguments, *paths]
    subprocess.run(python, cwd=ROOT, check=True)


def pictures(page: Page, index: Path) -> None:
    """Each part of a report, as the guide shows it."""
    page.goto(f"{index.as_uri()}#overview")
    page.wait_for_load_state("networkidle")
    keep("overview", page.screenshot())
    page.goto(f"{index.as_uri()}#cases?level=severe&stage=overall&details=1")
    page.wait_for_selector(ROWS)
    keep("cases", page.screenshot())
    page.click(f"{ROWS} a")
    page.wait_for_selector(".stack img.over")
    while not page.locator(".frame").count():
        page.keyboard.press("j")
        page.wait_for_timeout(500)
    sides = page.locator(".sides:has(.frame)").first
    sides.locator("input[type=range]").fill("60")
    page.wait_for_load_state("networkidle")
    keep("case", sides.screenshot())
    reviews = page.locator("fieldset.review")
    reviews.first.get_by_label("evidence is wrong").check()
    reviews.nth(1).get_by_label("right", exact=True).check()
    page.goto(f"{index.as_uri()}#review")
    page.wait_for_load_state("networkidle")
    keep("review", page.screenshot())
    page.goto(f"{index.as_uri()}#pages")
    page.wait_for_selector(".cards img")
    page.wait_for_load_state("networkidle")
    keep("pages", page.screenshot())
    page.click(".cards a")
    page.wait_for_selector("#view-page .stack img")
    page.wait_for_load_state("networkidle")
    keep("page", page.screenshot())


def keep(name: str, picture: bytes) -> None:
    """Write a picture of few colours, which makes it small."""
    with Image.open(io.BytesIO(picture)) as image:
        image.convert("RGB").quantize(64).save(PICTURES / f"report_{name}.png", optimize=True)


def main() -> None:
    """Make the study, the report and the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "pictures")
    work = parser.parse_args().work
    run, report = work / "run", work / "report"
    if not (run / "cells.csv").exists():
        command(STUDY.format(documents=",".join(DOCUMENTS)), "--out", str(run))
    command("report", str(run), "--out", str(report), "--title", "Tesseract on worn paper")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=arguments
        )
        pictures(browser.new_page(viewport=SIZE), report / "index.html")
        browser.close()


if __name__ == "__main__":
    main()
