"""The commands and snippets of the README and of the site do what they say."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typst
from PIL import Image

from experiments.calibration import CalibratedCurve, Calibration, fit
from ohr import registry
from ohr.datasets.sample import Sample
from tests.builders import write_kb
from tests.conftest import ROOT

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.parent.name != "generated"
}


def fenced(language: str) -> list[tuple[str, str]]:
    """Every block in a language, each once, with its page."""
    blocks = {
        block: page
        for page, text in PAGES.items()
        for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        if not block.startswith("--8<--")  # a file, which tests/test_extend.py runs
    }
    return [(page, block) for block, page in blocks.items()]


COMMANDS = list(
    dict.fromkeys(
        command
        for page, block in fenced("bash")
        for command in block.replace("\\\n", " ").splitlines()
        if command.startswith("python -m experiments.") and not page.startswith("docs/extend/")
    )
)
SNIPPETS = [
    pytest.param(
        block,
        id=page,
        marks=[pytest.mark.skip(reason="front door")] if "ohr.Study" in block else [],
    )
    for page, block in fenced("python")
]


def run(arguments: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_the_pages_have_their_commands():
    assert len(COMMANDS) == 23
    assert len(SNIPPETS) == 4


def test_the_readme_is_short():
    assert len(PAGES["README.md"].encode()) <= 8192


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_names_is_there(page):
    for room, name in re.findall(r"python -m (experiments|benchmarks)\.(\w+)", PAGES[page]):
        assert importlib.util.find_spec(f"{room}.{name}"), f"{room}.{name}"


def write_calibration(path: Path) -> None:
    """As ``experiments.calibrate`` would: Tesseract under salt and pepper."""
    curve = CalibratedCurve(
        engine="tesseract",
        operator="salt_and_pepper",
        engine_identity=registry.create("engine", "tesseract").identity(),
        operator_identity=registry.create("perturbation", "salt_and_pepper").identity(),
        metric="r_noise",
        curve=fit([0.0, 1.0], [0.2, 0.8]),
        n=10,
    )
    Calibration(dataset="", unit="page", curves=(curve,)).write(path)


STUDIES = [
    command
    for command in COMMANDS
    if any(
        name in command
        for name in (
            "ocr_benchmark",
            "noise_curve",
            "calibrate",
            "table_format",
            "retrievers ",
            "attribution",
        )
    )
]


@pytest.mark.parametrize("command", STUDIES, ids=lambda command: command.split("--out ")[-1])
def test_commands_make_a_plan(command, request, tmp_path):
    if "tesseract" in command and not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    (tmp_path / "my_pdfs").mkdir()
    (tmp_path / "my_pdfs" / "a.pdf").write_bytes(typst.compile(b"Sales: 12 euros.", format="pdf"))
    (tmp_path / "my_questions.csv").write_text("question,answer,document,page\nSales?,12,a,1\n")
    write_kb(tmp_path / "my_reading", {"law/a": ["text"]})
    write_calibration(tmp_path / "runs/calibrated/calibration.json")
    if "$D" in command:
        command = command.replace("$D", str(request.getfixturevalue("data_dir")))
    command = command.replace("/path/to", str(tmp_path))
    done = run([*shlex.split(command)[1:], "--dry-run"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\d+ questions of \d+ documents; .* \d+ cells", done.stdout)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run(snippet, tmp_path):
    for path in (ROOT / "docs" / "extend").glob("my_*"):
        shutil.copy(path, tmp_path)
    Image.fromarray(np.full((200, 300), 255, np.uint8)).save(tmp_path / "page.png")
    done = run(["-c", snippet], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_a_folder_of_pdfs_end_to_end(tmp_path):
    if not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    (tmp_path / "my_pdfs").mkdir()
    page = "#set text(size: 14pt)\nSales in the year 2017 were 12 million euros."
    (tmp_path / "my_pdfs" / "a.pdf").write_bytes(typst.compile(page.encode(), format="pdf"))
    (tmp_path / "my_questions.csv").write_text(
        "question,answer,document,page\nWhat were sales in 2017?,12 million euros,a.pdf,1\n"
    )
    command = next(c for c in COMMANDS if "kind=folder" in c).replace(",rapidocr", "")
    done = run(shlex.split(command)[1:], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tesseract" in done.stdout
    assert (tmp_path / "runs" / "mine" / "figures" / "ocr_benchmark.png").exists()


@pytest.mark.slow
def test_commands_on_the_sample_run(tmp_path):
    question = Sample().load().questions[0]
    (tmp_path / "reworded.csv").write_text(f"qid,question\n{question.qid},And what of it?\n")
    for command in COMMANDS:
        if command not in STUDIES and "my_pdfs" not in command and "$D" not in command:
            smaller = command.replace("--pages 1000", "--pages 21")
            smaller = smaller.replace("[gt,tesseract,rapidocr]", "[gt]")
            done = run(shlex.split(smaller)[1:], tmp_path)
            assert done.returncode == 0, done.stderr
            assert done.stdout.strip()


def test_errors_are_one_line_and_a_traceback_is_for_debugging(tmp_path):
    command = ["-m", "experiments.ocr_benchmark", "engines=[tesserakt]", "--out", "runs/x"]
    done = run(command, tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: unknown engine 'tesserakt'; did you mean 'tesseract'?")
    assert done.stderr.count("\n") == 1
    assert "Traceback" in run([*command, "--debug"], tmp_path).stderr
    nowhere = run(command[:2], tmp_path)
    assert nowhere.returncode == 2
    assert "--out" in nowhere.stderr


@pytest.mark.parametrize("name", ["perturb_text", "format_counts"])
def test_text_is_rewritten_and_its_commands_counted(name, data_dir, tmp_path):
    command = next(c for c in COMMANDS if f"experiments.{name} " in c).replace("$D", str(data_dir))
    arguments = [*shlex.split(command)[1:], "dataset.documents=[finance/AMAZON_2017_10K]"]
    done = run(arguments, tmp_path)
    assert done.returncode == 0, done.stderr
    if name == "perturb_text":
        path = tmp_path / "noisy/formatting_noise_severe/finance/AMAZON_2017_10K.json"
        assert "\\textbf{" in path.read_text()
        assert (tmp_path / "noisy" / "before_after.html").exists()
    else:
        assert "paper, table S2" in done.stdout


@pytest.fixture
def my_pdfs(tmp_path):
    (tmp_path / "my_pdfs").mkdir()
    page = typst.compile(b"Sales: 12 euros.", format="pdf")
    (tmp_path / "my_pdfs" / "a.pdf").write_bytes(page)
    return tmp_path


def test_pages_of_a_folder_are_distorted(my_pdfs):
    command = next(c for c in COMMANDS if "perturb_images" in c)
    done = run(shlex.split(command)[1:], my_pdfs)
    assert done.returncode == 0, done.stderr
    assert (my_pdfs / "distorted" / "semantic_moderate" / "a" / "page_0001.png").exists()
    assert (my_pdfs / "distorted" / "contact_sheet.png").exists()


def test_pages_of_a_folder_are_read(my_pdfs):
    if not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    command = next(c for c in COMMANDS if "experiments.ocr " in c)
    done = run(shlex.split(command)[1:], my_pdfs)
    assert done.returncode == 0, done.stderr
    assert "12 euros" in (my_pdfs / "my_kb" / "documents" / "a.json").read_text()
