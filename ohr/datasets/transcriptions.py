"""Reads a folder of page images with a transcription for each, in PAGE XML or ALTO.

Libraries and collections such as HTR-United publish their pages so. ``path`` is the folder, with
images and XML files side by side or in subfolders. Each image is a document of one page, whose text
is that of the XML, headers and footers included; ``Page.lines`` are its lines, if together they
have all letters of the text. There are no questions, so each page has one, which consists of its
first words, unless ``questions`` has some.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from PIL import Image

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.known_items import known_item, page_images
from ohr.datasets.ohrbench import read_questions
from ohr.documents.alto import alto_layout, alto_pages
from ohr.documents.page_layout import PageLayout
from ohr.documents.page_xml import page_xml_layout, page_xml_pages
from ohr.documents.xml_tree import parse_xml
from ohr.errors import DatasetError, EngineError
from ohr.files.bounded import read_bounded
from ohr.files.safe_text import readable, visible
from ohr.markup.blocks import Block, write_markdown
from ohr.plugins import DatasetSource
from ohr.types import Document, Page, PageRef

DEFAULT_DOMAIN = "pages"
_TAG = re.compile(r"</?[a-z][^<>]*>")


class Transcriptions(DatasetSource, abstract=True):
    """Page images with one XML file each."""

    version = "1"
    root_tag: str
    """The root element of the files that are read; other XML is skipped and counted."""
    pages_of: Callable[[Element], dict[int, list[Block]]]
    layout_of: Callable[[Element], PageLayout]

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError(f"dataset.kind={self.name} needs dataset.path, its folder")
        if params.pdfs is not None:
            raise DatasetError(
                f"dataset.kind={self.name} finds its images in dataset.path, not .pdfs"
            )
        report = ValidationReport()
        root = Path(params.path)
        documents: dict[str, Document] = {}
        for document in self._documents(root, report):
            if params.domains and document.domain not in params.domains:
                continue
            if document.doc_id in documents:
                report.add("duplicate_document", f"{document.doc_id}: only the first is read")
                continue
            documents[document.doc_id] = document
        if params.questions is not None:
            candidates = read_questions(params.questions, report)
        else:
            candidates = map(known_item, documents.values())
        questions = validate_questions(candidates, documents, report)
        dataset = Dataset(documents.values(), questions, kind=self.name, root=root, report=report)
        return finish(dataset, strict=params.strict)

    def _documents(self, root: Path, report: ValidationReport) -> Iterator[Document]:
        images = page_images(root)
        skipped: list[str] = []
        for file in visible(root, "**/*.xml"):
            name = readable(file.relative_to(root).as_posix())
            try:
                tree = parse_xml(read_bounded(file))
            except (OSError, EngineError) as error:
                report.add("unreadable_document", f"{name}: {error}")
                continue
            if tree.tag != self.root_tag:
                skipped.append(name)
                continue
            try:
                [blocks] = type(self).pages_of(tree).values() or [[]]
                layout = type(self).layout_of(tree)
            except (EngineError, ValueError) as error:
                report.add("unreadable_document", f"{name}: {error}")
                continue
            image = _image_of(name, layout.image, images)
            if image is None:
                report.add("missing_image", f"{name}: no image {layout.image or 'of its name'}")
                continue
            doc_id = image[0] if "/" in image[0] else f"{DEFAULT_DOMAIN}/{image[0]}"
            ref = PageRef(doc_id, 0)
            text = write_markdown(blocks, furniture=True)
            lines = layout.lines
            if lines and _letters(text) != _letters("\n".join(line.text for line in lines)):
                report.add(
                    "incomplete_lines", f"{name}: the lines with boxes do not have all of its text"
                )
                lines = ()
            elif lines and (size := _size(image[1])) is not None:
                lines = layout.scaled_to(size)
            page = Page(ref, text, image[1], lines)
            yield Document(doc_id, doc_id.partition("/")[0], (page,))
        if skipped:
            report.skipped.append(
                f"{len(skipped)} XML files that are no {self.root_tag}, such as {skipped[0]}"
            )


class PageXml(Transcriptions):
    """Page images with PAGE XML."""

    name = "page_xml"
    root_tag = "PcGts"
    pages_of = staticmethod(page_xml_pages)
    layout_of = staticmethod(page_xml_layout)


class Alto(Transcriptions):
    """Page images with ALTO."""

    name = "alto"
    root_tag = "alto"
    pages_of = staticmethod(alto_pages)
    layout_of = staticmethod(alto_layout)


def _image_of(file: str, named: str, images: Mapping[str, Path]) -> tuple[str, Path] | None:
    """The image of an XML file, with its name: the one beside it or in another folder that the file
    names, else the one with the file's own name.
    """
    folder = PurePosixPath(file).parent
    by_name: dict[str, list[str]] = {}
    for name in images:
        by_name.setdefault(PurePosixPath(name).name, []).append(name)
    for stem in (PurePosixPath(readable(named.replace("\\", "/"))).stem, PurePosixPath(file).stem):
        if not stem:
            continue
        beside = (folder / stem).as_posix()
        if beside in images:
            return beside, images[beside]
        if len(by_name.get(stem, ())) == 1:
            [name] = by_name[stem]
            return name, images[name]
    return None


def _letters(text: str) -> Counter[str]:
    """How often each letter and digit occurs, tags left out."""
    return Counter(filter(str.isalnum, unescape(_TAG.sub(" ", text))))


def _size(path: Path) -> tuple[int, int] | None:
    """Width and height of an image; None for one that cannot be opened, which reading will say."""
    try:
        with Image.open(path) as image:
            return image.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
