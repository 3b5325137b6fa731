"""Makes questions that quote a sentence with a gap, and limits how much of it they repeat.

People do not repeat the sentence that answers their question: they use some of its words, and some
of the topics of its page. So a wording keeps the words beside the gap and a drawn part of the
sentence's other content words, and adds words that distinguish the page from others. The signs of
the gap and of omissions are not terms for any retriever; a row of underscores would be, and would
find forms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ohr.datasets import wording
from ohr.questions.candidate import Candidate, Evidence, quoted
from ohr.questions.checks import FEWEST_TERMS
from ohr.questions.values import Value

GAP = "[?]"
OMITTED = "\u2026"
_NOUNS = {
    "date": "date",
    "amount": "amount",
    "percentage": "percentage",
    "period": "length of time",
    "year": "year",
    "number": "number",
    "name": "name",
    "word": "word",
}
_BESIDE = 2
"""Words on either side of a gap that are kept."""
_CONTEXT_SHARES = (0.2, 0.6)
"""Least and largest share of a sentence's other telling words that are kept."""
_MOST_TOPICS = 6


def ask_gap(
    plain: str,
    value: Value,
    evidence: Evidence,
    topics: Sequence[str],
    rng: np.random.Generator,
) -> Candidate:
    """The question for a value of a sentence; ``topics`` are words that distinguish its page."""
    answer = plain[value.start : value.end]
    before, after = plain[: value.start], plain[value.end :]
    short = _shortened(before, after, rng)
    about = _topic_clause(topics, plain, rng)
    with_gap = f"{before}{GAP}{after}"
    return Candidate(
        value.kind,
        _question(value.kind, short, about),
        answer,
        (evidence,),
        "text",
        "Numeric" if wording.is_number(answer) else "String",
        _drop_gap(short),
        fuller=_question(value.kind, with_gap, about)
        if short != " ".join(with_gap.split())
        else "",
        fuller_terms=f"{before} {after}",
    )


def _question(kind: str, quote: str, about: str) -> str:
    return f"Which {_NOUNS[kind]} is missing from {quoted(' '.join(quote.split()))}{about}?"


def _shortened(before: str, after: str, rng: np.random.Generator) -> str:
    """The sentence with its gap, without some of its words."""
    words = f"{before}\0{after}".split()
    gap = next(index for index, word in enumerate(words) if "\0" in word)
    words[gap] = words[gap].replace("\0", GAP)
    kept_places = {index for index in range(len(words)) if abs(index - gap) <= _BESIDE}
    rest = [
        index for index in range(len(words)) if index not in kept_places and _tells(words[index])
    ]
    least, most = _CONTEXT_SHARES
    n_missing = FEWEST_TERMS - sum(_tells(words[index]) for index in kept_places if index != gap)
    n_drawn = max(n_missing, round((least + (most - least) * rng.random()) * len(rest)))
    kept_places.update(rest[i] for i in rng.permutation(len(rest))[:n_drawn])
    parts: list[str] = []
    for index, word in enumerate(words):
        if index in kept_places:
            parts.append(word)
        elif parts[-1:] != [OMITTED]:
            parts.append(OMITTED)
    return " ".join(parts)


def _tells(word: str) -> bool:
    return bool(wording.content_words(word))


def _drop_gap(quote: str) -> str:
    return quote.replace(GAP, " ").replace(OMITTED, " ")


def _topic_clause(topics: Sequence[str], plain: str, rng: np.random.Generator) -> str:
    """Some topics of the page that the sentence does not have; at least two, or none."""
    own = wording.content_words(plain)
    rest = [word for word in topics if not wording.content_words(word) & own]
    n_topics = int(rng.integers(_MOST_TOPICS + 1))
    drawn = [rest[i] for i in sorted(rng.permutation(len(rest))[:n_topics])]
    if len(drawn) < 2:
        return ""
    return f" (about {', '.join(drawn[:-1])} and {drawn[-1]})"
