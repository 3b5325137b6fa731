"""What templates, tables and charts offer to be asked about, with its evidence."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ohr.sample.blocks import Columns, Paragraph, Span
from ohr.sample.markdown import page_text
from ohr.sample.questions.asks import Ask, Fact, Link, reasoning_over
from ohr.sample.template import ChartDraft, Merged, TableDraft, write_document, write_page


def test_a_sentence_broken_off_by_a_table_or_a_page() -> None:
    table = TableDraft(("Ada", "n"), [("x", "1")], [], "lr")
    pages = write_document(
        ["Ada went\n~ {t}\nto Rome.\n? S | Where did Ada go? | Rome\nThen she\n~", "slept.\nEnd."],
        {},
        {"t": table},
        lambda _: np.random.default_rng(0),
    )
    (candidate,) = pages[0].candidates
    assert candidate.source == "reading_order"
    assert candidate.evidence == ("Ada went", "to Rome.")
    last, first = pages[0].blocks[-1], pages[1].blocks[0]
    assert isinstance(last, Paragraph)
    assert isinstance(first, Paragraph)
    assert (last.continues, first.continued) == (True, True)
    whole = write_page(
        "Ada went\n~\nto Rome.\n? S | Where? | Rome", {}, {}, np.random.default_rng(0)
    )
    assert [(c.source, c.evidence) for c in whole.candidates] == [("text", ("Ada went to Rome.",))]


def test_roles_columns_footnotes_facts_and_links() -> None:
    page = write_page(
        "<<span\n@abstract Short.\n>>\n<<3\nAda <did> it.^[1 Ada paid 5.]\n"
        "?^ N* | What did Ada pay? | 5\n= Ada | EUR | the sum | 5\n> the payer | Ada\n>>\n"
        "$$(2) x = 1\n? N | x of Ada? | 1",
        {"did": "did"},
        {},
        np.random.default_rng(0),
    )
    span, columns, _ = page.blocks
    assert isinstance(span, Span)
    assert isinstance(columns, Columns)
    assert columns.count == 3
    assert span.blocks[0] == Paragraph(span.blocks[0].text, "abstract")  # type: ignore[union-attr]
    note, fact, link, formula = page.candidates
    assert note.evidence == ("$^{1}$ Ada paid 5.",)
    assert isinstance(note.content, Ask)
    assert note.content.task == "reasoning"
    assert isinstance(fact.content, Fact)
    assert isinstance(link.content, Link)
    assert formula.evidence == ("Ada did it.$^{1}$\n\n$$\nx = 1 \\tag{2}\n$$",)


def test_evidence_of_merged_tables_and_charts() -> None:
    ask_it = Ask("How many?", "2", "Numeric")
    table = TableDraft(
        (Merged("<who>", rowspan=2), Merged("Apples", colspan=2)),
        [("May", "1", "2"), ("June", "3", "4")],
        [(0, ask_it)],
        "lrr",
        subheader=("red", "green"),
    )
    chart = ChartDraft("bar", "<who>, month", ("May", "June"), {"Pears": ("1", "2")}, [(0, ask_it)])
    page = write_page(
        "{t}\n\n{c}", {"who": "Ada"}, {"t": table, "c": chart}, np.random.default_rng(0)
    )
    of_table, of_chart = (candidate.evidence[0] for candidate in page.candidates)
    for evidence in (of_table, of_chart):
        assert evidence in page_text(page.blocks)
        assert "Ada" in evidence
        assert "May" in evidence
        assert "June" not in evidence
    assert "green" in of_table


names_and_values = st.lists(
    st.tuples(st.text("abc", min_size=1), st.integers(-50, 50)), min_size=2, max_size=6,
    unique_by=lambda pair: pair[0],
)  # fmt: skip


@given(names_and_values)
def test_reasoning_is_right(pairs: list[tuple[str, int]]) -> None:
    names, values = [n for n, _ in pairs], [v for _, v in pairs]
    asks = reasoning_over(
        names, [str(v) for v in values], of="'{}'", which="{}", several="more than {}"
    )
    value_of = dict(pairs)
    for row, one in asks:
        assert one.task == "reasoning"
        named = re.findall(r"'(\w+)'", one.question)
        assert all(names.index(name) <= row for name in named)
        match one.form:
            case "Yes/No":
                difference = value_of[named[0]] - value_of[named[1]]
                stated = [int(text.split()[1]) for text in (one.question, one.denied)]
                assert stated[0] == difference != stated[1]
            case "List":
                cut = int(one.question.split()[-1].rstrip("?"))
                assert one.answer.split(", ") == [n for n in names if value_of[n] > cut]
            case "String":
                best = max if "highest" in one.question else min
                assert value_of[one.answer] == best(values)
            case _:
                a, b = (value_of[name] for name in named)
                assert int(one.answer) == (a + b if "sum" in one.question else a - b)


def test_passages_come_in_any_order_between_the_first_and_the_last() -> None:
    def words(template: str, seed: int) -> str:
        return page_text(write_page(template, {}, {}, np.random.default_rng(seed)).blocks)

    orders = {
        words("First.\n%%\nA.\n%%\nB.\n%%\nLast.", seed).split("\n\n")[1] for seed in range(9)
    }
    assert orders == {"A.", "B."}
    for seed in range(9):
        whole = words("First.\n%%\nA.\n%%\nB.\n%%\nLast.", seed)
        assert whole.startswith("First.\n\n")
        assert whole.endswith("\n\nLast.")
        assert words("First.\n%%\nA.\n%%", seed) == "First.\n\nA."
