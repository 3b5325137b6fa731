"""A folder of Markdown as a dataset: ids, pages, questions, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ohr.errors import DatasetError
from ohr.types import PageRef
from ohr.typeset.markdown_folder import markdown_dataset


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def test_files_and_numbered_pages_are_documents(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        notes="one\ftwo",
        law__act="# The act",
        law__case__page_0003="third",
        law__case__page_0001="first words of the case",
    )
    dataset = markdown_dataset(folder)
    assert {ref: page.text for ref, page in dataset.pages.items()} == {
        PageRef("documents/notes", 0): "one",
        PageRef("documents/notes", 1): "two",
        PageRef("law/act", 0): "# The act",
        PageRef("law/case", 0): "first words of the case",
        PageRef("law/case", 2): "third",
    }
    assert [question.qid for question in dataset.questions] == [
        "documents/notes#0", "documents/notes#1", "law/act#0", "law/case#0", "law/case#2",
    ]  # fmt: skip


def test_own_questions_are_asked(tmp_path: Path) -> None:
    folder = write(tmp_path / "pages", law__act="The fee is 5.")
    entry = {
        "ID": "fee",
        "questions": "What is the fee?",
        "answers": "5",
        "doc_name": "law/act",
        "doc_type": "law",
        "answer_form": "Numeric",
        "evidence_source": "text",
        "evidence_context": "The fee is 5.",
        "evidence_page_no": 0,
    }
    (tmp_path / "qas.json").write_text(json.dumps([entry]))
    assert [q.qid for q in markdown_dataset(folder, tmp_path / "qas.json").questions] == ["fee"]


def test_no_pages_a_page_twice_and_other_bytes_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no folder"):
        markdown_dataset(tmp_path / "absent")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match=r"name the files <domain>/<document>\.md"):
        markdown_dataset(tmp_path / "empty")
    twice = write(tmp_path / "twice", law__act="a", law__act__page_0001="b")
    with pytest.raises(DatasetError, match="page 1 of law/act is there twice"):
        markdown_dataset(twice)
    zero = write(tmp_path / "zero", law__act__page_0000="b")
    with pytest.raises(DatasetError, match="counted from 1"):
        markdown_dataset(zero)
    (tmp_path / "bytes").mkdir()
    (tmp_path / "bytes" / "a.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DatasetError, match="UTF-8"):
        markdown_dataset(tmp_path / "bytes")
