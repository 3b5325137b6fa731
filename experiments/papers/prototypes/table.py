"""Tables of the prototypes' runs: means, successive steps, false flags, costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pandas as pd

from experiments.papers.prototypes.metrics import (
    CLEAN,
    FLAGS,
    TESTED,
)
from ohr import registry
from ohr.analysis.systems.written_for import written_for
from ohr.analysis.tested import add_tests
from ohr.display.wording import family
from ohr.metrics.attribution import gold_headers
from ohr.metrics.scores import SCORING
from ohr.plugins.metric import AnswerCase
from ohr.statistics import Paired, compare_samples, holm
from ohr.study.output.cases import read_texts
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, clusters_of, knowledge_base_name
from ohr.types import Answer, Document, Page

REPEAT = " #"
"""Separator of a system's label and the number of its run."""
_DRAW = r", seed \d+$"
EARLIER_COUNTS = {"replies_mended": "replies_fixed"}
"""Names of counts in manifests of earlier versions, and what they are called now."""
GOLD = "gold quote"
"""Row name of answers that quote the evidence itself."""


def run_means(run: StudyRun) -> pd.DataFrame:
    """One row per knowledge base, prototype, run and metric: its mean over questions.

    Questions that were written for the rules of one of the systems are left out.
    """
    cells = run.cells[(run.cells["stage"] == "overall") & (run.cells["group"] == "all")]
    left_out = written_for(run)
    if left_out.qids:
        cells = _means_of(left_out.drop_rows(run.rows[run.rows["stage"] == "overall"]))
    better = {
        info.metric: info.higher_is_better for info in run.metric_infos if info.stage == "overall"
    }
    titles = {info.metric: info.title for info in run.metric_infos if info.stage == "overall"}
    records = []
    for _, cell in cells.iterrows():
        name, _, number = str(cell["system"]).partition(REPEAT)
        records.append(
            {
                "knowledge_base": knowledge_base_name(cell),
                "prototype": name,
                "run": int(number or 1),
                "metric": cell["metric"],
                "title": titles[cell["metric"]],
                "higher_is_better": better[cell["metric"]],
                "mean": cell["mean"],
                "n": cell["n"],
            }
        )
    return pd.DataFrame(records)


def _means_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Cells of some rows: their mean and number for each knowledge base, system and metric."""
    keys = [*KNOWLEDGE_BASE, "system", "metric"]
    grouped = rows.groupby(keys, sort=False, observed=True, dropna=False)["value"]
    return grouped.agg(mean="mean", n="count").reset_index()


def steps(means: pd.DataFrame) -> pd.DataFrame:
    """Each prototype and the one before: Levene, then Student or Welch, and Cohen's d over runs.

    ``p_adjusted`` corrects over the steps with a test; ``family`` names them.
    """
    records = []
    for base, metric, first, second in _successive(means):
        a, b = (
            means[
                (means["knowledge_base"] == base)
                & (means["metric"] == metric)
                & (means["prototype"] == name)
            ]
            for name in (first, second)
        )
        tested = compare_samples(a["mean"].to_numpy(float), b["mean"].to_numpy(float))
        sign = 1 if bool(a["higher_is_better"].iloc[0]) else -1
        records.append(
            {
                "knowledge_base": base,
                "metric": metric,
                "title": a["title"].iloc[0],
                "step": f"{first} → {second}",
                "difference": tested.difference,
                "ci_low": tested.low,
                "ci_high": tested.high,
                "better": (tested.difference * sign > 0) - (tested.difference * sign < 0),
                "test": tested.test,
                "levene_p": tested.levene_p,
                "p": tested.p,
                "cohens_d": tested.cohens_d,
                "runs": f"{len(a)}, {len(b)}",
            }
        )
    return _corrected(pd.DataFrame(records))


def _corrected(table: pd.DataFrame) -> pd.DataFrame:
    """A table of steps with p after Holm over those that have one, and that family's name."""
    if table.empty:
        return table
    p = table["p"].to_numpy(float)
    tested = int(table["p"].notna().sum())
    return table.assign(
        p_adjusted=holm(p), family=f"p after Holm over {tested} steps" if tested else ""
    )


def _successive(means: pd.DataFrame) -> Iterator[tuple[str, str, str, str]]:
    for base in dict.fromkeys(means["knowledge_base"]):
        of_base = means[means["knowledge_base"] == base]
        names = list(dict.fromkeys(of_base["prototype"]))
        for metric in dict.fromkeys(of_base["metric"]):
            if metric in TESTED:
                for first, second in pairwise(names):
                    yield base, metric, first, second


