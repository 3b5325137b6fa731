"""Folders of the output of services and tools, and how their pages are numbered."""

from __future__ import annotations

import json
from pathlib import Path

from ocr_backends.precomputed import Precomputed, PrecomputedParams
from ohr.collection import Dataset
from ohr.types import Document, Page, PageRef
from tests.ocr_backends.test_tool_formats import MIDDLE, OLMOCR, SECOND_LIST


def dataset(*words: str, first: int = 0) -> Dataset:
    pages = tuple(
        Page(PageRef("law/harbour", first + number), text, None)
        for number, text in enumerate(words)
    )
    return Dataset([Document("law/harbour", "law", pages, None)], [], kind="test")


def knowledge(folder: Path, data: Dataset) -> list[tuple[int, str | None]]:
    engine = Precomputed(PrecomputedParams(kb=str(folder)))
    return [(ref.page_no, page.value) for ref, page in engine.knowledge_base(data).pages.items()]


def test_a_file_of_many_documents_is_searched_by_their_source_files(tmp_path):
    other = OLMOCR | {"metadata": {"Source-File": "other.pdf"}}
    lines = "\n".join(json.dumps(each) for each in (other, OLMOCR))
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "output_1.jsonl").write_text(lines)
    data = dataset("The harbour.", "Ships", "")
    assert knowledge(tmp_path, data) == [(0, "The harbour."), (1, "# Ships"), (2, "")]
    (tmp_path / "results" / "output_2.jsonl").write_text(lines)
    engine = Precomputed(PrecomputedParams(kb=str(tmp_path)))
    details = {page.detail for page in engine.knowledge_base(data).pages.values()}
    assert len(details) == 1
    assert "2 lines are of a source file harbour" in details.pop()


def test_pages_that_a_tool_numbers_otherwise_are_matched_by_their_words(tmp_path):
    """It was given two pages of the middle, and counts them from its first."""
    words = ("alder beech cedar", "damson elder fig", "gorse hazel ivy", "juniper larch maple")
    pages = [{"page": n + 1, "md": words[n + 2], "text": ""} for n in range(2)]
    (tmp_path / "harbour.json").write_text(json.dumps({"pages": pages}))
    data = dataset(*words[2:], first=2)
    assert knowledge(tmp_path, data) == [(2, words[2]), (3, words[3])]
    [line] = data.report.problems["pages_counted_from_one"]
    assert "2 later than its numbers say" in line
    exact = dataset(*words[2:])
    assert knowledge(tmp_path, exact) == [(0, words[2]), (1, words[3])]
    assert not exact.report.problems


def test_a_folder_has_a_file_of_json_for_each_page(tmp_path):
    folder = tmp_path / "law" / "harbour"
    folder.mkdir(parents=True)
    for number in range(2):
        page = {"parsing_res_list": [{"block_label": "text", "block_content": f"page {number}"}]}
        (folder / f"harbour_{number}_res.json").write_text(json.dumps(page))
    assert knowledge(tmp_path, dataset("a", "b")) == [(0, "page 0"), (1, "page 1")]


def test_minerus_folder_is_read_by_whichever_list_it_has(tmp_path):
    folder = tmp_path / "law" / "harbour" / "auto"
    folder.mkdir(parents=True)
    (folder / "harbour_middle.json").write_text(json.dumps(MIDDLE))
    [(_, middle)] = knowledge(tmp_path, dataset("a"))
    assert middle is not None
    assert middle.startswith("## Ships")
    (folder / "harbour_content_list_v2.json").write_text(json.dumps(SECOND_LIST[:1]))
    [(_, second)] = knowledge(tmp_path, dataset("a"))
    assert second is not None
    assert second.startswith("# Ships")
