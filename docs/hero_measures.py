"""What the first picture of the README shows: scores, answers and the example, from kept runs."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from attainable import attainable_f1
from claim_studies import RECEIPTS, TWINS
from make_scan_pictures import RECEIPT, SIZE
from results_table import Study

from ohr.datasets.line_boxes import text_of_rows
from ohr.ocr.worker import PageTask, distort, page_image
from ohr.sample.typesetting.twin import twin_pdf
from ohr.statistics import Clusters, Paired, compare_family, mean_interval
from ohr.study.results import StudyRun, rows_of
from ohr.types import Line, PageRef

if TYPE_CHECKING:
    pass

READER = (
    '"readers=[{name: transformers, label: language model, '
    'params: {model: $M, dtype: bfloat16, max_new_tokens: 32}}]"'
)
NAMED = '"dataset.documents=$N"'
OF_TEXT = '"engines=[gt,tesseract,rapidocr]" "stages=[ocr,retrieval]" top_k=1'
OF_ANSWERS = f'"engines=[gt,tesseract]" "stages=[retrieval,generation,overall]" top_k=1 {READER}'
INVENTED = (
    "dataset.kind=ohrbench dataset.path=$I/retrieval_base dataset.questions=$I/qas.json "
    "dataset.pdfs=$I/pdfs"
)
STUDIES = (
    Study("hero_scans", f"ocr_benchmark {RECEIPTS} {NAMED} {OF_TEXT}"),
    Study(
        "hero_twins",
        f'noise_curve {TWINS} {NAMED} {OF_TEXT} "noise=[scan,camera]" "intensities=[1]" seeds=0',
    ),
    Study("hero_answers_scans", f"ocr_benchmark {RECEIPTS} {NAMED} {OF_ANSWERS}"),
    Study("hero_answers_twins", f"ocr_benchmark {TWINS} {NAMED} {OF_ANSWERS}"),
    Study(
        "hero_example",
        f'noise_curve {INVENTED} "engines=[gt,tesseract]" "noise=[scan]" "intensities=[1]" '
        f'"seeds=[0,1,2,3,4,5]" "stages=[ocr,retrieval,generation]" top_k=1 {READER}',
    ),
)
"""``$T`` are the twins of the receipts, ``$N`` 80 of them, ``$I`` the invented receipt,
``$M`` the file of the language model."""

ENGINES = {"tesseract": "Tesseract", "rapidocr": "RapidOCR"}
CONDITIONS = (
    ("perfect\ntext", "twins", "gt, clean"),
    ("clean\nPDF", "twins", "{engine}, clean"),
    ("scan*", "twins", "{engine}, scan 1"),
    ("real\nscan", "scans", "{engine}, clean"),
    ("photo*", "twins", "{engine}, camera 1"),
)
"""Label, run and knowledge base of each condition of the lower right panel."""
REAL_SCAN = 3
STAGES = (
    ("Evidence retrieved", "retrieval", "lcs", ""),
    ("Answers, right page given", "generation", "f1", "answers_"),
    ("Answers, whole system", "overall", "f1", "answers_"),
)
"""Label, stage, metric and the runs' prefix of the three bars."""
SHOP = "the receipt of NORTH PIER CHANDLERS"
QUESTIONS = (
    ("total", f"What is the total amount of {SHOP} dated 14/09/2018?", "53.05", "TOTAL GBP 53.05"),
    ("rope", f"What does the rope on {SHOP} cost?", "31.40", "ROPE 8MM X 20M 31.40"),
    ("change", f"How much change does {SHOP} give?", "6.95", "CHANGE 6.95"),
    ("oil", f"What does the lamp oil on {SHOP} cost?", "8.90", "LAMP OIL 1L 8.90"),
    ("shackle", f"What does the shackle on {SHOP} cost?", "12.75", "SHACKLE D 10MM 12.75"),
)
CROP = (20, 176, 402, 322)
"""Left, top, right and bottom of what is shown of the invented receipt, in pixels."""


