"""Other tools' files: what they say of a page, and what must not be believed."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.formats.documents import Reading, read_json, read_xml
from ohr.documents.xml_tree import parse_xml
from ohr.errors import EngineError
from ohr.types import Status

HOCR = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://example.org/x.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><body>
<div class="ocr_page" title="bbox 0 0 9 9; ppageno {first}"><div class="ocr_carea">
<p class="ocr_par"><span class="ocr_line"><span class="ocrx_word">The</span><span
 class="ocrx_word">house&nbsp;&amp;</span></span>
<span class="ocr_header">a   garden</span></p>
<p class="ocr_par">Alone.</p></div><div class="ocr_pageno">17</div></div>
<div class="ocr_page" title="ppageno {second}">Bare text</div></body></html>"""


def texts(reading: Reading) -> dict[int, str | None]:
    return {number: outcome.value for number, outcome in reading.pages.items()}


# hOCR


def test_hocr_gives_paragraphs_line_by_line() -> None:
    reading = read_xml(HOCR.format(first=3, second=5).encode())
    assert reading.form == "hocr"
    assert texts(reading) == {3: "The house &\na garden\n\nAlone.\n\n17", 5: "Bare text"}
    dropped = read_xml(HOCR.format(first=3, second=5).encode(), furniture=False)
    assert texts(dropped) == {3: "The house &\na garden\n\nAlone.", 5: "Bare text"}


@pytest.mark.parametrize("doctype", ["<!DOCTYPE html>", "", '<!DOCTYPE html SYSTEM "file:///x">'])
def test_hocr_with_the_entities_of_html(doctype: str) -> None:
    page = '<html><body><div class="ocr_page"><p class="ocr_par">caf&eacute;&nbsp;in&shy;side'
    data = f"{doctype}{page} &amp; &nosuch;out</p></div></body></html>".encode()
    assert texts(read_xml(data)) == {0: "caf\xe9 inside & out"}


@pytest.mark.parametrize("hyphen", ["-", "&shy;", "\u2010", "\xac"])
def test_words_that_a_line_cuts_are_whole(hyphen: str) -> None:
    lines = f'<span class="ocr_line">inter{hyphen}</span><span class="ocr_line">national</span>'
    page = f'<html><body><div class="ocr_page"><p class="ocr_par">{lines}</p></div></body></html>'
    assert texts(read_xml(page.encode())) == {0: "international"}


def test_another_page_of_the_file_shows_that_a_word_has_a_hyphen() -> None:
    pages = "".join(
        f'<div class="ocr_page"><p class="ocr_par">{text}</p></div>'
        for text in (
            '<span class="ocr_line">least-</span><span class="ocr_line">squares</span>',
            "a least-squares fit",
        )
    )
    reading = read_xml(f"<html><body>{pages}</body></html>".encode())
    assert [page.value for page in reading.pages.values()] == [
        "least-squares",
        "a least-squares fit",
    ]


def test_text_of_which_nothing_is_taken_is_an_error() -> None:
    hocr = "<html><body><div class='ocr_page'></div><p>Outside</p></body></html>"
    with pytest.raises(EngineError, match="hocr has text, such as 'Outside'"):
        read_xml(hocr.encode())
    lost = "<Relations><Unicode>Lost</Unicode></Relations>"
    with pytest.raises(EngineError, match="page has text, such as 'Lost'"):
        read_xml(page_xml(lost))
    words = '<String CONTENT="Loose"/>'
    with pytest.raises(EngineError, match="alto has text, such as 'Loose'"):
        read_xml(f"<alto><Layout><Page>{words}</Page></Layout></alto>".encode())
    document = {"schema_name": "DoclingDocument", "pages": {"1": {}}, "texts": [{"text": "Off"}]}
    with pytest.raises(EngineError, match="docling has text, such as 'Off'"):
        read_json(json.dumps(document).encode())
    # A page of nothing but a header is a page.
    assert texts(read_xml(page_xml(region("a", "7", 'type="header"')), furniture=False)) == {0: ""}


def test_text_of_glyphs_alone() -> None:
    glyphs = "".join(f"<Glyph><TextEquiv><Unicode>{c}</Unicode></TextEquiv></Glyph>" for c in "ok")
    body = f"<TextRegion><TextLine><Word>{glyphs}</Word></TextLine></TextRegion>"
    assert texts(read_xml(page_xml(body))) == {0: "ok"}
    string = '<String><Glyph CONTENT="o"/><Glyph CONTENT="k"/></String>'
    block = f"<TextBlock><TextLine>{string}</TextLine></TextBlock>"
    assert texts(read_xml(alto(block), furniture=False)) == {0: "ok"}


