"""Which engine and which retriever for these PDFs: a sample of pages, an exam, three sentences."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from experiments.reports.terminal import show
from experiments.studies.own_pages import (
    OwnPages,
    OwnReadings,
    Reading,
    read_own,
    sample_pages,
)
from experiments.studies.quality import (
    DECIDES,
    assessed_lines,
    engine_estimate,
    engine_table,
    engine_verdict,
    judged,
    sample_lines,
    verdict_lines,
    worst_lines,
    write_quality,
)
from ohr import registry
from ohr.errors import ConfigError
from ohr.exam import agreed, make_exam
from ohr.exam.storage import json_text
from ohr.plugins import OcrBackend
from ohr.printable import plain
from ohr.registry import PluginSpec
from ohr.store.atomic import write_text
from ohr.store.locking import locked
from ohr.study.config import DatasetConfig, StudyConfig
from ohr.study.progress import Progress
from ohr.study.results import Run
from ohr.study.run import run_study
from ohr.types import Page, Question

METRIC = "lcs"
FEWEST_QUESTIONS = 10
"""Questions below which retrieval is not assessed."""


@dataclass(frozen=True)
class Wanted:
    """What is to be recommended, on how much: pages and questions, noise, retrievers."""

    pages: int
    questions: int
    retrievers: Sequence[PluginSpec]
    levels: Sequence[str]
    dpi: int
    seed: int
    truth: Path | None
    report: bool = False


def recommend(folder: Path, reading: Reading, wanted: Wanted, out: Path) -> int:
    """Read, ask, retrieve and say what to take. Raises OhrError."""
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder: give the folder of your PDFs")
    if out.resolve().is_relative_to(folder.resolve()):
        raise ConfigError(f"{out} lies in the folder of the PDFs: choose another --out")
    sample = sample_pages([folder], wanted.dpi, wanted.pages, wanted.seed)
    with locked(out):
        for line in sample_lines(sample, out):
            print(plain(line))
        with Progress() as progress:
            readings = read_own(sample, reading, progress)
        table = judged(sample, readings, wanted.truth)
        write_quality(out, sample, table, wanted.seed)
        questions, origin = _exam(sample, readings, wanted, out)
    show(engine_table(table, readings))
    for line in (*verdict_lines(table), *assessed_lines(table, sample), *worst_lines(table)):
        print(plain(line))
    run = None
    if len(questions) < FEWEST_QUESTIONS:
        print(f"retrieval: not assessed: {len(questions)} questions could be made {origin}")
    else:
        print(f"{len(questions)} questions, made {origin}")
        run = run_study(_study(folder, reading, wanted, out), out / "retrieval")
        for line in retrieval_lines(run):
            print(plain(line))
    for name in sorted(readings.of_layer):
        print(plain(_not_ranked(name, len(sample.layers) - len(sample.no_layer))))
    sentences = three_sentences(table, readings, run)
    write_text(out / "recommendation.txt", "".join(f"{line}\n" for line in sentences))
    if wanted.report and run is not None:
        from experiments.browser.build import ReportOptions, build_report

        for line in build_report([run], out / "report", ReportOptions()).lines(out / "report"):
            print(line)
    print()
    for line in sentences:
        print(plain(line))
    return 0


def _not_ranked(engine: str, layers: int) -> str:
    return (
        f"{engine} is not ranked: it reads the text layer, which the other engines and the "
        f"questions are held against; {layers} pages have one that can stand for the page"
    )


def _exam(
    sample: OwnPages, readings: OwnReadings, wanted: Wanted, out: Path
) -> tuple[list[Question], str]:
    """Questions of the sample, written with their text as a dataset; and what they are made of."""
    texts = {ref: text for ref, text in sample.layers.items() if text is not None}
    origin = "of the text layers"
    without = [ref for ref in sample.layers if ref not in texts]
    if without and len(readings.seen) > 1:
        found = agreed(
            [
                {ref: pages[ref].text for ref in without if ref in pages}
                for pages in readings.seen.values()
            ]
        )
        texts |= found
        origin = f"{origin}, and of what engines agree on for {len(found)} pages without"
    refs = sorted(sample.layers)
    pages = [Page(ref, texts.get(ref, "")) for ref in refs]
    exam = make_exam(pages, texts, wanted.seed, wanted.questions)
    _write_dataset(out / "exam", pages, exam.accepted)
    return list(exam.accepted), origin


def _write_dataset(folder: Path, pages: Sequence[Page], questions: Sequence[Question]) -> None:
    """The sample and its questions in the layout of OHR-Bench."""
    documents: dict[str, list[dict[str, object]]] = {}
    for page in pages:
        documents.setdefault(page.ref.doc_id, []).append(
            {"page_idx": page.ref.page_no, "text": page.text}
        )
    for doc_id, entries in documents.items():
        text = json.dumps(entries, ensure_ascii=False, indent=1) + "\n"
        write_text(folder / "retrieval_base" / "gt" / f"{doc_id}.json", text)
    write_text(folder / "questions.json", json_text(questions))


def _study(folder: Path, reading: Reading, wanted: Wanted, out: Path) -> StudyConfig:
    """The study of retrieval on the sample: clean, and under the noise that was asked for."""
    images = any(_reads_images(spec) for spec in reading.engines)
    return StudyConfig(
        dataset=DatasetConfig(
            kind="ohrbench",
            path=out / "exam" / "retrieval_base",
            questions=out / "exam" / "questions.json",
            pdfs=folder,
        ),
        dpi=wanted.dpi,
        engines=tuple(reading.engines),
        noise=(PluginSpec(name="semantic"),) if wanted.levels and images else (),
        levels=tuple(wanted.levels) if wanted.levels and images else None,
        retrievers=tuple(wanted.retrievers),
        stages=("ocr", "retrieval"),
        seeds=(wanted.seed,),
        seed=wanted.seed,
        workers=reading.workers,
        cache=reading.cache,
    )


def _reads_images(spec: PluginSpec) -> bool:
    backend = registry.create("engine", spec)
    return isinstance(backend, OcrBackend) and "image" in backend.accepts


def _means(run: Run) -> pd.DataFrame:
    """Mean retrieval LCS by noise, engine and retriever."""
    cells = run.cells
    every = cells[
        (cells["group"] == "all") & (cells["stage"] == "retrieval") & (cells["metric"] == METRIC)
    ]
    return every.assign(noise=every["level"].fillna("").astype(str).replace("", "clean"))


def retrieval_lines(run: Run) -> list[str]:
    """Each combination's retrieval, best first within each noise."""
    means = _means(run)
    lines = []
    for noise, part in means.groupby("noise", sort=False):
        ranked = part.sort_values("mean", ascending=False, kind="stable")
        named = [
            f"{row['engine']} + {row['retriever']} {row['mean']:.3f}"
            for row in ranked.to_dict("records")
        ]
        lines.append(f"retrieval LCS, {noise}: {', '.join(named)}")
    return lines


