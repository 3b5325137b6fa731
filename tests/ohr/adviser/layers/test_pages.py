"""Which PDFs are checked, and what is left out."""

from __future__ import annotations

import pytest

from ohr.adviser.layers import pages
from ohr.adviser.layers.pages import check_pdfs, find_pdfs
from ohr.errors import ConfigError
from ohr.types import Outcome
from tests.builders import write_pdf
from tests.ohr.adviser.layers.verdicts import RIGHT


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "pdfs"
    write_pdf(root / "law" / "long.pdf", 5)
    write_pdf(root / "short.pdf", 1)
    (root / "torn.pdf").write_text("%PDF-1.4")
    (root / "note.txt").write_text("x")
    (root / "scan.png").write_bytes(b"x")
    return root


def test_pdfs_are_found_in_folders_and_all_other_files_are_counted(folder):
    files = find_pdfs([folder, folder / "short.pdf"])
    assert [(pdf.doc_id, pdf.name, list(pdf.page_nos)) for pdf in files.pdfs] == [
        ("law/long", "law/long.pdf", [0, 1, 2, 3, 4]),
        ("documents/short", "short.pdf", [0]),
        ("documents/torn", "torn.pdf", []),
    ]
    assert [bool(pdf.fault) for pdf in files.pdfs] == [False, False, True]
    assert files.others == {".png": 1, ".txt": 1}


def test_pages_are_chosen_and_nothing_is_left_out_in_silence(folder):
    files = find_pdfs([folder], "2-3,5")
    assert [(pdf.name, list(pdf.page_nos)) for pdf in files.pdfs] == [
        ("law/long.pdf", [1, 2, 4]),
        ("torn.pdf", []),
    ]
    assert files.without_pages == ["short.pdf"]
    with pytest.raises(ConfigError, match="no file has such a page"):
        find_pdfs([folder], "9-")


def test_two_pdfs_of_one_name_are_refused(tmp_path):
    paths = [write_pdf(tmp_path / name / "a.pdf", 1) for name in ("x", "y")]
    with pytest.raises(ConfigError, match="would both be the document 'documents/a'"):
        find_pdfs(paths)


def test_a_folder_without_pdfs_says_what_it_has(tmp_path):
    (tmp_path / "scan.png").write_bytes(b"x")
    with pytest.raises(ConfigError, match=r"no PDF in .*: 1 file of another kind .* 1 \.png"):
        find_pdfs([tmp_path])


def test_many_pdfs_are_checked_in_parts_and_stay_in_order(folder, monkeypatch):
    calls = []

    def verified(paths, pages):
        calls.append([path.name for path in paths])
        return [
            Outcome.error("it is torn") if path.name == "short.pdf"
            else Outcome([RIGHT for _ in pages[path]])
            for path in paths
        ]  # fmt: skip

    monkeypatch.setattr(pages, "verified_layers", verified)
    monkeypatch.setattr(pages, "PAGES_TOGETHER", 5)
    counts = []
    checked = check_pdfs(find_pdfs([folder]).pdfs, lambda *done: counts.append(done[1:]))
    assert calls == [["long.pdf"], ["short.pdf"]]
    assert counts == [(0, 6), (5, 6), (6, 6)]
    assert [(each.pdf.name, len(each.verdicts)) for each in checked] == [
        ("law/long.pdf", 5),
        ("short.pdf", 0),
        ("torn.pdf", 0),
    ]
    assert checked[1].fault == "it is torn"
    assert "torn.pdf" in checked[2].fault
