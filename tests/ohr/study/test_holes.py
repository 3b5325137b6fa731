"""What a study scores where the truth has holes, and what it says of them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import typst

from ohr.collection import Dataset
from ohr.datasets.folder import Folder
from ohr.study.loading import load_dataset
from ohr.study.notices.assessed import not_assessed_lines
from ohr.study.notices.truth import count_holes, truth_lines
from ohr.study.plan import make_plan
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.types import Holes, Outcome, PageRef
from tests.builders import load_config
from tests.fakes import LoggingEngine
from tests.ohr.study.test_truth import HEADER, Lines, value

PAGES = ("Sales were 12 euros in the year.", "The deposit is 900 crowns.", "The barge was sold.")
UNORDERED, DOUBTFUL, KNOWN = (PageRef("documents/own", number) for number in range(3))
CSV = (
    "How much?,12 euros,own,1,Sales were 12 euros\n"
    "How high is the deposit?,900 crowns,own,2,The deposit is 900 crowns.\n"
    "What was sold?,the barge,own,3,The barge was sold.\n"
)
READ = ("in the year. Sales were 12 euros", "The deposit is 9OO crowns.", "The barge was sold.")


class Holed(Folder):
    """A folder whose first page has no known order, and its second a doubtful word."""

    name = "holed"

    def load(self) -> Dataset:
        dataset = super().load()
        text = dataset.pages[DOUBTFUL].text
        start = text.index("900")
        dataset.holes = {
            UNORDERED: Holes(order_known=False, covered=0.97),
            DOUBTFUL: Holes(doubtful=((start, start + 3),)),
        }
        return dataset


class Other(LoggingEngine):
    """Reads the first page in another order, and the doubtful word in its own way."""

    name = "other"

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        return Outcome.of_text(READ[page_no])


@pytest.fixture(scope="module")
def lease() -> bytes:
    return typst.compile("\n#pagebreak()\n".join(PAGES).encode(), format="pdf")


def study(root: Path, lease: bytes, *settings: str, kind: str = f"{__name__}.Holed") -> list[str]:
    own = root / "own"
    own.mkdir(exist_ok=True)
    (own / "own.pdf").write_bytes(lease)
    (own / "q.csv").write_text(HEADER + CSV)
    return [
        *(f"dataset.kind={kind}", f"dataset.path={own}", f"dataset.questions={own / 'q.csv'}"),
        f"engines=[pdf_text,{{name: {__name__}.Other, label: other}}]",
        *(f"cache={root / 'cache'}", "bootstrap=100", "dpi=30", *settings),
    ]


@pytest.mark.slow
def test_a_study_scores_what_is_known_and_says_how_much(tmp_path: Path, lease: bytes) -> None:
    said = Lines()
    run = run_study(load_config(study(tmp_path, lease)), tmp_path / "run", progress=said)
    for metric in ("edit_distance", "cer", "wer"):
        assert value(run.cells, "other", "ocr", metric) == (0, 2)
    assert value(run.cells, "other", "ocr", "word_f1") == (1, 3)
    # Evidence in a hole is not compared; finding its page is, and so is the answer.
    assert value(run.cells, "other", "ocr", "r_noise")[1] == 1
    assert value(run.cells, "other", "retrieval", "lcs")[1] == 1
    assert value(run.cells, "other", "retrieval", "hit@2")[1] == 3
    assert value(run.cells, "other", "overall", "f1")[1] == 3
    assert not run.missing
    holes = json.loads((tmp_path / "run" / "manifest.json").read_text())["dataset"]["truth_holes"]
    assert holes == {
        "incomplete": 0,
        "order_unknown": 1,
        "words": 16,
        "doubtful_words": 1,
        "ink_covered": 0.99,
        "questions_in_doubt": 2,
    }
    opened = open_run(tmp_path / "run", trust_code=True)
    assert opened.plan.units.doubtful_questions.keys() == {"line-2", "line-3"}
    assert (
        "truth: the text layer of the PDFs, not ground truth; usable on all 3 pages; order unknown "
        "on 1 page (only metrics without order, such as word_f1, are scored there); 1 of 16 words "
        "doubtful (left out)"
    ) in said.lines


class Cut(Folder):
    """A folder whose third page shows more text than its layer has, such as a table's picture."""

    name = "cut"

    def load(self) -> Dataset:
        dataset = super().load()
        dataset.holes = {KNOWN: Holes(covered=0.7)}
        return dataset


