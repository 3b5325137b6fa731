"""Makes the first picture of the README: what scanning costs, from page to answer.

``python docs/make_hero.py RUNS`` draws it from kept runs; with ``--data D --model M.gguf`` those
that are not there are made first (OCR takes 20 CPU minutes, the language model's answers two CPU
hours). Nothing is typed in: the title, too, is written from the figures. A real receipt may not be
shown, so the example is the invented one of ``docs/make_scan_pictures.py``.
"""

from __future__ import annotations

import argparse
import difflib
import io
import json
import textwrap
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from attainable import attainable_f1
from claims import RECEIPTS, TWINS, some_receipts
from make_scan_pictures import RECEIPT, SIZE
from results_table import Study

from ohr.datasets.line_boxes import text_of_rows
from ohr.figures.style import figure
from ohr.ocr.worker import PageTask, distort, page_image
from ohr.sample.typesetting.twin import twin_pdf
from ohr.statistics import Clusters, Paired, compare_family, mean_interval
from ohr.study.results import StudyRun, open_run, rows_of
from ohr.types import Line, PageRef

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = Path(__file__).resolve().parent / "pictures"
READER = (
    '"readers=[{name: transformers, label: language model, '
    'params: {model: $M, dtype: float32, max_new_tokens: 32}}]"'
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
    Study("hero_answers_scans", f'ocr_benchmark {RECEIPTS} "dataset.documents=$A" {OF_ANSWERS}'),
    Study("hero_answers_twins", f'ocr_benchmark {TWINS} "dataset.documents=$A" {OF_ANSWERS}'),
    Study(
        "hero_example",
        f'noise_curve {INVENTED} "engines=[gt,tesseract]" "noise=[scan]" "intensities=[1]" '
        f'"seeds=[0,1,2,3,4,5]" "stages=[ocr,retrieval,generation]" top_k=1 {READER}',
    ),
)
"""``$T`` are the twins of the receipts, ``$N`` 80 of them, ``$A`` the 40 with answers, ``$I`` the
invented receipt, ``$M`` the file of the language model."""

