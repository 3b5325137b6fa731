"""The check of a model: real errors beside made ones on documents that were left out of the fit.

Every page gets the same edit distance, whoever makes the errors: the *learned* model, *bunched
rubbish* (the model's runs of words, of random letters) and *uniform* errors of single characters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from rapidfuzz.distance import Levenshtein

from ohr import registry
from ohr.analysis.ocr_errors.discriminator import discriminate
from ohr.metrics.scores import R_NOISE_THRESHOLD, SCORING
from ohr.ocr_errors.alignment import Fate, align
from ohr.ocr_errors.edits import combine, page_edits, rewrite
from ohr.ocr_errors.fit import AlignedPage, error_runs, fit_model, ranks
from ohr.ocr_errors.make import ErrorMaker, PageErrors
from ohr.ocr_errors.model import Check, Provenance, Verdict
from ohr.ocr_errors.words import page_words
from ohr.plugins import Retriever
from ohr.plugins.metric import EvidenceCase, HitsCase
from ohr.statistics import Clusters, PairedComparison, compare_paired
from ohr.types import Hit, PageRef, Question

REAL, LEARNED, RUBBISH, UNIFORM = "real", "learned", "bunched rubbish", "uniform"
KINDS = (REAL, LEARNED, RUBBISH, UNIFORM)
FOLDS = 3
TOP_K = 2
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
    """One page under one level: its real output, and what was made instead."""

    page: AlignedPage
    texts: Mapping[str, str]
    """Kind -> page text."""


def describe_parts(checked: Sequence[CheckedPage]) -> str:
    """Whether the documents were left out of the fit, and in how many parts."""
    n_parts = _count_parts(page.page for page in checked)
    return f"documents left out of the fit, in {n_parts} parts" if n_parts > 1 else ONE_DOCUMENT


def _count_parts(pages: Iterable[AlignedPage]) -> int:
    return min(FOLDS, len({page.pair.ref.doc_id for page in pages}))


def make_pages(pages: Sequence[AlignedPage], provenance: Provenance) -> list[CheckedPage]:
    """Real and made texts of every page; the model of each is fitted on other documents.

    With a single document, the model is fitted to it: :func:`verdicts` tests nothing.
    """
    documents = sorted({page.pair.ref.doc_id for page in pages})
    folds = _count_parts(pages)
    of_fold = {name: number % folds for number, name in enumerate(documents)}
    of_rank = ranks(pages)
    checked: list[CheckedPage] = []
    for fold in range(folds):
        others = [page for page in pages if of_fold[page.pair.ref.doc_id] != fold]
        maker = ErrorMaker(fit_model(others or pages, provenance))
        for number, page in enumerate(pages):
            if of_fold[page.pair.ref.doc_id] == fold:
                checked.append(_checked(maker, page, of_rank[number], number))
    return checked


def _checked(maker: ErrorMaker, page: AlignedPage, rank: float, seed: int) -> CheckedPage:
    lost = not page.output.words

    def learned(share: float) -> str:
        marks, errors = _generators(seed)
        edits = page_edits(maker, page.words, share, rank, 1.0, marks, errors, lost=lost)
        return rewrite(page.pair.truth, edits)

    def imitated(
        errors_of: Callable[[float, np.random.Generator], PageErrors],
    ) -> Callable[[float], str]:
        def text(share: float) -> str:
            marks, errors = _generators(seed)
            formulas = maker.formulas(page.words, np.random.default_rng(seed))
            edits = combine(maker, page.words, errors_of(share, errors), formulas, 1.0, marks)
            return rewrite(page.pair.truth, edits)

        return text

    ways = {
        LEARNED: learned,
        RUBBISH: imitated(lambda share, rng: _bunched_rubbish(maker, page, share, rank, rng)),
        UNIFORM: imitated(lambda share, rng: _uniform(page, share, rng)),
    }
    texts = {REAL: page.pair.output}
    for kind, way in ways.items():
        texts[kind] = "" if lost else _at_distance(page, way)
    return CheckedPage(page, texts)


def _generators(seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    return np.random.default_rng((seed, 1)), np.random.default_rng((seed, 2))


def _at_distance(page: AlignedPage, way: Callable[[float], str]) -> str:
    """What is made at the edit distance of the real page, as it is measured."""
    share = page.share
    best, least = page.pair.truth, float("inf")
    for _ in range(ROUNDS + 1):
        text = way(min(1.0, share))
        measured = align(page.words.words, page_words(text).words).share(page.words.words)
        if abs(measured - page.share) < least:
            best, least = text, abs(measured - page.share)
        if least <= 0.02 * page.share:
            break
        share *= min(2.0, max(0.5, page.share / measured)) if measured else 2.0
    return best


def _bunched_rubbish(
    maker: ErrorMaker, page: AlignedPage, share: float, rank: float, rng: np.random.Generator
) -> PageErrors:
    """The model's runs of words, each word replaced by as many random letters."""
    errors = PageErrors({}, {}, share)
    cost = 0
    for run in maker.page_runs(page.words.kinds, rank, rng):
        if cost >= share * page.words.length:
            break
        for number in range(run.start, run.end):
            word = page.words.words[number]
            text = "".join(_LETTERS[i] for i in rng.integers(len(_LETTERS), size=len(word)))
            errors.texts[number] = (Fate.RUBBISH, text)
            cost += Levenshtein.distance(word, text)
    return errors


