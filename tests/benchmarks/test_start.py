"""Every benchmark starts, and ends, at its smallest size; none can be forgotten."""

import importlib
import json
import math
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from PIL import Image, ImageDraw, ImageFont

import benchmarks
from benchmarks import _scan_pages, ocr_cost, scan_fit
from ohr.errors import DatasetError
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.study.run import run_study
from tests.builders import load_config, qa, write_kb, write_questions
from tests.conftest import ROOT

NAMES = sorted(path.stem for path in Path(benchmarks.__path__[0]).glob("[!_]*.py"))
SOURCES = ("text", "table", "formula")


@dataclass(frozen=True)
class Inputs:
    """What benchmarks measure, made as small as it can be."""

    data: Path
    """A folder of data in the layout of OHR-Bench: 6 documents of 2 pages, 24 questions."""
    clean: Path
    """A run of the ground truth and another knowledge base."""
    draws: Path
    """A noise curve with several draws."""
    validity: Path
    """Runs of given and of made questions."""
    out: Path
    """An empty folder."""

    @property
    def base(self) -> Path:
        return self.data / "ohrbench" / "retrieval_base"

    @property
    def questions(self) -> Path:
        return self.data / "ohrbench" / "qas_dev.json"


Arguments = Callable[[Inputs], list[str]]
SMALLEST: dict[str, Arguments] = {
    "witness": lambda given: [
        str(given.data),
        "--cache",
        str(given.out),
        "--part",
        ".01",
        "--pages",
        "2",
    ],
    "best": lambda _: ["--simulations", "1"],
    "coverage": lambda given: [str(given.clean), str(given.draws), "--simulations", "4"],
    "error_details": lambda given: [str(given.clean), "--pages", "4"],
    "inference": lambda _: ["--simulations", "1", "--documents", "6"],
    "loss_bands": lambda _: ["--simulations", "1"],
    "named_engine": lambda given: [str(write_signals(given.out)), "--draws", "2", "--pages", "4"],
    "noise_cost": lambda _: ["--simulations", "2"],
    "ocr_cost": lambda given: [
        str(write_page_image(given.out)),
        "--out",
        str(given.out / "rows.jsonl"),
        "--engine",
        "tesseract",
        "{name: tesseract, params: {psm: 6}, label: block}",
    ],
    "plan_floors": lambda given: [
        *("--studies", "2", "--documents", "8", "--out", str(given.out / "floors.json"))
    ],
    "plan_pilots": lambda given: [f"text={given.draws}", "--out", str(given.out / "kept.json")],
    "rank_intervals": lambda g: [str(g.validity), str(g.clean), "--simulations", "1"],
    "reader": lambda given: [str(given.data)],
    "reader_fit": lambda given: [str(given.data)],
    "reference_cost": lambda given: [str(given.data), "--questions", "4"],
    "sample_ocr": lambda given: ["1", "--engines", "tesseract", "--out", str(given.out)],
    "scan_fit": lambda given: [
        str(write_scans(given.out)),
        "--cache",
        str(given.out / "cache"),
        "--pages",
        "1",
    ],
    "stopping": lambda given: [str(write_errors(given.out)), "--runs", "1"],
}
"""Each benchmark with the arguments of its smallest size."""
SLOW = {
    *("sample_ocr", "loss_bands", "best", "noise_cost", "ocr_cost", "reference_cost", "scan_fit"),
}
"""Those that start an engine or whole commands, or take long."""
WITHOUT_SIZE = {
    "error_score": "it needs a run of four domains",
    "guard": "CI runs it whole",
    "shipped_readings": "it writes files of the package; tests/ocr_backends checks some pages",
    "suite_files": "it writes files of the package, once for a suite",
}
"""Benchmarks that do not run here, and why."""


