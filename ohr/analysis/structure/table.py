"""What noise leaves of documents' outlines: headings, sections, tables and captions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from statistics import fmean

import numpy as np
import pandas as pd

from ohr.analysis.page_texts import read_pages
from ohr.markup.outline.read import document_tree
from ohr.markup.outline.tree import DocumentTree
from ohr.metrics.evidence import r_noise
from ohr.metrics.outlines import OUTLINE_METRICS, compare_trees
from ohr.metrics.scores import SCORING
from ohr.ocr.progress import Progress
from ohr.plugins.metric import EvidenceCase
from ohr.statistics import Clusters, mean_interval
from ohr.study.conditions import condition_of
from ohr.study.config import StudyConfig
from ohr.study.plan import Plan
from ohr.types import Document, KnowledgeBase, Page

CONDITION = ("engine", "perturbation", "level", "intensity")
COUNTS = ("headings", "tables", "captions")


def structure(config: StudyConfig, progress: Progress) -> pd.DataFrame:
    """One row per document, knowledge base and draw of its noise. Raises OhrError.

    Columns: :data:`CONDITION`, ``draw``, ``r_noise`` (of the knowledge base), ``doc_id``,
    ``domain``, ``pages``, counts of the truth's headings, tables and captions, and the metrics of
    :class:`ohr.metrics.outlines.OutlineScores`. Documents are those of the re-read pages; a failed
    page has no outline.
    """
    pages_read = read_pages(config, progress)
    plan = pages_read.plan
    truths = {tree.doc_id: tree for tree in _true_trees(plan)}
    rows: list[dict[str, object]] = []
    comparing = Progress(verb="comparing", unit="documents")
    with comparing:
        for variant in plan.variants:
            kb = pages_read.knowledge_bases.knowledge_base(variant)
            condition = asdict(condition_of(plan, variant))
            key = {name: condition[name] for name in CONDITION}
            key |= {"draw": variant.seed, "r_noise": _r_noise(plan, kb)}
            for done, (doc_id, truth) in enumerate(truths.items(), start=1):
                rows.append(key | _compared(plan, kb, doc_id, truth))
                comparing(plan.label(variant), done, len(truths))
    return pd.DataFrame(rows)


def _true_trees(plan: Plan) -> Iterator[DocumentTree]:
    refs = set(filter(plan.dataset.has_order, plan.reread))
    for document in plan.dataset.documents.values():
        pages = [page for page in document.pages if page.ref in refs]
        if pages:
            yield document_tree(Document(document.doc_id, document.domain, pages))


def _compared(plan: Plan, kb: KnowledgeBase, doc_id: str, truth: DocumentTree) -> dict[str, object]:
    domain = plan.dataset.documents[doc_id].domain
    pages = [Page(page.ref, kb.text(page.ref)) for page in truth.pages]
    scores = compare_trees(document_tree(Document(doc_id, domain, pages)), truth)
    return {"doc_id": doc_id, "domain": domain, "pages": len(pages), **asdict(scores)}


def _r_noise(plan: Plan, kb: KnowledgeBase) -> float:
    questions = [question for question in plan.questions if plan.units.has_evidence(question)]
    if not questions:
        return float("nan")
    scoring = SCORING[plan.config.scoring]
    return fmean(
        r_noise(EvidenceCase(tuple(kb.text(ref) for ref in q.evidence_pages), q, scoring))
        for q in questions
    )


def summarise_structure(documents: pd.DataFrame) -> pd.DataFrame:
    """Means over documents, with 95 % intervals for further documents.

    One row per knowledge base and metric: :data:`CONDITION`, ``r_noise``, ``measure``,
    ``n`` (documents to which it applies), ``mean``, ``ci_low``, ``ci_high``, ``ci_unit``. Draws of
    a noise count together.
    """
    rows = []
    for key, of_kb in documents.groupby(list(CONDITION), sort=False, dropna=False):
        for name in OUTLINE_METRICS:
            is_known = of_kb[of_kb[name].notna()]
            values = is_known.groupby("doc_id", sort=False)[name].mean()
            interval = mean_interval(values.to_numpy(), _clusters(list(values.index)), bounded=True)
            rows.append(
                dict(zip(CONDITION, key, strict=True))
                | {
                    "r_noise": of_kb["r_noise"].mean(),
                    "measure": name,
                    "n": len(values),
                    "mean": values.mean(),
                    "ci_low": interval.low,
                    "ci_high": interval.high,
                    "ci_unit": interval.unit,
                }
            )
    return pd.DataFrame(rows)


def _clusters(documents: Sequence[str]) -> Clusters:
    names = np.array(documents)
    return Clusters.from_labels(names, names)