@pytest.mark.slow
def test_output_is_not_compared_with_a_truth_that_lacks_text(tmp_path: Path, lease: bytes) -> None:
    said = Lines()
    config = load_config(study(tmp_path, lease, kind=f"{__name__}.Cut"))
    run = run_study(config, tmp_path / "run", progress=said)
    for metric in ("edit_distance", "cer", "wer"):
        assert value(run.cells, "other", "ocr", metric)[1] == 2
    assert value(run.cells, "other", "ocr", "r_noise")[1] == 3  # its evidence is in the layer
    assert (
        "truth: the text layer of the PDFs, not ground truth; usable on all 3 pages; on 1 page it "
        "lacks text that the page shows (only questions are scored there)"
    ) in said.lines


@pytest.mark.slow
def test_the_reference_protocol_leaves_the_same_out(tmp_path: Path, lease: bytes) -> None:
    config = load_config(study(tmp_path, lease, "scoring=reference", "stages=[ocr]"))
    cells = run_study(config, tmp_path / "run", progress=Lines()).cells
    assert value(cells, "other", "ocr", "edit_distance") == (0, 2)
    assert value(cells, "other", "ocr", "word_f1") == (1, 3)
    assert value(cells, "other", "ocr", "r_noise")[1] == 1


@pytest.mark.slow
def test_without_holes_nothing_is_added(tmp_path: Path, lease: bytes) -> None:
    config = load_config(study(tmp_path, lease, kind="folder"))
    plan = make_plan(config, load_dataset(config))
    assert plan.units.doubtful_questions == {}
    assert "word_f1" not in plan.metrics
    assert count_holes(plan) == {}
    assert truth_lines(plan) == [
        "truth: the text layer of the PDFs, not ground truth; usable on all 3 pages"
    ]


def test_a_metric_without_order_can_be_named_anywhere(tmp_path: Path, lease: bytes) -> None:
    config = load_config(study(tmp_path, lease, "metrics=[word_f1]", kind="folder"))
    plan = make_plan(config, load_dataset(config))
    assert [info.metric for info in plan.metric_infos] == ["word_f1"]


def test_the_console_names_the_questions_in_doubt(tmp_path: Path, lease: bytes) -> None:
    config = load_config(study(tmp_path, lease))
    plan = make_plan(config, load_dataset(config))
    assert list(map(plan.units.has_evidence, plan.questions)) == [False, False, True]
    (line,) = not_assessed_lines(plan)
    assert line.startswith("not assessed: r_noise, r_noise_content, ")
    assert "of 2 of 3 questions: the order of the words on its page is not known" in line


def test_a_page_of_which_nothing_is_known_is_not_scored(tmp_path: Path, lease: bytes) -> None:
    config = load_config(study(tmp_path, lease, "stages=[ocr]"))
    dataset = load_dataset(config)
    length = len(dataset.pages[KNOWN].text)
    dataset.holes = {KNOWN: Holes(doubtful=((0, length),))}
    assert dataset.order_known
    plan = make_plan(config, dataset)
    from ohr.metrics.scores import SCORING
    from ohr.ocr.progress import Silent
    from ohr.plugins.metric import PageCase
    from ohr.scoring.answers import Answering
    from ohr.scoring.cases import Cases
    from ohr.store.artefacts import ArtefactStore
    from ohr.study.conditions import condition_of
    from ohr.study.scoring.measuring import Measuring
    from ohr.types import Status

    store = ArtefactStore(config.cache)
    measuring = Measuring(plan, Answering(store, False, Silent(), None), store)
    cases = [PageCase("5", "5", SCORING["default"]) for _ in plan.reread]
    statuses = [Status.OK] * 3
    condition = condition_of(plan, plan.variants[0]).restricted("ocr")
    cases = Cases("page", cases, statuses, [False] * 3)
    scores = measuring.scores(condition, "ocr", cases)
    for score in scores:
        assert [math.isnan(value) for value in score.values] == [False, False, True]
