"""A typeset dataset: it can be studied, a killed command continues, other folders are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pypandoc", reason="pypandoc_binary is not installed")

from ohr.collection import Dataset
from ohr.datasets.ohrbench import OhrBench
from ohr.documents.pdf import page_text
from ohr.errors import ConfigError, DatasetError, StoreError
from ohr.plugins import DatasetParams
from ohr.types import Document, Page, PageRef, Question
from ohr.typeset import writing
from ohr.typeset.render import Typeset
from ohr.typeset.writing import layout_names, write_typeset

FEE = "The fee of the harbour is 5 pounds a day."


def document(doc_id: str, domain: str, **texts: str) -> Document:
    pages = [Page(PageRef(doc_id, int(name[1:])), text) for name, text in texts.items()]
    return Document(doc_id, domain, pages)


def dataset(fee: str = FEE) -> Dataset:
    documents = [
        document("law/act", "law", p0=fee, p2=r"with $\nosuch{x}$"),
        document("../outside/a.b", "law", p0="A strange name."),
        document("plain", "manual", p0="Without a domain."),
    ]
    questions = [
        Question(
            qid=f"q{number}",
            text="What is the fee?",
            answers=("5",),
            doc_id=one.doc_id,
            domain=one.domain,
            evidence_pages=(PageRef(one.doc_id, 0),),
            evidence_text=one.pages[0].text,
            evidence_source="text",
            answer_form="Numeric",
        )
        for number, one in enumerate(documents)
    ]
    return Dataset(documents, questions, kind="test")


def load(out: Path) -> Dataset:
    paths = {"path": out / "retrieval_base", "questions": out / "qas.json", "pdfs": out / "pdfs"}
    return OhrBench(DatasetParams(**paths, strict=True)).load()


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
def test_the_folder_is_a_dataset_with_the_same_texts_and_questions(tmp_path: Path) -> None:
    out = tmp_path / "out"
    written, is_new = write_typeset(dataset(), out)
    assert is_new
    assert (written.pages, written.documents, written.questions) == (4, 3, 3)
    assert [(doc, page, kind) for doc, page, kind, _ in written.fallbacks] == [
        ("law/act", 2, "formula")
    ]
    assert written.renamed == {"../outside/a.b": "law/___outside_a.b", "plain": "manual/plain"}
    loaded = load(out)
    assert {page.text for page in loaded.pages.values()} == {
        page.text for page in dataset().pages.values()
    }
    assert [question.qid for question in loaded.questions] == ["q0", "q1", "q2"]
    source = loaded.documents["law/act"].source
    assert source is not None
    assert page_text(source, 0).strip() == FEE
    assert page_text(source, 1).strip() == ""
    boxes = json.loads((out / "boxes" / "law" / "act.json").read_text("utf-8"))
    assert [len(page["blocks"]) for page in boxes] == [1, 0, 1]
    assert not (out / writing.PARTS).exists()
    again, is_new = write_typeset(dataset(), out)
    assert not is_new
    assert again == written


@pytest.mark.slow
def test_a_killed_command_continues_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_typeset(dataset(), tmp_path / "whole")
    calls: list[int] = []

    def killed(after: int) -> Callable[..., Typeset]:
        def typeset(*arguments: object) -> Typeset:
            calls.append(1)
            if len(calls) > after:
                raise KeyboardInterrupt
            return real(*arguments)

        return typeset

    real = writing.typeset
    monkeypatch.setattr(writing, "IN_PROCESS", 9)
    monkeypatch.setattr(writing, "typeset", killed(2))
    with pytest.raises(KeyboardInterrupt):
        write_typeset(dataset(), tmp_path / "part")
    assert not (tmp_path / "part" / writing.RECORD).exists()
    calls.clear()
    monkeypatch.setattr(writing, "typeset", killed(9))
    write_typeset(dataset(), tmp_path / "part")
    assert len(calls) == 1
    assert files(tmp_path / "part") == files(tmp_path / "whole")


@pytest.mark.slow
def test_other_options_other_data_and_other_folders_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_typeset(dataset(), out)
    for other in ({"look": "paper"}, {"seed": 3}):
        with pytest.raises(ConfigError, match="holds no typeset pages of this dataset"):
            write_typeset(dataset(), out, **other)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="choose another folder"):
        write_typeset(dataset("Another fee."), out)
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "note.txt").write_text("mine")
    with pytest.raises(ConfigError):
        write_typeset(dataset(), tmp_path / "used")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError):
        write_typeset(dataset(), tmp_path / "file" / "out")


@pytest.mark.slow
@pytest.mark.workers
def test_workers_write_the_same_and_their_errors_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_typeset(dataset(), tmp_path / "one")
    monkeypatch.setattr(writing, "IN_PROCESS", 0)
    write_typeset(dataset(), tmp_path / "two", workers=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_an_error_of_a_document_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> Typeset:
        raise DatasetError("Typst refuses something in every round")

    monkeypatch.setattr(writing, "typeset", refuse)
    with pytest.raises(DatasetError, match="law/act: Typst refuses"):
        write_typeset(Dataset([dataset().documents["law/act"]], [], kind="t"), tmp_path / "out")


def test_names_are_safe_unique_and_own_where_possible() -> None:
    listed = [
        document("law/a_b", "law"),
        document("law/a/b", "law"),
        document("x/../../law/a_b", "law"),
        document("", "law"),
        document(".hidden", ""),
    ]
    names = layout_names(listed)
    assert names["law/a_b"] == "law/a_b"
    assert names["law/a/b"] == "law/a/b"
    assert len(set(names.values())) == len(listed)
    for name in names.values():
        assert ".." not in name.split("/")
        assert name.count("/") >= 1
