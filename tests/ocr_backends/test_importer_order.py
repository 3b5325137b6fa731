"""What importers must not lose or shift: line breaks, reading orders, parts and page numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.formats.documents import read_json, read_xml
from ocr_backends.formats.page_match import find_shift
from ohr import registry
from ohr.collection import Dataset
from ohr.types import Document, Outcome, Page, PageRef


def hocr(inside: str) -> str:
    page = f"<html><body><div class='ocr_page'>{inside}</div></body></html>"
    return read_xml(page.encode()).pages[0].value or ""


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<p class='ocr_par'>A light-<br/>house on<br />the cape</p>", "A lighthouse on\nthe cape"),
        ("<p>first<br/>second</p>", "first\nsecond"),
        ("<span class='ocr_line'>one<br/>two</span>", "one\ntwo"),
        ("<P class='ocr_par'>north<BR/>pier<Br></Br>light</P>", "north\npier\nlight"),
        ("<p class='ocr_par'><b>bold</b><br/><i>slanted</i></p>", "bold\nslanted"),
        ("<p class='ocr_par'><div>upper</div><div>lower</div></p>", "upper\nlower"),
        ("<p class='ocr_par'>in<b>side</b> a\n word</p>", "inside a word"),
        (
            "<p class='ocr_par'><span class='ocrx_word'>one</span><br/>"
            "<span class='ocrx_word'>two</span><span class='ocrx_word'>three</span></p>",
            "one\ntwo three",
        ),
    ],
)
def test_line_breaks_of_hocr_part_words(inside: str, text: str) -> None:
    assert hocr(inside) == text


def page_xml(inside: str) -> str:
    root = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
    return read_xml(f"<PcGts xmlns='{root}'><Page>{inside}</Page></PcGts>".encode()).pages[0].value


def region(name: str, text: str, index: int | None = None, lines: str = "") -> str:
    custom = (
        "" if index is None else f" custom='structure {{type:x;}} readingOrder {{index:{index};}}'"
    )
    own = f"<TextEquiv><Unicode>{text}</Unicode></TextEquiv>"
    return f"<TextRegion id='{name}'{custom}>{lines}{own}</TextRegion>"


@given(order=st.permutations(range(5)))
def test_transkribus_orders_regions_in_custom(order: list[int]) -> None:
    inside = "".join(region(f"r{index}", f"part{index}", index) for index in order)
    assert page_xml(inside).split() == [f"part{index}" for index in range(5)]


def test_a_reading_order_of_its_own_counts_more_than_custom() -> None:
    order = (
        "<ReadingOrder><OrderedGroup id='g'><RegionRefIndexed index='0' regionRef='b'/>"
        "<RegionRefIndexed index='1' regionRef='a'/></OrderedGroup></ReadingOrder>"
    )
    assert page_xml(order + region("a", "A", 0) + region("b", "B", 1)) == "B\n\nA"


def line(text: str, index: int | None = None) -> str:
    custom = "" if index is None else f" custom='readingOrder {{index:{index};}}'"
    own = f"<TextEquiv><Unicode>{text}</Unicode></TextEquiv>" if text else ""
    return f"<TextLine{custom}>{own}</TextLine>"


def test_lines_stand_as_transkribus_numbers_them() -> None:
    assert page_xml(region("a", "", lines=line("second", 1) + line("first", 0))) == "first\nsecond"


@pytest.mark.parametrize(
    ("own", "lines", "text"),
    [
        ("whole text\nof the region", line("whole text"), "whole text\nof the region"),
        ("whole text\nof it", line("whole text") + line(""), "whole text\nof it"),
        ("whole", line("whole text") + line("of it"), "whole text\nof it"),
        ("first second", line("first") + line("second"), "first\nsecond"),
    ],
)
def test_the_fuller_text_of_a_region_counts(own: str, lines: str, text: str) -> None:
    assert page_xml(region("a", own, lines=lines)) == text


def alto(*blocks: tuple[str, str, str]) -> list[str]:
    inside = "".join(
        f"<TextBlock ID='{name}'{f' IDNEXT={after!r}' if after else ''}><TextLine>"
        f"<String CONTENT='{text}'/></TextLine></TextBlock>"
        for name, after, text in blocks
    )
    page = f"<alto><Layout><Page><PrintSpace>{inside}</PrintSpace></Page></Layout></alto>"
    return (read_xml(page.encode()).pages[0].value or "").split()


def test_alto_follows_the_next_block() -> None:
    assert alto(("a", "c", "one"), ("b", "d", "three"), ("c", "b", "two"), ("d", "", "four")) == [
        *("one", "two", "three", "four"),
    ]


@pytest.mark.parametrize(
    ("afters", "order"),
    [(("b1", "", ""), "123"), (("b2", "b1", ""), "123"), (("", "b3", "b2"), "123"),
     (("b3", "b1", ""), "213"), (("none", "b2", "b1"), "231")],
)  # fmt: skip
def test_alto_follows_no_block_to_itself_nor_round_in_a_circle(
    afters: tuple[str, ...], order: str
) -> None:
    blocks = [(f"b{number}", after, str(number)) for number, after in enumerate(afters, start=1)]
    assert "".join(alto(*blocks)) == order


@given(
    targets=st.lists(st.sampled_from(["", "b0", "b1", "b2", "b3", "none"]), min_size=4, max_size=4)
)
def test_alto_loses_no_block_whatever_the_chain_says(targets: list[str]) -> None:
    blocks = [(f"b{number}", after, f"w{number}") for number, after in enumerate(targets)]
    assert sorted(alto(*blocks)) == ["w0", "w1", "w2", "w3"]


def docling(texts: list[dict[str, object]], groups: list[dict[str, object]], body: list[str]):
    place = [{"page_no": 1, "bbox": {}, "charspan": [0, 1]}]
    document = {
        "schema_name": "DoclingDocument",
        "pages": {"1": {}},
        "texts": [{"prov": place} | text for text in texts],
        "groups": groups,
        "body": {"children": [{"$ref": name} for name in body]},
    }
    return read_json(json.dumps(document).encode()).pages[0].value


def refs(*names: str) -> list[dict[str, str]]:
    return [{"$ref": name} for name in names]


def test_a_formula_that_was_not_decoded_keeps_its_characters() -> None:
    texts = [
        {"label": "formula", "text": "", "orig": "v = s / t"},
        {"label": "formula", "text": r"\frac{s}{t}", "orig": "s t"},
    ]
    text = docling(texts, [], ["#/texts/0", "#/texts/1"])
    assert text == "v = s / t\n\n$$\\frac{s}{t}$$"


def test_a_remark_in_place_of_a_formula_is_no_formula() -> None:
    remark = {"label": "formula", "text": "<!-- formula-not-decoded -->", "orig": "a = b + c"}
    assert docling([remark], [], ["#/texts/0"]) == "a = b + c"


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (1, 2, 0)])
def test_what_has_no_place_is_on_the_page_of_its_neighbour(order: tuple[int, ...]) -> None:
    texts = [
        {"label": "formula", "text": "p = q", "prov": []},
        {"label": "text", "text": "Before it."},
        {"label": "text", "text": "After it."},
    ]
    text = docling(texts, [], [f"#/texts/{number}" for number in order])
    parts = ["$$p = q$$", "Before it.", "After it."]
    assert text == "\n\n".join(parts[number] for number in order)


def test_the_parts_of_a_paragraph_are_one_paragraph() -> None:
    texts = [
        {"label": "text", "text": "The speed"},
        {"label": "formula", "text": "v"},
        {"label": "text", "text": ", in knots (see"},
        {"label": "code", "text": "log"},
        {"label": "text", "text": ")."},
        {"label": "text", "text": "After it."},
        {"label": "list_item", "text": "", "marker": "1.", "children": refs("#/groups/1")},
        {"label": "text", "text": "an item"},
        {"label": "formula", "text": "", "orig": "x2"},
    ]
    groups = [
        {"label": "inline", "children": refs(*(f"#/texts/{number}" for number in range(5)))},
        {"label": "inline", "children": refs("#/texts/7", "#/texts/8")},
    ]
    text = docling(texts, groups, ["#/groups/0", "#/texts/5", "#/texts/6"])
    assert text == "The speed $v$, in knots (see `log`).\n\nAfter it.\n\n1. an item x2"


TEXTS = (
    "Herring was landed at the northern quay on Monday.",
    "The rope works burned down and was rebuilt in brick.",
    "Nobody claimed the two anchors found near the mole.",
    "A new crane lifts nine tons and needs three men.",
)


def precomputed(tmp_path: Path, pages: dict[str, str], truth: tuple[str, ...] = TEXTS, **params):
    (tmp_path / "gt").mkdir()
    folder = tmp_path / "kb" / "law"
    folder.mkdir(parents=True)
    if all(name.isdecimal() for name in pages):
        listed = [{"page_no": int(name), "text": text} for name, text in pages.items()]
        (folder / "a.json").write_text(json.dumps(listed))
    else:
        (folder / "a").mkdir()
        for name, text in pages.items():
            (folder / "a" / name).write_text(text)
    document = Document("law/a", "law", [Page(PageRef("law/a", i), t) for i, t in enumerate(truth)])
    data = Dataset([document], [], kind="ohrbench", root=tmp_path)
    spec = {"name": "precomputed", "params": {"kb": "kb"} | params}
    kb = registry.create("engine", spec).knowledge_base(data)
    return [kb.text(PageRef("law/a", number)) for number in range(len(truth))], data.report


def test_a_list_from_1_without_its_last_page_is_matched_by_its_words(tmp_path: Path) -> None:
    texts, report = precomputed(tmp_path, {str(i + 1): TEXTS[i] for i in range(3)})
    assert texts == [*TEXTS[:3], ""]
    [line] = report.problems["pages_counted_from_one"]
    assert "whose words are those of the page before" in line


def test_a_list_from_0_without_its_first_page_stays(tmp_path: Path) -> None:
    pages = {str(i): TEXTS[i] for i in (1, 2, 3)}
    texts, report = precomputed(tmp_path, pages)
    assert texts == ["", *TEXTS[1:]]
    assert not report


def test_files_from_0_without_their_first_page_are_matched_too(tmp_path: Path) -> None:
    pages = {f"page_{i}.md": TEXTS[i] for i in (1, 2, 3)}
    texts, report = precomputed(tmp_path, pages)
    assert texts == ["", *TEXTS[1:]]
    assert report.problems["pages_counted_from_one"]


def test_files_from_1_stay(tmp_path: Path) -> None:
    texts, report = precomputed(tmp_path, {f"page_{i + 1}.md": TEXTS[i] for i in range(3)})
    assert texts == [*TEXTS[:3], ""]
    assert not report


def test_a_list_whose_words_do_not_tell_is_said(tmp_path: Path) -> None:
    texts, report = precomputed(tmp_path, {"1": "x", "2": "y"})
    assert texts[1:3] == ["x", "y"]
    [line] = report.problems["pages_counted_from_one"]
    assert "do not tell" in line
    assert "first_page: 1" in line


def test_first_page_is_obeyed(tmp_path: Path) -> None:
    texts, _ = precomputed(tmp_path, {str(i + 1): TEXTS[i] for i in range(3)}, first_page=0)
    assert texts == ["", *TEXTS[:3]]


@given(
    pages=st.lists(st.text(alphabet="abc 灯塔", max_size=12), min_size=1, max_size=5),
    shift=st.sampled_from([0, -1]),
)
def test_a_shift_is_never_that_of_fewer_words(pages: list[str], shift: int) -> None:
    document = Document("d", "", [Page(PageRef("d", i), text) for i, text in enumerate(pages)])
    own = {i - shift: Outcome.of_text(text) for i, text in enumerate(pages)}
    assert find_shift(document, own, (0, -1)) in (shift, None)
