"""A file that cannot be opened is said to be what its bytes are."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from ohr.documents.images import load_image
from ohr.documents.pdf import page_count
from ohr.errors import EngineError
from ohr.files.first_bytes import describe_bytes
from tests.builders import write_objects, write_pdf


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "it is a Git LFS pointer"),
        (b"\n<!DOCTYPE html><html>404</html>", "it is HTML"),
        (b"%PDF-1.7\n1 0 obj", "it is cut short: a PDF without its end"),
        (b"\x89PNG\r\n\x1a\n0000", "it is a PNG image: give it the suffix .png"),
        (b"PK\x03\x04....word/document.xml", "it is a Word document"),
        (b"\0" * 5000, "nothing but null bytes"),
        (b"Dear Anna", "it is plain text, which begins 'Dear Anna'"),
        (b"\x80\x81\x82 no kind", "Data format error"),
    ],
)
def test_what_a_pdf_is_by_its_bytes(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    with pytest.raises(EngineError, match=r"cannot open a\.pdf as a PDF: ") as error:
        page_count(path)
    assert said in str(error.value)


def test_a_pdf_without_pages_and_a_form_that_is_not_drawn(tmp_path: Path) -> None:
    tree = "<< /Type /Pages /Kids [] /Count 0 >>"
    empty = write_objects(tmp_path / "a.pdf", ["<< /Type /Catalog /Pages 2 0 R >>", tree])
    with pytest.raises(EngineError, match="is a PDF without pages"):
        page_count(empty)
    catalogue = "<< /Type /Catalog /Pages 2 0 R /NeedsRendering true /AcroForm << /Fields [] "
    kids = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 260] >>"
    xfa = catalogue + "/XFA [(template) 4 0 R] >> >>"
    template = "<< /Length 0 >>\nstream\n\nendstream"
    form = write_objects(tmp_path / "b.pdf", [xfa, kids, page, template])
    with pytest.raises(EngineError, match="an XFA form whose pages are not drawn"):
        page_count(form)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b"<html>", "it is HTML"),
        (b"version https://git-lfs.github.com/spec/v1", "it is a Git LFS pointer"),
        (b"\0\0\0\x18ftypheic", "it is a HEIF image"),
    ],
)
def test_what_an_image_is_by_its_bytes(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(data)
    with pytest.raises(EngineError, match=r"cannot read the image a\.png: ") as error:
        load_image(path)
    assert said in str(error.value)


def test_a_pdf_that_is_called_an_image_and_the_other_way_round(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", 1).rename(tmp_path / "a.png")
    with pytest.raises(EngineError, match=r"it is a PDF: give it the suffix \.pdf"):
        load_image(tmp_path / "a.png")
    Image.new("L", (9, 9)).save(tmp_path / "b.png")
    (tmp_path / "b.png").rename(tmp_path / "b.pdf")
    with pytest.raises(EngineError, match="it is a PNG image"):
        page_count(tmp_path / "b.pdf")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    said = "its permissions do not allow reading it"
    assert describe_bytes(tmp_path / "secret.pdf", expected="PDF") == said
