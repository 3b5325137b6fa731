"""Files that other tools wrote are knowledge bases."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from ocr_backends.formats.documents import read_xml
from ohr import registry
from ohr.collection import Dataset
from ohr.datasets.omnidocbench_file import annotated_page
from ohr.types import Document, Page, PageRef
from tests.ocr_backends.test_formats import HOCR, page_xml, region, texts


def dataset(root: Path, *doc_ids: str, pages: int = 1) -> Dataset:
    documents = [
        Document(d, d.partition("/")[0], [Page(PageRef(d, n), "x") for n in range(pages)])
        for d in doc_ids
    ]
    return Dataset(documents, [], kind="ohrbench", root=root)


def read(kb: Path, of: Dataset) -> dict[str, str | None]:
    found = registry.create("engine", f"precomputed:{kb}").knowledge_base(of)
    return {f"{ref.doc_id}#{ref.page_no}": o.value or o.detail for ref, o in found.pages.items()}


def put(path: Path, content: str | bytes | list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_files_of_a_tool_in_one_folder(tmp_path: Path) -> None:
    put(tmp_path / "a.hocr", HOCR.format(first=0, second=1))
    put(tmp_path / "b" / "auto" / "b_content_list.json",
        [{"type": "text", "text": "mineru", "page_idx": 0}])  # fmt: skip
    put(tmp_path / "law" / "c.xml", page_xml(region("r", "in its domain")))
    put(tmp_path / "c.xml", page_xml(region("r", "not looked for")))
    found = read(tmp_path, dataset(tmp_path, "law/a", "law/b", "law/c"))
    assert found["law/a#1"] == "Bare text"
    assert found["law/b#0"] == "mineru"
    assert found["law/c#0"] == "in its domain"


def test_a_name_of_two_documents_means_neither(tmp_path: Path) -> None:
    put(tmp_path / "a.md", "text")
    found = read(tmp_path, dataset(tmp_path, "law/a", "finance/a"))
    assert all("missing from" in (text or "") for text in found.values())


def test_two_files_of_a_document_are_an_error(tmp_path: Path) -> None:
    put(tmp_path / "a.md", "text")
    put(tmp_path / "a.hocr", HOCR.format(first=0, second=1))
    [text] = read(tmp_path, dataset(tmp_path, "law/a")).values()
    assert "remove one" in (text or "")


def test_other_files_beside_json_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "law" / "a.json", [{"page_idx": 0, "text": "json"}])
    put(tmp_path / "law" / "a.md", "markdown")
    assert read(tmp_path, dataset(tmp_path, "law/a")) == {"law/a#0": "json"}


def test_a_text_without_pages_is_that_of_a_document_with_one(tmp_path: Path) -> None:
    put(tmp_path / "a.md", "whole")
    assert read(tmp_path, dataset(tmp_path, "law/a")) == {"law/a#0": "whole"}
    found = read(tmp_path, dataset(tmp_path, "law/a", pages=2))
    assert all("where its 2 pages begin" in (text or "") for text in found.values())


def test_a_folder_of_page_files(tmp_path: Path) -> None:
    put(tmp_path / "law" / "a" / "scan_0001.page.xml", page_xml(region("r", "one")))
    put(tmp_path / "law" / "a" / "scan_0002.page.xml", b"<nonsense>")
    found = read(tmp_path, dataset(tmp_path, "law/a", pages=2))
    assert found["law/a#0"] == "one"
    assert "not XML" in (found["law/a#1"] or "")


def test_the_digest_knows_the_format(tmp_path: Path) -> None:
    items: list[Any] = [{"type": "text", "text": "a", "page_idx": 0}]
    source = registry.create("engine", f"precomputed:{tmp_path}")
    put(tmp_path / "law" / "a.json", items)
    one = source.knowledge_base(dataset(tmp_path, "law/a"))
    put(tmp_path / "law" / "a.json", [items[0] | {"text": "b"}])
    assert source.knowledge_base(dataset(tmp_path, "law/a")).origin != one.origin


# OmniDocBench


ANNOTATED = [
    {
        "page_info": {"image_path": "images/report.pdf_3.jpg", "page_attribute": {}},
        "layout_dets": [
            {"category_type": "text_block", "order": 3, "anno_id": 7, "text": "of two parts"},
            {"category_type": "header", "order": None, "anno_id": 1, "text": "Head"},
            {"category_type": "text_block", "order": 1, "anno_id": 2, "text": "One paragraph"},
            {"category_type": "table", "order": 2, "anno_id": 3, "latex": "L", "html": "<table/>"},
            {"category_type": "title", "order": 0, "anno_id": 4, "text": "Title"},
            {"category_type": "equation_isolated", "order": 4, "anno_id": 5, "latex": "$$x$$"},
            {"category_type": "text_block", "order": 5, "ignore": True, "text": "unreadable"},
            {"category_type": "text_mask", "order": 6, "text": "masked"},
            {"category_type": "figure", "order": 7},
        ],
        "extra": {
            "relation": [{"relation_type": "truncated", "source_anno_id": 2, "target_anno_id": 7}]
        },
    }
]


def test_omnidocbench_json_and_predictions(tmp_path: Path) -> None:
    put(tmp_path / "OmniDocBench.json", ANNOTATED)
    put(tmp_path / "predictions" / "report.pdf_3.md", "# Title")
    pages = dataset(tmp_path, "report/report.pdf_3", "report/other")
    found = read(tmp_path / "OmniDocBench.json", pages)
    assert found["report/report.pdf_3#0"] == (
        "# Title\n\nOne paragraph\nof two parts\n\n<table/>\n\n$$x$$"
    )
    assert "no image of that name" in (found["report/other#0"] or "")
    assert read(tmp_path / "predictions", pages)["report/report.pdf_3#0"] == "# Title"


def test_what_goes_on_a_title_is_not_lost() -> None:
    relation = {"relation_type": "truncated", "source_anno_id": 1, "target_anno_id": 2}
    entry = {
        "page_info": {"image_path": "a.jpg"},
        "layout_dets": [
            {"category_type": "title", "order": 0, "anno_id": 1, "text": "A title"},
            {"category_type": "text_block", "order": 1, "anno_id": 2, "text": "goes on"},
        ],
        "extra": {"relation": [relation]},
    }
    assert annotated_page(entry).markdown == "# A title\n\ngoes on"


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        ("x^2", "$$x^2$$"),
        (r"\[ x^2 \]", "$$x^2$$"),
        ("$$x^2$$", "$$x^2$$"),
        (r"\[ x \] \[ y \]", r"$$\[ x \] \[ y \]$$"),
    ],
)
def test_a_formula_of_omnidocbench_is_between_dollars_alone(latex, text):
    dets = [{"category_type": "equation_isolated", "order": 1, "latex": latex}]
    page = {"page_info": {"image_path": "a.png"}, "layout_dets": dets}
    assert annotated_page(page).markdown == text


@pytest.mark.parametrize(
    ("relations", "text"),
    [
        ([(1, 3)], "one\n\ntwo\n\n# head"),  # a heading goes on no paragraph
        ([(1, 2), (2, 1)], "one\ntwo\n\n# head"),
        ([(2, 2)], "one\n\ntwo\n\n# head"),
        ([(1, 4), (2, 4)], "one\nfour\n\ntwo\n\n# head"),
    ],
)
def test_each_block_of_omnidocbench_is_there_once(relations, text):
    dets = [
        {"category_type": "text_block", "anno_id": 1, "order": 1, "text": "one"},
        {"category_type": "text_block", "anno_id": 2, "order": 2, "text": "two"},
        {"category_type": "title", "anno_id": 3, "order": 3, "text": "head"},
    ]
    if any(4 in pair for pair in relations):
        dets.append({"category_type": "text_block", "anno_id": 4, "order": 4, "text": "four"})
    relation = [
        {"relation_type": "truncated", "source_anno_id": source, "target_anno_id": target}
        for source, target in relations
    ]
    page = {"page_info": {"image_path": "a.png"}, "layout_dets": dets}
    assert annotated_page(page | {"extra": {"relation": relation}}).markdown == text


# What Tesseract writes


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scan")
    page = Image.new("RGB", (900, 500), "white")
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(30)
    draw.text((50, 50), "Wheels & axles", font=ImageFont.load_default(50), fill=0)
    draw.text((50, 180), "The company sold 1,204 wheels\nin March and lost two.", font=font, fill=0)
    draw.text((50, 360), "A second paragraph.", font=font, fill=0)
    page.save(folder / "page.png")
    return folder


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs tesseract")
@pytest.mark.parametrize(
    ("config", "suffix"),
    [("hocr", ".hocr"), ("alto", ".xml"), ("page", ".page.xml")],
)
def test_tesseracts_files_say_what_its_text_says(scan: Path, config: str, suffix: str) -> None:
    setting = "tessedit_create_page_xml" if config == "page" else f"tessedit_create_{config}"
    for name in ("tessedit_create_txt", setting):
        command = ["tesseract", "page.png", name, "-c", f"{name}=1"]
        subprocess.run(command, cwd=scan, capture_output=True, check=False)
    written = scan / f"{setting}{suffix}"
    if not written.exists():
        pytest.skip(f"this Tesseract writes no {config}")
    plain = (scan / "tessedit_create_txt.txt").read_text("utf-8")
    reading = read_xml(written.read_bytes())
    [text] = texts(reading).values()
    assert reading.form == config
    assert "1,204" in plain
    assert [line for line in (text or "").split("\n") if line] == [
        line.strip() for line in plain.replace("\f", "").split("\n") if line.strip()
    ]