def paired_steps(run: StudyRun) -> pd.DataFrame:
    """The same steps question by question, each question's mean over the runs, with the
    difference's interval over documents and p, all of these steps in one family.
    """
    rows = written_for(run).drop_rows(run.rows[run.rows["stage"] == "overall"])
    rows = rows.assign(
        knowledge_base=_base_names(rows),
        prototype=rows["system"].str.partition(REPEAT)[0],
    )
    keys = ["knowledge_base", "metric", "prototype", "qid", "doc_id", "page_no"]
    means = rows.groupby(keys, sort=False, observed=True)["value"].mean().reset_index()
    records = []
    for base, metric, first, second in _successive(means):
        metric_rows = means[(means["knowledge_base"] == base) & (means["metric"] == metric)]
        a, b = (
            metric_rows[metric_rows["prototype"] == name].set_index("qid")
            for name in (first, second)
        )
        shared = a.index.intersection(b.index, sort=False)
        if not len(shared):
            continue
        units = a.loc[shared]
        differences = (b.loc[shared, "value"] - units["value"]).to_numpy(float)
        paired = Paired(differences, clusters_of(units))
        records.append(
            {
                "knowledge_base": base,
                "metric": metric,
                "step": f"{first} → {second}",
                **dict.fromkeys(("difference", "ci_low", "ci_high", "p"), np.nan),
                "paired": paired,
                "n": len(differences),
            }
        )
    if not records:
        return pd.DataFrame()
    columns = {"difference": "difference", "low": "ci_low", "high": "ci_high", "p": "p"}
    columns |= {"p_adjusted": "p_adjusted", "tests": "family"}
    table = add_tests(pd.DataFrame(records), "paired", columns, seed=run.seed)
    return table.assign(family=table["family"].map(family))


def _base_names(rows: pd.DataFrame) -> pd.Series:
    """The knowledge base of each row; each is named once."""
    columns = ["perturbation", "level", "intensity", "engine"]
    bases = rows[columns].drop_duplicates()
    name_conditions = bases.assign(base=[knowledge_base_name(row) for _, row in bases.iterrows()])
    return rows[columns].merge(name_conditions, on=columns, how="left")["base"].set_axis(rows.index)


def flag_rates(run: StudyRun) -> pd.DataFrame:
    """Share of flagged answers on OCR output and on the ground truth, for each prototype.

    Also for answers that quote the evidence itself with its page and headers: those flagged on OCR
    output are flagged only because of noise.
    """
    means = run_means(run)
    records = []
    for (base, name), some in means.groupby(["knowledge_base", "prototype"], sort=False):
        rates = some.groupby("metric")["mean"].mean()
        for flag in FLAGS:
            if flag in rates and f"{flag}{CLEAN}" in rates:
                records.append((base, name, flag, rates[flag], rates[f"{flag}{CLEAN}"]))
    if records:
        records += _gold_rates(run)
    columns = ["knowledge_base", "prototype", "flag", "read", "truth"]
    rates_of = pd.DataFrame(records, columns=columns)
    # With several draws of the noise, the mean over them.
    rates_of["knowledge_base"] = rates_of["knowledge_base"].str.replace(_DRAW, "", regex=True)
    return rates_of.groupby(columns[:3], sort=False).mean().reset_index()


def _gold_rates(run: StudyRun) -> Iterator[tuple[str, str, str, float, float]]:
    truth = run.plan.dataset.documents
    scoring = SCORING["default"]
    questions = [question for question in run.plan.questions if question.evidence_text.strip()]
    for base, texts in read_texts(run.path).items():
        pages: dict[str, list[Page]] = {}
        for ref, text in texts.items():
            pages.setdefault(ref.doc_id, []).append(Page(ref, text))
        read = {name: Document(name, "", tuple(some)) for name, some in pages.items()}
        cases = []
        for question in questions:
            bare = AnswerCase(Answer(""), question, scoring, read, truth)
            answer = Answer(
                question.answers[0],
                question.evidence_text,
                question.evidence_pages[:1],
                headers=gold_headers(bare),
            )
            cases.append(AnswerCase(answer, question, scoring, read, truth))
        for flag in FLAGS:
            rates = []
            for name in (flag, f"{flag}{CLEAN}"):
                metric = registry.create("metric", name)
                rates.append(sum(metric.measure(case) for case in cases) / max(len(cases), 1))
            yield base, GOLD, flag, rates[0], rates[1]


def costs(run: StudyRun) -> pd.DataFrame:
    """The cost of each prototype over all runs and knowledge bases, per answer or in total."""
    summed: dict[str, dict[str, float]] = {}
    for label, summary in run.manifest.get("systems", {}).items():
        totals = summed.setdefault(label.partition(REPEAT)[0], {"answers": 0.0})
        totals["answers"] += summary["answers"]
        for counted, value in summary["usage"].items():
            name = EARLIER_COUNTS.get(counted, counted)
            totals[name] = totals.get(name, 0.0) + value
    records = []
    for name, usage in summed.items():
        answers = max(usage["answers"], 1)
        records.append(
            {
                "prototype": name,
                "answers": int(usage["answers"]),
                "context_tokens": usage.get("context_tokens", 0) / answers,
                "prompt_tokens": usage.get("prompt_tokens", 0) / answers,
                "completion_tokens": usage.get("completion_tokens", 0) / answers,
                "cpu_index_s": usage.get("index_s", 0),
                "cpu_answer_s": usage.get("answer_s", 0),
                "indexed_texts": usage.get("indexed_texts", 0),
                "indexed_characters": usage.get("indexed_characters", 0),
                "contexts_cut": usage.get("contexts_cut", 0),
                "replies_fixed": usage.get("replies_fixed", 0),
                "replies_malformed": usage.get("replies_malformed", 0),
            }
        )
    return pd.DataFrame(records)