def write_data(root: Path) -> None:
    """Pages with mark-up, and a second knowledge base that misreads them."""
    texts: dict[str, list[str]] = {}
    entries = []
    for d in range(6):
        doc_id = f"{('law', 'manual', 'news')[d % 3]}/doc{d}"
        texts[doc_id] = []
        for p in range(2):
            numbers = [100 * d + 10 * p, 100 * d + 10 * p + 1]
            facts = "\n\n".join(
                f"## Part {n}\n\nFact {n} is answer {n}. It costs *{n}* euros, $x_{n}^2$.\n\n"
                f"| item | price |\n| --- | --- |\n| item {n} | {n} |"
                for n in numbers
            )
            texts[doc_id].append(f"# Section {d}\n\n{facts}")
            entries += [qa(n, doc_id, p, evidence_source=SOURCES[(n + d) % 3]) for n in numbers]
    base = root / "ohrbench" / "retrieval_base"
    write_kb(base / "gt", texts)
    wrong = {
        doc: [text.replace("Fact", "Foct", d % 2 + p) for p, text in enumerate(pages)]
        for d, (doc, pages) in enumerate(texts.items())
    }
    write_kb(base / "MinerU", wrong)
    write_questions(root / "ohrbench" / "qas_dev.json", entries)


def write_errors(folder: Path) -> Path:
    """A ``quality.csv`` of 20 pages of 5 documents by three engines."""
    error = "edit_distance_content"
    rows = [
        {
            "engine": engine,
            "document": f"d{page % 5}",
            "page": page,
            "status": "ok",
            "layer": 0.1,
            "has_layer": True,
            "assessed": True,
            "cpu_s": place,
            f"{error}_mean": 0.05 * place + 0.001 * page,
            f"{error}_spread": 0.001,
            f"true_{error}": math.nan,
        }
        for place, engine in enumerate(("a", "b", "c"), 1)
        for page in range(20)
    ]
    path = folder / "quality.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def write_signals(folder: Path) -> Path:
    """The ``signals.csv`` of a run of ``ohr quality confidence``: 10 pages by two engines."""
    rows = [
        {
            "engine": engine,
            "noise": "clean",
            "draw": 0,
            "domain": "news",
            "doc_id": f"news/d{page}",
            "page_no": 0,
            "status": "ok",
            **dict.fromkeys(SIGNALS, 0.1 * place),
            **{f"true_{name}": 0.1 * place for name in TARGETS},
        }
        for place, engine in enumerate(("a", "b"), 1)
        for page in range(10)
    ]
    (folder / "signals").mkdir()
    pd.DataFrame(rows).to_csv(folder / "signals" / "signals.csv", index=False)
    return folder / "signals"


def write_page_image(folder: Path) -> Path:
    """A folder with one page of 24 words, as text and as an image."""
    lines = [f"The pier has number {'one two three four'.split()[n]}." for n in range(4)] * 2
    write_kb(folder / "retrieval_base" / "gt", {"port/pier": ["\n".join(lines)]})
    page = Image.new("L", (700, 420), "white")
    drawing, font = ImageDraw.Draw(page), ImageFont.load_default(28)
    for row, line in enumerate(lines):
        drawing.text((40, 20 + 48 * row), line, "black", font)
    (folder / "images" / "port").mkdir(parents=True)
    page.save(folder / "images" / "port" / "pier.png")
    return folder


def write_scans(folder: Path) -> Path:
    """Two receipts as images with boxes of their lines."""
    font = ImageFont.load_default(28)
    (folder / "images").mkdir()
    (folder / "boxes").mkdir()
    for number in range(2):
        page, boxes = Image.new("L", (420, 420), "white"), []
        for row in range(6):
            text, corner = f"ITEM {row} COSTS {number}.{row}0", (40, 30 + 56 * row)
            ImageDraw.Draw(page).text(corner, text, "black", font)
            boxes.append([*corner, round(font.getlength(text)), 30, text])
        page.save(folder / "images" / f"{number}.png")
        (folder / "boxes" / f"{number}.json").write_text(json.dumps(boxes))
    return folder


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    root = tmp_path_factory.mktemp("benchmarks")
    write_data(root / "data")
    given = Inputs(*(root / name for name in ("data", "clean", "draws", "validity", "out")))
    settings = [
        "dataset.kind=ohrbench",
        f"dataset.path={given.base}",
        f"dataset.questions={given.questions}",
        f"cache={root / 'cache'}",
        "workers=1",
        "bootstrap=100",
    ]
    run_study(load_config([*settings, "engines=[gt,precomputed:MinerU]"]), given.clean)
    noise = ["engines=[gt]", "noise=[formatting]", "seeds=[0,1,2,3]", "stages=[ocr,retrieval]"]
    run_study(load_config([*settings, *noise, "intensities=[0.3,0.6,1]"]), given.draws)
    for name in ("given", "made"):
        shutil.copytree(given.clean, given.validity / name)
    return given


