"""``ohr run inventions`` as a user gives it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from experiments import inventions
from tests.builders import write_pdf
from tests.experiments.own_pages import give
from tests.loopback import Server, said
from tests.ohr.inventions.drawn import LOG, TRUTH, write_pages
from tests.ohr.inventions.test_rates import INVENTOR

ENGINE = f"{{name: {INVENTOR}, label: '<b>inventor</b>', params: {{rate: 0.5, chatty: true}}}}"
SMALL = ("--doses", "0.2,0.5", "--textless", "1", "--workers", "1")


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    write_pages(tmp_path / "drawn", pages=3, lines=8, columns=5)
    monkeypatch.setenv(TRUTH, str(tmp_path / "drawn"))
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    return tmp_path / "drawn"


def run(drawn, *more, out="out"):
    root = drawn.parent
    return give(
        inventions, drawn / "images", "--boxes", drawn / "boxes", "--out", root / out,
        "--cache", root / "cache", *more,
    )  # fmt: skip


@pytest.mark.slow
def test_tables_figures_and_pictures_are_written_and_a_second_run_reads_nothing(drawn):
    done = run(drawn, "--engines", ENGINE, *SMALL)
    assert done.exit_code == 0, done.output
    out = drawn.parent / "out"
    summary = pd.read_csv(out / "inventions.csv")
    keys = ["engine", "part", "kind", "dose", "measure"]
    assert not summary.duplicated(keys).any()
    assert set(summary["part"]) == {"hidden", "textless", "repeat"}
    pooled = summary[(summary["measure"] == "excess") & (summary["kind"] == "all")]
    assert pooled["mean"].between(0.3, 0.7).all()
    counts = pd.read_csv(out / "inventions_pages.csv")
    assert len(counts) == 3 * 2 + 3 * 3 + 6
    for name in ("hidden_text", "pages_without_text", "repeatability"):
        assert (out / "figures" / f"{name}.png").exists()
        assert "<b>" not in (out / "figures" / f"{name}.svg").read_text()
    pictures = sorted(path.name for path in (out / "pictures").iterdir())
    assert [name[:11] for name in pictures] == [
        *("01_hidden__", "02_hidden__", "03_hidden__"),
        *("04_textless", "05_textless", "06_textless"),
    ]
    for line in (
        "Covered words",
        "Pages without text",
        "The same page again",
        "pictures/01_hidden__",
    ):
        assert line in done.stdout
    log = drawn.parent / "log"
    readings = log.read_text()
    assert len(readings.split()) == 3 + len(counts)
    files = [path for path in sorted(out.rglob("*")) if path.is_file()]
    before = [path.read_bytes() for path in files]
    again = run(drawn, "--engines", ENGINE, *SMALL)
    assert again.stdout == done.stdout
    assert log.read_text() == readings
    assert [path.read_bytes() for path in files] == before
    other = run(drawn, "--engines", ENGINE, *SMALL, out="other")
    assert other.exit_code == 0
    assert (drawn.parent / "other" / "inventions.csv").read_bytes() == before[
        files.index(out / "inventions.csv")
    ]


def test_a_dry_run_counts_the_readings(drawn):
    done = run(drawn, "--engines", INVENTOR, *SMALL, "--dry-run")
    assert done.exit_code == 0, done.output
    assert "3 clean, 6 with covered words, 6 without text, 9 read again" in done.stdout
    assert f"24 page images to read with {INVENTOR}" in done.stdout
    assert not (drawn.parent / "out").exists()
    assert not (drawn.parent / "log").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--doses", "0.1,5"), "--doses: '5' is no share"),
        (("--doses", "0.00001"), "--doses: '0.00001' is no share"),
        (("--doses", "nan"), "--doses: 'nan' is no share"),
        (("--doses", "much"), "--doses: 'much' is no share"),
        (("--tests", "coverd"), "--tests: 'coverd'; did you mean 'covered'?"),  # typos: ignore
        (("--covers", "pink"), "--covers: 'pink'; "),
        (("--covers", ","), "--covers: name at least one of white, grey, texture"),
        (("--boxes", "nowhere"), "--boxes: no folder nowhere"),
        (("--engines", "gt"), "engine 'gt' reads no pages"),
        (("--engines", "tests.pdf_fakes.PdfEngine"), "reads PDFs, not page images"),
    ],
)
def test_mistakes_are_one_line(drawn, options, message):
    engines = () if "--engines" in options else ("--engines", INVENTOR)
    root = drawn.parent
    done = give(inventions, drawn / "images", "--out", root / "x", *engines, *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (root / "x").exists()


def test_without_known_words_nothing_can_be_covered(drawn):
    root = drawn.parent
    arguments = (drawn / "images", "--out", root / "x", "--engines", INVENTOR)
    done = give(inventions, *arguments, "--cache", root / "cache")
    assert done.exit_code == 2
    assert "--boxes, or leave it out with --tests textless,repeats" in done.stderr
    assert "an image has no text layer; --boxes names the folder of its words" in done.stdout


def test_a_pdf_without_a_text_layer_is_named_and_read_again(tmp_path, monkeypatch):
    write_pages(tmp_path / "drawn", pages=1, lines=2, columns=2)
    monkeypatch.setenv(TRUTH, str(tmp_path / "drawn"))
    write_pdf(tmp_path / "a.pdf", 1)
    done = give(
        inventions, tmp_path / "a.pdf", "--tests", "repeats", "--engines", INVENTOR,
        "--out", tmp_path / "out", "--cache", tmp_path / "cache",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "nothing is covered: its text layer cannot be used" in done.stdout
    assert "Covered words" not in done.stdout


@pytest.mark.slow
def test_a_model_behind_a_server_is_tested_like_any_engine(drawn, server: Server):
    server.replies = [said("Dear shareholders, revenue grew by $5 to $7 <script>.")]
    engine = f"{{name: openai_vlm, params: {{model: m, base_url: '{server.url}'}}}}"
    done = run(drawn, "--engines", engine, *SMALL, "--tests", "textless", "--budget", 1)
    assert done.exit_code == 0, done.output
    summary = pd.read_csv(drawn.parent / "out" / "inventions.csv")
    words = summary[(summary["measure"] == "words") & (summary["kind"] == "blank")]
    assert words["mean"].tolist() == [9.0]
    assert len(list((drawn.parent / "out" / "pictures").iterdir())) == 3


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["tesseract", "rapidocr"])
def test_real_engines_write_no_covered_word(tmp_path, engine):
    if engine == "tesseract" and not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    write_pages(tmp_path / "drawn", pages=3, lines=8, columns=5)
    options = ("--doses", "0.5", "--tests", "covered", "--budget", 1)
    done = run(tmp_path / "drawn", "--engines", engine, *options)
    assert done.exit_code == 0, done.output
    counts = pd.read_csv(tmp_path / "out" / "inventions_pages.csv")
    assert counts["counted"].sum() > 15
    assert counts["written"].sum() == 0


def test_boxes_that_are_no_boxes_are_an_error(drawn):
    (drawn / "boxes" / "page1.json").write_text(json.dumps({"words": []}))
    done = run(drawn, "--engines", INVENTOR, *SMALL)
    assert done.exit_code == 2
    assert "page1.json is no file of lines with their boxes" in done.stderr


SHOW = """
import sys
from experiments.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.slow
def test_a_dry_run_imports_neither_tables_nor_figures(drawn):
    arguments = ("run", "inventions", drawn / "images", "--boxes", drawn / "boxes", "--dry-run")
    done = subprocess.run(
        [sys.executable, "-c", SHOW, *map(str, arguments), "--engines", INVENTOR, "--out", "x"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    modules = set(done.stdout.splitlines()[-1].split())
    assert "ohr" in modules
    assert {"pandas", "pyarrow", "matplotlib", "scipy", "jinja2"}.isdisjoint(modules)
