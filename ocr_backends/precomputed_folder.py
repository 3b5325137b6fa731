"""The documents of a folder of precomputed output, without a data set that names them."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from ocr_backends.formats.documents import Reading
from ocr_backends.precomputed import LISTS, SUFFIXES, Files, PrecomputedParams
from ohr.collection import Dataset
from ohr.errors import EngineError
from ohr.files.safe_text import visible
from ohr.types import Document, Page, PageRef


def read_folder(folder: Path, *, only_lists: bool = False) -> dict[str, Reading]:
    """The pages of every document that a folder holds, by document id, without any ground truth.

    A document is a JSON file (``only_lists``: in a folder of its domain, and nothing else), a
    folder with a file per page or with MinerU's content list, or a file of text or XML in a folder
    of its domain. Pages of lists count from 0. A file without pages has a ``problem``.
    """
    paths = [path.relative_to(folder) for path in visible(folder, "**/*") if path.is_file()]
    lists = [] if only_lists else [path for path in paths if any(map(path.match, LISTS))]
    mineru_folders = {path.parts[:2] for path in lists if len(path.parts) > 2}
    ids = {_document_of(path, mineru_folders, only_lists=only_lists) for path in paths} - {""}
    documents = {
        doc_id: Document(doc_id, doc_id.partition("/")[0], (Page(PageRef(doc_id, 0), ""),))
        for doc_id in sorted(ids)
    }
    dataset = Dataset(documents.values(), [], kind="folder")
    files = Files(folder, dataset, PrecomputedParams(kb=str(folder)))
    readings: dict[str, Reading] = {}
    for doc_id, document in documents.items():
        try:
            readings[doc_id] = files.read(document)[0]
        except EngineError as error:
            readings[doc_id] = Reading({}, str(error))
    return readings


def _document_of(inside: Path, mineru_folders: Set[tuple[str, ...]], *, only_lists: bool) -> str:
    """The id of the document that a file belongs to; empty for a file of none."""
    is_json, is_at_top = inside.suffix.lower() == ".json", len(inside.parts) == 1
    if inside.parts[:2] in mineru_folders:
        return "/".join(inside.parts[:2])
    if only_lists and (is_at_top or not is_json):
        return ""
    if inside.suffix.lower() not in SUFFIXES or (is_at_top and not is_json):
        return ""
    pages_of_parent = len(inside.parts) > 2 and not is_json
    return (inside.parent if pages_of_parent else inside.with_suffix("")).as_posix()
