"""The check of a model: real errors beside made ones on documents that were left out of the fit.

Every page gets the same edit distance, whoever makes the errors: the *learned* model, *bunched
rubbish* (the model's runs of words, of random letters) and *uniform* errors of single characters.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from rapidfuzz.distance import Levenshtein

from ohr.analysis.ocr_errors.discriminator import discriminate
from ohr.metrics.alignment import Alignment, Fate, align
from ohr.ocr_errors.edits import combine, make_edits, page_edits, rewrite
from ohr.ocr_errors.fit import fit_model
from ohr.ocr_errors.make import ErrorMaker, PageErrors
from ohr.ocr_errors.model import Check, GroupCheck, Outcome, Provenance
from ohr.ocr_errors.pages import AlignedPage, error_runs, ranks
from ohr.ocr_errors.words import page_words
from ohr.statistics import Clusters, PairedComparison, compare_paired
from ohr.store.identity import digest

REAL, LEARNED, RUBBISH, UNIFORM = "real", "learned", "bunched rubbish", "uniform"
DRAWN = "drawn pages"
"""The learned model draws which pages are bad, as in a study, at the mean edit distance."""
KINDS = (REAL, LEARNED, DRAWN, RUBBISH, UNIFORM)
MEASURES = ("r_noise", "hit", "lcs", "f1")
PAGE_BY_PAGE = (LEARNED, RUBBISH, UNIFORM)
"""Kinds of which each page has the edit distance of the real one."""
DRAWS = 3
"""How often errors are made on each page."""
FOLDS = 3
ONE_DOCUMENT = "the model was fitted to the only document of the check"
ROUNDS = 2
"""How often the wanted edit distance of a made page is corrected."""
NEAR_R_NOISE, NEAR_LCS = 0.03, 0.02
"""Largest differences from the real output with which a model fits."""
LEAST_QUESTIONS = 10
"""A group with fewer questions is not tested."""
_LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


_Errors = Callable[[float, np.random.Generator], PageErrors]


@dataclass(frozen=True)
class CheckedPage:
    """One page under one level: its real output, and what was made instead in one draw."""

    page: AlignedPage
    draw: int
    texts: Mapping[str, str]
    """Kind -> page text."""
    alignments: Mapping[str, Alignment]
    """Kind -> what became of the page's words."""


def describe_parts(checked: Sequence[CheckedPage]) -> str:
    """Whether the documents were left out of the fit, and in how many parts."""
    n_parts = _count_parts(page.page for page in checked)
    return f"documents left out of the fit, in {n_parts} parts" if n_parts > 1 else ONE_DOCUMENT


def _count_parts(pages: Iterable[AlignedPage]) -> int:
    return min(FOLDS, len({page.pair.ref.doc_id for page in pages}))


def make_pages(pages: Sequence[AlignedPage], provenance: Provenance) -> list[CheckedPage]:
    """Real and made texts of every page, once per draw; its model is fitted on other documents.

    With a single document, the model is fitted to it: :func:`verdicts` tests nothing.
    """
    documents = sorted({page.pair.ref.doc_id for page in pages})
    folds = _count_parts(pages)
    of_fold = {name: number % folds for number, name in enumerate(documents)}
    makers = []
    for fold in range(folds):
        rest = [page for page in pages if of_fold[page.pair.ref.doc_id] != fold]
        makers.append(ErrorMaker(fit_model(rest or pages, provenance)))
    return make_with(pages, lambda page: makers[of_fold[page.pair.ref.doc_id]])


def make_with(
    pages: Sequence[AlignedPage], maker_of: Callable[[AlignedPage], ErrorMaker]
) -> list[CheckedPage]:
    """Real and made texts of every page, once per draw, by the model for this page."""
    shares: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        shares[page.pair.level].append(page.share)
    means = {level: float(np.mean(own)) for level, own in shares.items()}
    of_rank = ranks(pages)
    return [
        _checked(maker_of(page), page, of_rank[number], means[page.pair.level], number, draw)
        for draw in range(DRAWS)
        for number, page in enumerate(pages)
    ]


