"""Does a score that weights errors by kind predict the loss better than the error rates do?

    python -m benchmarks.error_score RUN

RUN is a finished ``ocr_benchmark`` of the ground truth and one other engine, on four domains. The
errors of the questions' evidence pages are counted by kind, as ``ohr analyse error-kinds`` does.
Weights of the kinds, not negative, are fitted to the losses of the documents of two domains (least
squares); the weighted sum is then correlated with the losses of the documents of the other two
(Spearman), beside the character and the word error rate and the r_noise of the content. Prints a
table per outcome, a row per pair of domains, with the lead over the character error rate and its
95 % interval over documents. Half a minute for OHR-Bench.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from benchmarks._tables import table
from ohr.analysis.attribution.table import swapping, units_with_truth
from ohr.ocr.progress import Progress
from ohr.ocr_errors.compare import compare_page
from ohr.ocr_errors.error_kinds import ERROR_KINDS
from ohr.statistics import Clusters, RankCorrelation, jackknife_interval
from ohr.study.results import StudyRun, open_run
from ohr.types import PageRef

OUTCOMES = (("retrieval", "lcs"), ("retrieval", "hit@2"), ("generation", "f1"), ("overall", "f1"))
RIVALS = ("cer", "wer", "r_noise_content")
KINDS = tuple(ERROR_KINDS)


def documents_of(run: StudyRun) -> pd.DataFrame:
    """One row per document: means over its questions of error shares by kind, rivals and losses."""
    plan = run.plan
    engine = next(v.engine.label for v in plan.variants if v.engine.name != "gt")
    questions = [plan.questions[place] for place in units_with_truth(plan).groups["all"]]
    columns: dict[str, pd.Series] = {}
    for stage, metric in OUTCOMES:
        scores = [_values(run, stage, metric, label, ["qid"]) for label in ("gt", engine)]
        columns[f"{stage}:{metric}"] = scores[0] - scores[1]
    columns["r_noise_content"] = _values(run, "ocr", "r_noise_content", engine, ["qid"])
    rates = {name: _values(run, "ocr", name, engine, ["doc_id", "page_no"]) for name in RIVALS[:2]}
    shares: dict[PageRef, np.ndarray] = {}
    with swapping(plan, Progress()) as swaps:
        [variant] = [v for v in plan.variants if v.engine.label == engine]
        read = swaps.knowledge_bases.knowledge_base(variant)
        for ref in {ref for question in questions for ref in question.evidence_pages}:
            truth = plan.dataset.pages[ref].text
            characters = np.zeros(len(KINDS))
            for edit in compare_page(truth, read.text(ref)).edits:
                characters[KINDS.index(edit.kind)] += edit.characters
            shares[ref] = np.minimum(1.0, characters / max(1, len(" ".join(truth.split()))))
    records = []
    for question in questions:
        refs = question.evidence_pages
        record: dict[str, object] = {"doc_id": question.doc_id, "domain": question.domain}
        record |= dict(zip(KINDS, np.mean([shares[ref] for ref in refs], axis=0), strict=True))
        record |= {name: column.get(question.qid, np.nan) for name, column in columns.items()}
        for name, rate in rates.items():
            record[name] = np.mean([rate[ref.doc_id, ref.page_no] for ref in refs])
        records.append(record)
    documents = pd.DataFrame(records).groupby(["domain", "doc_id"])
    return documents.mean().assign(questions=documents.size()).reset_index()


def _values(run: StudyRun, stage: str, metric: str, engine: str, index: Sequence[str]) -> pd.Series:
    rows = run.rows
    own = (rows["stage"] == stage) & (rows["metric"] == metric) & (rows["engine"] == engine)
    return rows[own].set_index(list(index))["value"]


def compare(documents: pd.DataFrame, outcome: str, fitted: Sequence[str]) -> list[float]:
    """The correlations on the other domains, as the table has them."""
    is_fitted = documents["domain"].isin(fitted)
    own, other = documents[is_fitted], documents[~is_fitted]
    root = np.sqrt(own["questions"].to_numpy(float))
    weights, _ = nnls(own[list(KINDS)].to_numpy() * root[:, None], own[outcome].to_numpy() * root)
    losses = other[outcome].to_numpy(float)
    scores = {"weighted": other[list(KINDS)].to_numpy() @ weights}
    scores |= {name: other[name].to_numpy(float) for name in RIVALS}
    correlations = {name: RankCorrelation(score, losses) for name, score in scores.items()}
    clusters = Clusters(np.arange(len(other)), len(other), "document")
    lead = correlations["weighted"].value - correlations["cer"].value
    without = correlations["weighted"].leave_out(clusters) - correlations["cer"].leave_out(clusters)
    interval = jackknife_interval(lead, without, clusters)
    values = [each.value for each in correlations.values()]
    return [*values, lead, interval.low, interval.high]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    every = documents_of(open_run(parser.parse_args().run))
    documents = every.dropna()
    if len(documents) < len(every):
        print(f"left out: {len(every) - len(documents)} documents without one of the scores")
    domains = sorted(set(documents["domain"]))
    columns = ["weighted", "CER", "WER", "r_noise of content", "lead over CER", "low", "high"]
    for stage, metric in OUTCOMES:
        rows = {
            ", ".join(fitted): compare(documents, f"{stage}:{metric}", fitted)
            for fitted in combinations(domains, 2)
        }
        table(f"{stage} {metric}, fitted on", rows, columns, digits=2)


if __name__ == "__main__":
    main()