def test_alto_blocks_outside_the_print_space() -> None:
    block = '<TextBlock><TextLine><String CONTENT="Read"/></TextLine></TextBlock>'
    for layout in (block, f"<ComposedBlock>{block}</ComposedBlock>", f"<Illustrations/>{block}"):
        page = f"<alto><Layout><Page>{layout}</Page></Layout></alto>"
        assert texts(read_xml(page.encode())) == {0: "Read"}


def test_hocr_with_characters_apart() -> None:
    word = "".join(f'<span class="ocrx_cinfo">{char}</span>\n' for char in "word")
    line = f'<span class="ocr_line"><span class="ocrx_word">{word}</span></span>'
    page = f'<html><div class="ocr_page"><p class="ocr_par">{line}</p></div></html>'
    assert texts(read_xml(page.encode())) == {0: "word"}


def test_hocr_pages_without_numbers_of_their_own_are_counted() -> None:
    assert set(read_xml(HOCR.format(first=0, second=0).encode()).pages) == {0, 1}


def test_hocr_paragraphs_that_do_not_say_so_are_whole() -> None:
    body = (
        '<p class="ocr_par">Marked.</p><p>Hello <b>bold</b> world.</p><p><i>All</i> <b>set</b></p>'
        "<div><p>One.</p><p>Two.</p></div>"
        '<div><p><span class="ocr_line">line</span></p><em>Leaf</em></div>'
    )
    page = f'<html><div class="ocr_page">{body}</div></html>'
    expected = "Marked.\n\nHello bold world.\n\nAll set\n\nOne.\n\nTwo.\n\nline\n\nLeaf"
    assert texts(read_xml(page.encode())) == {0: expected}


# ALTO


def alto(body: str, order: str = "") -> bytes:
    return f"""<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout>{order}<Page>
    <TopMargin><TextBlock><TextLine><String CONTENT="Running head"/></TextLine></TextBlock>
    </TopMargin><PrintSpace>{body}</PrintSpace></Page></Layout></alto>""".encode()


def test_alto_words_that_are_cut_are_written_whole_once() -> None:
    block = """<ComposedBlock><TextBlock ID="a"><TextLine><String CONTENT="An"/><SP/>
    <String CONTENT="exam" SUBS_TYPE="HypPart1" SUBS_CONTENT="example"/><HYP/></TextLine>
    <TextLine><String CONTENT="ple" SUBS_TYPE="HypPart2" SUBS_CONTENT="example"/><SP/>
    <String CONTENT="of"/><String CONTENT="re"/><HYP/></TextLine></TextBlock></ComposedBlock>"""
    assert texts(read_xml(alto(block), furniture=False)) == {0: "An example\nof re-"}
    assert texts(read_xml(alto(block))) == {0: "Running head\n\nAn example\nof re-"}


def test_alto_lines_and_blocks_may_be_empty() -> None:
    block = """<TextBlock/><TextBlock ID="a"><TextLine ID="l"/>
    <TextLine><Shape/></TextLine><TextLine><String CONTENT="Read"/></TextLine></TextBlock>"""
    assert texts(read_xml(alto(block), furniture=False)) == {0: "Read"}


def test_alto_follows_its_reading_order() -> None:
    blocks = "".join(
        f'<TextBlock ID="{name}"><TextLine><String CONTENT="{name}"/></TextLine></TextBlock>'
        for name in "abc"
    )
    refs = '<ElementRef REF="c"/><ElementRef REF="x"/>'
    order = f"<ReadingOrder><OrderedGroup>{refs}</OrderedGroup></ReadingOrder>"
    assert texts(read_xml(alto(blocks, order), furniture=False)) == {0: "c\n\na\n\nb"}


# PAGE


def page_xml(body: str) -> bytes:
    return f"""<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
    <Page>{body}</Page></PcGts>""".encode()


def region(name: str, text: str, more: str = "") -> str:
    readings = "".join(
        f'<TextEquiv index="{index}"><Unicode>{one}</Unicode></TextEquiv>'
        for index, one in ((1, "worse"), (0, text))
    )
    return f'<TextRegion id="{name}" {more}><TextLine>{readings}</TextLine></TextRegion>'