def _checked(
    maker: ErrorMaker, page: AlignedPage, rank: float, mean: float, number: int, draw: int
) -> CheckedPage:
    lost, seed = not page.output.words, (number, draw)

    def learned(share: float) -> str:
        marks, errors = _generators(seed)
        edits = page_edits(maker, page.words, share, rank, 1.0, marks, errors, lost=lost)
        return rewrite(page.pair.truth, edits)

    def imitated(
        errors_of: Callable[[float, np.random.Generator], PageErrors],
    ) -> Callable[[float], str]:
        def text(share: float) -> str:
            marks, errors = _generators(seed)
            fixed = maker.fixed(page.words, np.random.default_rng((*seed, 0)))
            edits = combine(maker, page.words, errors_of(share, errors), fixed, 1.0, marks)
            return rewrite(page.pair.truth, edits)

        return text

    ways = {
        LEARNED: learned,
        RUBBISH: imitated(lambda share, rng: _bunched_rubbish(maker, page, share, rank, rng)),
        UNIFORM: imitated(lambda share, rng: _uniform(page, share, rng)),
    }
    texts, alignments = {REAL: page.pair.output}, {REAL: page.alignment}
    for kind, way in ways.items():
        texts[kind], alignments[kind] = ("", page.alignment) if lost else _match_distance(page, way)
    # The same page has the same rank at all levels, as in a study.
    rng = np.random.default_rng((int(digest(page.pair.truth)[:12], 16), draw))
    drawn = rewrite(page.pair.truth, make_edits(maker, page.pair.truth, mean, rng))
    texts[DRAWN] = drawn
    alignments[DRAWN] = align(page.words.words, page_words(drawn).words)
    return CheckedPage(page, draw, texts, alignments)


def _generators(seed: tuple[int, int]) -> tuple[np.random.Generator, np.random.Generator]:
    return np.random.default_rng((*seed, 1)), np.random.default_rng((*seed, 2))


def _match_distance(page: AlignedPage, way: Callable[[float], str]) -> tuple[str, Alignment]:
    """What is made at the edit distance of the real page, as it is measured."""
    share, words = page.share, page.words.words
    best, least = (page.pair.truth, align(words, words)), float("inf")
    for _ in range(ROUNDS + 1):
        text = way(min(1.0, share))
        alignment = align(words, page_words(text).words)
        measured = alignment.share(words)
        if abs(measured - page.share) < least:
            best, least = (text, alignment), abs(measured - page.share)
        if least <= 0.02 * page.share:
            break
        share *= min(2.0, max(0.5, page.share / measured)) if measured else 2.0
    return best


def _bunched_rubbish(
    maker: ErrorMaker, page: AlignedPage, share: float, rank: float, rng: np.random.Generator
) -> PageErrors:
    """The model's runs of words, each word replaced by as many random letters."""
    errors = PageErrors({}, {})
    cost = 0
    for run in maker.page_runs(page.words, rank, rng):
        if cost >= share * page.words.length:
            break
        for number in range(run.start, run.end):
            if number in errors.texts:
                continue
            word = page.words.words[number]
            text = "".join(_LETTERS[i] for i in rng.integers(len(_LETTERS), size=len(word)))
            errors.texts[number] = (Fate.RUBBISH, text)
            cost += Levenshtein.distance(word, text)
    return errors