def _uniform(page: AlignedPage, share: float, rng: np.random.Generator) -> PageErrors:
    """Characters changed, left out and put in at places drawn without any pattern."""
    errors = PageErrors({}, {}, share)
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
        for at in own:
            letter = _LETTERS[int(rng.integers(len(_LETTERS)))]
            characters[at] = (letter, "", characters[at] + letter)[int(rng.integers(3))]
        text = "".join(characters)
        errors.texts[number] = (Fate.REWRITTEN, text) if text else (Fate.LOST, "")
    return errors


def question_scores(checked: Sequence[CheckedPage], questions: Sequence[Question]) -> pd.DataFrame:
    """One row per level, kind and question: r_noise, hit@2 and LCS of BM25's two best chunks.

    The columns ``domain`` and ``source`` are the question's. The knowledge base is that of its
    domain, in chunks of 1,024 tokens; ``truth`` is a kind at each level.
    """
    levels: dict[str, dict[str, dict[PageRef, str]]] = defaultdict(lambda: defaultdict(dict))
    domains: dict[PageRef, str] = {}
    for page in checked:
        pair = page.page.pair
        domains[pair.ref] = pair.domain
        levels[pair.level]["truth"][pair.ref] = pair.truth
        for kind, text in page.texts.items():
            levels[pair.level][kind][pair.ref] = text
    scoring = SCORING["default"]
    rows = []
    truth: list[dict[str, object]] = []
    for level, kinds in levels.items():
        for kind, texts in kinds.items():
            if kind == "truth" and truth:  # the same at every level
                rows += [row | {"level": level} for row in truth]
                continue
            hits = _hits(texts, domains, questions)
            for question, of_question in zip(questions, hits, strict=True):
                pages = tuple(texts[ref] for ref in question.evidence_pages if ref in texts)
                case = HitsCase(tuple(of_question), TOP_K, question, scoring)
                row: dict[str, object] = {
                    "level": level,
                    "kind": kind,
                    "qid": question.qid,
                    "doc_id": question.doc_id,
                    "page_no": question.place.page_no,
                    "domain": question.domain,
                    "source": question.evidence_source,
                    "r_noise": float(
                        EvidenceCase(pages, question, scoring).lcs_of(scoring.published_tokens)
                        <= R_NOISE_THRESHOLD
                    ),
                    "hit": float(bool(case.evidence_hits)),
                    "lcs": case.lcs,
                }
                rows.append(row)
                if kind == "truth":
                    truth.append(row)
    return pd.DataFrame(rows)


def _hits(
    texts: Mapping[PageRef, str], domains: Mapping[PageRef, str], questions: Sequence[Question]
) -> list[list[Hit]]:
    """The best chunks of each question's domain."""
    chunker, retriever = registry.create("chunker", "tokens"), registry.create("retriever", "bm25")
    assert isinstance(retriever, Retriever)
    result: dict[str, list[Hit]] = {}
    for domain in sorted({question.domain for question in questions}):
        own = [question for question in questions if question.domain == domain]
        pages = [(ref, text) for ref, text in texts.items() if domains[ref] == domain]
        retriever.index(chunker.chunks(pages, sections=False))
        hits_of_domain = retriever.search_many([question.text for question in own], TOP_K)
        result |= {question.qid: hits for question, hits in zip(own, hits_of_domain, strict=True)}
    return [result[question.qid] for question in questions]


