"""The JSON and the text that services and tools write: what they say of a page is kept."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.formats.documents import Reading, read_content, read_json_lines, read_text
from ohr.errors import EngineError

TABLE = "<table><tr><td>Town</td><td>Ships</td></tr><tr><td>Alderport</td><td>12</td></tr></table>"


def texts(reading: Reading) -> dict[int, str | None]:
    return {number: outcome.value for number, outcome in reading.pages.items()}


MISTRAL = {
    "model": "m",
    "pages": [
        {
            "index": 0,
            "markdown": "# Ships\n\n![img-0.jpeg](img-0.jpeg)\n\n[tbl-0.html](tbl-0.html)\n\nEnd",
            "tables": [{"id": "tbl-0.html", "content": TABLE, "format": "html"}],
            "header": "Harbour news",
            "footer": None,
        },
        {"index": 1, "markdown": "See [the list](https://example.org)."},
    ],
}
OLMOCR = {
    "id": "1",
    "text": "The harbour.\n# Ships\n",
    "metadata": {"Source-File": "s3://bucket/harbour.pdf"},
    "attributes": {"pdf_page_numbers": [[0, 13, 1], [13, 21, 2], [21, 21, 3]]},
}
MARKER = {
    "block_type": "Document",
    "children": [
        {
            "id": "/page/4/Page/1",
            "block_type": "Page",
            "html": "<content-ref src='/page/4/SectionHeader/1'></content-ref>",
            "children": [
                {"id": "a", "block_type": "PageHeader", "html": "<p>Harbour news</p>"},
                {
                    "id": "b",
                    "block_type": "SectionHeader",
                    "html": "<h2>Ships &amp; <b>men</b></h2>",
                },
                {
                    "id": "c",
                    "block_type": "ListGroup",
                    "html": "<ul><content-ref src='d'></content-ref></ul>",
                    "children": [{"id": "d", "block_type": "ListItem", "html": "<li>Alder</li>"}],
                },
                {
                    "id": "e",
                    "block_type": "Table",
                    "html": TABLE,
                    "children": [{"id": "f", "block_type": "TableCell", "html": "<td>Town</td>"}],
                },
                {"id": "g", "block_type": "Text", "html": "<p>Of <math>x^2</math> tons</p>"},
                {"id": "h", "block_type": "Equation", "html": "<math display='block'>y</math>"},
                {"id": "i", "block_type": "Picture", "html": "<img alt='a ship'>"},
            ],
        }
    ],
}
PADDLE_PAGE = {
    "page_index": None,
    "parsing_res_list": [
        {"block_label": "header", "block_content": "Harbour news", "block_bbox": [0, 0, 1, 1]},
        {"block_label": "doc_title", "block_content": "Ships"},
        {"block_label": "paragraph_title", "block_content": "Of 1931"},
        {"block_label": "table", "block_content": TABLE},
        {"block_label": "image", "block_content": '<img src="a.png">'},
        {"block_label": "formula", "block_content": "$$x^2$$"},
        {"block_label": "text", "block_content": "End"},
    ],
}
AZURE = {
    "status": "succeeded",
    "analyzeResult": {
        "contentFormat": "text",
        "content": "Ships\nTown Ships Alderport 12\nEnd\n7",
        "pages": [{"pageNumber": 1, "spans": []}, {"pageNumber": 2, "spans": []}],
        "paragraphs": [
            {
                "role": role,
                "content": content,
                "boundingRegions": [{"pageNumber": page}],
                "spans": [{"offset": offset, "length": 1}],
            }
            for role, content, page, offset in (
                ("title", "Ships", 1, 0),
                (None, "Town", 1, 6),
                (None, "End", 2, 30),
                ("pageNumber", "7", 2, 34),
            )
        ],
        "tables": [
            {
                "boundingRegions": [{"pageNumber": 1}],
                "spans": [{"offset": 6, "length": 23}],
                "cells": [
                    {"rowIndex": 0, "columnIndex": 0, "content": "Town"},
                    {"rowIndex": 0, "columnIndex": 1, "content": "Ships"},
                    {"rowIndex": 1, "columnIndex": 0, "content": "Alderport"},
                    {"rowIndex": 1, "columnIndex": 1, "content": "12"},
                ],
            }
        ],
    },
}
LLAMAPARSE = {
    "pages": [
        {"page": 1, "text": "Ships", "md": "# Ships"},
        {"page": 2, "text": "End", "md": ""},
        {"page": 3, "text": "", "md": "NO_CONTENT_HERE"},
    ]
}
UNSTRUCTURED: list[dict[str, Any]] = [
    {"type": "Header", "text": "Harbour news", "metadata": {"page_number": 1}},
    {"type": "Title", "text": "Ships", "metadata": {"page_number": 1, "category_depth": 1}},
    {"type": "PageBreak", "text": "", "metadata": {}},
    {"type": "Table", "text": "Town", "metadata": {"page_number": 3, "text_as_html": TABLE}},
    {"type": "ListItem", "text": "Alder", "metadata": {"page_number": 3}},
]
MIDDLE = {
    "pdf_info": [
        {
            "page_idx": 0,
            "para_blocks": [
                {"type": "title", "level": 2, "lines": [{"spans": [{"content": "Ships"}]}]},
                {
                    "type": "table",
                    "blocks": [
                        {"type": "table_caption", "lines": [{"spans": [{"content": "Towns"}]}]},
                        {
                            "type": "table_body",
                            "lines": [{"spans": [{"type": "table", "html": TABLE}]}],
                        },
                    ],
                },
                {
                    "type": "text",
                    "lines": [
                        {"spans": [{"content": "Of"}, {"type": "inline_equation", "content": "x"}]},
                        {"spans": [{"content": "tons"}]},
                    ],
                },
                {"type": "image", "blocks": [{"type": "image_body", "lines": [{"spans": [{}]}]}]},
            ],
            "discarded_blocks": [{"type": "footer", "lines": [{"spans": [{"content": "7"}]}]}],
        }
    ]
}
SECOND_LIST = [
    [
        {
            "type": "title",
            "content": {"title_content": [{"type": "text", "content": "Ships"}], "level": 1},
        },
        {"type": "table", "content": {"table_caption": [], "html": TABLE}},
        {
            "type": "paragraph",
            "content": {
                "paragraph_content": [
                    {"type": "text", "content": "Of "},
                    {"type": "equation_inline", "content": "x"},
                ]
            },
        },
        {"type": "list", "content": {"list_items": [{"item_content": "Alder"}]}},
        {"type": "page_footer", "content": {"page_footer_content": ["7"]}},
    ],
    [],
]
DOCTAGS = (
    "<doctag><page_header><loc_1><loc_2>Harbour news</page_header>\n"
    "<section_header_level_1><loc_1>Ships &amp; men</section_header_level_1>\n"
    "<otsl><caption>Towns</caption><ched>Town<lcel><nl><fcel>Alder<fcel>12<nl>"
    "<ucel><ecel><nl></otsl>\n<page_break>\n"
    "<unordered_list><list_item>Alder</list_item></unordered_list>"
    "<picture><loc_3></picture><formula>x^2</formula></doctag>"
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            MISTRAL,
            {
                0: f"Harbour news\n\n# Ships\n\n\n\n{TABLE}\n\nEnd",
                1: "See [the list](https://example.org).",
            },
        ),
        (OLMOCR, {0: "The harbour.", 1: "# Ships", 2: ""}),
        (
            MARKER,
            {4: f"Harbour news\n\n## Ships & men\n\n- Alder\n\n{TABLE}\n\nOf $x^2$ tons\n\n$$y$$"},
        ),
        (PADDLE_PAGE, {0: f"Harbour news\n\n# Ships\n\n## Of 1931\n\n{TABLE}\n\n$$x^2$$\n\nEnd"}),
        ([{"res": PADDLE_PAGE | {"page_index": 3}}], {3: None}),
        (AZURE, {0: f"# Ships\n\n{TABLE}", 1: "End\n\n7"}),
        (LLAMAPARSE, {0: "# Ships", 1: "End", 2: ""}),
        ({"markdown": {"pages": [{"page_number": 2, "markdown": "# Ships"}]}}, {1: "# Ships"}),
        (UNSTRUCTURED, {0: "Harbour news\n\n## Ships", 1: "", 2: f"{TABLE}\n\n- Alder"}),
        (MIDDLE, {0: f"## Ships\n\nTowns\n\n{TABLE}\n\nOf $x$\ntons\n\n7"}),
        (SECOND_LIST, {0: f"# Ships\n\n{TABLE}\n\nOf $x$\n\n- Alder\n\n7", 1: ""}),
    ],
    ids=lambda value: "" if isinstance(value, dict) and 0 in value else None,
)
def test_headings_tables_and_formulas_of_each_format(content, expected):
    pages = texts(read_content(content))
    assert set(pages) == set(expected)
    for number, text in expected.items():
        assert text is None or (pages[number] or "").strip() == text


@pytest.mark.parametrize("content", [MISTRAL, MARKER, PADDLE_PAGE, AZURE, UNSTRUCTURED, MIDDLE])
def test_headers_and_footers_can_be_dropped(content):
    dropped = "\n".join(
        text or "" for text in texts(read_content(content, furniture=False)).values()
    )
    assert "Harbour news" not in dropped
    assert not dropped.endswith("7")
    assert "Ships" in dropped


def test_a_layout_of_textract_says_the_order_and_where_tables_stand():
    def item(kind: str, name: str, *below: str, **more: Any) -> dict[str, Any]:
        relations = [{"Type": "CHILD", "Ids": list(below)}] if below else []
        return {"BlockType": kind, "Id": name, "Relationships": relations, "Page": 2, **more}

    cells = [
        item(
            "CELL", f"c{number}", f"w{number}", RowIndex=number // 2 + 1, ColumnIndex=number % 2 + 1
        )
        for number in range(4)
    ]
    words = [
        item("WORD", f"w{number}", Text=text)
        for number, text in enumerate(("Town", "Ships", "Alderport", "12"))
    ]
    content = {
        "DocumentMetadata": {"Pages": 3},
        "Blocks": [
            item("LINE", "l0", "w0", "w1", Text="Town Ships"),
            item("LINE", "l1", "w2", "w3", Text="Alderport 12"),
            item("LINE", "l2", Text="End"),
            item("LINE", "l3", Text="Ships"),
            item("TABLE", "t", "c0", "c1", "c2", "c3"),
            *cells,
            *words,
            item("LAYOUT_TITLE", "y0", "l3"),
            item("LAYOUT_TABLE", "y1", "l0", "l1"),
            item("LAYOUT_TEXT", "y2", "l2"),
        ],
    }
    assert texts(read_content(content)) == {0: "", 1: f"# Ships\n\n{TABLE}\n\nEnd", 2: ""}
    lines = {"Blocks": [block for block in content["Blocks"] if block["BlockType"] == "LINE"]}
    flat = "Town Ships\nAlderport 12\nEnd\nShips"
    assert texts(read_content(lines)) == {1: flat}
    assert texts(read_content([lines, lines])) == {1: f"{flat}\n{flat}"}  # in two parts


def test_markdown_of_document_intelligence_is_cut_at_its_pages():
    """Also by units of UTF-16, and with its headers as furniture."""
    first = '<!-- PageHeader="A \U0001f6a2" -->\n# Ships :selected:\n'
    text = f"{first}End"
    offset = len(first.encode("utf-16-le")) // 2
    result = {
        "contentFormat": "markdown",
        "stringIndexType": "utf16CodeUnit",
        "content": text,
        "pages": [
            {"pageNumber": 1, "spans": [{"offset": 0, "length": offset}]},
            {"pageNumber": 2, "spans": [{"offset": offset, "length": 3}]},
        ],
    }
    assert texts(read_content(result)) == {0: "A \U0001f6a2\n\n# Ships ☒", 1: "End"}
    assert texts(read_content(result, furniture=False)) == {0: "# Ships ☒", 1: "End"}


def test_doctags_keep_headings_spans_and_pages():
    reading = read_text(DOCTAGS.encode(), "a.doctags", 2)
    table = (
        '<table><tr><td colspan="2">Town</td></tr><tr><td rowspan="2">Alder</td><td>12</td></tr>'
        "<tr><td></td></tr></table>"
    )
    first = f"Harbour news\n\n## Ships & men\n\nTowns\n\n{table}"
    assert texts(reading) == {0: first, 1: "- Alder\n\n$$x^2$$"}


def test_text_with_form_feeds_or_marks_has_pages():
    assert texts(read_text(b"one\n\ftwo\n\f\f", "a.txt", 3)) == {0: "one\n", 1: "two\n", 2: ""}
    mark = "-" * 48
    marked = f"{{0}}{mark}\n\none\n\n![](a.png)\n\n{{2}}{mark}\n\nthree\n"
    assert texts(read_text(marked.encode(), "a.md", 3)) == {0: "one", 2: "three"}
    assert texts(read_text(b"one", "a.md", 1)) == {0: "one"}
    with pytest.raises(EngineError, match="does not say where its 2 pages begin"):
        read_text(b"one", "a.md", 2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"pages": [{"index": 0, "markdown": "a", "tables": [{}]}]}, "Mistral OCR's JSON.* 'id'"),
        ({"attributes": {"pdf_page_numbers": []}}, "olmOCR's Dolma document.* 'text'"),
        ([{"type": "Title", "text": "a", "metadata": {}}], "Unstructured's.* 'page_number'"),
        ({"pages": 2 * [{"index": 0, "markdown": "a"}]}, "two pages have the number 0"),
        ({"block_type": "Document"}, "Marker's JSON.* 'children'"),
        ({"parsing_res_list": [{"block_label": "text"}]}, "PaddleOCR's JSON.* 'block_content'"),
        ({"pages": [{"number": 1}], "usage": 3}, "an object with the keys pages, usage"),
        ({}, "an empty object"),
        ([{"type": "Title", "words": "a"}], "the first holds an object with the keys type, words"),
    ],
)
def test_an_error_names_the_format_and_what_is_missing(content, said):
    try:
        problem = read_content(content).problem
    except EngineError as error:
        problem = str(error)
    assert re.search(said, problem)


def test_lines_of_json_are_a_document_or_its_pages():
    pages = [{"page_idx": 0, "text": "one"}, {"page_idx": 1, "text": "two"}]
    data = "\n".join(map(json.dumps, pages)).encode()
    assert texts(read_json_lines(data)) == {0: "one", 1: "two"}
    assert texts(read_json_lines(json.dumps(OLMOCR).encode())) == texts(read_content(OLMOCR))
    with pytest.raises(EngineError, match=r"a\.jsonl, line 2, is not JSON"):
        read_json_lines(b'{"page_idx": 0}\n{', name="a.jsonl")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("pages", "index", "markdown", "attributes", "pdf_page_numbers", "text"),
                    *("Blocks", "BlockType", "block_type", "children", "analyzeResult", "content"),
                    *("pdf_info", "type", "metadata", "parsing_res_list", "page", "md", "spans"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_read_or_refused(content):
    with contextlib.suppress(EngineError):
        reading = read_content(content)
        assert reading.pages or reading.problem
