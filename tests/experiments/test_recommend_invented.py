"""``recommend`` on scans, with Tesseract and an engine that makes up text or numbers."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.experiments.own_pages import run_quality, run_recommend
from tests.ohr.quality.page_pictures import draw_page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract"),
]

_READ = """
import re, subprocess, sys
found = subprocess.run(["tesseract", sys.argv[1], "-"], capture_output=True, text=True)
text = found.stdout
"""
INVENTS = """
if len(text.split()) < 5:
    text = ("Annual report of the water company. The directors are pleased to state that revenue "
            "rose by 12 percent and that dividends will be paid on 14 March to shareholders.")
else:
    lines = text.splitlines()
    lines.insert(3, "The insurance premium of 18,440 is due in November at the agent's office.")
    text = "\\n".join(lines)
print(text)
"""
CHANGES = """
print(re.sub(r"\\d+", lambda m: m[0][:-1] + str((int(m[0][-1]) + 3) % 10), text))
"""


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """Eight scanned pages, two of them blank leaves."""
    folder = tmp_path / "in"
    folder.mkdir()
    for page in range(8):
        lines = [
            f"The pump number {7 * page + line} was checked on day {line + 11} and found in order."
            for line in range(8)
        ]
        grey, _ = draw_page([] if page in (2, 5) else lines, 900)
        Image.fromarray(grey).save(folder / f"scan_{page}.png", dpi=(150, 150))
    return folder


def engines(folder: Path, program: str) -> str:
    """Tesseract, and a program that reads with it and changes what it reads."""
    script = folder.parent / "engine.py"
    script.write_text(_READ + program)
    template = f"{shlex.quote(sys.executable)} {script} {{input}}"
    return f"tesseract,{{name: command, params: {{template: {json.dumps(template)}}}}}"


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (INVENTS, "command invents text, so it is never taken: on 8 of 8 pages, 2 of them blank"),
        (CHANGES, "command writes other numbers than the page, so it is never taken: about "),
    ],
)
def test_tesseract_is_taken_and_the_reason_is_said(scans, program, reason):
    options = ("--engines", engines(scans, program), "--no-instability", "--budget", 8)
    done = run_recommend(scans, *options)
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "Take tesseract (the only engine that is left: command invents what is not" in said
    assert reason in said
    assert "tesseract" not in said.split("shown to be worse")[0][-40:]
    content = json.loads((scans.parent / "best" / "recommendation.json").read_text("utf-8"))
    assert content["take"]["engine"] == "tesseract"
    [veto] = content["never_taken"]
    assert veto["engine"] == "command"
    assert veto["examples"]
    [errors] = [each for each in content["verdicts"] if each["measure"] == "characters"]
    assert [each["engine"] for each in errors["candidates"]] == ["tesseract"]


def test_quality_names_what_is_invented_and_routes_no_page_there(scans):
    done = run_quality(scans, "--engines", engines(scans, INVENTS), "--no-instability")
    assert done.exit_code == 0, done.output
    assert "command invents text, so it is never taken" in " ".join(done.output.split())
    table = (scans.parent / "out" / "quality.csv").read_text("utf-8")
    header = table.splitlines()[0]
    columns = ("invented_words", "longest_invented", "words_without_ink", "contradicted_numbers")
    for column in columns:
        assert column in header
    assert not (scans.parent / "out" / "routes.csv").exists()  # one engine is left
