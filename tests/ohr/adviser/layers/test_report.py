"""What is printed about many PDFs, or about many pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ohr.adviser.layers import report
from ohr.adviser.layers.pages import CheckedPdf, FoundPdfs
from ohr.adviser.layers.report import report_layers
from tests.ohr.adviser.layers.verdicts import EMPTY, RIGHT, broken, checked, doubtful


@pytest.fixture
def printed(monkeypatch, tmp_path, capsys):
    """A function that reports on checked PDFs: its exit code and the lines that it prints."""

    def call(*pdfs: CheckedPdf, **left_out) -> tuple[int, list[str]]:
        files = FoundPdfs(
            [each.pdf for each in pdfs], **{"without_pages": (), "others": {}} | left_out
        )
        monkeypatch.setattr(report, "find_pdfs", lambda inputs, ranges: files)
        monkeypatch.setattr(report, "check_pdfs", lambda pdfs_, progress: list(pdfs))
        monkeypatch.setattr(report, "fill_sheet", lambda sheet, progress: None)
        code = report_layers([Path("my_pdfs")], tmp_path)
        return code, capsys.readouterr().out.splitlines()

    return call


def test_many_pdfs_without_a_flaw_share_a_line(printed):
    flawless = [checked(RIGHT, RIGHT, name=f"n{number}") for number in range(30)]
    _, lines = printed(*flawless, checked(EMPTY, name="scan"))
    assert "30 PDFs with 60 pages: all usable, no word doubtful" in lines
    assert [line for line in lines if line.startswith("n")] == []
    assert "scan.pdf: 0 of 1 page usable" in lines
    _, lines = printed(*flawless[:5])
    assert lines[:5] == [f"n{number}.pdf: 2 of 2 pages usable" for number in range(5)]


def test_of_many_pages_those_that_are_not_usable_are_printed_first(printed):
    pages = [doubtful("x", covered=0.9 - number / 1000) for number in range(90)]
    pages[80:85] = [doubtful(fault=f"fault {number}") for number in range(5)]
    _, lines = printed(checked(*pages))
    assert "50 more pages with flaws are in layers.csv" in lines
    assert sum("fault " in line for line in lines) == 5
    rows = [
        int(line.split()[0])
        for line in lines
        if line.startswith("  ") and line.split()[0].isdigit()
    ]
    assert rows == [*range(1, 36), *range(81, 86)]


def test_the_header_is_printed_once_and_only_above_pages(printed):
    _, lines = printed(checked(EMPTY, name="a"), checked(EMPTY, name="b"))
    assert sum("covered" in line for line in lines) == 1
    assert max(map(len, lines[:6])) <= 100
    _, lines = printed(checked(RIGHT))
    assert sum("covered" in line for line in lines) == 0


def test_what_was_not_checked_is_named_below_and_the_code_says_whether_a_layer_is_usable(printed):
    code, lines = printed(broken(), checked(RIGHT), without_pages=["short.pdf"], others={".png": 2})
    assert code == 0
    assert lines[:5] == [
        "report.pdf: 1 of 1 page usable",
        "broken.pdf: it is torn",
        "short.pdf: has no such page",
        "2 files of other kinds were not read: 2 .png",
        "",
    ]
    assert printed(broken())[0] == 1
    assert printed(checked(EMPTY))[0] == 1


def test_reasons_are_printed_as_they_are(printed):
    _, lines = printed(checked(doubtful(fault="'[bold]' looks like ':smile:' \x1b[31m")))
    assert any("'[bold]' looks like ':smile:' ?[31m" in line for line in lines)