def test_page_xml_follows_its_reading_order_and_knows_headings() -> None:
    body = (
        '<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="0" regionRef="b"/>'
        '<RegionRefIndexed index="1" regionRef="a"/></OrderedGroup></ReadingOrder>'
        + region("a", "First  line")
        + region("b", "Title", 'type="heading"')
        + region("c", "7", 'type="page-number"')
        + region("d", "Last")
    )
    expected = "# Title\n\nFirst line\n\n7\n\nLast"
    assert texts(read_xml(page_xml(body))) == {0: expected}


def test_page_xml_follows_the_indices_of_ordered_groups() -> None:
    def ref(name: str, index: str = "") -> str:
        place = f'index="{index}"' if index else ""
        return f'<RegionRefIndexed {place} regionRef="{name}"/>'

    inner = f'<OrderedGroupIndexed index="2">{ref("d", "10")}{ref("c", "9")}</OrderedGroupIndexed>'
    loose = '<UnorderedGroupIndexed index="1"><RegionRef regionRef="b"/></UnorderedGroupIndexed>'
    listed = ref("f") + ref("g", "x") + ref("e", "3") + inner + loose + ref("a", "0")
    order = f"<ReadingOrder><OrderedGroup>{listed}</OrderedGroup></ReadingOrder>"
    body = order + "".join(region(name, name) for name in "gfedcba")
    assert texts(read_xml(page_xml(body))) == {0: "\n\n".join("abcdefg")}


def test_page_xml_words_and_regions_without_lines() -> None:
    body = """<TextRegion><TextLine><Word><TextEquiv><Unicode>two</Unicode></TextEquiv></Word>
    <Word><TextEquiv><Unicode>words</Unicode></TextEquiv></Word></TextLine></TextRegion>
    <TextRegion><TextEquiv><Unicode>a region</Unicode></TextEquiv></TextRegion>"""
    assert texts(read_xml(page_xml(body))) == {0: "two words\n\na region"}


@pytest.mark.parametrize(
    "cell",
    [
        '<TextRegion><Roles><TableCellRole rowIndex="{r}" columnIndex="{c}"/></Roles>'
        "{text}</TextRegion>",
        '<TableCell row="{r}" col="{c}">{text}</TableCell>',
    ],
)
def test_page_xml_tables(cell: str) -> None:
    line = "<TextLine><TextEquiv><Unicode>{}</Unicode></TextEquiv></TextLine>"
    cells = "".join(
        cell.format(r=r, c=c, text=line.format(f"{r}{c} &lt;")) for r in (0, 1) for c in (0, 1)
    )
    [text] = texts(read_xml(page_xml(f"<TableRegion>{cells}</TableRegion>"))).values()
    assert text == (
        "<table><tr><td>00 &lt;</td><td>01 &lt;</td></tr>"
        "<tr><td>10 &lt;</td><td>11 &lt;</td></tr></table>"
    )


# What must not be believed


@pytest.mark.parametrize(
    "document",
    [
        '<!DOCTYPE x [<!ENTITY a "b">]><alto>&a;</alto>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><alto>&a;</alto>',
        '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://127.0.0.1:1/x.dtd"> %a;]><alto/>',
        "<a>" * 200 + "</a>" * 200,
        "<alto>",
        "",
        "<alto/>",
        "<PcGts/>",
        "<html/>",
        "<svg/>",
        "plain text",
    ],
)
def test_what_is_no_page_is_an_error(document: str) -> None:
    with pytest.raises(EngineError):
        read_xml(document.encode())


def test_entities_without_a_declaration_are_htmls_or_nothing() -> None:
    root = parse_xml(b'<!DOCTYPE html SYSTEM "http://127.0.0.1:1/x.dtd"><p>a&eacute;&secret;b</p>')
    assert root.text == "aéb"


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for read in (read_xml, read_json):
        with contextlib.suppress(EngineError):
            assert isinstance(read(data), Reading)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["type", "page_idx", "text", "pages", "blocks", "schema_name", "body",
                         "children", "$ref", "data", "label"]), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip


@given(json_values)
def test_any_json_is_read_or_refused(content: Any) -> None:
    for value in (
        content,
        {"schema_name": "DoclingDocument", "body": content},
        {"pages": [content]},
    ):
        with contextlib.suppress(EngineError):
            assert isinstance(read_json(json.dumps(value).encode()), Reading)


# JSON of Docling, MinerU


