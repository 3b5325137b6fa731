"""A model of OCR errors, fitted and used from the command line."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from experiments.fit_errors import main
from experiments.perturb_text import main as perturb_text
from ohr.ocr_errors.model import read_model
from tests.builders import qa, write_kb, write_questions

WORDS = (
    "pump cover valve motor engine filter pressure manual service report region revenue tenant "
    "landlord premises contract payment interest quarter segment customer product machine sensor"
).split()


def text(number: int) -> str:
    return " ".join(f"{WORDS[(number * 7 + i * 5) % 24]}{i % 9}" for i in range(120))


def read(number: int) -> str:
    """As an engine read it: a run of words is lost, some characters are others."""
    words = text(number).split()
    first = 10 + 3 * number
    return " ".join([*words[:first], *(w.replace("e", "c") for w in words[first + 8 :])])


@pytest.fixture
def folders(tmp_path):
    kb = tmp_path / "kb"
    names = [f"law/d{i}" for i in range(6)]
    write_kb(kb / "gt", {name: [text(2 * i), text(2 * i + 1)] for i, name in enumerate(names)})
    write_kb(kb / "engine", {name: [read(2 * i), read(2 * i + 1)] for i, name in enumerate(names)})
    questions = [qa(i, name, 0) for i, name in enumerate(names)]
    write_questions(tmp_path / "qas.json", questions)
    return kb


def invoke(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_model_is_fitted_checked_and_used(folders, tmp_path):
    out = tmp_path / "out" / "model.json"
    done = invoke(
        folders / "gt", folders / "engine", "--out", out, "--questions", tmp_path / "qas.json"
    )
    assert done.exit_code == 0, done.output
    model = read_model(str(out))
    assert model.provenance.engine == "engine"
    assert model.provenance.pages == 12
    assert model.check.verdicts[0].group == "all"
    table = pd.read_csv(out.parent / "model_check.csv")
    assert list(table["kind"]) == ["real", "learned", "bunched rubbish", "uniform"]
    assert (table["edit_distance"] - table["edit_distance"][0]).abs().max() < 0.05
    assert (out.parent / "model_check.png").exists()
    for line in ("moved, not counted as errors", "discriminator", "fits a group if"):
        assert line in done.output

    noisy = tmp_path / "noisy"
    settings = [
        "dataset.kind=ohrbench",
        f"dataset.path={folders}",
        f"dataset.questions={tmp_path / 'qas.json'}",
        f"noise=[{{name: ocr_errors, label: mine, params: {{model: '{out}'}}}}]",
        "intensities=[0.1]",
    ]
    done = CliRunner().invoke(perturb_text, [*settings, "--out", str(noisy)])
    assert done.exit_code == 0, done.output
    manifest = json.loads((noisy / "manifest.json").read_text("utf-8"))
    (entry,) = manifest["knowledge_bases"].values()
    assert entry["changed"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gt"], "cannot|no|is"),
        (["gt", "engine", "gt"], "give one finished run, or two folders"),
        (["gt", "none"], "no folder of a precomputed knowledge base"),
    ],
)
def test_other_sources_are_refused_in_one_line(folders, tmp_path, arguments, message):
    done = invoke(*(folders / name for name in arguments), "--out", tmp_path / "m.json")
    assert done.exit_code != 0
    assert message.split("|")[0] in done.output or "error" in done.output
    assert "Traceback" not in done.output
