"""The offline reader is not examined on what it was fitted on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.reader import Item, load
from benchmarks.reader_fit import examples, fit_on, folds, held_out, write
from ohr.types import Hit, PageRef
from rag.readers import _weights
from rag.readers._question_type import QuestionType
from rag.readers._spans import FEATURES
from rag.readers._weights import FOLDS, SETS, document_key, fold_of, question_key, span_weights
from rag.readers.extractive import Extractive
from tests.rag.test_extractive import HARBOUR

QUESTION = "What is the fee for a night in berth 3?"


def item(doc_id: str, number: int, answer: str, question: str = "") -> Item:
    text = f"Berth {number} is long. The fee is {number + 20} a night. Ada Lund {number} minds it."
    hit = Hit(PageRef(doc_id, 0), text, 1.0, 0)
    asked = question or f"What is the fee for a night in berth {number}?"
    return Item(asked, (answer,), doc_id, "text", "Numeric", (hit,))


def some_items(wrong: frozenset[str] = frozenset()) -> list[Item]:
    """Twenty documents of two domains, one question each; those of ``wrong`` have other answers."""
    names = [f"{domain}/{number}" for domain in ("law", "manual") for number in range(10)]
    return [
        item(name, index, "Ada Lund" if name in wrong else str(index + 20))
        for index, name in enumerate(names)
    ]


def hits(*doc_ids: str) -> list[Hit]:
    return [Hit(PageRef(doc_id, 0), HARBOUR, 1.0, rank) for rank, doc_id in enumerate(doc_ids)]


@pytest.fixture
def known_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {
        "questions": {question_key(QUESTION): 3},
        "documents": {document_key("port/larvik"): 1, document_key("port/moss"): 2},
    }
    monkeypatch.setattr(_weights, "_folds", lambda: table)


def test_a_question_is_known_by_its_words_and_else_by_its_document(known_folds: None) -> None:
    assert fold_of(QUESTION, ()) == fold_of(QUESTION, hits("port/larvik")) == 3
    assert fold_of("  what IS the fee,\nfor a night in berth 3 ?", ()) == 3
    assert fold_of("And the fee?", hits("port/oslo", "other/larvik", "port/moss")) == 1
    assert fold_of("And the fee?", hits("port/oslo")) is None
    assert fold_of("", ()) is None


def test_the_weights_without_the_questions_fold_answer_it(
    known_folds: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def noted(kind: QuestionType, fold: int | None = None) -> np.ndarray:
        asked.append(fold)
        return span_weights(kind, fold)

    monkeypatch.setattr("rag.readers.extractive.span_weights", noted)
    reader = Extractive()
    reader.answer(QUESTION, hits("port/larvik"))
    reader.answer("Who is the harbour master?", hits("port/moss"))
    reader.answer("Who is the harbour master?", hits("port/oslo"))
    assert asked == [3, 2, None]


def test_there_are_weights_of_each_feature_from_all_and_without_each_fold() -> None:
    for kind in set(QuestionType) - {QuestionType.YES_NO}:
        sets = [span_weights(kind, fold) for fold in (None, *range(FOLDS))]
        assert {len(weights) for weights in sets} == {len(FEATURES)}
        assert len({weights.tobytes() for weights in sets}) == len(sets) == len(SETS)


def test_folds_are_balanced_and_keep_what_shares_a_question_together() -> None:
    items = some_items()
    parts = folds(items)
    assert parts == folds(items[::-1])
    by_domain = Counter((doc_id.partition("/")[0], fold) for doc_id, fold in parts.items())
    assert set(by_domain.values()) == {2}
    same = [*items, item("law/1", 1, "x", QUESTION), item("manual/7", 1, "x", QUESTION.upper())]
    assert (again := folds(same))["law/1"] == again["manual/7"]


def test_weights_without_a_fold_never_saw_its_answers(tmp_path: Path) -> None:
    parts = folds(some_items())
    changed = frozenset(doc_id for doc_id, fold in parts.items() if fold == 0)
    one, two = (
        held_out(examples(items), {doc_id: f"without_{fold}" for doc_id, fold in parts.items()})
        for items in (some_items(), some_items(changed))
    )
    assert [np.array_equal(one[name], two[name]) for name in sorted(one)] == [True] + [False] * 4
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        again = {"all": fit_on(examples(some_items()))}
        write(tmp_path / folder, some_items(), parts, one | again)
    for name in (_weights.WEIGHTS_FILE, _weights.FOLDS_FILE):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_every_question_of_the_fit_is_known(data_dir: Path) -> None:
    items = load(data_dir)
    parts = folds(items)
    assert set(parts.values()) == set(range(FOLDS))
    for one in items:
        assert fold_of(one.question, ()) == fold_of("", one.context) == parts[one.doc_id]