def test_minerus_content_list() -> None:
    items = [
        {"type": "text", "text": "Title", "text_level": 1, "page_idx": 0},
        {"type": "text", "text": "Body", "page_idx": 0},
        {"type": "table", "table_body": "<table><tr><td>1</td></tr></table>",
         "table_caption": ["Table 1"], "table_footnote": [], "page_idx": 2},
        {"type": "equation", "text": "$$x$$", "page_idx": 2},
        {"type": "footer", "text": "17", "page_idx": 2},
    ]  # fmt: skip
    reading = read_json(json.dumps(items).encode())
    assert reading.form == "mineru"
    assert texts(reading) == {
        0: "# Title\n\nBody",
        1: "",
        2: "Table 1\n\n<table><tr><td>1</td></tr></table>\n\n$$x$$\n\n17",
    }
    assert (read_json(json.dumps(items).encode(), furniture=False).pages[2].value or "")[
        -5:
    ] == "$$x$$"
    assert reading.pages[1].status is Status.EMPTY


@pytest.mark.parametrize("name", ["img", "image"])
def test_minerus_figures_have_their_captions_and_notes(name: str) -> None:
    items = [
        {"type": "text", "text": "Body", "page_idx": 0},
        {"type": "image", "img_path": "images/a.jpg", f"{name}_caption": ["Figure 1: Sales"],
         f"{name}_footnote": ["Source: filings"], "page_idx": 0},
    ]  # fmt: skip
    reading = read_json(json.dumps(items).encode())
    assert texts(reading) == {0: "Body\n\nFigure 1: Sales\n\nSource: filings"}


@pytest.mark.parametrize("number", [10**9, -1, 1e400, None, "x"])
def test_a_content_list_of_impossible_pages_is_refused(number: object) -> None:
    items = [{"type": "text", "text": "a", "page_idx": number}]
    with pytest.raises(EngineError, match="damaged"):
        read_json(json.dumps(items).encode())


def test_docling_document() -> None:
    def item(label: str, text: str, page: int) -> dict[str, Any]:
        return {"label": label, "text": text, "prov": [{"page_no": page}]}

    content = {
        "schema_name": "DoclingDocument",
        "pages": {"1": {}, "2": {}, "3": {}},
        "body": {"children": [{"$ref": f"#/texts/{n}"} for n in range(3)]},
        "texts": [item("title", "T", 1), item("text", "one", 1), item("text", "three", 3)],
    }
    reading = read_json(json.dumps(content).encode())
    assert reading.form == "docling"
    assert texts(reading) == {0: "# T\n\none", 1: "", 2: "three"}


def paragraph(text: str, *places: tuple[int, list[int] | None], **more: Any) -> dict[str, Any]:
    prov = [{"page_no": page} | ({"charspan": span} if span else {}) for page, span in places]
    item = {"label": "text", "text": text, "prov": prov} | more
    return {
        "schema_name": "DoclingDocument",
        "pages": {"1": {}, "2": {}, "3": {}},
        "body": {"children": [{"$ref": "#/texts/0"}]},
        "texts": [item],
    }


def test_a_paragraph_of_docling_that_goes_on_over_pages_is_on_each() -> None:
    over = [(1, [0, 9]), (1, [10, 16]), (2, [17, 22]), (3, [23, 26])]
    document = paragraph("The first column spoke end", *over)
    reading = read_json(json.dumps(document).encode())
    assert texts(reading) == {0: "The first column", 1: "spoke", 2: "end"}


@pytest.mark.parametrize("rest", ["ple of it", "ly of it", "a of it"])
def test_a_word_that_docling_joined_over_a_page_is_whole_on_the_first(rest: str) -> None:
    # It counts the hyphen that it took out, and the space that it did not put in.
    document = paragraph("An exam" + rest, (1, [0, 8]), (2, [9, 9 + len(rest)]))
    word, _, after = rest.partition(" ")
    assert texts(read_json(json.dumps(document).encode())) == {0: f"An exam{word}", 1: after, 2: ""}


def test_a_list_item_of_docling_that_goes_on_over_a_page_has_its_marker_once() -> None:
    document = paragraph(
        "one two", (1, [0, 9]), (2, [4, 7]), label="list_item", marker="(a)", enumerated=True
    )
    reading = read_json(json.dumps(document).encode())
    assert texts(reading) == {0: "(a) one", 1: "two", 2: ""}


@pytest.mark.parametrize("span", [None, [0, 7], [7, 9], [90, 99]])
def test_parts_of_docling_that_begin_nowhere_stay_with_the_first(span: list[int] | None) -> None:
    document = paragraph("one two", (1, [0, 3]), (2, span))
    assert texts(read_json(json.dumps(document).encode())) == {0: "one two", 1: "", 2: ""}


# As knowledge bases
