"""Which pages to read again first: the answers that each is expected to win back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ohr.errors import ConfigError, OhrError
from ohr.quality.garbage import garbage_share
from ohr.statistics import NO_INTERVAL, Clusters
from ohr.statistics.isotonic import rising_means
from ohr.statistics.selective import Estimate, estimate, fold_of_clusters
from ohr.study.output.cases import read_cases, read_questions, read_texts
from ohr.study.results import StudyRun, clusters_of
from ohr.types import PageRef

TRUTH = "gt"
GARBAGE = "garbage"
"""Damage that needs no truth: the share of a page's words that cannot be words."""
SHARES = (0.05, 0.1, 0.2, 0.4)
FEWEST = 10
FOLDS = 5
PRIOR = 0.1
"""Of a question: added to each page's count, so that pages that none reached have an order."""
ANSWERS, WORST, REACHED, ORACLE, RANDOM = (
    "expected answers", "worst OCR first", "most reached first", "oracle", "random",
)  # fmt: skip
RULES = (ANSWERS, WORST, REACHED, ORACLE, RANDOM)


@dataclass(frozen=True)
class Reread:
    """``pages`` in the order in which to read them again; ``orders``: how well orders did;
    ``engine``: whose text of the pages it is."""

    pages: pd.DataFrame
    orders: pd.DataFrame
    engine: str


@dataclass(frozen=True)
class _Data:
    """Questions with what each lost, the pages that each reached, and the pages' damage."""

    questions: pd.DataFrame
    """``qid``, ``doc_id``, ``page_no``, ``loss``, ``pages`` (places of its evidence pages) and
    ``hits`` (places of the pages that were found)."""
    pages: list[PageRef]
    damage: np.ndarray
    clusters: Clusters
    engine: str


def reread(
    run: StudyRun,
    engine: str = "",
    second: str = TRUTH,
    damage: str = "edit_distance",
    metric: str = "f1",
) -> Reread:
    """The order in which to read an engine's pages again with a ``second`` engine's text.

    A page's expected answers are the number of questions whose hits are on it, times what damage
    such as its costs a question, by an isotonic fit to the losses on other documents. ``damage`` is
    a metric of pages of the stage ocr, or ``garbage``. ``pages`` has all of them, by ``expected``,
    the sum over all questions. ``orders`` says what share of the lost answers (overall ``metric``)
    is won back after 5, 10, 20 and 40 % of the pages, by each order, with its interval over
    documents: pages are counted by the questions of a random half and tested on the other half, and
    the other way round. A question is taken to be won back once all its evidence pages are read
    again; other pages are taken to cost nothing, and all pages the same time. Only clean
    pages. Shares are NaN with fewer than ten documents or without a loss. Raises ConfigError for an
    engine or damage that the run does not have, and OhrError without answers.
    """
    data = _data(run, engine, second, damage, metric)
    everything = np.ones(len(data.questions), bool)
    expected = _expected(data, everything, run.seed)
    reached = _reached(data, everything)
    pages = pd.DataFrame(
        {
            "doc_id": [ref.doc_id for ref in data.pages],
            "page_no": [ref.page_no for ref in data.pages],
            "questions": reached,
            "damage": data.damage,
            "expected": expected,
        }
    )
    order = np.lexsort((-data.damage, -expected))
    in_order = pages.iloc[order].reset_index(drop=True)
    return Reread(in_order, _orders(data, run.seed), data.engine)


