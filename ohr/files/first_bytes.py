"""Recognises a file by its bytes, to explain why it cannot be opened."""

from __future__ import annotations

import re
from pathlib import Path

HEAD, TAIL = 2048, 2048
"""Number of bytes to look at, from the beginning and from the end."""
_PDF, _PDF_END = b"%PDF-", b"%%EOF"
_PAGE = re.compile(rb"/Type\s*/(?:Page|ObjStm)\b")
_MOST_BYTES = 50_000_000
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer, not the file: run git lfs pull"),
    (b"/annex/objects/", "a git-annex pointer, not the file: run git annex get"),
    (b"\x89PNG\r\n", "a PNG image: give it the suffix .png"),
    (b"\xff\xd8\xff", "a JPEG image: give it the suffix .jpg"),
    (b"II*\0", "a TIFF image: give it the suffix .tif"),
    (b"MM\0*", "a TIFF image: give it the suffix .tif"),
    (b"GIF8", "a GIF image: give it the suffix .gif"),
    (b"BM", "a BMP image: give it the suffix .bmp"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 image: give it the suffix .jp2"),
    (b"AT&TFORM", "a DjVu file: convert it to PDF"),
    (b"%!PS", "PostScript: convert it to PDF"),
    (b"{\\rtf", "an RTF file: save it as PDF"),
    (b"\xd0\xcf\x11\xe0", "an old file of Office: save it as PDF"),
    (b"\x1f\x8b", "compressed by gzip: unpack it"),
    (b"7z\xbc\xaf", "a 7z archive: unpack it"),
    (b"Rar!", "a RAR archive: unpack it"),
)
_IN_ZIP = (
    (b"word/", "a Word document: save it as PDF"),
    (b"xl/", "an Excel workbook: save it as PDF"),
    (b"ppt/", "a PowerPoint file: save it as PDF"),
    (b"opendocument", "an OpenDocument file: save it as PDF"),
    (b"epub", "an EPUB file: convert it to PDF"),
)
_HTML = (b"<!doctype html", b"<html", b"<head", b"<body")
_HEIF = (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypmsf1", b"ftyphevc")


def describe_bytes(path: Path, *, expected: str) -> str:
    """What is wrong with a file's bytes: "it is empty", "it is a Git LFS pointer", "it is HTML" …

    ``expected`` is ``PDF`` or ``image``. Empty if the bytes are as expected, or not recognised.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
            size = stream.seek(0, 2)
            stream.seek(max(0, size - TAIL))
            tail = stream.read(TAIL)
    except PermissionError:
        return "its permissions do not allow reading it"
    except OSError:
        return ""
    if not size:
        return "it is empty"
    if not head.strip(b"\0"):
        return "it begins with nothing but null bytes, as what was not written whole"
    # A PDF may have a little before its header.
    if _PDF in head[:1024] and not head.lstrip().lower().startswith(_HTML):
        if expected != "PDF":
            return "it is a PDF: give it the suffix .pdf"
        if _PDF_END not in tail:
            return "it is cut short: a PDF without its end (%%EOF)"
        return "" if _may_have_pages(path) else "it is a PDF without pages"
    kind = _kind(head)
    if expected == "image" and kind.startswith("a") and " image: " in kind:
        return ""  # an image as expected, but damaged
    return f"it is {kind}" if kind else ""


def _may_have_pages(path: Path) -> bool:
    """Whether a PDF names a page, or has compressed objects that may be one."""
    with path.open("rb") as stream:
        return _PAGE.search(stream.read(_MOST_BYTES)) is not None


def _kind(head: bytes) -> str:
    if head.lstrip().lower().startswith(_HTML):
        return "HTML, such as a page that says why nothing was downloaded"
    for begins, kind in _KINDS:
        if head.startswith(begins):
            return kind
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "a WebP image: give it the suffix .webp"
    if head[4:12] in _HEIF:
        return "a HEIF image, which is not read: convert it to PNG or JPEG"
    if head.startswith(b"PK\x03\x04"):
        return next((kind for part, kind in _IN_ZIP if part in head), "a ZIP archive: unpack it")
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:
            return ""
        text = head[: error.start].decode("utf-8")
    if text.isprintable() or all(char.isprintable() or char.isspace() for char in text):
        return f"plain text, which begins {' '.join(text.split())[:30]!r}"
    return ""
