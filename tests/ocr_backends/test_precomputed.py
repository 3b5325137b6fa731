"""Knowledge bases from files: what is missing or damaged is a counted outcome."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ohr import registry
from ohr.datasets.dataset import Dataset
from ohr.errors import ConfigError, DatasetError
from ohr.types import Document, KnowledgeBase, Outcome, Page, PageRef, Status


def document(doc_id: str, *texts: str) -> Document:
    pages = [Page(PageRef(doc_id, number), text) for number, text in enumerate(texts)]
    return Document(doc_id, doc_id.partition("/")[0], pages)


def dataset(root: Path, *documents: Document) -> Dataset:
    return Dataset(documents, [], kind="ohrbench", root=root)


def load(root: Path, *documents: Document, kb: str = "MinerU") -> KnowledgeBase:
    found: KnowledgeBase = registry.create("engine", f"precomputed:{kb}").knowledge_base(
        dataset(root, *documents)
    )
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "gt").mkdir()
    (tmp_path / "MinerU" / "law").mkdir(parents=True)
    return tmp_path


def write(root: Path, content: Any, name: str = "a") -> None:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (root / "MinerU" / "law" / f"{name}.json").write_bytes(data)


def entry(page_no: int, text: str) -> dict[str, object]:
    return {"page_idx": page_no, "text": text}


A = document("law/a", "one", "two", "three")


def test_ground_truth_is_its_own_knowledge_base(root: Path) -> None:
    source = registry.create("engine", "gt")
    found = source.knowledge_base(dataset(root, document("law/b", "x"), document("law/a", "", "y")))
    assert list(found.pages.items()) == [
        (PageRef("law/b", 0), Outcome("x")),
        (PageRef("law/a", 0), Outcome("", Status.EMPTY)),
        (PageRef("law/a", 1), Outcome("y")),
    ]


def test_pages_by_number_in_file_order(root: Path) -> None:
    write(root, [entry(2, "3"), entry(0, "1"), {"page_no": 1, "text": " "}])
    assert list(load(root, A).pages.items()) == [
        (PageRef("law/a", 2), Outcome("3")),
        (PageRef("law/a", 0), Outcome("1")),
        (PageRef("law/a", 1), Outcome(" ", Status.EMPTY)),
    ]


def test_only_the_documents_of_the_dataset(root: Path) -> None:
    write(root, [entry(0, "b")], "b")
    write(root, [entry(0, "a")])
    assert list(load(root, document("law/a", "x")).pages) == [PageRef("law/a", 0)]


def test_extra_page_stays_and_missing_page_is_an_error(root: Path) -> None:
    write(root, [entry(7, "extra"), entry(0, "one")])
    found = load(root, A)
    assert [ref.page_no for ref in found.pages] == [7, 0, 1, 2]
    assert found.pages[PageRef("law/a", 2)] == Outcome.error("page missing from MinerU")
    assert found.text(PageRef("law/a", 7)) == "extra"


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (None, "law/a.json missing from MinerU"),
        (b"", "file is empty"),
        (b"[]", "file has no pages"),
        (b'[{"page_idx": 0, "te', "file is not JSON"),
        (b'{"page_idx": 0}', "file holds a dict"),
        (b"[" * 100_000, "file is not JSON"),
        (b'["text", 3, {"text": "x"}, {"page_idx": "0", "text": "x"}]', "4 of 4 entries"),
        (b'[{"page_idx": -1, "text": "x"}, {"page_idx": true, "text": "x"}]', "2 of 2 entries"),
    ],
)
def test_unusable_file_is_an_error_on_every_page(
    root: Path, content: bytes | None, detail: str
) -> None:
    if content is not None:
        write(root, content)
    write(root, [entry(0, "fine")], "b")
    found = load(root, A, document("law/b", "x"))
    bad = [page for ref, page in found.pages.items() if ref.doc_id == "law/a"]
    assert len(bad) == 3
    for page in bad:
        assert page.status is Status.ERROR
        assert page.detail.startswith("page missing from MinerU: ")
        assert detail in page.detail
        assert "\n" not in page.detail
    assert found.text(PageRef("law/b", 0)) == "fine"


def test_entry_without_text_is_an_error_on_its_page(root: Path) -> None:
    write(root, [{"page_idx": 0}, {"page_idx": 1, "text": None}, entry(2, "three")])
    statuses = [page.status for page in load(root, A).pages.values()]
    assert statuses == [Status.ERROR, Status.ERROR, Status.OK]


def test_entries_of_one_page_are_joined(root: Path) -> None:
    write(root, [entry(0, "top"), entry(0, "bottom")])
    assert load(root, document("law/a", "x")).text(PageRef("law/a", 0)) == "top\n\nbottom"


def test_invalid_utf8_is_replaced(root: Path) -> None:
    write(root, b'\xef\xbb\xbf[{"page_idx": 0, "text": "caf\xe9 \xff"}]')
    assert load(root, document("law/a", "x")).text(PageRef("law/a", 0)) == "caf\ufffd \ufffd"


@pytest.mark.parametrize(
    "doc_id", ["../secret", "law/../../secret", "/etc/passwd", "law//a", "law/.", "law/x\\y", ""]
)
def test_hostile_document_id_is_never_a_path(root: Path, doc_id: str) -> None:
    (root / "secret.json").write_text('[{"page_idx": 0, "text": "secret"}]')
    [outcome] = load(root, document(doc_id, "x")).pages.values()
    assert outcome.status is Status.ERROR
    assert "cannot be a file name" in outcome.detail


@pytest.mark.parametrize("name", ["x" * 5000, "nul\0"])
def test_impossible_name_is_an_error(root: Path, name: str) -> None:
    [outcome] = load(root, document(f"law/{name}", "x")).pages.values()
    assert outcome.status is Status.ERROR


def test_named_pipe_is_not_waited_on(root: Path) -> None:
    os.mkfifo(root / "MinerU" / "law" / "a.json")
    assert load(root, document("law/a", "x")).status(PageRef("law/a", 0)) is Status.ERROR


def test_folder_by_path(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    write(root, [entry(0, "one")])
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    found = load(elsewhere, document("law/a", "x"), kb=str(root / "MinerU"))
    assert found.text(PageRef("law/a", 0)) == "one"


def test_name_beside_the_truth_goes_before_the_working_folder(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, [entry(0, "beside")])
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "MinerU").mkdir()
    monkeypatch.chdir(elsewhere)
    assert load(root, document("law/a", "x")).text(PageRef("law/a", 0)) == "beside"


def test_missing_folder_lists_the_known(root: Path) -> None:
    with pytest.raises(DatasetError, match=r"'GOT'; known in .*: MinerU, gt"):
        load(root, A, kb="GOT")
    with pytest.raises(DatasetError, match="''"):
        load(root, A, kb="")
    with pytest.raises(ConfigError, match="kb"):
        registry.create("engine", "precomputed")


def test_digest_follows_the_files(root: Path) -> None:
    write(root, [entry(0, "one")])
    before = load(root, A).origin
    assert load(root, A).origin == before
    write(root, [entry(0, "two")])
    assert load(root, A).origin != before
