"""The methods paragraph: what was run on what, how it was scored, and what was tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from ohr.analysis.citation.doses import dose_sentences
from ohr.analysis.comparison.differences import run_differences
from ohr.display.labels import shown_measures, shown_readings
from ohr.display.settings import texts
from ohr.display.wording import counted, listed
from ohr.registry import PluginSpec
from ohr.statistics import DOCUMENT, PAGE, too_few
from ohr.statistics.flips import smallest_p
from ohr.statistics.numbers import p_value
from ohr.study.baselines import baselines_line
from ohr.study.config import BUILT_IN
from ohr.study.notices.truth import truth_note, truth_of
from ohr.study.results import StudyRun

_MOST_DOSES = 4
"""Sentences on doses in the paragraph; the appendix has all of them."""
_NONE = "none"


def methods_paragraph(run: StudyRun) -> str:
    """The paragraph, from the manifest, the cells and the rows alone."""
    sentences = [
        _study(run),
        *_data(run),
        *_reading(run),
        *_noise(run),
        *_answering(run),
        _scoring(run),
        *_inference(run),
        "Versions, signatures, prompts, measured noise and everything that was left out are in the "
        "appendix.",
    ]
    return " ".join(filter(None, sentences))


def units_by_domain(run: StudyRun) -> pd.DataFrame:
    """``domain``, ``documents``, ``questions``: what is asked, from the rows."""
    rows = run.rows[run.rows["qid"] != ""]
    by_domain = rows.groupby("domain", sort=False)
    counts = by_domain.agg(documents=("doc_id", "nunique"), questions=("qid", "nunique"))
    return counts.reset_index()


def _study(run: StudyRun) -> str:
    version = run.manifest.get("versions", {}).get("ohr", "")
    command = run.manifest.get("command") or {}
    by = f" by the command ohr {command['name']}" if "name" in command else ""
    return f"The study was run with OHR {version}{by}, seed {run.seed}."


def _data(run: StudyRun) -> list[str]:
    dataset, config = run.manifest["dataset"], run.config.dataset
    units = units_by_domain(run)
    many, pages = counted(dataset["documents"], "document"), counted(dataset["pages"], "page")
    sentences = [f"The data set ({dataset['kind']}, digest {dataset['digest']}) has {many} and "
                 f"{pages}."]  # fmt: skip
    if len(units):
        drawn = ", the same number of each domain and evidence source as far as possible"
        domains = [name for name in units["domain"] if name]
        several = "s" * (len(domains) != 1)
        among = f" of the domain{several} {listed(domains)}" if domains else ""
        questions = counted(dataset["asked"], "question")
        documents = counted(int(units["documents"].sum()), "document")
        of = f" of its {dataset['questions']:,}" if dataset["asked"] < dataset["questions"] else ""
        how = drawn if config.even and of else ""
        sentences.append(f"We asked {questions}{of} on {documents}{among}{how}.")
    note = "; ".join(truth_note(run.cells))
    against = note or f"OCR output was compared with the {truth_of(run.cells)}"
    return [*sentences, f"{against[:1].upper()}{against[1:]}."]


def _reading(run: StudyRun) -> list[str]:
    config = run.config
    engine_identities = run.manifest.get("engines", {})
    reread = run.manifest["dataset"].get("reread_pages")
    pages = f"{reread:,} pages" if reread is not None else "the pages"
    sentence = f"The texts of {pages} come from {_labels(config.engines)}"
    if config.dataset.pages == "evidence":
        sentence += "; other pages keep their ground truth"
    dpi = f"; PDFs were rendered at {config.dpi} dots per inch" if engine_identities else ""
    return [f"{sentence}{dpi}."]


def _noise(run: StudyRun) -> list[str]:
    if not run.config.noise:
        return ["No noise was added."]
    draws = run.manifest.get("draws", [])
    seeds = f"seed{'s' * (len(draws) != 1)} {listed([str(seed) for seed in draws])}"
    drawn = f"{counted(len(draws), 'draw')} of the noise ({seeds})"
    sentences = dose_sentences(run)
    more = len(sentences) - _MOST_DOSES
    rest = [f"The other {more} are in the appendix."] if more > 0 else []
    return [f"Scores under noise are means over {drawn}.", *sentences[:_MOST_DOSES], *rest]


def _answering(run: StudyRun) -> list[str]:
    config, cells = run.config, run.cells
    sentences = []
    if "retrieval" in config.stages or "overall" in config.stages:
        hits = listed([value for value in dict.fromkeys(texts(cells, "top_k")) if value])
        where = "the documents of the question's domain"
        if config.scope == "document":
            where = "the question's document"
        sentences.append(
            f"Pages were cut into chunks by {_labels(config.chunkers)}, and {where} searched by "
            f"{_labels(config.retrievers)}; the first {hits} hits count."
        )
    readers = [name for name in dict.fromkeys(cells["reader"]) if name]
    if readers:
        given = {
            "generation": "the pages with the evidence (generation)",
            "overall": "the hits (overall)",
        }
        from_what = listed([given[s] for s in given if s in config.stages])
        sentences.append(f"Answers were written by {_quoted(readers)} from {from_what}.")
    systems = [name for name in dict.fromkeys(cells["system"]) if name not in ("", BUILT_IN)]
    if systems:
        sentences.append(f"Whole systems: {_quoted(systems)}.")
    if config.judge is not None:
        sentences.append(f"Answers were judged by {_labels([config.judge])}.")
    return sentences


def _scoring(run: StudyRun) -> str:
    shown = shown_measures(run.cells) or shown_readings(run.cells)
    names = listed([label for _, _, label in shown])
    worst = (
        "failed and empty answers count with the worst value"
        if run.config.scoring == "default"
        else "failed and empty answers leave the mean, as in the published evaluation"
    )
    return (
        f"Scores ({names}) are means over questions by the protocol {run.config.scoring}; {worst}."
    )


def _inference(run: StudyRun) -> list[str]:
    units = set(run.cells["ci_unit"].dropna()) - {""}
    differences = run_differences(run)
    if not units:
        return ["There are too few documents for intervals."]
    unit = DOCUMENT if DOCUMENT in units else PAGE
    documents = int(run.rows.loc[run.rows["qid"] != "", "doc_id"].nunique())
    sentences = [
        f"The unit of inference is the {unit}: questions on one {unit} are not independent."
    ]
    if differences.empty:
        why = differences.attrs.get("not_compared")
        return [*sentences, f"Nothing is compared{f' ({why})' if why else ''}."]
    sizes = family_sizes(differences)
    families = listed([f"{counted(size, 'comparison')} of {name}" for name, size in sizes.items()])
    baselines = baselines_line(set(differences["part"]), truth_of(run.cells))
    sentences.append(
        f"Conditions were compared by paired differences on the same questions ({baselines}). "
        f"Intervals (95 %) and p are from sign flips of whole {unit}s; they hold together for "
        f"the family of each metric ({families})."
    )
    if unit == DOCUMENT and (why := too_few(documents)):
        sentences.append(f"{why}: nothing can be shown.")
    elif unit == DOCUMENT:
        smallest = p_value(smallest_p(documents))
        sentences.append(f"With {documents} documents the smallest possible p is {smallest}.")
    return sentences


def family_sizes(differences: pd.DataFrame) -> Mapping[str, int]:
    """The largest number of comparisons of one metric in each family."""
    sizes = differences.groupby("family", sort=False)["family_size"].max()
    return {str(name): int(size) for name, size in sizes.items()}


def _labels(specs: Iterable[PluginSpec | Any]) -> str:
    return _quoted([str(spec.label) for spec in specs])


def _quoted(names: Iterable[str]) -> str:
    return listed([f"“{name}”" for name in names]) or _NONE
