"""Rows that name pages by the PDF's labels are told which pages those are."""

from __future__ import annotations

from pathlib import Path

from ohr.datasets.page_labels import PageLabels
from tests.builders import write_objects, write_pdf

PAGES = 4


def labelled(path: Path) -> Path:
    kids = " ".join(f"{number} 0 R" for number in range(3, 3 + PAGES))
    labels = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >>"
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 260] >>"
    return write_objects(
        path,
        [
            f"<< /Type /Catalog /Pages 2 0 R {labels} >>",
            f"<< /Type /Pages /Kids [{kids}] /Count {PAGES} >>",
            *[page] * PAGES,
        ],
    )


def test_a_label_that_is_no_number_of_the_page_is_a_hint(tmp_path: Path) -> None:
    path, labels = labelled(tmp_path / "a.pdf"), PageLabels()
    assert labels.hint(path, "1") == "; the PDF has page labels: 1 is its page 3"
    assert labels.hint(path, " II ") == "; the PDF has page labels: II is its page 2"
    for nothing in ("3", "x", ""):
        assert labels.hint(path, nothing) == ""


def test_a_pdf_without_labels_and_none_give_no_hint(tmp_path: Path) -> None:
    labels = PageLabels()
    assert labels.hint(write_pdf(tmp_path / "b.pdf", 3), "1") == ""
    assert labels.hint(None, "1") == ""
    (tmp_path / "c.pdf").write_bytes(b"")
    assert labels.hint(tmp_path / "c.pdf", "1") == ""
