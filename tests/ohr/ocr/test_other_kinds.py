"""What is neither a PDF nor an image is counted and named, links and pipes too."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ohr.errors import ConfigError
from ohr.ocr.sources import find_pages, other_kinds, other_kinds_line, skipped_files


def test_what_is_no_file_is_counted_and_named(tmp_path):
    (tmp_path / "a.docx").touch()
    (tmp_path / "page.png").touch()
    (tmp_path / ".hidden.docx").touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "loop").symlink_to(".")
    for name in ("x.pdf", "y.pdf"):
        (tmp_path / name).symlink_to("nothing.pdf")
    os.mkfifo(tmp_path / "pipe.png")
    assert other_kinds_line(other_kinds([tmp_path])) == (
        "5 files of other kinds were not read: 2 broken links, 1 .docx, 1 linked folder, "
        "1 special file"
    )
    assert skipped_files([tmp_path]) == [
        "a.docx: .docx is not read: save it as PDF",
        "loop: a link to a folder, which is not followed",
        "pipe.png: no file",
        "x.pdf, y.pdf: a link to nothing",
    ]


def test_a_folder_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "page.png").touch()
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "inside.png").touch()
    (tmp_path / "open").mkdir()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "locked")
    line = "1 file of another kind was not read: 1 unreadable folder"
    assert other_kinds_line(other_kinds([tmp_path])) == line
    assert [source.file_name for source in find_pages([tmp_path], 150)] == ["page.png"]
    with pytest.raises(ConfigError, match="locked: its permissions do not allow"):
        list(find_pages([tmp_path / "locked"], 150))
    assert skipped_files([tmp_path]) == [
        "locked: a folder whose permissions do not allow reading it"
    ]
