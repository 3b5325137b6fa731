"""What MinerU and Docling write: stand-in programs write what the real ones document."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from ohr.errors import ConfigError
from ohr.types import Status
from tests.ocr_backends.programs import PAGES, engine, program, read, texts

MINERU_3 = """
if "--version" in argv:
    print("mineru, version 3.4.5")
    sys.exit()
out = pathlib.Path(argv[argv.index("-o") + 1]) / "pages" / "auto"
out.mkdir(parents=True)
items = [
    {"type": "header", "text": "Annual report", "page_idx": 0},
    {"type": "text", "text": "Copper", "text_level": 1, "page_idx": 0},
    {"type": "text", "text": pages[0], "page_idx": 0},
    {"type": "equation", "text": "$$\\nx = 1\\n$$", "text_format": "latex", "page_idx": 0},
    {"type": "table", "table_body": "<table><tr><td>1</td></tr></table>",
     "table_caption": ["Table 1: Copper"], "table_footnote": ["in tonnes"], "page_idx": 0},
    {"type": "list", "list_items": ["first", "second"], "page_idx": 0},
    {"type": "image", "img_path": "a.jpg", "image_caption": ["Figure 1: A mine"], "page_idx": 0},
]
(out / "pages_content_list.json").write_text(json.dumps(items))
"""
MINERU_EXPECTED = """# Copper

First page about copper.

$$
x = 1
$$

Table 1: Copper

<table><tr><td>1</td></tr></table>

in tonnes

- first
- second

Figure 1: A mine"""


@pytest.mark.slow
def test_mineru_3(tmp_path: Path, pdf: Path, blank: np.ndarray) -> None:
    reader = program(tmp_path / "mineru", MINERU_3)
    made = engine("mineru", executable=str(reader), mode="pipeline",
                  normalise={"furniture": True})  # fmt: skip
    assert made.accepts == {"image", "pdf"}
    first, second = read(made, pdf, 0, 1)
    assert first.value == MINERU_EXPECTED
    assert second.status is Status.EMPTY
    whole = engine("mineru", executable=str(reader), mode="pipeline")
    assert texts(read(whole, pdf, 0)) == ["Annual report\n\n" + MINERU_EXPECTED]
    assert made.engine_version() == "3.4.5"
    assert "a picture" in texts(read(made, [blank], 0))[0]
    with pytest.raises(ConfigError, match=r"mode 'flash' needs MinerU 4, found 3\.4\.5"):
        engine("mineru", executable=str(reader)).engine_version()


def test_what_mineru_wrote_may_be_rubbish(tmp_path: Path, pdf: Path) -> None:
    body = MINERU_3.replace("json.dumps(items)", "'{\"pages\": 7}'")
    made = engine("mineru", executable=str(program(tmp_path / "mineru", body)), mode="pipeline")
    assert [o.status for o in read(made, pdf, 0)] == [Status.ERROR]


def real_mineru() -> str | None:
    return os.environ.get("OHR_MINERU") or shutil.which("mineru-kit")


@pytest.mark.slow
@pytest.mark.skipif(
    real_mineru() is None, reason="no MinerU 4: install it, and name mineru-kit in OHR_MINERU"
)
def test_mineru_4_flash_reads_text_layers(pdf: Path, tmp_path: Path) -> None:
    made = engine("mineru", executable=real_mineru())
    assert made.accepts == {"pdf"}
    assert made.engine_version().startswith("4.")
    assert texts(read(made, pdf, 0, 2)) == [PAGES[0], PAGES[2]]
    with pytest.raises(ConfigError, match="no tier of MinerU 4"):
        engine("mineru", executable=real_mineru(), mode="pipeline").engine_version()


DOCLING = """
out = pathlib.Path(argv[argv.index("--output") + 1])
def at(page):
    return [{"page_no": page, "bbox": {}, "charspan": [0, 1]}]
cell = lambda row, column, text, span=1: {
    "start_row_offset_idx": row, "start_col_offset_idx": column, "text": text, "row_span": 1,
    "col_span": span}
document = {
    "schema_name": "DoclingDocument",
    "body": {"children": [{"$ref": "#/texts/0"}, {"$ref": "#/texts/1"}, {"$ref": "#/groups/0"},
                          {"$ref": "#/tables/0"}, {"$ref": "#/texts/5"}, {"$ref": "#/pictures/0"}]},
    "furniture": {"children": [{"$ref": "#/texts/6"}]},
    "groups": [{"label": "list", "children": [{"$ref": "#/texts/2"}, {"$ref": "#/texts/3"}]}],
    "texts": [
        {"label": "section_header", "level": 1, "text": "Copper", "prov": at(1)},
        {"label": "text", "text": pages[0], "prov": at(1)},
        {"label": "list_item", "text": "first", "marker": "-", "prov": at(1)},
        {"label": "list_item", "text": "second", "marker": "2.", "prov": at(1)},
        {"label": "caption", "text": "Table 1: Copper & zinc", "prov": at(2)},
        {"label": "formula", "text": "x = 1", "prov": at(2)},
        {"label": "page_footer", "text": "17", "prov": at(2)},
        {"label": "caption", "text": "Figure 1: A mine", "prov": at(2)},
    ],
    "tables": [{"label": "table", "captions": [{"$ref": "#/texts/4"}], "prov": at(2),
                "children": [{"$ref": "#/texts/4"}],
                "data": {"table_cells": [cell(0, 0, "a < b", 2), cell(1, 0, "1"),
                                         cell(1, 1, "2")]}}],
    "pictures": [{"label": "picture", "captions": [{"$ref": "#/texts/7"}], "prov": at(2)}],
}
(out / "pages.json").write_text(json.dumps(document))
"""


def test_docling(tmp_path: Path, pdf: Path) -> None:
    made = engine("docling", executable=str(program(tmp_path / "docling", DOCLING)),
                  normalise={"furniture": False})  # fmt: skip
    assert texts(read(made, pdf, 0, 1)) == [
        f"## Copper\n\n{PAGES[0]}\n\n- first\n2. second",
        'Table 1: Copper & zinc\n\n<table><tr><td colspan="2">a &lt; b</td></tr>'
        "<tr><td>1</td><td>2</td></tr></table>\n\n$$x = 1$$\n\nFigure 1: A mine\n\n17",
    ]
