"""Headers that a Q&A file names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ohr import registry
from ohr.collection import Dataset
from tests.builders import qa, write_kb, write_questions


def load(folder: Path, **changed: object) -> Dataset:
    write_kb(folder / "kb" / "gt", {"law/a": ["Fact 0 is answer 0."]})
    questions = write_questions(folder / "qas.json", [qa(0, "law/a", 0, **changed)])
    params = {"path": folder / "kb", "questions": questions}
    return registry.create("dataset", {"name": "ohrbench", "params": params}).load()


@pytest.mark.parametrize(
    ("written", "read"),
    [(["A", "B"], ("A", "B")), ("A", ("A",)), ([], ()), (None, ()), ([1, None], ("1",))],
)
def test_headers_are_read(written: object, read: tuple[str, ...], tmp_path: Path) -> None:
    assert load(tmp_path, headers=written).questions[0].headers == read


def test_they_are_part_of_the_digest_where_there_are_any(tmp_path: Path) -> None:
    without = load(tmp_path).digest()
    assert load(tmp_path, headers=[]).digest() == without
    assert load(tmp_path, headers=["A"]).digest() != without
