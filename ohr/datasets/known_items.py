"""Page images by name, and questions for data that have none: known-item search."""

from __future__ import annotations

from pathlib import Path

from ohr.datasets.omnidocbench import ASKED_WORDS
from ohr.documents.images import image_suffixes
from ohr.errors import DatasetError
from ohr.files.safe_text import readable, visible
from ohr.types import Document, Question


def page_images(folder: Path) -> dict[str, Path]:
    """Path within the folder, without suffix -> page image, for all images below a folder.

    Raises DatasetError without the folder, and for two images of one name.
    """
    if not folder.is_dir():
        raise DatasetError(f"no folder of page images at {folder}")
    images: dict[str, Path] = {}
    for path in visible(folder, "**/*"):
        if path.suffix.lower() not in image_suffixes() or not path.is_file():
            continue
        inside = path.relative_to(folder)
        first = images.setdefault(readable(inside.with_suffix("").as_posix()), path)
        if first != path:
            raise DatasetError(f"{first.name} and {path.name} in {folder} are the same page")
    return images


def known_item(document: Document) -> Question:
    """A question that consists of a page's first words and is answered by the page."""
    page = document.pages[0]
    return Question(
        qid=f"{document.doc_id}#0",
        text=" ".join(page.text.split()[:ASKED_WORDS]),
        answers=(page.text,),
        doc_id=document.doc_id,
        domain=document.domain,
        evidence_pages=(page.ref,),
        evidence_text=page.text,
        evidence_source="text",
    )
