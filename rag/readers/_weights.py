"""Weights of the extractive reader's span model: from all documents, and without each fold.

A reader must not be evaluated on the data that it was fitted on. Its documents are divided into
five folds, and beside the weights from all of them there are five sets, each fitted without one
fold. A question of the fitted data, or one whose context is from a fitted document, is answered
with the weights fitted without that document's fold; every other question with the weights from
all documents. Questions and documents are identified by digests of 8 hex digits. The chance that
another question has the same digest as one of them is about one in a million; it is then answered
with the weights of a fold.

``benchmarks/reader_fit.py`` writes both files.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from ohr.store.identity import digest
from ohr.types import Hit
from rag.readers._question_type import QuestionType
from rag.readers._spans import FEATURES

FOLDS = 5
SETS = ("all", *(f"without_{fold}" for fold in range(FOLDS)))
"""Columns of the file of weights: fitted on all documents, and without each fold."""
WEIGHTS_FILE = "extractive_weights.csv"
"""``kind,feature`` and a column for each of :data:`SETS`."""
FOLDS_FILE = "extractive_folds.json"
"""``questions`` and ``documents``: digest -> fold."""

_WORD = re.compile(r"\w+")


def span_weights(kind: QuestionType, fold: int | None = None) -> np.ndarray:
    """Weights of :data:`FEATURES` for one kind of question: without ``fold``, or from all."""
    weights: np.ndarray = _weights()[kind.value][0 if fold is None else 1 + fold]
    return weights


def fold_of(question: str, context: Sequence[Hit]) -> int | None:
    """The fold of a question's document, or None if the document was not fitted on.

    A question of the fitted data has its fold; otherwise the first hit from a fitted document
    decides.
    """
    known_values = _folds()
    fold = known_values["questions"].get(question_key(question))
    if fold is not None:
        return fold
    documents = (known_values["documents"].get(document_key(hit.ref.doc_id)) for hit in context)
    return next((fold for fold in documents if fold is not None), None)


def question_key(question: str) -> str:
    """Digest of a question's words, whatever their case, spacing and punctuation."""
    words = _WORD.findall(unicodedata.normalize("NFKC", question).casefold())
    return _short(" ".join(words))


@cache
def document_key(doc_id: str) -> str:
    """Digest of a document's name without its folder: ``finance/A`` and ``A`` are one."""
    return _short(doc_id.rpartition("/")[2])


def weights_digest() -> str:
    """Digest of both files: apart from code and input, answers depend on them alone."""
    return digest([_text(WEIGHTS_FILE), _text(FOLDS_FILE)])


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


@cache
def _text(name: str) -> str:
    return (files("rag.readers") / name).read_text(encoding="utf-8")


@cache
def _weights() -> dict[str, np.ndarray]:
    """Kind -> ``(len(SETS), len(FEATURES))`` float32."""
    table: dict[str, dict[str, list[str]]] = {}
    for row in csv.DictReader(_text(WEIGHTS_FILE).splitlines()):
        table.setdefault(row["kind"], {})[row["feature"]] = [row[name] for name in SETS]
    return {
        kind: np.array([rows[name] for name in FEATURES], dtype=np.float32).T.copy()
        for kind, rows in table.items()
    }


@cache
def _folds() -> dict[str, dict[str, int]]:
    known_values: dict[str, dict[str, int]] = json.loads(_text(FOLDS_FILE))
    return known_values
