"""Knowledge bases written for other tools of OCR, and read back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import convert_export as export
from experiments.convert.page_files import WRITERS, content_items, write_predictions
from ocr_backends.formats.documents import read_json
from ohr import registry
from ohr.collection import Dataset
from ohr.errors import OhrError
from ohr.types import Document, Page, PageRef
from tests.builders import CliRunner

TEXT = """# Report

A paragraph
of two lines with $x$.

| a | b |
| - | - |
| 1 | 2 |

$$
y = 1
$$

- one
- two"""


def read_back(pages, folder):
    by_document = {}
    for ref, text in pages.items():
        by_document.setdefault(ref.doc_id, []).append(Page(ref, text))
    documents = [Document(d, d.partition("/")[0], own) for d, own in by_document.items()]
    source = registry.create("engine", f"precomputed:{folder}")
    base = source.knowledge_base(Dataset(documents, [], kind="ohrbench", root=folder))
    return {ref: outcome.value for ref, outcome in base.pages.items()}


@pytest.mark.parametrize("name", ["pages", "markdown", "omnidocbench"])
def test_what_is_written_is_read_back_to_the_byte(tmp_path, name):
    several = name != "omnidocbench"
    pages = {PageRef("law/a.pdf_3", n): f"{TEXT}\n\npage {n}" for n in range(3 if several else 1)}
    pages[PageRef("law/b", 0)] = "alone"
    WRITERS[name](pages, tmp_path)
    assert read_back(pages, tmp_path) == pages


def test_a_content_list_says_the_same_blocks(tmp_path):
    pages = {PageRef("law/a", n): TEXT for n in range(2)}
    WRITERS["mineru"](pages, tmp_path)
    [text] = set(read_back(pages, tmp_path).values())
    assert text == TEXT.replace(
        "| a | b |\n| - | - |\n| 1 | 2 |",
        next(item["table_body"] for item in content_items(TEXT) if item["type"] == "table"),
    )
    assert "<td>1</td>" in text


@given(st.text(alphabet="ab#$|- \n\\{}<>", max_size=60))
def test_a_content_list_keeps_every_word(text):
    items = [{"page_idx": 0, "type": "text", "text": ""}]
    items += [item | {"page_idx": 0} for item in content_items(text)]
    said = read_json(json.dumps(items).encode()).pages[0].value
    letters = [char for char in said if char in "ab"]
    assert letters == [char for char in text if char in "ab"]


def test_two_documents_are_not_one_image(tmp_path):
    pages = {PageRef("law/a", 0): "one", PageRef("finance/a", 0): "two"}
    with pytest.raises(OhrError, match="both be the image a"):
        write_predictions(pages, tmp_path)


def test_each_knowledge_base_of_a_run(benchmark_runs, tmp_path):
    arguments = [str(benchmark_runs[0].path), "--format", "pages", "--out", str(tmp_path)]
    done = CliRunner().invoke(export.main, arguments)
    assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} == {"gt_clean", "precomputed_theirs_clean"}
    read = [json.loads(path.read_text("utf-8")) for path in tmp_path.glob("*/*/*.json")]
    assert sum(map(len, read)) == 48
    again = CliRunner().invoke(export.main, arguments)
    assert again.exit_code == 2
    assert "it would mix pages of two exports" in " ".join(again.stderr.split())
