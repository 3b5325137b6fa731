"""Whether a question's evidence is where the truth of its page is not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from rapidfuzz.distance import Levenshtein

from ohr.collection import Dataset
from ohr.metrics.default import tokens
from ohr.metrics.holes import LEAST_ALIKE, find_place, find_words, touched
from ohr.metrics.scores import R_NOISE_THRESHOLD
from ohr.types import Holes, Question

FEWEST_FOUND = 0.5
"""Least share of the evidence's words that the page must have, known or misread, for the others to
be taken for doubtful words: those can be any words."""
NO_ORDER = "the order of the words on its page is not known"


def questions_in_holes(dataset: Dataset, questions: Iterable[Question]) -> dict[str, str]:
    """The ids of questions with evidence that is in a hole of its pages' truth, with the reason."""
    reasons: dict[str, str] = {}
    for question in questions if dataset.holes else ():
        refs = [ref for ref in question.evidence_pages if ref in dataset.pages]
        pages = [(dataset.pages[ref].text, dataset.holes.get(ref)) for ref in refs]
        if reason := evidence_in_hole(*join_pages(pages), question.evidence_text):
            reasons[question.qid] = reason
    return reasons


def join_pages(pages: Iterable[tuple[str, Holes | None]]) -> tuple[str, Holes]:
    """Several pages as one: their texts, joined with line breaks, and their holes."""
    texts: list[str] = []
    doubtful: list[tuple[int, int]] = []
    order_known, covered, start = True, 1.0, 0
    for text, holes in pages:
        texts.append(text)
        if holes is not None:
            doubtful += [(start + first, start + last) for first, last in holes.doubtful]
            order_known &= holes.order_known
            covered = min(covered, holes.covered)
        start += len(text) + 1
    return "\n".join(texts), Holes(tuple(doubtful), order_known, covered)


def known_lines(text: str, holes: Holes | None) -> str:
    """The lines of a page without doubtful words; none if the order of its words is not known.

    What is asked about a page must not rest on what may be wrong.
    """
    if holes is None:
        return text
    if not holes.order_known:
        return ""
    lines, start = [], 0
    for line in text.split("\n"):
        end = start + len(line)
        if not any(first < end and last > start for first, last in holes.doubtful):
            lines.append(line)
        start = end + 1
    return "\n".join(lines)


def evidence_in_hole(text: str, holes: Holes | None, evidence: str) -> str:
    """Why the evidence of a question, which the page may have, cannot be compared with the page.

    Empty if it can, or if the page does not have it even where nothing is known. Where the order of
    the words is not known, the page has the evidence if it has its words in any order. A doubtful
    word stands for any words, if the page has at least half of the evidence's other words beside
    it, or words like them. As for r_noise, .95 of the words are enough.
    """
    if holes is None or (holes.order_known and not holes.doubtful):
        return ""
    passage = [
        token for start, end in find_words(evidence) for token in tokens(evidence[start:end])
    ]
    if not passage:
        return ""
    words = find_words(text)
    doubts: list[bool] = []
    page: list[str] = []
    numbers: list[int] = []
    flags = touched(words, holes.doubtful)
    for number, ((start, end), doubt) in enumerate(zip(words, flags, strict=True)):
        of_word = tokens(text[start:end])
        page += of_word
        doubts += [doubt] * len(of_word)
        numbers += [number] * len(of_word)
    if not holes.order_known:
        return NO_ORDER if _has_words(passage, page, doubts) else ""
    place = find_place(passage, page, doubts)
    within = slice(place.first, place.last)
    n_doubtful = len({n for n, doubt in zip(numbers[within], doubts[within], strict=True) if doubt})
    if not n_doubtful or not _is_there(place.matches, place.taken, passage, page):
        return ""
    return f"{n_doubtful} word{'s' * (n_doubtful > 1)} in its place on the page may be wrong"


def _has_words(passage: list[str], page: list[str], doubts: list[bool]) -> bool:
    """Whether a page has the words of a passage, in any order; doubtful ones stand for any."""
    known_values = Counter(word for word, doubt in zip(page, doubts, strict=True) if not doubt)
    matches = (known_values & Counter(passage)).total()
    enough = matches >= FEWEST_FOUND * len(passage)
    return enough and matches + sum(doubts) > R_NOISE_THRESHOLD * len(passage)


def _is_there(matches: int, taken: Mapping[int, int], passage: list[str], page: list[str]) -> bool:
    alike = sum(
        Levenshtein.normalized_similarity(passage[place], page[row]) >= LEAST_ALIKE
        for place, row in taken.items()
    )
    enough = matches + alike >= FEWEST_FOUND * len(passage)
    return enough and matches + len(taken) > R_NOISE_THRESHOLD * len(passage)
