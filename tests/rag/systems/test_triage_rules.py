"""What the offline planner reads off questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.systems._frames import defuse_document
from rag.systems._passage_frames import escape_tags
from rag.systems.triage.library import Shelf
from rag.systems.triage.rules import Call, answer_from_metadata, plan
from rag.systems.triage.tools import MOST
from tests.examples import examples
from tests.patience import ends
from tests.rag.systems.documents import document, report

WORDS_OF_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()


def calls(question: str, shelf: Shelf | None = None) -> list[tuple[str, object]]:
    planned = plan(question, shelf or Shelf(report()))
    return [(call.tool, next(iter(call.arguments.values()))) for call in planned]


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("What are the key takeaways from pages 2-4?", [2, 3, 4]),
        ("What do page 3 and 4 say?", [3, 4]),
        ("What do pages two to three say?", [2, 3]),
        ("Summarize pages 1, 2 and 4.", [1, 2, 4]),
        ("What is on p. 2?", [2]),
        ("What is on the last page?", [4]),
        ("What is on the second page?", [2]),
        ("Summarize the first two pages.", [1, 2]),
        ("Summarize the last 2 pages.", [3, 4]),
        ("Was steht auf Seite 3?", [3]),
        ("Was steht auf der letzten Seite?", [4]),
        ("What is said on pages 3 to 900000?", [3, 4]),
        ("Is this document a scientific article?", [1]),
        ("Summarise the document in a sentence.", [1]),
    ],
)
def test_pages_are_read_off(question: str, pages: list[int]) -> None:
    assert calls(question) == [("fetch_pages", pages)]


def test_every_number_word_is_a_page_of_its_own() -> None:
    long = Shelf(document("a/b", ["A page."] * 20))
    for number, word in enumerate(WORDS_OF_NUMBERS, 1):
        assert calls(f"What does page {word} say?", long) == [("fetch_pages", [number])]


def test_more_than_a_call_may_name_is_cut_to_what_it_may() -> None:
    long = Shelf(document("a/b", ["A page."] * 120))
    assert calls("What is said on pages 1 to 120?", long) == [
        ("fetch_pages", list(range(1, MOST + 1)))
    ]


@pytest.mark.parametrize(("title", "wanted"), [("Civil", ["Civil"]), ("C", ["C"]), ("", None)])
def test_a_section_is_asked_for_as_it_can_be_found(title: str, wanted: list[str] | None) -> None:
    shelf = Shelf(document("a/b", [f"# R\n\n## Fees\n\nTen.\n\n## {title}\n\nAda judges."]))
    question = "What does the second section say?"
    call = ("retrieve", question) if wanted is None else ("fetch_sections", wanted)
    assert calls(question, shelf) == [call]
    section = shelf.section(title)
    assert (section is None) == (wanted is None)
    assert section is None or section.title == title


@pytest.mark.parametrize(
    ("question", "sections"),
    [
        ("What is the main point of section 2?", ["2"]),
        ("What does section 2.1 say?", ["2.1"]),
        ("Compare sections 1 and 3.", ["1", "3"]),
        ("What does § 3 promise?", ["3"]),
        ("What is the section on fees about?", ["1 Fees"]),
        ('What is said in the "Winter" section?', ["2.1 Winter"]),
        ("What does the traffic section say?", ["2 Traffic"]),
        ("Was steht in Abschnitt 3?", ["3"]),
    ],
)
def test_sections_are_read_off(question: str, sections: list[str]) -> None:
    assert calls(question) == [("fetch_sections", sections)]


@pytest.mark.parametrize(
    ("question", "call"),
    [
        ("What is the largest fee in Table 1?", ("fetch_table", "1")),
        ("What is in the last table?", ("fetch_table", "1")),
        ("Was zeigt Tabelle 1?", ("fetch_table", "1")),
        ("What is the table of fees by length about?", ("fetch_table", "1")),
        ("What is the takeaway of figure 1?", ("fetch_figure", "1")),
        ("What does the first chart show?", ("fetch_figure", "1")),
    ],
)
def test_tables_and_figures_are_read_off(question: str, call: tuple[str, str]) -> None:
    assert calls(question) == [call]


@pytest.mark.parametrize(
    "question",
    [
        "Who built the harbour?",
        "How many ships came in 1999?",
        "What is in table 7?",
        "What does section 12 say?",
        "What is on page 90?",
        "In a section of the quay, who pays?",
    ],
)
def test_what_names_no_part_that_exists_is_a_search(question: str) -> None:
    assert calls(question) == [("retrieve", question)]
    assert plan(question, None) == [Call("retrieve", {"query": question})]


def test_several_parts_are_fetched_one_after_another() -> None:
    assert calls("Do the fees in table 1 agree with section 3 and page 1?") == [
        ("fetch_pages", [1]),
        ("fetch_sections", ["3"]),
        ("fetch_table", "1"),
    ]


def test_usual_parts_go_by_their_synonyms() -> None:
    paper = Shelf(document("a/b", ["# 1 Introduction\n\nHello.\n\n# 2 Concluding remarks\n\nBye."]))
    assert calls("Do the conclusions fit?", paper) == [("fetch_sections", ["2 Concluding remarks"])]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many pages are there?", "4"),
        ("How many tables does the document have?", "1"),
        ("How many figures are there in the document?", "1"),
        ("How many sections are there?", "3"),
        ("What is the title of the third section?", "Outlook"),
        ("Summarize it by the titles of its sections.", "Fees, Traffic, Outlook"),
        ("What is the title of section 2?", "Traffic"),
        ("What is the caption of table 1?", "Fees by length"),
        ("On which page does the section on fees begin?", "2"),
        ("On which page is figure 1?", "3"),
        ("How many tables are there in this 4-page article?", "1"),
        ("How many tables are there on page 1?", ""),
        ("How many figures does page 90 have?", ""),
        ("How many tables does the third section have?", ""),
        ("How many pages are there in the traffic section?", ""),
        ("How many pages are in the section on dunes?", ""),
        ("How many figures are there in the appendix?", ""),
        ("Wie viele Tabellen gibt es auf Seite 1?", ""),
        ("How many figures does article 2 have?", ""),
        ('How many sections are there in "On the page"?', "3"),
        ("How many ships are there in the harbour?", ""),
        ("What is the title of section 9?", ""),
        ("What is the heading of the last chapter?", "Outlook"),
        ("What title does section 2 have?", "Traffic"),
        ("Which sections does the report have?", "Fees, Traffic, Outlook"),
        ("Which sections does the new law amend?", ""),
        ("What is the title of §2?", "Traffic"),
        ("Wie ist der Titel der Tabelle 1?", "Fees by length"),
        ("What is the name of the ship with the largest fee in table 1?", ""),
        ("What is the title of the person in section 2?", ""),
        ("Wie ist der Name der Firma in Tabelle 1?", ""),
    ],
)
def test_structure_is_answered_from_the_metadata(question: str, answer: str) -> None:
    said, refs = answer_from_metadata(question, Shelf(report()))
    assert said == answer
    assert bool(refs) == bool(answer)


WORDS = "page pages table figure section 2 3-9 999999 the first last two of on § '' IX 2.1.1 , and"
words = st.sampled_from(WORDS.split())


@examples(100)
@given(st.lists(words, max_size=14).map(" ".join) | st.text(max_size=60))
def test_whatever_is_asked_is_planned(question: str) -> None:
    for shelf in (Shelf(report()), Shelf(document("a/b", [])), Shelf(document("a/b", [""]))):
        assert plan(question, shelf)
        answer_from_metadata(question, shelf)


def test_blanks_and_commas_without_an_end_are_read_once() -> None:
    with ends(cpu_s=20):
        assert calls("What is on page 2" + " ," * 20_000 + " x?") == [("fetch_pages", [2])]
        plan("What is in table 2" + " -" * 20_000 + "x?", Shelf(report()))
        for text in ("<" + " " * 100_000 + "x", "<" + "\n" * 100_000 + "/x"):
            assert defuse_document(text) == escape_tags(text) == text