def _data(run: StudyRun, engine: str, second: str, damage: str, metric: str) -> _Data:
    rows = run.rows
    answers = rows[
        (rows["stage"] == "overall") & (rows["metric"] == metric) & (rows["noise"] == "none")
    ]
    if answers.empty:
        raise OhrError(f"{run.path}: no answers with overall {metric} on clean pages")
    engines = list(dict.fromkeys(answers["engine"]))
    readers = [name for name in engines if name not in (TRUTH, second)]
    engine = engine or (readers[0] if len(readers) == 1 else "")
    if engine not in engines or second not in engines or engine == second:
        raise ConfigError(f"--engine and --second: two of {', '.join(engines)}")
    setting = ["system", "chunker", "retriever", "reader"]
    first = answers[setting].drop_duplicates().iloc[0]
    answers = answers[(answers[setting] == first).all(axis=1)]
    values = {
        name: dict(zip(part["qid"], part["value"].astype(float), strict=True))
        for name, part in answers.groupby("engine", sort=False)
    }
    refs, base = _pages(run, engine)
    places = {ref: place for place, ref in enumerate(refs)}
    hit_pages = _hit_pages(run, base, first, places)
    table = []
    for question in read_questions(run.path):
        if question.qid not in values[engine]:
            continue
        evidence = [places[ref] for ref in question.evidence_pages if ref in places]
        loss = values[second][question.qid] - values[engine][question.qid]
        table.append(
            {
                **{"qid": question.qid, "doc_id": question.doc_id},
                **{"page_no": question.place.page_no, "loss": loss},
                **{"pages": evidence, "hits": hit_pages.get(question.qid, [])},
            }
        )
    questions = pd.DataFrame(table)
    of_pages = _damage(run, engine, base, refs, damage)
    return _Data(questions, refs, of_pages, clusters_of(questions), engine)


def _pages(run: StudyRun, engine: str) -> tuple[list[PageRef], str]:
    """The pages of an engine's knowledge base, and its name."""
    base = run.name_in_cases(engine, "none", "", 0.0, run.seed)
    table = read_cases(run.path, "pages").to_pandas()
    mine = table[table["knowledge_base"].astype(str) == base]
    pairs = zip(mine["doc_id"].astype(str), mine["page_no"], strict=True)
    return [PageRef(doc_id, int(page_no)) for doc_id, page_no in pairs], base


def _hit_pages(
    run: StudyRun, base: str, setting: pd.Series, places: dict[PageRef, int]
) -> dict[str, list[int]]:
    """The pages that each question's hits are on."""
    hits = read_cases(run.path, "hits").to_pandas()
    same = {"knowledge_base": base} | {name: setting[name] for name in ("chunker", "retriever")}
    for name, value in same.items():
        hits = hits[hits[name].astype(str) == value]
    pages: dict[str, list[int]] = {}
    for hit in hits.itertuples():
        place = places.get(PageRef(str(hit.doc_id), int(hit.page_no)))
        of_question = pages.setdefault(str(hit.qid), [])
        if place is not None and place not in of_question:
            of_question.append(place)
    return pages


def _damage(run: StudyRun, engine: str, base: str, refs: list[PageRef], damage: str) -> np.ndarray:
    if damage == GARBAGE:
        texts = read_texts(run.path).get(base, {})
        return np.array([garbage_share(texts.get(ref, "")) for ref in refs])
    rows = run.rows
    rows = rows[
        (rows["stage"] == "ocr") & (rows["noise"] == "none") & (rows["engine"] == engine)
        & (rows["qid"] == "")
    ]  # fmt: skip
    mine = rows[rows["metric"] == damage]
    if mine.empty:
        names = ", ".join(sorted(rows["metric"].unique()))
        raise ConfigError(f"--damage {damage!r}: this run has {GARBAGE}, {names}")
    by_page = {
        PageRef(doc_id, int(page_no)): float(value)
        for doc_id, page_no, value in zip(
            mine["doc_id"], mine["page_no"], mine["value"], strict=True
        )
    }
    return np.array([by_page.get(ref, 0.0) for ref in refs])


def _reached(data: _Data, members: np.ndarray) -> np.ndarray:
    """The number of some questions whose hits are on each page: ``(pages,)``."""
    counts = np.zeros(len(data.pages))
    for hits in data.questions.loc[members, "hits"]:
        counts[hits] += 1
    return counts