def three_sentences(table: pd.DataFrame, readings: OwnReadings, run: Run | None) -> list[str]:
    """What to take, how sure that is, and what it costs."""
    engines = [name for name in dict.fromkeys(table["engine"]) if name not in readings.of_layer]
    if not engines:
        return ["Nothing can be recommended: no engine that reads page images was asked for."]
    estimates = {name: engine_estimate(table[table["engine"] == name], DECIDES) for name in engines}
    ranked = table[table["engine"].isin(engines)]
    best, retriever, unsure, sure = (
        _by_reading(ranked, engines) if run is None else _by_retrieval(run, engines)
    )
    cheapest = _cheapest([best, *unsure], readings.seconds)
    if cheapest != best:
        best, sure = cheapest, f"{sure[:-1]}; {cheapest} is the cheaper."
    with_retriever = f" with {retriever}" if retriever else ", no retriever assessed"
    one = estimates[best]
    return [
        f"Take {best}{with_retriever}: about {one.mean:.0%} of the characters of a page are "
        f"wrong, mark-up aside [{max(0.0, one.low):.0%}, {min(1.0, one.high):.0%}].",
        sure,
        _cost(best, readings.seconds),
    ]


def _cheapest(engines: Sequence[str], seconds: Mapping[str, float]) -> str:
    """The fastest of engines that cannot be told apart; the first where not all were timed."""
    known = {name: seconds.get(name, math.nan) for name in engines}
    if any(math.isnan(value) for value in known.values()):
        return engines[0]
    return min(engines, key=known.__getitem__)


def _by_reading(table: pd.DataFrame, engines: Sequence[str]) -> tuple[str, str, Sequence[str], str]:
    by_engine = table.groupby("engine", sort=False)[f"{DECIDES}_mean"].mean()
    best = str(by_engine.idxmin())
    others = [name for name in engines if name != best]
    unsure = [name for name in others if engine_verdict(table, best, name, DECIDES).winner != 0]
    basis = f"{len(table) // len(engines)} pages"
    return best, "", unsure, _sure(best, others, unsure, basis, None)


def _by_retrieval(run: Run, engines: Sequence[str]) -> tuple[str, str, Sequence[str], str]:
    """The best engine, its retriever, those that it cannot be told from, and a sentence."""
    means = _means(run)
    means = means[(means["noise"] == "clean") & means["engine"].isin(engines)]
    clean = means.sort_values("mean", ascending=False, kind="stable")
    best, retriever = str(clean.iloc[0]["engine"]), str(clean.iloc[0]["retriever"])
    others = [name for name in dict.fromkeys(clean["engine"]) if name != best]
    if not others:
        return best, retriever, [], _sure(best, [], [], "", None)
    compared = run.compare(by="engine", metrics=[f"retrieval:{METRIC}"], baseline=best)
    compared = compared[
        (compared["retriever"] == retriever)
        & (compared["level"].fillna("").astype(str) == "")
        & (compared["group"] == "all")
    ]
    unsure, needed = [], 0
    for row in compared.to_dict("records"):
        if row["ci_high"] < 0 or row["other"] not in others:
            continue
        unsure.append(str(row["other"]))
        if row["difference"]:
            reach = (row["ci_high"] - row["ci_low"]) / 2
            needed = max(needed, math.ceil(row["n"] * (reach / row["difference"]) ** 2))
    n = int(clean.iloc[0]["n"])
    sure = _sure(best, others, unsure, f"{n} questions", needed or None)
    return best, retriever, unsure, sure


def _sure(
    best: str, others: Sequence[str], unsure: Sequence[str], basis: str, needed: int | None
) -> str:
    if not others:
        return "It is the only engine that was asked for, so nothing was compared."
    if not unsure:
        return f"On {basis} it is better than {', '.join(others)}, and chance does not explain it."
    more = f"; about {needed:,} questions would" if needed else ""
    return f"Cannot tell {best} and {', '.join(unsure)} apart on {basis}{more}."


def _cost(best: str, seconds: Mapping[str, float]) -> str:
    timed = {name: value for name, value in seconds.items() if not math.isnan(value)}
    if not timed:
        return "What it costs was not assessed: every page had been read before."
    named = ", ".join(f"{name} {value:.1f}" for name, value in timed.items())
    return f"Seconds a page and core, as read now: {named}."