def test_no_benchmark_is_forgotten() -> None:
    assert sorted({*SMALLEST, *WITHOUT_SIZE}) == NAMES
    assert SMALLEST.keys().isdisjoint(WITHOUT_SIZE)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in sorted(SMALLEST)],
)
def test_it_runs_at_its_smallest_size(
    name: str,
    inputs: Inputs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if name in {"sample_ocr", "ocr_cost", "scan_fit"} and not shutil.which("tesseract"):
        pytest.skip("Tesseract is not installed")
    if name == "reference_cost":
        pytest.importorskip("nltk")
        pytest.importorskip("rank_bm25")
    given = Inputs(inputs.data, inputs.clean, inputs.draws, inputs.validity, tmp_path)
    module = importlib.import_module(f"benchmarks.{name}")
    monkeypatch.setattr(sys, "argv", [name, *SMALLEST[name](given)])
    with mock.patch.dict(os.environ, {"PYTHONPATH": str(ROOT)}):
        module.main()
    assert capfd.readouterr().out.strip()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("tesseract"), reason="Tesseract is not installed")
def test_ocr_cost_measures_no_page_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["ocr_cost", *SMALLEST["ocr_cost"](_inputs(tmp_path))])
    ocr_cost.main()
    first, rows = capsys.readouterr().out, (tmp_path / "rows.jsonl").read_text()
    assert rows.count('"recall": 1.0') == rows.count("\n") == 2
    assert "| block |" in first
    assert "| 1.0000 | +0.0000 | 0, 0 |" in first
    monkeypatch.setattr(ocr_cost, "read_measured", None)
    ocr_cost.main()
    assert capsys.readouterr().out == first
    assert (tmp_path / "rows.jsonl").read_text() == rows


def _inputs(out: Path) -> Inputs:
    return Inputs(out, out, out, out, out)


def test_ocr_cost_counts_words_as_often_as_they_are_there() -> None:
    assert ocr_cost.word_recall("b B a", r"\textbf{A} b b b") == 0.75
    with pytest.raises(DatasetError, match="no page has both a text and an image"):
        ocr_cost.page_texts(ROOT / "nowhere", None)


@pytest.mark.parametrize("name", sorted(WITHOUT_SIZE))
def test_one_that_does_not_run_here_can_be_imported(name: str) -> None:
    module = importlib.import_module(f"benchmarks.{name}")
    assert module.__doc__, "says what it measures"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("tesseract"), reason="Tesseract is not installed")
def test_scan_fit_reads_no_page_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["scan_fit", *SMALLEST["scan_fit"](_inputs(tmp_path)), "--test"]
    monkeypatch.setattr(sys, "argv", [*arguments, "--half", "fit", "--intensities", "1"])
    scan_fit.main()
    first = capsys.readouterr().out
    assert "| scan |" in first
    assert "| scan 1 |" in first
    monkeypatch.setattr(_scan_pages, "read_with", None)
    scan_fit.main()
    assert capsys.readouterr().out == first


def test_a_weighting_of_pages_is_a_narrower_distribution() -> None:
    rng = np.random.default_rng(0)
    wide, own = scan_fit.WIDE["printer"], scan_fit.Strength(0.3, 0.7, 2.0)
    strengths = rng.uniform(wide.low, wide.high, 40_000)
    weights = scan_fit.density(strengths, own, wide)
    assert weights.mean() == pytest.approx(1, abs=0.03)
    drawn = own.low + (own.high - own.low) * rng.random(40_000) ** own.power
    assert scan_fit.weighted_ks(strengths, weights, drawn) < 0.04
    assert scan_fit.weighted_ks(strengths, np.ones(40_000), drawn) > 0.2
