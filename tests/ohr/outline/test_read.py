"""The tree of a document, from Markdown, LaTeX and plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.outline.read import document_tree
from ohr.markup.outline.tree import DocumentTree, Place
from ohr.types import Document, Page, PageRef
from tests.patience import ends


def tree(*pages: str) -> DocumentTree:
    refs = [PageRef("d/a", number) for number in range(len(pages))]
    return document_tree(
        Document("d/a", "d", [Page(ref, text) for ref, text in zip(refs, pages, strict=True)])
    )


def outline(found: DocumentTree) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in found.sections]


PROSE = "The committee met on several days in spring and heard all the members who wished to speak."


def test_sections_of_markdown_span_pages() -> None:
    found = tree("Before.\n\n# Report\n\nOne.\n\n## Costs\n\nTwo.", "Three.\n\n# End\n\nFour.")
    assert outline(found) == [(1, "Report"), (2, "Costs"), (1, "End")]
    report, costs, end = found.sections
    assert found.preamble() == "Before.\n\n"
    assert found.section_text(report) == "# Report\n\nOne.\n\n## Costs\n\nTwo.\nThree.\n\n"
    assert found.section_text(report, whole=False) == "# Report\n\nOne.\n\n"
    assert found.path(costs) == ("Report", "Costs")
    assert (found.page_number(costs.start), found.last_page_number(costs)) == (1, 2)
    assert found.section_at(Place(1, 0)) == costs
    assert found.section_at(Place(0, 3)) is None
    assert found.section_text(end) == "# End\n\nFour."


def test_a_section_that_ends_where_a_page_begins_is_not_on_that_page() -> None:
    found = tree("# One\n\nText.", "# Two\n\nText.")
    assert found.last_page_number(found.sections[0]) == 1


def test_pages_that_were_not_read_count_in_page_numbers() -> None:
    refs = [PageRef("d/a", 0), PageRef("d/a", 3)]
    pages = [Page(refs[0], "# A"), Page(refs[1], "# B")]
    found = document_tree(Document("d/a", "d", pages))
    assert [found.page_number(section.start) for section in found.sections] == [1, 4]


def test_latex_sections() -> None:
    found = tree("\\title{\nAnnual report\n}\n\n\\section*{Costs}\n\nText.")
    assert outline(found) == [(1, "Annual report"), (2, "Costs")]


def test_levels_that_an_engine_flattened_are_taken_from_the_numbers() -> None:
    text = "# 1 Aims\n\n# 2 Method\n\n# 2.1 Data\n\n# 2.1.1 Pages\n\n# 2.2 Models\n\n# References\n"
    assert outline(tree(text)) == [
        (1, "1 Aims"),
        (1, "2 Method"),
        (2, "2.1 Data"),
        (3, "2.1.1 Pages"),
        (2, "2.2 Models"),
        (1, "References"),
    ]


def test_a_level_that_is_skipped_is_repaired() -> None:
    assert outline(tree("# A\n\n#### B\n\n## C\n")) == [(1, "A"), (2, "B"), (2, "C")]


def test_headings_of_plain_text() -> None:
    found = tree(
        f"PART I\n\nItem 1. Business\n\nGeneral\n\n{PROSE}\n\nTrade names\n\n{PROSE}\n\n"
        f"Item 1A. Risk Factors\n\n{PROSE}\n"
    )
    assert outline(found) == [
        (1, "PART I"),
        (2, "Item 1. Business"),
        (3, "General"),
        (3, "Trade names"),
        (2, "Item 1A. Risk Factors"),
    ]
    assert {section.source for section in found.sections} == {"numbering", "short line"}


def test_headings_of_plain_text_without_empty_lines() -> None:
    wide = "a line as wide as the page that runs on and on and says what there is to say of it,"
    found = tree(f"ANNUAL REPORT\n{wide}\n{wide}\nand ends.\nOur people\n{wide}\n{wide} and ends.")
    assert outline(found) == [(1, "ANNUAL REPORT"), (2, "Our people")]


@pytest.mark.parametrize(
    "line",
    [
        "Net sales 1,204 1,377",
        "Item 1. Business ........ 3",
        "- Trade names",
        "Table 3: Costs by year",
        "He left.",
        "as section 5 says",
        "2 items were sold",
        "12 Monthly payments of a hundred were made by all of them in that year alone",
        "12",
        "$1,200 $1,300",
        "| a | b |",
    ],
)
def test_lines_that_are_no_headings(line: str) -> None:
    assert tree(f"{PROSE}\n\n{line}\n\n{PROSE}\n").sections == ()


def test_running_headers_are_no_headings() -> None:
    pages = [f"ACME CORPORATION\n\n{PROSE}\n\nPage {n}" for n in range(1, 5)]
    assert tree(*pages).sections == ()


def test_a_heading_repeated_at_the_top_of_pages_goes_on_with_its_section() -> None:
    found = tree("# Costs\n\nOne.", "# Costs\n\nTwo.", "# Aims\n\nThree.")
    assert outline(found) == [(1, "Costs"), (1, "Aims")]


def test_plain_lines_are_left_alone_where_an_engine_marks_headings() -> None:
    assert outline(tree("# Aims\n\nText.", f"Trade names\n\n{PROSE}")) == [(1, "Aims")]


def test_a_heading_whose_words_were_lost_still_begins_a_section() -> None:
    found = tree("# \nOne.\n\n# \nTwo.")
    assert outline(found) == [(1, ""), (1, "")]
    assert found.section_text(found.sections[1]).strip("# \n") == "Two."


def test_tables_with_captions() -> None:
    found = tree(
        "Table 3: Costs by year\n\n| Year | Cost |\n| --- | --- |\n| 2020 | 4 |\n\nText.\n\n"
        "<table><tr><td>a</td></tr></table>\n\nTable 4: Sales\n"
    )
    assert [(t.number, t.label, t.caption, t.header, t.n_rows) for t in found.tables] == [
        (1, "3", "Table 3: Costs by year", ("Year", "Cost"), 2),
        (2, "4", "Table 4: Sales", ("a",), 1),
    ]
    first = found.tables[0]
    assert found.text(first.start, first.end).startswith("Table 3:")


def test_tables_of_plain_text() -> None:
    found = tree(
        f"{PROSE}\n\nTable 2: Costs\nYear 2020 2021\nRent 1,200 1,300\nPay 400 (20)\n\nEnd."
    )
    [table] = found.tables
    assert (table.label, table.n_rows, table.source) == ("2", 3, "lines")
    assert found.text(table.start, table.end).startswith("Table 2: Costs\nYear")


def test_charts_and_images_are_figures() -> None:
    found = tree(
        "<chart>\n\\begin{tabular}{ll}\na & 1 \\\\\n\\end{tabular}\n</chart>\n\n"
        "Figure 2: Sales.\n\n"
        "![A map](map.png)\n\nFig. 7. Roads.\n\nFigure 8 shows the rest of it.\n"
    )
    assert [(f.label, f.caption) for f in found.figures] == [
        ("2", "Figure 2: Sales."),
        ("7", "Fig. 7. Roads."),
    ]
    assert found.tables == ()


def test_lists() -> None:
    found = tree("Text.\n\n- one\n- two\n  goes on\n- three\n\nText.\n\n1. single\n\nText.")
    assert [(one.n_items, found.text(one.start, one.end)) for one in found.lists] == [
        (3, "- one\n- two\n  goes on\n- three")
    ]


def test_a_document_of_nothing() -> None:
    for found in (tree(), tree("", " \n"), tree("no headings at all, just words")):
        assert found.sections == ()
        assert found.section_at(found.end) is None
    assert tree("a", "b").preamble() == "a\nb"


MARKS = st.sampled_from(
    ["# A", "## B", "#### C", "# ", "1.2.3 Deep", "PART II", "General", PROSE, "", "Table 1: x",
     "| a | b |\n| - | - |\n| c | d |", "- item", "12 13\n14 15\n16 17", "$$x$$", "\\section{S}"]
)  # fmt: skip


@given(st.lists(st.lists(MARKS, max_size=8).map("\n\n".join), max_size=5))
def test_sections_nest_and_hold_the_document(pages: list[str]) -> None:
    found = tree(*pages)
    joined = found.preamble() + "".join(
        ("\n" if section.start.page > found.sections[i - 1].start.page and i else "")
        + found.section_text(section, whole=False)
        for i, section in enumerate(found.sections)
    )
    assert "".join(joined.split()) == "".join("".join(pages).split())
    for section in found.sections:
        assert 1 <= section.level <= 6
        assert section.start < section.body or section.body == section.start
        assert section.body <= section.own_end <= section.end
        if section.parent:
            parent = found.sections[section.parent - 1]
            assert parent.number < section.number
            assert parent.start < section.start
            assert section.end <= parent.end
            assert section.level == parent.level + 1 or section.level == 6
    for part in (*found.tables, *found.figures, *found.lists):
        assert part.start < part.end


def test_ten_thousand_headings_and_fifty_levels() -> None:
    numbers = ".".join(["1"] * 50)
    deep = "\n\n".join(f"# {numbers[: 2 * n + 1]} Deep" for n in range(50))
    many = "\n\n".join(f"{'#' * (n % 6 + 1)} Heading {n}\n\nText." for n in range(10_000))
    assert len(tree(deep).sections) == 50
    assert tree(deep).sections[-1].level == 6
    assert len(tree(many).sections) == 10_000


def test_captions_far_from_what_they_name_cost_no_time() -> None:
    captions = "Figure 1: Some thing here\n\ntext here\n\n" * 4000
    with ends(cpu_s=30):
        found = tree(captions + "![a](b)\n\ntext\n\n" * 4000)
    assert len(found.figures) == 8000
