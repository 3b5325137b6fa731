"""Reading stops when more pages cannot change the verdict, or when the time is spent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.builders import write_page
from tests.experiments.own_pages import FAKE, SURE, details, run_recommend

PAGES = 40


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    """PDFs of one page each, with a text layer that neither engine reads."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(PAGES):
        lines = [
            f"The lighthouse of town {number} was finished in {1900 + number}.",
            f"The harbour of town {number} has {number + 12} piers for large ships.",
        ]
        shown = " ".join(
            f"1 0 0 1 10 {240 - 20 * n} Tm ({line}) Tj" for n, line in enumerate(lines)
        )
        write_page(folder / f"{number}.pdf", f"BT /F 6 Tf {shown} ET")
    return folder


def sample_of(folder: Path) -> dict:
    content = json.loads((folder.parent / "best" / "recommendation.json").read_text("utf-8"))
    return content["sample"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract")
def test_it_stops_when_the_engines_are_compared_and_goes_on_where_it_stopped(towns, log):
    options = ("--engines", f"{FAKE},tesseract", "--no-instability", "--budget", PAGES)
    done = run_recommend(towns, *options)
    assert done.exit_code == 0, done.output
    assert f"after 16 of at most {PAGES} pages: wrong characters: " in done.output
    assert f"Reading stopped after 16 of {PAGES} pages" in details(towns)
    said = " ".join(details(towns).split())
    assert "whichever of 2 looks at the pages was the last (this one has 0.020 of the" in said
    assert sample_of(towns) | {"stopped_by": "settled", "looks": 2, "pages": 16} == sample_of(towns)
    assert len(log.read_text().split()) == 16
    again = run_recommend(towns, *options, "--read-all")
    assert again.exit_code == 0, again.output
    assert "Reading stopped" not in details(towns)
    assert sample_of(towns)["stopped_by"] == "all pages"
    assert len(log.read_text().split()) == PAGES


@pytest.mark.slow
def test_it_stops_when_the_engines_read_the_same(towns):
    twin = f"{{name: {FAKE}, label: twin}}"
    options = ("--engines", f"{FAKE},{twin}", "--no-instability", "--budget", PAGES)
    done = run_recommend(towns, *options)
    assert done.exit_code == 0, done.output
    assert "twin, " in details(towns)
    assert "the same on every page" in details(towns)
    assert sample_of(towns) | {"stopped_by": "settled", "pages": 16} == sample_of(towns)


@pytest.mark.slow
def test_it_stops_when_the_time_is_spent(towns):
    options = ("--engines", f"{FAKE},{SURE}", "--no-instability", "--budget", PAGES)
    done = run_recommend(towns, *options, "--minutes", 0.0001)
    assert done.exit_code == 0, done.output
    assert "the next pages would have taken longer than --minutes" in details(towns)
    assert sample_of(towns)["stopped_by"] == "time"
    assert 1 <= sample_of(towns)["pages"] <= 3
    assert run_recommend(towns, *options, "--read-all").exit_code == 0
    # Pages that are stored take no reading, but they are checked again.
    again = run_recommend(towns, *options, "--minutes", 60)
    assert again.exit_code == 0, again.output
    assert sample_of(towns)["stopped_by"] != "time"


@pytest.mark.slow
def test_a_single_engine_reads_all_pages(towns):
    done = run_recommend(towns, "--engines", FAKE, "--no-instability", "--budget", PAGES)
    assert done.exit_code == 0, done.output
    assert sample_of(towns)["pages"] == PAGES
    assert "after 16" not in done.output
