"""The language of questions, and the analyser of its texts."""

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
_ENGLISH_ONLY = _STOP_WORDS["en"] - _STOP_WORDS["de"]
_GERMAN_ONLY = _STOP_WORDS["de"] - _STOP_WORDS["en"]
_SAMPLE_CHARACTERS = 100_000
"""Characters from which the language of documents is detected."""
_UMLAUT = re.compile("[äöüß]", re.IGNORECASE)
_TERMS: dict[Language, Literal["english", "german"]] = {"en": "english", "de": "german"}


def languages_of(questions: Sequence[str], texts: Iterable[str]) -> list[Language]:
    """The language of each question.

    German, if the question has more words that are German stop words or have an umlaut than English
    stop words; stop words of both languages do not count. If undecided, the language of the page
    texts, or else English.
    """
    detected = [_detect(question) for question in questions]
    default = None if all(detected) else _detect(_beginning(texts))
    return [language or default or "en" for language in detected]


def _beginning(texts: Iterable[str]) -> str:
    parts, remaining = [], _SAMPLE_CHARACTERS
    for text in texts:
        parts.append(text[:remaining])
        remaining -= len(parts[-1])
        if not remaining:
            break
    return " ".join(parts)


def _detect(text: str) -> Language | None:
    words = _WORD.findall(text.casefold())
    english = sum(word in _ENGLISH_ONLY for word in words)
    german = sum(word in _GERMAN_ONLY or bool(_UMLAUT.search(word)) for word in words)
    if german == english:
        return None
    return "de" if german > english else "en"


def terms_of(language: Language) -> Literal["english", "german"]:
    """The terms of BM25 in a language: stemmed words without stop words."""
    return _TERMS[language]


def analyser_of(language: Language) -> Analyser:
    """Turns texts of a language into terms."""
    return analyser(terms_of(language), 4)


def stop_words(language: Language) -> frozenset[str]:
    """Words of a language that say nothing about a text's topic."""
    return _STOP_WORDS[language]
