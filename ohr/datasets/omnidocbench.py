"""Reads OmniDocBench and benchmarks of the same form: Real5-OmniDocBench, PureDocBench.

``path`` is a folder with the annotations and the page images. Each image is a document of one page
with the image's name; its text consists of the annotated blocks. The data have no questions, but a
study needs some: so each block of text, table or formula becomes a question, which consists of the
block's first words and has the block as evidence and answer. OCR metrics are then per block,
retrieval is known-item search, and answers mean nothing.

With several folders of images, each has all pages in another condition: the same text belongs to
several images, and the domain is the folder's name. Otherwise it is the page's ``data_source``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.omnidocbench_file import DOMAIN_FIELDS, AnnotatedPage, annotations_of
from ohr.datasets.values import text_of
from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.files.safe_text import readable, visible
from ohr.markup.blocks import Block, write_markdown
from ohr.plugins import DatasetParams, DatasetSource
from ohr.types import Document, Page, PageRef, Question

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
DEFAULT_DOMAIN = "pages"
SOURCES = {"text": "text", "heading": "text", "item": "text", "table": "table"}
SOURCES |= {"formula": "formula", "code": "text", "note": "text"}
ASKED_WORDS = 12
_TAG = re.compile(r"<[^<>]*>")
_UNSAFE = re.compile(r"[\\/\0]+")


class OmniDocBenchParams(DatasetParams):
    """Paths of annotations and images within the folder."""

    annotations: str = ""
    """A JSON file, or a folder with one file per page; by default the only JSON file."""
    images: tuple[str, ...] = ("images",)
    """Folders of page images, with subfolders; each has all pages, in its own condition."""


class OmniDocBench(DatasetSource[OmniDocBenchParams]):
    """Annotated pages, with their blocks as questions."""

    name = "omnidocbench"
    version = "4"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError("dataset.kind=omnidocbench needs dataset.path, its folder")
        if params.questions is not None or params.pdfs is not None:
            raise DatasetError("dataset.kind=omnidocbench has pages and blocks in dataset.path")
        if not params.images:
            raise DatasetError("dataset.params.images: name a folder of page images")
        report = ValidationReport()
        root = Path(params.path)
        pages = list(_annotations(root, params.annotations, report))
        documents: dict[str, Document] = {}
        questions: list[Question] = []
        for folder in params.images:
            images = _images(root / folder)
            condition = readable(Path(folder).name) if len(params.images) > 1 else ""
            for page in pages:
                domain = condition or _domain(page)
                if params.domains and domain not in params.domains:
                    continue
                document = _document(page, domain, images, report)
                if document is None:
                    continue
                if document.doc_id in documents:
                    report.add("duplicate_document", f"{document.doc_id}: only the first is read")
                    continue
                documents[document.doc_id] = document
                questions += _questions(page, document)
        asked_questions = validate_questions(questions, documents, report)
        dataset = Dataset(
            documents.values(), asked_questions, kind=self.name, root=root, report=report
        )
        return finish(dataset, strict=params.strict)


def _annotations(root: Path, named: str, report: ValidationReport) -> Iterator[AnnotatedPage]:
    """The pages of the file, or of each file of the folder, by file name."""
    place = root / named if named else root
    pattern = "**/*.json" if named else "*.json"
    files = [place] if place.is_file() else visible(place, pattern)
    if not files or (len(files) > 1 and not named):
        raise DatasetError(
            f"{len(files)} JSON files in {place}: name the annotations, a file or a folder, in "
            "dataset.params.annotations"
        )
    for file in files:
        try:
            yield from annotations_of(read_bounded(file), file.name, report)
        except OSError as error:
            raise DatasetError(f"{file} cannot be read: {error}") from error


def _images(folder: Path) -> dict[str, Path]:
    """Name without suffix -> page image, for all images below a folder."""
    if not folder.is_dir():
        raise DatasetError(
            f"no folder of page images at {folder}: name it in dataset.params.images"
        )
    images: dict[str, Path] = {}
    for path in visible(folder, "**/*"):
        if path.suffix.lower() in IMAGES and path.is_file():
            images.setdefault(readable(path.name[: -len(path.suffix)]), path)
    return images


def _domain(page: AnnotatedPage) -> str:
    named = next(filter(None, map(page.attributes.get, DOMAIN_FIELDS)), None)
    return _UNSAFE.sub("_", text_of(named, "domain")) if named else DEFAULT_DOMAIN


def _document(
    page: AnnotatedPage, domain: str, images: dict[str, Path], report: ValidationReport
) -> Document | None:
    """The page as a document; None, with a line in the report, without an image of that name."""
    stem = readable(page.stem)
    image = images.get(stem)
    if image is None:
        report.add("missing_image", f"{stem} of {domain}")
        return None
    doc_id = f"{domain}/{_UNSAFE.sub('_', stem)}"
    for problem in page.problems:
        report.add("block_without_text", f"{doc_id}: {problem}")
    return Document(doc_id, domain, [Page(PageRef(doc_id, 0), page.markdown, image)])


def _questions(page: AnnotatedPage, document: Document) -> Iterator[Question]:
    """One question per block with words."""
    for number, block in enumerate(_answer_blocks(page.blocks)):
        text = write_markdown([block], furniture=False)
        words = _TAG.sub(" ", text).split()
        yield Question(
            qid=f"{document.doc_id}#{number}",
            text=" ".join(words[:ASKED_WORDS]),
            answers=(text,),
            doc_id=document.doc_id,
            domain=document.domain,
            evidence_pages=(document.pages[0].ref,),
            evidence_text=text,
            evidence_source=SOURCES[block.kind],
        )


def _answer_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.kind in SOURCES and any(char.isalnum() for char in _TAG.sub("", block.text)):
            yield block
