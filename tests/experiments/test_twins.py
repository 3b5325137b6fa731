"""``ohr dataset twins``: what it writes, prints and refuses, from the command line."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import Result

from experiments.dataset_twins import main
from ohr.study.config import load_config
from ohr.study.loading import load_dataset
from tests.builders import CliRunner

LINES = [
    [60, 20, 280, 30, "HARBOUR STORES"],
    [20, 80, 120, 24, "2 X ROPE"],
    [300, 81, 80, 22, "18.40"],
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def receipts(tmp_path: Path) -> Path:
    """Two receipts, one of them without lines, and a question on each."""
    folder = tmp_path / "receipts"
    for name, lines in (("001", LINES), ("002", [])):
        for part in ("images/receipt", "boxes"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        Image.new("L", (400, 300), 255).save(folder / "images" / "receipt" / f"{name}.jpg")
        (folder / "boxes" / f"{name}.json").write_text(json.dumps(lines))
    entry = {
        "questions": "What does the rope cost?",
        "answers": "18.40",
        "doc_type": "receipt",
        "answer_form": "Numeric",
        "evidence_source": "text",
        "evidence_context": "2 X ROPE 18.40",
        "evidence_page_no": 0,
    }
    questions = [
        entry | {"ID": f"{name}-rope", "doc_name": f"receipt/{name}"} for name in ("001", "002")
    ]
    (folder / "qas.json").write_text(json.dumps(questions))
    return folder


def options(folder: Path) -> list[str]:
    return [
        "dataset.kind=sroie",
        f"dataset.path={folder}",
        f"dataset.questions={folder / 'qas.json'}",
    ]


def test_the_command_draws_counts_and_prints_the_two_studies(
    receipts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "my twins"
    result = run(*options(receipts), "--out", out)
    assert result.exit_code == 0, result.output
    printed = result.stdout
    assert "1 page drawn, 1 with a text layer that equals the transcription" in printed
    assert "1 document left out:\n  receipt/002: it has no transcribed lines" in printed
    assert "1 question left out:\n  002-rope: a page of its evidence has no twin" in printed
    *_, scans, drawn, compare = printed.splitlines()
    ids = []
    for study in (scans, drawn):
        words = shlex.split(study)
        assert words[:3] == ["ohr", "run", "ocr-benchmark"]
        given = words[3 : words.index("--out")]
        ids.append([question.qid for question in load_dataset(load_config(given)).questions])
    assert ids == [["001-rope", "002-rope"], ["001-rope"]]
    assert compare == "ohr analyse compare runs/twins runs/scans"

    again = run(*options(receipts), "--out", out)
    assert again.exit_code == 0
    assert again.stdout == f"the twins are already in {out}\n{printed}"


def test_another_dpi_and_another_folder_are_refused(receipts: Path, tmp_path: Path) -> None:
    out = tmp_path / "twins"
    assert run(*options(receipts), "--out", out).exit_code == 0
    other = run(*options(receipts), "dpi=200", "--out", out)
    assert other.exit_code == 2
    assert "holds no twins of this dataset with these options" in other.stderr
    own = [f"dataset.path={out / 'retrieval_base'}", f"dataset.questions={out / 'qas.json'}"]
    plain = run("dataset.kind=ohrbench", *own, "--out", tmp_path / "plain")
    assert plain.exit_code == 2
    assert "no page of the dataset (ohrbench) has transcribed lines" in plain.stderr


@pytest.mark.slow
def test_five_real_receipts_have_equal_layers(data_dir: Path, tmp_path: Path) -> None:
    real = data_dir / "receipts"
    if not real.is_dir():
        pytest.skip("no receipts in the data folder")
    folder = tmp_path / "receipts"
    for part in ("images/receipt", "boxes"):
        (folder / part).mkdir(parents=True)
    names = [path.stem for path in sorted((real / "boxes").glob("*.json"))][::47][:5]
    for name in names:
        for file in (f"images/receipt/{name}.jpg", f"boxes/{name}.json"):
            os.symlink(real / file, folder / file)
    questions = json.loads((real / "qas.json").read_text("utf-8"))
    asked = [entry for entry in questions if entry["doc_name"].split("/")[-1] in names]
    (folder / "qas.json").write_text(json.dumps(asked))
    result = run(*options(folder), "--out", tmp_path / "twins")
    assert result.exit_code == 0, result.output
    assert "5 pages drawn, 5 with a text layer that equals" in result.stdout
    assert f"5 documents, {len(asked)} questions" in result.stdout