def _uniform(page: AlignedPage, share: float, rng: np.random.Generator) -> PageErrors:
    """Characters changed, left out and put in at places drawn without any pattern."""
    errors = PageErrors({}, {})
    words = page.words.words
    lengths = [len(word) for word in words]
    total = sum(lengths)
    count = min(total, round(share * page.words.length))
    places = np.sort(rng.choice(total, size=count, replace=False))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    owners = np.searchsorted(starts, places, side="right") - 1
    by_word: dict[int, list[int]] = defaultdict(list)
    for place, owner in zip(places.tolist(), owners.tolist(), strict=True):
        by_word[owner].append(place - int(starts[owner]))
    for number, own in by_word.items():
        characters = list(words[number])
        for position in own:
            letter = _LETTERS[int(rng.integers(len(_LETTERS)))]
            characters[position] = (letter, "", characters[position] + letter)[int(rng.integers(3))]
        text = "".join(characters)
        errors.texts[number] = (Fate.REWRITTEN, text) if text else (Fate.LOST, "")
    return errors


def page_table(checked: Sequence[CheckedPage]) -> pd.DataFrame:
    """One row per level and kind: edit distance, words with errors and lost, length of runs."""
    counts: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for page in checked:
        words = page.page.words.words
        for kind, aligned in page.alignments.items():
            entry = counts[page.page.pair.level, kind]
            wrong = sum(fate is not Fate.RIGHT for fate in aligned.fates)
            entry["edit_distance"].append(aligned.share(words))
            entry["words"].append(len(words))
            entry["wrong"].append(wrong)
            entry["lost"].append(sum(fate is Fate.LOST for fate in aligned.fates))
            entry["runs"].append(len(error_runs(aligned.fates)))
    rows = []
    for (level, kind), entry in counts.items():
        total = {name: sum(values) for name, values in entry.items()}
        rows.append(
            {
                "level": level,
                "kind": kind,
                "edit_distance": float(np.mean(entry["edit_distance"])),
                "words_wrong": total["wrong"] / max(1.0, total["words"]),
                "words_lost": total["lost"] / max(1.0, total["words"]),
                "run_length": total["wrong"] / max(1.0, total["runs"]),
            }
        )
    return pd.DataFrame(rows)