def page_table(checked: Sequence[CheckedPage]) -> pd.DataFrame:
    """One row per level and kind: edit distance, words with errors and lost, length of runs."""
    counts: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for page in checked:
        words = page.page.words.words
        for kind, text in page.texts.items():
            aligned = page.page.alignment if kind == REAL else align(words, page_words(text).words)
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
    means = scores.groupby(["level", "kind"], sort=False)[["r_noise", "hit", "lcs"]].mean()
    rows = []
    for row in pages.to_dict("records"):
        level, kind = row["level"], row["kind"]
        own, truth = means.loc[(level, kind)], means.loc[(level, "truth")]
        entry = row | {
            "r_noise": own["r_noise"],
            "hit_loss": truth["hit"] - own["hit"],
            "lcs_loss": truth["lcs"] - own["lcs"],
        }
        if kind != REAL:
            of_level = scores[scores["level"] == level]
            for metric in ("r_noise", "lcs"):
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
    clusters = Clusters.of(
        real["doc_id"].to_numpy(),
        np.array([f"{a}\n{b}" for a, b in zip(real["doc_id"], real["page_no"], strict=True)]),
    )
    differences = imitated[metric].to_numpy(float) - real[metric].to_numpy(float)
    return compare_paired(differences, clusters)


def verdicts(scores: pd.DataFrame, checked: Sequence[CheckedPage]) -> tuple[Verdict, ...]:
    """Whether the model fits: over all questions, by domain, and by source of the evidence.

    It fits a group if r_noise and LCS differ from the real output's by at most
    :data:`NEAR_R_NOISE` and :data:`NEAR_LCS` at every level. Nothing is tested by one document,
    since the model was fitted to it.
    """
    n_pages = len(checked)
    one_document = _count_parts(page.page for page in checked) < 2
    if scores.empty:
        note = ONE_DOCUMENT if one_document else "no questions"
        return (Verdict(group="all", outcome="not tested", pages=n_pages, note=note),)
    groups: list[tuple[str, pd.DataFrame]] = [("all", scores)]
    for column in ("domain", "source"):
        groups += [(f"{column}:{name}", own) for name, own in scores.groupby(column)]
    result = []
    for group, own in groups:
        domain = group.removeprefix("domain:") if group.startswith("domain:") else ""
        count = own["qid"].nunique()
        pages = sum(not domain or page.page.pair.domain == domain for page in checked)
        means = own.groupby(["level", "kind"])[["r_noise", "lcs"]].mean().unstack("kind")
        far = {
            metric: float((means[metric][LEARNED] - means[metric][REAL]).abs().max())
            for metric in ("r_noise", "lcs")
        }
        fits = far["r_noise"] <= NEAR_R_NOISE and far["lcs"] <= NEAR_LCS
        few = "" if count >= LEAST_QUESTIONS else f"fewer than {LEAST_QUESTIONS} questions"
        untested = ONE_DOCUMENT if one_document else few
        result.append(
            Verdict(
                group=group,
                outcome="not tested" if untested else "fits" if fits else "does not fit",
                pages=pages,
                questions=count,
                r_noise=round(far["r_noise"], 4),
                lcs=round(far["lcs"], 4),
                note=untested,
            )
        )
    return tuple(result)


def discriminators(checked: Sequence[CheckedPage]) -> dict[str, float]:
    """Kind -> the AUC of telling it from real errors, on pages with errors."""
    used = [page for page in checked if page.page.share >= 0.01 and page.page.output.words]
    documents = [page.page.pair.ref.doc_id for page in used]
    content = {
        kind: [" ".join(page_words(page.texts[kind]).words) for page in used] for kind in KINDS
    }
    return {kind: discriminate(content[REAL], content[kind], documents) for kind in KINDS[1:]}


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
