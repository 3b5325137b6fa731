"""What noise leaves of documents' structure, from the command line."""

import pandas as pd
import pytest

from experiments.structure import main
from tests.builders import CliRunner, qa, write_kb, write_questions

PAGE = (
    "# Report {n}\n\n## Costs\n\nTable 1: Costs by year\n\n"
    "| Year | Cost |\n| - | - |\n| 2020 | 14 |\n\nText."
)


@pytest.fixture
def settings(tmp_path):
    kb = tmp_path / "kb"
    truth = {f"law/doc{n}": [PAGE.format(n=n), "## Aims\n\nMore."] for n in range(4)}
    write_kb(kb / "gt", truth)
    read = {
        name: [text.replace("## Costs", "## ") for text in texts] for name, texts in truth.items()
    }
    write_kb(kb / "engine", read)
    write_questions(tmp_path / "qas.json", [qa(n, f"law/doc{n}", 0) for n in range(4)])
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={kb}",
        f"dataset.questions={tmp_path / 'qas.json'}",
        f"cache={tmp_path / 'cache'}",
        "workers=1",
    ]


@pytest.mark.slow
def test_what_is_left_of_each_document(settings, tmp_path):
    out = tmp_path / "out"
    arguments = [*settings, "engines=[gt,precomputed:engine]", "--out", out]
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    assert "comparing gt, clean: 4/4 documents" in result.stderr
    assert "4 documents of 8 pages with 12 headings, 4 tables, 4 captions" in result.output
    summary = pd.read_csv(out / "structure.csv").set_index(["engine", "measure"])["mean"]
    assert summary["gt"].drop("tree_distance").eq(1).all()
    assert summary["gt"]["tree_distance"] == 0
    engine = summary["precomputed:engine"]
    assert engine["heading_recall"] == pytest.approx(2 / 3)
    assert engine["table_recall"] == engine["caption_recall"] == 1
    assert 0 < engine["tree_distance"] < 0.3
    documents = pd.read_csv(out / "structure_documents.csv")
    assert len(documents) == 8
    assert (out / "figures" / "structure.png").exists()


@pytest.mark.slow
def test_a_page_that_is_missing_has_no_structure(settings, tmp_path):
    kb = tmp_path / "kb"
    write_kb(kb / "partial", {f"law/doc{n}": [PAGE.format(n=n)] for n in range(4)})
    out = tmp_path / "out"
    arguments = [*settings, "engines=[precomputed:partial]", "--out", out]
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert (out / "structure.csv").exists(), result.output
    summary = pd.read_csv(out / "structure.csv").set_index("measure")["mean"]
    assert summary["heading_recall"] == pytest.approx(2 / 3)
    assert summary["heading_precision"] == 1


@pytest.mark.slow
def test_a_measure_that_no_reading_has_leaves_its_panel_empty(settings, tmp_path):
    without = PAGE.replace("Table 1: Costs by year", "")
    write_kb(tmp_path / "kb" / "bare", {f"law/doc{n}": [without.format(n=n)] for n in range(4)})
    out = tmp_path / "out"
    arguments = [*settings, "engines=[precomputed:bare]", "--out", out]
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert (out / "figures" / "structure.png").exists(), result.output
    summary = pd.read_csv(out / "structure.csv").set_index("measure")["mean"]
    assert summary["caption_recall"] == 0
    assert pd.isna(summary["caption_precision"])


@pytest.mark.slow
def test_questions_without_evidence_are_not_hit_by_noise(settings, tmp_path):
    asked = [qa(0, "law/doc0", 0, evidence_context="Costs by year")]
    write_questions(tmp_path / "qas.json", [*asked, qa(1, "law/doc1", 0, evidence_context="")])
    out = tmp_path / "out"
    arguments = [*settings, "engines=[gt]", "--out", out]
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    assert pd.read_csv(out / "structure.csv")["r_noise"].eq(0).all()