def _expected(data: _Data, members: np.ndarray, seed: int) -> np.ndarray:
    """The answers that each page is expected to win back: ``(pages,)``.

    What damage costs is fitted on the documents of other folds, to the worst page of a question's
    evidence. All questions of those are used, since they are none of the page's.
    """
    folds = fold_of_clusters(data.clusters, FOLDS, seed)
    of_document = dict(zip(data.questions["doc_id"], folds, strict=True))
    fold_of_page = np.array([of_document.get(ref.doc_id, 0) for ref in data.pages])
    has = np.array([bool(pages) for pages in data.questions["pages"]])
    worst = np.array(
        [data.damage[pages].max() if pages else 0.0 for pages in data.questions["pages"]]
    )
    losses = data.questions["loss"].to_numpy()
    cost = np.zeros(len(data.pages))
    for fold in range(FOLDS):
        fits = has & (folds != fold)
        mine = fold_of_page == fold
        if fits.any() and mine.any():
            x, y = rising_means(worst[fits], losses[fits])
            cost[mine] = np.interp(data.damage[mine], x, y)
    expected: np.ndarray = (_reached(data, members) + PRIOR) * np.maximum(cost, 0.0)
    return expected


def _orders(data: _Data, seed: int) -> pd.DataFrame:
    """The share of the lost answers that each order wins back, on questions it did not count."""
    rng = np.random.default_rng([seed, len(data.questions)])
    first = rng.permutation(len(data.questions)) % 2 == 0
    n = len(data.pages)
    losses = data.questions["loss"].to_numpy()
    enough = data.clusters.size >= FEWEST and losses.sum() > 0
    ranks: dict[str, list[np.ndarray]] = {name: [] for name in RULES}
    for members in (first, ~first):
        reached = _reached(data, members)
        keys = {
            ANSWERS: (-data.damage, -_expected(data, members, seed)),
            WORST: (-reached, -data.damage),
            REACHED: (-data.damage, -reached),
            ORACLE: (-data.damage, -_true_gain(data, ~members)),
        }
        for name, key in keys.items():
            ranks[name].append(_ranks(np.lexsort(key)))
        ranks[RANDOM].append(_ranks(rng.permutation(n)))
    rows = []
    for name in RULES:
        latest = np.empty(len(data.questions))
        for members, rank in zip((first, ~first), ranks[name], strict=True):
            for place in np.flatnonzero(~members):
                pages = data.questions["pages"].iloc[place]
                latest[place] = rank[pages].max() if pages else n
        for share in SHARES:
            won = np.where(latest < share * n, losses, 0.0)
            if name == RANDOM:  # its expectation: each page of a question is read by chance
                sizes = np.array([len(pages) for pages in data.questions["pages"]])
                won = np.where(sizes > 0, losses * share ** np.maximum(sizes, 1), 0.0)
            each = _won(won, losses, data.clusters) if enough else Estimate(math.nan, NO_INTERVAL)
            rows.append(_row(name, share, each, data, losses))
    return pd.DataFrame(rows)


def _row(
    name: str, share: float, each: Estimate, data: _Data, losses: np.ndarray
) -> dict[str, Any]:
    return {
        **{"order": name, "pages_read": share, "won_back": each.value},
        **{"won_back_ci_low": each.interval.low, "won_back_ci_high": each.interval.high},
        **{"n": len(losses), "n_pages": len(data.pages), "n_clusters": data.clusters.size},
        **{"unit": data.clusters.unit, "lost": float(losses.sum())},
    }


def _won(won: np.ndarray, losses: np.ndarray, clusters: Clusters) -> Estimate:
    def share(weights: np.ndarray) -> float:
        lost = float((weights * losses).sum())
        return float((weights * won).sum()) / lost if lost > 0 else math.nan

    return estimate(share, clusters)


def _true_gain(data: _Data, members: np.ndarray) -> np.ndarray:
    """What each page really wins back of some questions: a question's pages share its loss."""
    gains = np.zeros(len(data.pages))
    for pages, loss in data.questions.loc[members, ["pages", "loss"]].itertuples(index=False):
        for place in pages:
            gains[place] += loss / len(pages)
    return gains


def _ranks(order: np.ndarray) -> np.ndarray:
    ranks = np.empty(len(order))
    ranks[order] = np.arange(len(order))
    return ranks