ENGINES = {"tesseract": "Tesseract", "rapidocr": "RapidOCR"}
CONDITIONS = (
    ("perfect\ntext", "twins", "gt, clean"),
    ("clean\nPDF", "twins", "{engine}, clean"),
    ("simulated\nscan", "twins", "{engine}, scan 1"),
    ("real\nscan", "scans", "{engine}, clean"),
    ("simulated\nphoto", "twins", "{engine}, camera 1"),
)
"""Label, run and knowledge base of each condition of the lower right panel."""
REAL_SCAN = 3
STAGES = (
    ("Evidence\nretrieved", "retrieval", "lcs", ""),
    ("Answers, right\npage given", "generation", "f1", "answers_"),
    ("Answers, whole\nsystem", "overall", "f1", "answers_"),
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


@dataclass(frozen=True)
class Look:
    """Colours on a light or on a dark ground; the ground itself is transparent."""

    name: str
    ink: str
    quiet: str
    line: str
    remaining: str
    lost_clean: str
    engines: Mapping[str, str]


LIGHT = Look(
    *("hero", "#1f2328", "#59636e", "#d1d9e0", "#0072B2", "#a8b1bb"),
    {"tesseract": "#C84E00", "rapidocr": "#00805E"},
)
DARK = Look(
    *("hero_dark", "#f0f6fc", "#9da7b3", "#3d444d", "#3391cf", "#636c76"),
    {"tesseract": "#ff8a3d", "rapidocr": "#3fc79a"},
)
CENTRED: Mapping[str, Any] = {"ha": "center", "va": "center"}
WIDTH, HEIGHT = 6.9, 5.0
"""Inches; at the 830 pixels of a README an inch has 120 pixels."""


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
            of_bases = tuple(str(given[name, qid]).strip() for name in bases)
            right = [answer in question["answers"] for answer in of_bases]
            if right == [True, True, False] and of_bases[2]:
                seed = int(base.rpartition("seed ")[2]) if "seed" in base else 0
                images = tuple(_page(run, folder, intensity, seed) for intensity in (0.0, 1.0))
                return Example(
                    *(str(question["text"]), of_bases, images),  # type: ignore[arg-type]
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
        f"Scanning hides {most} of 100 answers from {ENGINES[worst]}, {least} from {ENGINES[best]}"
    )


def draw(
    look: Look,
    curves: Mapping[str, Sequence[Point]],
    bars: Sequence[Bar],
    example: Example,
    sizes: tuple[int, int],
) -> Path:
    """Draw the picture on one ground. ``sizes``: receipts and questions."""
    with figure(WIDTH, HEIGHT) as fig:
        fig.set_layout_engine("none")
        _text(fig, 0, 4.97, title_of(curves), look.ink, 12.6, weight="bold")
        subject = f"{sizes[0]} receipts, {sizes[1]} questions"
        text = (
            f"{subject}: the same pages as clean PDF, scan and photo. One page is retrieved (BM25)."
        )
        _text(fig, 0, 4.68, text, look.quiet, 8)
        _draw_example(fig, look, example)
        _draw_bars(fig, look, bars)
        _draw_curves(fig, look, curves)
        path = PICTURES / f"{look.name}.png"
        fig.savefig(path, dpi=240, transparent=True)
    return path


def _text(fig: Figure, x: float, y: float, text: str, colour: str, size: float, **how: Any) -> None:
    """A text with its upper left corner there, in inches."""
    options = {"color": colour, "fontsize": size, "va": "top"} | how
    fig.text(x / WIDTH, y / HEIGHT, text, **options)


def _axes(fig: Figure, x: float, y: float, width: float, height: float) -> Axes:
    """A panel with its lower left corner there, in inches."""
    return fig.add_axes((x / WIDTH, y / HEIGHT, width / WIDTH, height / HEIGHT))


def _draw_example(fig: Figure, look: Look, example: Example) -> None:
    """The strip: the page, its scan, what the engine writes, and the answers."""
    x0, y0, x1, y1 = CROP
    step, width, y = 1.77, 1.63, 3.54
    height = width * (y1 - y0) / (x1 - x0)
    heads = ("1  A page", "2  Scanned", "3  Tesseract's output", "4  The answer")
    for place, head in enumerate(heads):
        _text(fig, place * step, 4.4, head, look.ink, 8.5, weight="bold")
    for place, image in enumerate(example.images):
        ax = _axes(fig, place * step, y, width, height)
        shown = image if image.ndim == 3 else np.stack([image] * 3, axis=-1)
        ax.imshow(shown[y0:y1, x0:x1], aspect="auto", interpolation="lanczos")
        _frame(ax, look)
    ax = _axes(fig, 2 * step, y, width, height)
    _frame(ax, look)
    for row_y, words in _rows_of_crop(example):
        _words(ax, 0.03, 1 - (row_y - y0) / (y1 - y0), words, look)
    question = "\n".join(textwrap.wrap(example.question, 27))
    _text(fig, 3 * step, 4.2, question, look.ink, 6.8, style="italic")
    names = ("perfect text", "clean PDF", "scan")
    for place, (name, answer) in enumerate(zip(names, example.answers, strict=True)):
        x = 3 * step + place * 0.57
        colour = look.engines["tesseract"] if place == 2 else look.remaining
        _text(fig, x, y + 0.11, answer, colour, 10, va="bottom", weight="bold")
        _text(fig, x, y + 0.09, name, look.quiet, 6.3)


def _frame(ax: Axes, look: Look) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(True)
        spine.set_color(look.line)


def _rows_of_crop(example: Example) -> list[tuple[float, list[tuple[str, bool]]]]:
    """The engine's rows of the part that is shown: middle in pixels, words, each right or wrong."""
    top, bottom = CROP[1], CROP[3]
    shown: dict[float, list[str]] = {}
    for _, y, _, height, text in RECEIPT:
        if top <= y and y + height <= bottom:
            shown.setdefault(y + height / 2, []).append(text)
    written = [row for row in example.read.splitlines() if row.strip()]
    rows = []
    for middle, texts in shown.items():
        true = " ".join(texts)
        best = max(written, key=lambda row: difflib.SequenceMatcher(None, true, row).ratio())
        rows.append((middle, [(word, word in true.split()) for word in best.split()]))
    return rows


def _words(ax: Axes, x: float, y: float, words: Sequence[tuple[str, bool]], look: Look) -> None:
    """A row of words in type of one width; wrong ones in the engine's colour."""
    column = 0
    for word, is_right in words:
        ax.text(
            x + column * 0.0395,
            y,
            word,
            transform=ax.transAxes,
            va="center",
            family="DejaVu Sans Mono",
            fontsize=7.2,
            color=look.ink if is_right else look.engines["tesseract"],
            weight="normal" if is_right else "bold",
        )
        column += len(word) + 1


def _draw_bars(fig: Figure, look: Look, bars: Sequence[Bar]) -> None:
    """What is left of each score under a real scan."""
    scanned = look.engines["tesseract"]
    head = "What a scan leaves of Tesseract's scores"
    _text(fig, 0, 3.17, head, look.ink, 9, weight="bold")
    ax = _axes(fig, 0.98, 0.42, 2.3, 2.5)
    for place, bar in enumerate(bars):
        start = 0.0
        parts = (
            (bar.remaining, look.remaining),
            (bar.lost_scan, scanned),
            (bar.lost_clean, look.lost_clean),
        )
        for part, colour in parts:
            ax.barh(-place, part, left=start, height=0.42, color=colour)
            if part >= 6:
                text = f"{part:.0f} %" if start == 0 else f"−{part:.0f}"
                middle = start + part / 2
                ax.text(
                    middle, -place, text, ha="center", va="center", color="white", weight="bold"
                )
            start += part
        ax.plot([bar.low, bar.high], [-place - 0.3] * 2, color=look.ink, linewidth=1.2)
        ax.plot([bar.remaining] * 2, [-place - 0.35, -place - 0.25], color=look.ink, linewidth=1.2)
        ax.text(-3, -place, bar.label, ha="right", va="center", color=look.ink, fontsize=7.5)
    labels = (
        (0, "left", "left", look.remaining),
        (bars[0].remaining, "lost to the scan", "left", scanned),
    )
    for x, text, side, colour in labels:
        ax.text(x, 0.29, text, color=colour, fontsize=7.5, weight="bold", ha=side)
    ax.text(
        *(100, 0.5, "lost on clean pages"),
        **{"color": look.quiet, "fontsize": 7.5, "weight": "bold", "ha": "right"},
    )
    ax.set_xlim(0, 101)
    ax.set_ylim(-2.5, 0.62)
    ax.axis("off")
    first, *others = bars
    text = (
        f"Score: LCS of the evidence, {first.documents} receipts; F1 of a 0.5 B language model's "
        f"answers, {others[0].documents} receipts, {others[0].questions} questions.\n"
        "Lines: 95 % intervals over receipts. Top row: an invented receipt, and a question whose "
        "answer the scan changes."
    )
    _text(fig, 0, 0.33, text, look.quiet, 6.6, linespacing=1.35)


def _draw_curves(fig: Figure, look: Look, curves: Mapping[str, Sequence[Point]]) -> None:
    """The answers that are in the retrieved text, by condition and engine."""
    head = "Answers in the retrieved text, of 100"
    _text(fig, 3.62, 3.17, head, look.ink, 9, weight="bold")
    ax = _axes(fig, 3.86, 0.84, 2.32, 2.08)
    x = np.arange(len(CONDITIONS))
    for number, (engine, points) in enumerate(curves.items()):
        colour = look.engines[engine]
        values = [point.value for point in points]
        ends = [point.low for point in points], [point.high for point in points]
        ax.vlines(x, *ends, color=colour, alpha=0.5, linewidth=2)
        ax.plot(x, values, color=colour, marker="o", linewidth=2, markersize=5)
        label = f"{ENGINES[engine]}\n{values[-1]:.0f}"
        ax.text(x[-1] + 0.2, values[-1], label, color=colour, weight="bold", va="center")
        for place in range(1, len(values) - 1):
            y = ends[0][place] - 7 if number == 0 else ends[1][place] + 2
            ax.text(place, y, f"{values[place]:.0f}", color=colour, fontsize=7.5, ha="center")
    ax.text(0, ends[1][0] + 2, f"{values[0]:.0f}", color=look.ink, fontsize=7.5, ha="center")
    ax.set_xticks(x, [label for label, *_ in CONDITIONS])
    ax.set_xlim(-0.35, len(CONDITIONS) - 0.85)
    ax.set_ylim(0, 103)
    ax.set_yticks([0, 25, 50, 75, 100])
    ax.tick_params(colors=look.quiet, length=0)
    ax.grid(visible=True, axis="y", color=look.line)
    ax.grid(visible=False, axis="x")
    for name, spine in ax.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(look.line)


def main() -> None:
    """Make the runs that are not there, where that is asked for, and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", type=Path, help="the folder of the runs")
    parser.add_argument("--data", type=Path, help="the folder $D: make the runs that are not there")
    parser.add_argument("--model", type=Path, help="the language model, a GGUF file")
    parser.add_argument("--cache", type=Path, default=Path(".ohr-cache"))
    given = parser.parse_args()
    invented = write_invented(given.runs / "hero_invented")
    if given.data is not None:
        make_runs(given.data.resolve(), given.model.resolve(), given.cache.resolve(), given.runs)
    runs = {
        study.name.removeprefix("hero_"): open_run(given.runs / study.name) for study in STUDIES
    }
    in_text = {name: answers_in_text(runs[name]) for name in ("scans", "twins")}
    curves, bars = curves_of(in_text), bars_of(runs)
    example = example_of(runs["example"], invented)
    receipts = in_text["scans"]
    for look in (LIGHT, DARK):
        print(
            draw(
                look,
                curves,
                bars,
                example,
                (receipts["doc_id"].nunique(), receipts["qid"].nunique()),
            )
        )
    print(title_of(curves))
    for bar in bars:
        print(bar)
    for engine, points in curves.items():
        print(engine, points)


def make_runs(data: Path, model: Path, cache: Path, runs: Path) -> None:
    """Make the runs that are not there. The twins are those of ``make claims-runs``."""
    names = some_receipts(data)
    folders = {
        "D": data,
        "T": (runs / "receipts_twins").resolve(),
        "N": names,
        "A": f"[{','.join(names.strip('[]').split(',')[::2])}]",
        "I": (runs / "hero_invented").resolve(),
        "M": model,
    }
    for study in STUDIES:
        study.run(folders, cache, runs)


if __name__ == "__main__":
    main()
