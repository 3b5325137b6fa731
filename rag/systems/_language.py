"""The language of a question, and what turns its texts into terms."""

from __future__ import annotations

import re
from typing import Literal

from bm25s.stopwords import STOPWORDS_EN_PLUS, STOPWORDS_GERMAN

from rag.retrievers.terms import Analyser, analyser

Language = Literal["en", "de"]
_WORD = re.compile(r"[^\W\d_]+")
_STOP_WORDS = {"en": frozenset(STOPWORDS_EN_PLUS), "de": frozenset(STOPWORDS_GERMAN)}
_UMLAUT = re.compile("[äöüß]", re.IGNORECASE)
_TERMS: dict[Language, Literal["english", "german"]] = {"en": "english", "de": "german"}


def language_of(question: str) -> Language:
    """German if more of its words are German stop words or have an umlaut than are English ones."""
    words = _WORD.findall(question.casefold())
    german = sum(word in _STOP_WORDS["de"] or bool(_UMLAUT.search(word)) for word in words)
    return "de" if german > sum(word in _STOP_WORDS["en"] for word in words) else "en"


def terms_of(language: Language) -> Literal["english", "german"]:
    """What BM25 takes for a term in a language: its words, stemmed, without its stop words."""
    return _TERMS[language]


def analyser_of(language: Language) -> Analyser:
    """What turns texts of a language into terms."""
    return analyser(terms_of(language), 4)


def stop_words(language: Language) -> frozenset[str]:
    """Words of a language that say nothing of what a text is about."""
    return _STOP_WORDS[language]