def write_invented(folder: Path) -> Path:
    """The invented receipt as a data set of one document, with its questions."""
    name = "receipt/invented"
    lines = [Line(text, (x, y, x + width, y + height)) for x, y, width, height, text in RECEIPT]
    page = folder / "retrieval_base" / "gt" / f"{name}.json"
    pdf = folder / "pdfs" / f"{name}.pdf"
    for path in (page, pdf):
        path.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(json.dumps([{"page_idx": 0, "text": text_of_rows(lines)}]), "utf-8")
    pdf.write_bytes(twin_pdf(lines, SIZE, 150))
    questions = [
        {
            "doc_name": name,
            "ID": qid,
            "questions": question,
            "answers": answer,
            "doc_type": "receipt",
            "answer_form": "Numeric",
            "evidence_source": "table",
            "evidence_context": evidence,
            "evidence_page_no": 0,
            "is_extra_qa": False,
        }
        for qid, question, answer, evidence in QUESTIONS
    ]
    (folder / "qas.json").write_text(json.dumps(questions), "utf-8")
    return folder


def cases_of(run: StudyRun) -> dict[str, pd.DataFrame]:
    """The tables of the run's cases, by name."""
    with zipfile.ZipFile(run.path / "cases.zip") as archive:
        return {
            Path(name).stem: pd.read_parquet(io.BytesIO(archive.read(name)))
            for name in archive.namelist()
        }


def answers_in_text(run: StudyRun) -> pd.DataFrame:
    """Whether the first retrieved page has the answer, word for word, by case-folded tokens.

    One row per knowledge base and question: ``knowledge_base``, ``qid``, ``doc_id``, ``value``.
    No reader can copy an answer that is not there.
    """
    cases = cases_of(run)
    texts = cases["texts"].set_index("digest")["text"]
    pages = cases["pages"].set_index(["knowledge_base", "doc_id", "page_no"])["text"]
    questions = cases["questions"].set_index("qid")
    # Nothing found is a miss: every question counts under every condition.
    names = cases["hits"]["knowledge_base"].drop_duplicates()
    values = {(name, qid): 0.0 for name in names for qid in questions.index}
    for hit in cases["hits"][cases["hits"]["rank"] == 0].itertuples():
        digest = pages[hit.knowledge_base, hit.doc_id, hit.page_no]
        text = texts[digest][hit.start : hit.end] if isinstance(digest, str) else ""
        answers = [answer.casefold() for answer in questions.loc[hit.qid, "answers"]]
        is_there = attainable_f1([text.casefold()], answers) == 1
        values[hit.knowledge_base, hit.qid] = float(is_there)
    rows = [(*key, questions.loc[key[1], "doc_id"], value) for key, value in values.items()]
    return pd.DataFrame(rows, columns=["knowledge_base", "qid", "doc_id", "value"])


@dataclass(frozen=True)
class Point:
    """A share of 100 with its 95 % interval over documents."""

    value: float
    low: float
    high: float


def curves_of(in_text: Mapping[str, pd.DataFrame]) -> dict[str, list[Point]]:
    """The answers in the retrieved text, of 100 questions, by engine and condition."""
    curves: dict[str, list[Point]] = {}
    for engine in ENGINES:
        for _, run, base in CONDITIONS:
            name = base.format(engine=engine)
            rows = in_text[run][in_text[run]["knowledge_base"] == name]
            if rows.empty:
                raise SystemExit(f"{run}: no knowledge base {name}")
            clusters = Clusters.from_labels(rows["doc_id"].to_numpy(), rows["doc_id"].to_numpy())
            values = 100 * rows["value"].to_numpy()
            interval = mean_interval(values / 100, clusters, bounded=True)
            point = Point(float(values.mean()), 100 * interval.low, 100 * interval.high)
            curves.setdefault(engine, []).append(point)
    return curves


@dataclass(frozen=True)
class Bar:
    """What is left of a score on perfect text, in per cent, and where the rest went."""

    label: str
    remaining: float
    lost_clean: float
    lost_scan: float
    low: float
    high: float
    questions: int
    documents: int


