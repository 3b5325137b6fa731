from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from ohr.study.results import StudyRun, open_run
from ohr.study.run import run_study
from tests.builders import load_config, qa, write_corpus, write_kb, write_pdf, write_questions
from tests.conftest import WriteOnce

METRICS = ("r_noise", "evidence_lcs", "lcs", "f1", "f1_no_context")
READERS = "readers=[tests.fakes.FactReader,tests.fakes.SteadyReader]"

DAMAGED = {
    f"{'law' if d % 2 else 'manual'}/doc{d}": [
        "Rubbish."
        if (d + page) % 3 == 0
        else "\n".join(
            f"Fact {n} is answer {n}." for n in (1000 * d + 10 * page + i for i in (0, 1))
        )
        for page in range(2)
    ]
    for d in range(12)
}
"""The pages of ``corpus``, every third one misread."""


def run(path: Path, *settings: str) -> None:
    """Run a study."""
    run_study(load_config(settings), path)


def corpus(root: Path) -> list[str]:
    """Twelve documents of two pages, questions on several evidence sources."""
    settings = write_corpus(root, documents=12, pages=2)
    sources = ("text", "table", "formula", "chart", "reading_order")
    entries = [
        qa(number, doc_id, page, evidence_source=sources[(d + number) % 5])
        for d in range(12)
        for doc_id in [f"{'law' if d % 2 else 'manual'}/doc{d}"]
        for page in range(2)
        for number in (1000 * d + 10 * page, 1000 * d + 10 * page + 1)
    ]
    write_questions(root / "qas.json", entries)
    return settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two PDFs, one in a folder of its own."""
    source = tmp_path / "in"
    write_pdf(source / "report.pdf", 9)
    (source / "law").mkdir()
    write_pdf(source / "law" / "act.pdf", 3)
    return source


@pytest.fixture(scope="session")
def seed_runs(write_once: WriteOnce) -> tuple[StudyRun, StudyRun]:
    """Formatting noise on the ground truth under two seeds, two readers."""

    def write(root: Path) -> None:
        settings = [*corpus(root), "engines=[gt]", READERS, "bootstrap=100"]
        settings.append("noise=[{name: tests.fakes.HideFacts, label: formatting}]")
        for n in (0, 1):
            run(root / f"seed{n}", *settings, f"seed={n}", f"seeds={n}")

    root = write_once("formatting", write)
    return open_run(root / "seed0"), open_run(root / "seed1")


@pytest.fixture(scope="session")
def formatting_run(seed_runs: tuple[StudyRun, StudyRun]) -> StudyRun:
    """Formatting noise on the ground truth, two readers."""
    return seed_runs[0]


@pytest.fixture(scope="session")
def systems_run(formatting_run: StudyRun) -> StudyRun:
    """As if two whole systems had been asked beside the built-in one: each reader's answers."""
    drawn = formatting_run.drawn
    parts = [drawn]
    for number, reader in enumerate(dict.fromkeys(name for name in drawn["reader"] if name)):
        answers = drawn[(drawn["stage"] == "overall") & (drawn["reader"] == reader)]
        nothing = {"chunker": "", "retriever": "", "reader": "", "top_k": pd.NA}
        parts.append(answers.assign(system=f"whole{number}", **nothing))
    return StudyRun(
        formatting_run.path, formatting_run.manifest, formatting_run.cells
    ).cache_values(drawn=pd.concat(parts, ignore_index=True).astype({"top_k": "Int64"}))


@pytest.fixture(scope="session")
def semantic_run(seed_runs: tuple[StudyRun, StudyRun]) -> StudyRun:
    """As if two engines had read distorted pages: each seed's noise is one of them."""
    parts = []
    for run, engine in zip(seed_runs, ("tesseract", "other"), strict=True):
        rows = run.drawn.assign(engine=engine, seed=0, draw=0)
        noisy = rows["noise"] != "none"
        kinds = {"noise": "semantic", "perturbation": "semantic"}
        for column, name in kinds.items():
            rows[column] = rows[column].where(~noisy, name)
        parts.append(rows[rows["metric"].isin(METRICS)])
    first = seed_runs[0]
    return StudyRun(first.path, first.manifest, first.cells).cache_values(
        drawn=pd.concat(parts, ignore_index=True)
    )


@pytest.fixture(scope="session")
def benchmark_runs(write_once: WriteOnce) -> tuple[StudyRun, StudyRun]:
    """The ground truth and another's knowledge base, under one chunk and under two."""

    def write(root: Path) -> None:
        settings = [*corpus(root), READERS, "engines=[gt,precomputed:theirs]", "bootstrap=100"]
        write_kb(root / "kb" / "theirs", DAMAGED)
        run(root / "one", *settings, "top_k=1")
        run(root / "two", *settings)

    root = write_once("benchmark", write)
    return open_run(root / "one"), open_run(root / "two")
