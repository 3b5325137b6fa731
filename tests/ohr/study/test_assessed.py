"""What a study of questions without evidence, or without a page, assesses and says."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
import typst

from ohr.analysis.attribution.table import left_out_line
from ohr.display.labels import shown_measures
from ohr.ocr.progress import Progress
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.results import StudyRun, open_run
from ohr.study.run import run_study
from ohr.study.scoring.ties import find_ties
from tests.builders import load_config, qa, write_kb, write_questions

PAGES = ("The lease runs for nine years.", "The deposit is 900 crowns.", "The barge was sold.")
SENTENCES = (
    "question,answer,document,page\n"
    "How high is the deposit?,The tenant hands over nine hundred of them when it begins.,lease,2\n"
    "How long does the lease run?,It runs for close to a decade from its first day on.,lease,p. 1\n"
)


class Lines(Progress):
    """Keeps what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture(scope="module")
def lease() -> bytes:
    return typst.compile("\n#pagebreak()\n".join(PAGES).encode(), format="pdf")


def study(root: Path, csv: str, *settings: str) -> list[str]:
    (root / "own").mkdir()
    (root / "own" / "q.csv").write_text(csv)
    return [
        *("dataset.kind=folder", f"dataset.path={root / 'own'}", "engines=[pdf_text]"),
        *(f"dataset.questions={root / 'own' / 'q.csv'}", f"cache={root / 'cache'}"),
        *("bootstrap=100", "dpi=30", *settings),
    ]


def run(root: Path, arguments: list[str]) -> tuple[StudyRun, list[str]]:
    said = Lines()
    return run_study(load_config(arguments), root / "run", progress=said), said.lines


def counts(cells: pd.DataFrame) -> dict[str, int]:
    whole = cells[cells["group"] == "all"]
    names = whole["stage"] + " " + whole["metric"]
    return dict(zip(names, whole["n"].astype(int), strict=True))


@pytest.mark.slow
def test_answers_that_stand_on_no_page_are_measured_by_finding_it(
    tmp_path: Path, lease: bytes
) -> None:
    arguments = study(tmp_path, SENTENCES, "stages=[retrieval]")
    (tmp_path / "own" / "lease.pdf").write_bytes(lease)
    done, lines = run(tmp_path, arguments)
    assert [metric for _, metric, _ in shown_measures(done.cells)] == [
        "lcs", "hit@2", "mrr@2", "ndcg@2",
    ]  # fmt: skip
    assert counts(done.cells)["retrieval hit@2"] == 2
    assert not done.failed
    [line] = [line for line in lines if line.startswith("not assessed")]
    assert line.startswith("not assessed: lcs of 2 of 2 questions, which have no evidence; finding")


@pytest.mark.slow
def test_a_stage_without_any_value_is_a_failure(tmp_path: Path, lease: bytes) -> None:
    arguments = study(tmp_path, SENTENCES, "stages=[retrieval,overall]", "metrics=[lcs,f1]")
    (tmp_path / "own" / "lease.pdf").write_bytes(lease)
    done, _ = run(tmp_path, arguments)
    [line] = done.failed
    assert line.startswith("stage retrieval: nothing was assessed: no question has the page or ")
    assert line.endswith("add them to the data, or set stages=[overall]")
    assert open_run(done.path).failed == done.failed


@pytest.mark.slow
def test_a_question_without_a_page_is_asked_end_to_end_alone(tmp_path: Path, lease: bytes) -> None:
    csv = "question,answer,document,page\nHow high is the deposit?,a thousand crowns,lease,\n"
    arguments = study(tmp_path, f"{csv}How long does it run?,nine years,lease,1\n")
    (tmp_path / "own" / "lease.pdf").write_bytes(lease)
    done, lines = run(tmp_path, arguments)
    n = counts(done.cells)
    assert {name: n[name] for name in n if name.split()[0] in ("retrieval", "overall")} == {
        "retrieval lcs": 1, "retrieval page_not_found": 1, "retrieval text_missing": 1,
        "retrieval hit@2": 1, "retrieval mrr@2": 1, "retrieval ndcg@2": 1,
        "overall f1": 2, "overall em": 2, "overall rouge_l": 2, "overall refused": 2,
        # No accepted answer has a number in digits.
        "overall wrong_number": 0, "overall number_changed": 0, "overall misled": 0,
    }  # fmt: skip
    assert (n["ocr r_noise"], n["ocr edit_distance"]) == (1, 3)
    assert (n["generation f1"], n["generation f1_no_context"]) == (1, 2)
    assert (
        "not assessed: ocr, retrieval, generation of 1 of 2 questions, which name no page" in lines
    )
    assert left_out_line(done.plan) == "left out: 1 of 2 questions, without ground truth"
    assert not done.failed


@pytest.mark.slow
def test_questions_without_a_page_are_no_generation(tmp_path: Path, lease: bytes) -> None:
    csv = "question,answer,document,page\nHow high is the deposit?,a thousand crowns,lease,\n"
    arguments = study(tmp_path, csv, "stages=[generation,overall]", "retrievers=[bm25,oracle]")
    (tmp_path / "own" / "lease.pdf").write_bytes(lease)
    done, _ = run(tmp_path, arguments)
    [line] = done.failed
    assert line.startswith("stage generation: nothing was assessed")
    overall = done.cells[(done.cells["stage"] == "overall") & (done.cells["metric"] == "f1")]
    n = overall[overall["group"] == "all"].set_index("retriever")["n"]
    assert (n["bm25"], n["oracle"]) == (1, 0)


def test_questions_about_repeated_pages_are_counted(tmp_path: Path) -> None:
    texts = {"law/a": ["The deposit.", "One."], "law/b": ["The  deposit.\n", ""], "tax/c": ["One."]}
    write_kb(tmp_path / "gt", texts)
    entries = [qa(1, "law/a", 0), qa(2, "law/a", 1), qa(3, "law/b", 1), qa(4, "law/b", 0)]
    both = qa(5, "law/a", 0, doc_name=["a", "b"], doc_type="law", evidence_page_no=[0, 0])
    write_questions(tmp_path / "qas.json", [*entries, both])
    arguments = [
        *("dataset.kind=ohrbench", f"dataset.path={tmp_path}", "engines=[gt]", "bootstrap=100"),
        *(f"dataset.questions={tmp_path / 'qas.json'}", f"cache={tmp_path / 'cache'}"),
    ]
    done, lines = run(tmp_path, [*arguments, "stages=[retrieval]"])
    [line] = [line for line in lines if line.startswith("ties: ")]
    assert line.startswith("ties: 2 of 5 questions ask about a page whose text another page of ")
    assert "page 1 of law/a and page 1 of law/b" in line
    manifest = json.loads((done.path / "manifest.json").read_text())
    assert manifest["dataset"]["on_repeated_pages"] == 2
    for other in ("scope=document", "stages=[ocr]"):
        config = load_config([*arguments, other])
        assert not find_ties(make_plan(config, load_dataset(config)))