def bars_of(runs: Mapping[str, StudyRun], engine: str = "tesseract") -> list[Bar]:
    """The three bars: paired over the questions; their intervals are one family."""
    pairs, means, sizes = [], [], []
    for _, stage, metric, prefix in STAGES:
        truth, clean, scan = (
            _scores(runs[f"{prefix}{run}"], stage, metric, name)
            for run, name in (("twins", "gt"), ("twins", engine), ("scans", engine))
        )
        shared = truth.index.intersection(clean.index).intersection(scan.index)
        documents = shared.get_level_values("doc_id").to_numpy()
        pairs.append(
            Paired(
                (scan[shared] - truth[shared]).to_numpy(),
                Clusters.from_labels(documents, documents),
            )
        )
        means.append([float(scores[shared].mean()) for scores in (truth, clean, scan)])
        sizes.append((len(shared), len(set(documents))))
    bars = []
    for stage, (truth, clean, scan), (questions, documents), loss in zip(
        STAGES, means, sizes, compare_family(pairs), strict=True
    ):
        share = 100 / truth
        bars.append(
            Bar(
                stage[0],
                share * scan,
                share * (truth - clean),
                share * (clean - scan),
                100 + share * loss.interval.low,
                100 + share * loss.interval.high,
                questions,
                documents,
            )
        )
    return bars


def _scores(run: StudyRun, stage: str, metric: str, engine: str) -> pd.Series:
    """The scores of an engine's clean pages, by question and document."""
    rows = rows_of(run.rows, stage, metric)
    rows = rows[(rows["engine"] == engine) & (rows["noise"] == "none")]
    return rows.set_index(["qid", "doc_id"])["value"].astype(float)


@dataclass(frozen=True)
class Example:
    """One question on the invented receipt, answered right until the page is scanned."""

    question: str
    answers: tuple[str, str, str]
    """From perfect text, the clean page and the scan."""
    images: tuple[np.ndarray, np.ndarray]
    read: str
    """OCR output of the scan."""
    expected: str


def example_of(run: StudyRun, folder: Path) -> Example:
    """The first draw of the noise and question with an answer that only the scan gets wrong.

    Raises SystemExit if there is none.
    """
    cases = cases_of(run)
    answers = cases["answers"][cases["answers"]["stage"] == "generation"]
    given = answers.set_index(["knowledge_base", "qid"])["text"].fillna("")
    noisy = sorted({name for name in given.index.get_level_values(0) if ", scan 1" in name})
    texts = cases["texts"].set_index("digest")["text"]
    pages = cases["pages"].set_index("knowledge_base")["text"]
    order = [qid for qid, *_ in QUESTIONS]
    questions = cases["questions"].set_index("qid").loc[order]
    for base in noisy:
        for qid, question in questions.iterrows():
            bases = ("gt, clean", "tesseract, clean", base)
            answers = [str(given[name, qid]).strip() for name in bases]
            right = [answer in question["answers"] for answer in answers]
            if right == [True, True, False] and answers[2]:
                seed = int(base.rpartition("seed ")[2]) if "seed" in base else 0
                return Example(
                    question=str(question["text"]),
                    answers=(answers[0], answers[1], answers[2]),
                    images=(
                        _page(run, folder, 0.0, seed),
                        _page(run, folder, 1.0, seed),
                    ),
                    read=str(texts[pages[base]]),
                    expected=str(texts[pages["gt, clean"]]),
                )
    raise SystemExit("no answer is right until the page is scanned")


def _page(run: StudyRun, folder: Path, intensity: float, seed: int) -> np.ndarray:
    """The page as the run's engine was given it."""
    [noise] = run.config.noise
    ref = PageRef("receipt/invented", 0)
    path = folder / "pdfs" / f"{ref.doc_id}.pdf"
    operator = noise if intensity else None
    task = PageTask(ref, path, run.config.dpi, operator, intensity, seed, {})
    image, _ = distort(task, page_image(task))
    return image


def title_of(curves: Mapping[str, Sequence[Point]]) -> str:
    """The finding: what a real scan takes from the answers that perfect text has."""
    losses = {
        engine: round(points[0].value) - round(points[REAL_SCAN].value)
        for engine, points in curves.items()
    }
    (worst, most), (best, least) = sorted(losses.items(), key=lambda item: -item[1])
    return (
        f"OCR of scans hides {most} of 100 answers with {ENGINES[worst]}, "
        f"{least} with {ENGINES[best]}"
    )
