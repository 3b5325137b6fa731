"""Question sets made of small corpora: right answers, one place each, the same every time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.datasets import wording
from ohr.questions import make_question_set
from ohr.questions.checks import NAMES
from ohr.questions.corpus import Corpus
from ohr.questions.from_tables import table_cells
from ohr.questions.sentences import all_sentences, sentences
from ohr.questions.storage import csv_text
from ohr.questions.values import values
from ohr.types import Page, PageRef
from tests.patience import ends

FIRST, SECOND = PageRef("law/Brill_Mill_2019", 0), PageRef("law/Brill_Mill_2019", 1)
OTHER = PageRef("law/0f3a9b27c65d4e18", 0)
TEXTS = {
    FIRST: """# Terms of the lease

The Brill Mill lease was signed by Ada Crane on March 4, 2019 in the old town hall.
The tenant shall pay a deposit of $12,500 to Crane Estates before moving into the Brill Mill.

"Mill Yard" means the paved area between the Brill Mill and the river Osk.

The Inland Water Board (IWB) inspects the sluice of the Brill Mill twice a year.

Crane Estates shall keep the following parts of the Brill Mill in repair:
- the roof and its gutters
- the water wheel
- the sluice
""",
    SECOND: r"""Table 2: Rent of the mill by year

\begin{tabular}{lcc}
Part & Rent 2019 & Rent 2020 \\
Upper floor & 1,200 & 1,350 \\
Water wheel & 300 & 410 \\
Total & 1,500 & 1,760 \\
\end{tabular}
""",
    OTHER: "The Brill Mill stands idle since Crane Estates sold the wheel to the Osk Museum.",
}


def make_set(texts=TEXTS, seed=0, most=None):
    return make_question_set([Page(ref, "") for ref in texts], texts, seed, most)


def answers(found):
    return {found.kinds[one.qid]: one for one in found.accepted}


def test_each_kind_of_question_has_its_answer():
    texts = {FIRST: TEXTS[FIRST]}
    candidates = {}
    for seed in range(20):
        found = make_set(texts, seed)
        for one in [*found.accepted, *(each.question for each in found.rejected)]:
            candidates.setdefault(found.kinds[one.qid], set()).add(one.answers[0])
    assert "March 4, 2019" in candidates["date"]
    assert "$12,500" in candidates["amount"]
    assert "Inland Water Board" in candidates["abbreviation"]
    assert candidates["definition"] == {"the paved area between the Brill Mill and the river Osk"}
    assert candidates["list"] == {"the roof and its gutters; the water wheel; the sluice"}
    assert candidates["heading"] == {"Terms of the lease"}


def test_cells_are_asked_for_by_both_heads():
    by_heads = {(one.row_head, one.column_head): one.value for one in table_cells(TEXTS[SECOND])}
    assert by_heads == {
        ("Upper floor", "Rent 2019"): "1,200",
        ("Upper floor", "Rent 2020"): "1,350",
        ("Water wheel", "Rent 2019"): "300",
        ("Water wheel", "Rent 2020"): "410",
    }


def test_rows_of_a_text_layer_stand_under_their_years():
    text = "Years ended May 31\n(Millions) 2018 2017\nNet income $ 5,363 $ 4,869\nCosts (12) 7\n"
    by_heads = {(one.row_head, one.column_head): one.value for one in table_cells(text)}
    assert by_heads == {
        ("Net income", "2018"): "5,363",
        ("Net income", "2017"): "4,869",
        ("Costs", "2018"): "(12)",
        ("Costs", "2017"): "7",
    }


@pytest.mark.parametrize(
    "table",
    [
        "| | 2018 | 2018 |\n|---|---|---|\n| Sales | 1 | 2 |\n| Costs | 3 | 4 |\n",  # twice
        "| | 2018 | |\n|---|---|---|\n| Sales | $ | 2 |\n| Costs | $ | 4 |\n",  # shifted
        "| | North | South |\n|---|---|---|\n| Assets | Mean sum | Mean sum |\n",  # second heads
        "| | 2018 |\n|---|---|\n| Rent Fees | 1.5 2.5 |\n| Costs Taxes | 3.5 4.5 |\n",  # merged
        "| Delaware | Brazil |\n|---|---|\n| Tucano | Brazil |\n| Mong | Chile |\n",  # no header
    ],
)
def test_a_table_that_leaves_doubt_is_asked_nothing(table):
    assert table_cells(table) == []


def test_what_two_pages_say_is_asked_of_neither():
    again = {FIRST: TEXTS[FIRST], OTHER: TEXTS[FIRST]}
    found = make_set(again)
    assert not [one for one in found.accepted if found.kinds[one.qid] in ("date", "amount")]
    assert "unique" in {one.check for one in found.rejected}


def test_a_long_document_is_searched_for_its_name_once():
    ref = PageRef("law/Osk_Mill_Yard_Lease_Deed", 0)
    corpus = Corpus({ref: "the wheel of Osk " * 20_000})
    with ends(cpu_s=20):
        assert {corpus.name(ref.doc_id) for _ in range(200_000)} == {"Osk"}


def test_evidence_stands_on_its_page_and_holds_the_answer():
    found = make_set()
    assert found.accepted
    for one in found.accepted:
        text = TEXTS[one.evidence_pages[0]]
        assert one.evidence_text in text
        if found.kinds[one.qid] not in ("list", "heading"):
            assert one.answers[0].casefold() in " ".join(one.evidence_text.split()).casefold()
        assert not wording.context_phrase(one.text)


def test_rejected_ones_are_kept_with_a_known_check_and_a_reason():
    found = make_set()
    assert found.rejected
    assert {one.check for one in found.rejected} <= set(NAMES)
    assert all(one.reason for one in found.rejected)
    for one in found.yields():
        assert one.candidates == one.accepted + one.spare + sum(one.rejected.values())


def test_most_has_no_say_in_what_passes():
    every = make_set()
    for most in range(len(every.accepted) + 1):
        few = make_set(most=most)
        assert (few.accepted, few.spare) == (every.accepted[:most], every.accepted[most:])
        assert few.rejected == every.rejected


@settings(deadline=None)
@given(st.integers(0, 5), st.permutations(list(TEXTS)))
def test_equal_seeds_give_equal_question_sets_in_any_order_of_pages(seed, order):
    again = make_question_set([Page(ref, "") for ref in order], TEXTS, seed)
    assert again.accepted == make_set(seed=seed).accepted


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_asked_about(text):
    found = make_set({FIRST: text})
    assert all(one.evidence_text in text for one in found.accepted)


@given(st.text(alphabet='Aab 1.,;(\n"-$%&\\{}|#', max_size=200))
def test_sentences_are_cut_out_of_the_page(text):
    for one in all_sentences(text):
        assert 0 <= one.start < one.end <= len(text)
        assert text[one.start : one.end].strip() == text[one.start : one.end]


@pytest.mark.parametrize(
    "fragment",
    [
        "However, the Brill Mill was sold to the Osk Museum in that year.",
        "the Brill Mill was sold to the Osk Museum in that year.",
        "The Brill Mill was sold to the Osk Museum (in that year.",
        "The Brill Mill was sold as the table below shows in the table.",
        "The Brill Mill is cold and has winds.Its dark spots are sold by the museum.",
        "The Brill Mill is %math% sold by the museum of the town in that year.",
        "The following part of the Brill Mill was sold to the Osk Museum in that year.",
        "BRILL MILL SOLD TO THE OSK MUSEUM FOR GOOD.",
        "Brill Mill\n\nOsk Museum",
    ],
)
def test_what_does_not_stand_alone_is_no_sentence(fragment):
    assert sentences(fragment) == []


def test_lines_of_a_text_layer_are_joined_and_short_ones_end_a_paragraph():
    text = (
        "Brill Mill Annual Report\nThe Brill Mill was bought by Ada Crane from the Osk Museum, "
        "which had kept\nit for years, and was opened again in the spring of that year.\n42\n"
    )
    (one,) = sentences(text)
    assert one.plain.startswith("The Brill Mill was bought")
    assert one.plain.endswith("of that year.")


def test_an_ampersand_is_part_of_a_name():
    text = "The Brill Mill was sold by Crane & Daughters to the museum of the town of Osk."
    assert "Crane & Daughters" in sentences(text)[0].plain


@pytest.mark.parametrize(
    ("plain", "kind", "said"),
    [
        ("They paid $ 1.8 million, in all.", "amount", "$ 1.8 million"),
        ("They paid $1,200 and left.", "amount", "$1,200"),
        ("Sales rose (by 3 percent) over it.", "percentage", "3 percent"),
        ("He left within thirty (30) days of it.", "period", "thirty (30) days"),
        ("The colony had only 3,000 people then.", "number", "3,000"),
    ],
)
def test_values_are_whole(plain, kind, said):
    assert [plain[one.start : one.end] for one in values(plain) if one.kind == kind] == [said]


def test_an_ordinal_is_no_length_of_time():
    assert list(values("The Twenty-second Amendment limits them, as they say.")) == []


@pytest.mark.parametrize(
    "plain", ["Refer to Note 13 for it.", "Since 2012 it is so.", "As Theorem 3.1 says so."]
)
def test_references_are_no_numbers(plain):
    assert [one for one in values(plain) if one.kind == "number"] == []


def test_no_cell_of_a_file_is_a_formula():
    found = make_set()
    wicked = replace(found.accepted[0], text="=1+1?", answers=("@SUM(A1)", "-5"))
    made = replace(found, accepted=(wicked, *found.accepted[1:]))
    first = csv_text(made.accepted).splitlines()[1]
    assert ",'=1+1?,'@SUM(A1) | -5," in first