def check_table(pages: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """:func:`page_table` with the questions' means, and their differences from real errors.

    Loss of hit@2 and LCS is against the truth; ``*_low`` and ``*_high`` are 95 % intervals of the
    differences over documents.
    """
    if scores.empty:
        return pages
    means = scores.groupby(["level", "kind"], sort=False)[list(MEASURES)].mean()
    rows = []
    for row in pages.to_dict("records"):
        level, kind = row["level"], row["kind"]
        own, truth = means.loc[(level, kind)], means.loc[(level, "truth")]
        entry = row | {
            "r_noise": own["r_noise"],
            "hit_loss": truth["hit"] - own["hit"],
            "lcs_loss": truth["lcs"] - own["lcs"],
            "f1_loss": truth["f1"] - own["f1"],
        }
        if kind != REAL:
            of_level = scores[scores["level"] == level]
            for metric in ("r_noise", "lcs", "f1"):
                compared = _difference(of_level, kind, metric)
                entry |= {
                    f"{metric}_difference": compared.difference,
                    f"{metric}_low": compared.interval.low,
                    f"{metric}_high": compared.interval.high,
                }
        rows.append(entry)
    return pd.DataFrame(rows)


def _difference(scores: pd.DataFrame, kind: str, metric: str) -> PairedComparison:
    real = scores[scores["kind"] == REAL]
    imitated = scores[scores["kind"] == kind]
    clusters = Clusters.from_labels(
        real["doc_id"].to_numpy(),
        np.array([f"{a}\n{b}" for a, b in zip(real["doc_id"], real["page_no"], strict=True)]),
    )
    differences = imitated[metric].to_numpy(float) - real[metric].to_numpy(float)
    return compare_paired(differences, clusters)


def verdicts(scores: pd.DataFrame, checked: Sequence[CheckedPage]) -> tuple[GroupCheck, ...]:
    """Whether the model fits: over all questions, by domain, and by source of the evidence.

    It fits a group if the whole 95 % intervals of the differences of r_noise and LCS from the real
    output's lie within :data:`NEAR_R_NOISE` and :data:`NEAR_LCS` at every level, and does not if
    one lies outside; else nothing is decided. Source: Schuirmann, A comparison of the two one-sided
    tests procedure and the power approach, 1987 (here at .025 for each side). Nothing is tested by
    one document, since the model was fitted to it.
    """
    n_pages = sum(page.draw == 0 for page in checked)
    one_document = _count_parts(page.page for page in checked) < 2
    if scores.empty:
        note = ONE_DOCUMENT if one_document else "no questions"
        return (GroupCheck(group="all", outcome="not tested", pages=n_pages, note=note),)
    groups: list[tuple[str, pd.DataFrame]] = [("all", scores)]
    for column in ("domain", "source"):
        groups += [(f"{column}:{name}", own) for name, own in scores.groupby(column)]
    result = []
    for group, own in groups:
        domain = group.removeprefix("domain:") if group.startswith("domain:") else ""
        count = own["qid"].nunique()
        pages = sum(
            page.draw == 0 and (not domain or page.page.pair.domain == domain) for page in checked
        )
        means = own.groupby(["level", "kind"])[["r_noise", "lcs"]].mean().unstack("kind")
        far = {
            metric: float((means[metric][LEARNED] - means[metric][REAL]).abs().max())
            for metric in ("r_noise", "lcs")
        }
        ends = {metric: _ends(own, metric) for metric in far}
        margins = {"r_noise": NEAR_R_NOISE, "lcs": NEAR_LCS}
        with_margins = [
            (low, high, margin) for metric, margin in margins.items() for low, high in ends[metric]
        ]
        outcome: Outcome = "not decided"
        if all(-margin <= low and high <= margin for low, high, margin in with_margins):
            outcome = "fits"
        elif any(low > margin or high < -margin for low, high, margin in with_margins):
            outcome = "does not fit"
        bounds = {metric: max(max(-low, high) for low, high in ends[metric]) for metric in far}
        few = "" if count >= LEAST_QUESTIONS else f"fewer than {LEAST_QUESTIONS} questions"
        untested = ONE_DOCUMENT if one_document else few
        result.append(
            GroupCheck(
                group=group,
                outcome="not tested" if untested else outcome,
                pages=pages,
                questions=count,
                r_noise=round(far["r_noise"], 4),
                lcs=round(far["lcs"], 4),
                r_noise_bound=_bound(bounds["r_noise"]),
                lcs_bound=_bound(bounds["lcs"]),
                note=untested,
            )
        )
    return tuple(result)


def _ends(scores: pd.DataFrame, metric: str) -> list[tuple[float, float]]:
    """The intervals of the learned errors' differences from the real ones, level by level."""
    intervals = (
        _difference(of_level, LEARNED, metric).interval
        for _, of_level in scores.groupby("level", sort=False)
    )
    return [(interval.low, interval.high) for interval in intervals]


def _bound(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def discriminators(checked: Sequence[CheckedPage]) -> dict[str, float]:
    """Kind -> the AUC of telling it from real errors, on pages with errors.

    Moved passages are put back on both sides, since a model makes no moves.
    """
    used = [
        page
        for page in checked
        if page.draw == 0 and page.page.share >= 0.01 and page.page.output.words
    ]
    documents = [page.page.pair.ref.doc_id for page in used]
    content = {
        kind: [page.alignments[kind].content(page.page.words.words) for page in used]
        for kind in (REAL, *PAGE_BY_PAGE)
    }
    return {kind: discriminate(content[REAL], content[kind], documents) for kind in PAGE_BY_PAGE}


def check_of(
    scores: pd.DataFrame, checked: Sequence[CheckedPage], aucs: Mapping[str, float]
) -> Check:
    """The outcome of the check, as it stands in the model."""

    def stored(value: float) -> float | None:
        return None if np.isnan(value) else round(value, 4)

    return Check(
        discriminator=stored(aucs[LEARNED]),
        discriminator_uniform=stored(aucs[UNIFORM]),
        verdicts=verdicts(scores, checked),
    )
