"""The language of questions, and what turns its texts into terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from bm25s.stopwords import STOPWORDS_EN_PLUS, STOPWORDS_GERMAN

from rag.retrievers.terms import Analyser, analyser

Language = Literal["en", "de"]
_WORD = re.compile(r"[^\W\d_]+")
_STOP_WORDS: dict[Language, frozenset[str]] = {
    "en": frozenset(STOPWORDS_EN_PLUS),
    "de": frozenset(STOPWORDS_GERMAN),
}
_ENGLISH_ALONE = _STOP_WORDS["en"] - _STOP_WORDS["de"]
_GERMAN_ALONE = _STOP_WORDS["de"] - _STOP_WORDS["en"]
_LOOKED_AT = 100_000
"""Characters that the language of documents is told by."""
_UMLAUT = re.compile("[äöüß]", re.IGNORECASE)
_TERMS: dict[Language, Literal["english", "german"]] = {"en": "english", "de": "german"}


def languages_of(questions: Sequence[str], texts: Iterable[str]) -> list[Language]:
    """The language of each question: German if more of its words are German stop words or have an
    umlaut than are English stop words; words of both say nothing. A question that does not tell is
    in that of the pages' texts, or else in English.
    """
    told = [_told(question) for question in questions]
    usual = None if all(told) else _told(_beginning(texts))
    return [language or usual or "en" for language in told]


def _beginning(texts: Iterable[str]) -> str:
    found, left = [], _LOOKED_AT
    for text in texts:
        found.append(text[:left])
        left -= len(found[-1])
        if not left:
            break
    return " ".join(found)


def _told(text: str) -> Language | None:
    words = _WORD.findall(text.casefold())
    english = sum(word in _ENGLISH_ALONE for word in words)
    german = sum(word in _GERMAN_ALONE or bool(_UMLAUT.search(word)) for word in words)
    if german == english:
        return None
    return "de" if german > english else "en"


def terms_of(language: Language) -> Literal["english", "german"]:
    """What BM25 takes for a term in a language: its words, stemmed, without its stop words."""
    return _TERMS[language]


def analyser_of(language: Language) -> Analyser:
    """What turns texts of a language into terms."""
    return analyser(terms_of(language), 4)


def stop_words(language: Language) -> frozenset[str]:
    """Words of a language that say nothing of what a text is about."""
    return _STOP_WORDS[language]
