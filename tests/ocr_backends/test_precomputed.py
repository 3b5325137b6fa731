"""Knowledge bases from files: what is missing or damaged is a counted outcome."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from ohr import registry
from ohr.collection import Dataset
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
        (b'{"page_idx": 0}', "file holds an object"),
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


LIST = '[{"page_idx": 0, "text": "caf\xe9"}]'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_says_what_the_bytes_are(root: Path, encoding: str) -> None:
    write(root, LIST.encode(encoding))
    assert load(root, document("law/a", "x")).text(PageRef("law/a", 0)) == "caf\xe9"


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (
            LIST.encode("latin-1"),
            "law/a.json is not UTF-8 (byte 0xe9 at 29, line 1): save it as UTF-8",
        ),
        (LIST.encode("utf-16-le"), "law/a.json is not UTF-8 (a null byte at 1: UTF-16 without"),
    ],
)
def test_what_is_no_text_is_an_error_that_says_where(root: Path, data: bytes, detail: str) -> None:
    write(root, data)
    [outcome] = load(root, document("law/a", "x")).pages.values()
    assert outcome.status is Status.ERROR
    assert detail in outcome.detail


def test_a_page_file_that_is_no_text_is_that_pages_error(root: Path) -> None:
    folder = root / "MinerU" / "law" / "a"
    folder.mkdir()
    (folder / "1.md").write_bytes("caf\xe9".encode("latin-1"))
    (folder / "2.md").write_bytes("caf\xe9".encode("utf-16"))
    found = load(root, document("law/a", "x", "y"))
    first, second = (found.pages[PageRef("law/a", number)] for number in (0, 1))
    assert first == Outcome.error("1.md is not UTF-8 (byte 0xe9 at 3, line 1): save it as UTF-8")
    assert second == Outcome("caf\xe9")


def test_lists_counted_from_one_are_read_so_and_said_once(root: Path) -> None:
    write(root, [entry(1, "1"), entry(2, "2"), entry(3, "3")])
    write(root, [entry(1, "b")], "b")  # of two pages, the last of which is blank
    data = dataset(root, A, document("law/b", "b", ""))
    source = registry.create("engine", "precomputed:MinerU")
    for _ in range(2):
        found = source.knowledge_base(data)
    assert [found.text(PageRef("law/a", number)) for number in range(3)] == ["1", "2", "3"]
    assert found.text(PageRef("law/b", 0)) == "b"
    [line] = data.report.problems["pages_counted_from_one"]
    assert "count from 1 in 2 of 2 lists, such as law/a" in line
    as_it_is = {"name": "precomputed", "params": {"kb": "MinerU", "first_page": 0}}
    assert registry.create("engine", as_it_is).knowledge_base(data).text(PageRef("law/a", 1)) == "1"


def test_a_list_with_a_page_0_is_counted_from_0(root: Path) -> None:
    write(root, [entry(0, "1"), entry(3, "more")])
    write(root, [entry(1, "2")], "b")
    data = dataset(root, A, document("law/b", "x", "y"))
    found = registry.create("engine", "precomputed:MinerU").knowledge_base(data)
    assert found.text(PageRef("law/a", 0)) == "1"
    assert found.text(PageRef("law/b", 1)) == "2"
    assert not data.report
    from_one = {"name": "precomputed", "params": {"kb": "MinerU", "first_page": 1}}
    found = registry.create("engine", from_one).knowledge_base(data)
    assert found.text(PageRef("law/b", 0)) == "2"


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


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("folder", ["law", "."])
def test_accented_letters_of_a_file_name_may_be_taken_apart(
    root: Path, form: str, folder: str
) -> None:
    name = unicodedata.normalize(form, "Prüfbericht é")
    path = root / "MinerU" / folder / f"{name}.json"
    path.write_text(json.dumps([entry(0, "read")]), "utf-8")
    for doc_id in ("NFC", "NFD"):
        one = document(unicodedata.normalize(doc_id, "law/Prüfbericht é"), "x")
        assert [page.value for page in load(root, one).pages.values()] == ["read"]


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


# Markdown files


def write_pages(root: Path, files: dict[str, str], name: str = "a") -> Path:
    folder = root / "MinerU" / "law" / name
    folder.mkdir(parents=True)
    for file, text in files.items():
        (folder / file).write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize(
    "names",
    [
        ("page_0001.md", "page_0002.md", "page_0003.md"),
        ("1.md", "2.md", "3.md"),
        ("0.md", "1.md", "2.md"),
        ("scan 2017 p01.txt", "scan 2017 p02.mmd", "scan 2017 p03.MD"),
    ],
)
def test_a_folder_of_markdown_files(root: Path, names: tuple[str, ...]) -> None:
    folder = write_pages(root, dict(zip(names, ("# One", "zwei ä", " "), strict=True)))
    (folder / "cover.png").write_bytes(b"")
    assert list(load(root, A).pages.values()) == [
        Outcome("# One"),
        Outcome("zwei ä"),
        Outcome(" ", Status.EMPTY),
    ]


def test_pages_that_no_file_has_are_errors(root: Path) -> None:
    write_pages(
        root, {"page_1.md": "one", "page_3.md": "three", "page_12.md": "more", "notes.md": ""}
    )
    found = load(root, A)
    assert {ref.page_no: outcome.status for ref, outcome in found.pages.items()} == {
        0: Status.OK, 1: Status.ERROR, 2: Status.OK, 11: Status.OK,
    }  # fmt: skip
    detail = found.pages[PageRef("law/a", 1)].detail
    assert detail == "page missing from MinerU: 1 files have no page number in their name"


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_end_alike_whatever_system_wrote_them(root: Path, end: str) -> None:
    table = "A table\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\n\nIts end"
    written = table.replace("\n", end)
    write(root, [entry(0, written)])
    (root / "MinerU" / "law" / "b.md").write_bytes(written.encode())
    listed = [{"type": "text", "page_idx": 0, "text": written}]
    write(root, listed, "c")
    write_pages(root, {"1.md": written}, "d")
    for name in "abcd":
        one = document(f"law/{name}", "x")
        assert [page.value for page in load(root, one).pages.values()] == [table]


def test_hidden_files_beside_those_of_pages_are_none(root: Path) -> None:
    folder = root / "MinerU" / "law" / "a"
    folder.mkdir()
    (folder / "page_1.md").write_text("one")
    (folder / "._page_1.md").write_bytes(b"\0\5\x16\7")
    found = load(root, document("law/a", "x"))
    assert found.pages == {PageRef("law/a", 0): Outcome("one")}
    (folder / "page_1.md").unlink()
    content = [{"type": "text", "page_idx": 0, "text": "listed"}]
    (folder / "a_content_list.json").write_text(json.dumps(content))
    (folder / "._a_content_list.json").write_bytes(b"\0\5\x16\7")
    found = load(root, document("law/a", "x"))
    assert found.pages == {PageRef("law/a", 0): Outcome("listed")}


def test_where_pages_are_counted_from_can_be_told(root: Path) -> None:
    write_pages(root, {"1.md": "two", "2.md": "three"})
    told = {"name": "precomputed", "params": {"kb": "MinerU", "first_page": 0}}
    found = registry.create("engine", told).knowledge_base(dataset(root, A))
    assert [o.value for _, o in sorted(found.pages.items())] == [None, "two", "three"]


@pytest.mark.parametrize(
    ("files", "detail"),
    [
        ({"1.md": "a", "01.md": "b"}, "01.md and 1.md are the same page"),
        ({}, "folder has no pages"),
    ],
)
def test_what_is_wrong_with_a_folder(root: Path, files: dict[str, str], detail: str) -> None:
    write_pages(root, files)
    outcomes = load(root, A).pages.values()
    assert [outcome.status for outcome in outcomes] == [Status.ERROR] * 3
    assert all(detail in outcome.detail for outcome in outcomes)


def test_a_document_in_both_layouts_is_an_error(root: Path) -> None:
    write(root, [entry(0, "one")])
    write_pages(root, {"1.md": "one"})
    assert all("remove one" in outcome.detail for outcome in load(root, A).pages.values())


def test_the_digest_follows_the_files(root: Path) -> None:
    folder = write_pages(root, {"1.md": "one", "2.md": "two"})
    before = load(root, A).origin
    assert load(root, A).origin == before
    (folder / "2.md").write_text("zwei")
    assert load(root, A).origin != before
