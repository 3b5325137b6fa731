"""The verifier: each check finds what it is for, and nothing in the data makes it fail."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import dataset_verify as verify_dataset
from ohr.collection import Dataset, ValidationReport
from ohr.datasets import wording
from ohr.datasets.locating import SearchablePage, has_math, squeezed_pieces, verbatim_pieces
from ohr.datasets.verify import CHECKS, Verification, one_line, verify
from ohr.datasets.verify_report import findings_json
from ohr.types import Document, Page, PageRef, Question
from tests.builders import CliRunner, qa, write_kb, write_questions
from tests.examples import examples

PAGES = [
    r"""# Notes of Arvo Mills

Arvo Mills employed 1,240 people in 2021, most of them in Dunmere.
The mill of Arvo Mills runs on water.

\begin{tabular}{lr}
\hline
Arvo Mills, year & Tonnes \\
\hline
2020 & 310 \\
2021 & 355 \\
\hline
\end{tabular}

<chart>
\begin{tabular}{lr}
Month & Visitors of Dunmere \\
May & 40 \\
\end{tabular}
</chart>""",
    "The yield of Arvo Mills is\n\n$$\ny = \\frac{355}{1240} = 0.29\n$$\n\nIt rose in spring.",
]
DOC = Document(
    "finance/arvo", "finance", [Page(PageRef("finance/arvo", i), t) for i, t in enumerate(PAGES)]
)


def asked(**changed: object) -> Question:
    given = {
        "qid": "q1",
        "text": "How many people did Arvo Mills employ in 2021?",
        "answers": ("1,240",),
        "doc_id": DOC.doc_id,
        "domain": DOC.domain,
        "evidence_pages": (PageRef(DOC.doc_id, 0),),
        "evidence_text": "Arvo Mills employed 1,240 people in 2021, most of them in Dunmere.",
        "evidence_source": "text",
        "answer_form": "Numeric",
        "task": "understanding",
    } | changed
    return Question(**given)  # type: ignore[arg-type]


def checked(*questions: Question, report: ValidationReport | None = None) -> Verification:
    return verify(Dataset([DOC], questions, kind="test", report=report))


def found(*questions: Question) -> dict[str, int]:
    results = checked(*questions).results
    return {result.name: len(result.findings) for result in results if result.findings}


ROW = "Arvo Mills, year & Tonnes \\\\\n\\hline\n2020 & 310 \\\\"
FORMULA = "The yield of Arvo Mills is\n\n$$\ny = \\frac{355}{1240} = 0.29\n$$"
BOTH = (PageRef(DOC.doc_id, 0), PageRef(DOC.doc_id, 1))
CLEAN = [
    asked(),
    asked(qid="q2", text="What tonnage did Arvo Mills reach in 2020?", answers=("310",),
          evidence_text=ROW, evidence_source="table"),
    asked(qid="q3", text="What is the yield of Arvo Mills?", answers=("0.29",),
          evidence_text=FORMULA, evidence_source="formula", evidence_pages=BOTH[1:]),
    asked(qid="q4", text="How many visitors did Dunmere have in May?", answers=("40",),
          evidence_text="Month & Visitors of Dunmere \\\\\nMay & 40 \\\\", evidence_source="chart"),
    asked(qid="q5", text="Does the mill of Arvo Mills run on water?", answers=("Yes",),
          answer_form="Yes/No", evidence_text="The mill of Arvo Mills runs on water."),
    asked(qid="q6", text="Does the mill of Arvo Mills run on coal?", answers=("No",),
          answer_form="Yes/No", evidence_text="The mill of Arvo Mills runs on water."),
    asked(qid="q7", text="What are the yield and the staff of Arvo Mills?",
          answers=("0.29, 1,240",), answer_form="List", evidence_pages=BOTH,
          evidence_text=f"{FORMULA}\n{asked().evidence_text}", task="multi-page"),
]  # fmt: skip


def test_what_is_right_is_clean() -> None:
    verification = checked(*CLEAN)
    assert verification.clean, verification.findings
    assert verification.questions == 7
    judged = {result.name: result.judged for result in verification.results}
    assert judged["evidence_verbatim"] == 7
    assert judged["evidence_source"] == 3
    assert judged["evidence_every_page"] == judged["multi_page"] == 1
    assert judged["answer_supported"] == 5
    assert judged["yes_no_balance"] == 2


def test_a_page_is_named_as_viewers_and_as_files_count() -> None:
    results = {one.name: one for one in checked(asked(evidence_pages=BOTH)).results}
    [finding] = results["evidence_every_page"].findings
    assert finding.detail == "no evidence stands on page 2 of finance/arvo, page_idx 1"


@pytest.mark.parametrize(
    ("changed", "checks"),
    [
        ({"evidence_text": asked().evidence_text.replace(" in ", "\tin ")}, ["evidence_verbatim"]),
        (
            {"evidence_text": asked().evidence_text.replace("people", "persons")},
            ["evidence_verbatim", "evidence_spacing", "evidence_located"],
        ),
        (
            {"evidence_text": asked().evidence_text.replace(".", "!")},
            ["evidence_verbatim", "evidence_spacing"],
        ),
        ({"evidence_text": " "}, ["evidence_verbatim", "answer_supported"]),
        ({"evidence_pages": (PageRef("finance/arvo", 9),)}, ["evidence_verbatim"]),
        (
            {"evidence_pages": BOTH[1:]},
            ["evidence_verbatim", "evidence_spacing", "evidence_located"],
        ),
        ({"evidence_pages": BOTH}, ["evidence_every_page", "multi_page"]),
        ({"answers": ("1,250",)}, ["answer_supported"]),
        ({"answers": ("12",)}, ["answer_supported"]),
        ({"answers": ("many people",)}, ["answer_supported", "answer_form"]),
        ({"answers": ("Perhaps",), "answer_form": "Yes/No"}, ["answer_form"]),
        ({"answers": ("Dunmere",), "answer_form": "List"}, ["answer_form"]),
        ({"answers": ("Dunmere",), "answer_form": "Essay"}, ["answer_form"]),
        ({"evidence_source": "table"}, ["evidence_source"]),
        ({"evidence_source": "formula"}, ["evidence_source"]),
        ({"evidence_source": "chart"}, ["evidence_source"]),
        ({"evidence_source": "reading_order"}, ["evidence_source"]),
        ({"evidence_source": "smell"}, ["evidence_source"]),
        (
            {"evidence_source": "chart", "evidence_text": ROW, "answers": ("310",)},
            ["evidence_source"],
        ),
        ({"text": "How many does Arvo Mills employ in the document?"}, ["context_independent"]),
        ({"text": "According to the report, who works at Arvo Mills?"}, ["context_independent"]),
        ({"text": "Did they say that it employs people at Arvo Mills?"}, ["pronouns"]),
        ({"text": "How many people were employed there?"}, ["entity_named"]),
        ({"text": "Arvo Mills staff?"}, ["lengths"]),
        ({"task": "multi-page"}, ["multi_page"]),
    ],
)  # fmt: skip
def test_each_check_finds_what_it_is_for(changed: dict[str, object], checks: list[str]) -> None:
    assert list(found(asked(**changed))) == checks


def test_reasoning_answers_need_not_stand_in_the_evidence() -> None:
    assert not found(asked(answers=("1,241",), task="reasoning"))
    assert found(asked(answers=("1,241",)))


def test_same_question_twice() -> None:
    again = asked(qid="q2", text="how many people did Arvo Mills employ in 2021")
    (finding,) = checked(asked(), again).findings
    assert (finding.check, finding.qid) == ("unique_question", "q2")
    assert finding.detail.startswith("repeats q1")
    other = replace(again, answers=("2021",))
    assert [f.detail.split()[0] for f in checked(asked(), other).findings] == ["contradicts"]


def test_yes_and_no_in_equal_parts() -> None:
    pair = [q for q in CLEAN if q.answer_form == "Yes/No"]
    many = [replace(pair[0], qid=f"y{i}", text=f"{pair[0].text} {i}?") for i in range(9)]
    assert found(*many)["yes_no_balance"] == 1
    assert "yes_no_balance" not in found(*many[:3], pair[1])


def test_problems_of_loading_are_findings() -> None:
    report = ValidationReport()
    report.add("missing_document", "law/x, asked by q9")
    (finding,) = checked(asked(), report=report).findings
    assert (finding.check, finding.detail) == ("loaded", "missing_document: law/x, asked by q9")


def test_pieces_are_cut_at_line_breaks_only() -> None:
    pages = [SearchablePage("a b\nc d"), SearchablePage("e f")]
    pieces = verbatim_pieces("a b\nc d\ne f", pages)
    assert pieces is not None
    assert [(p.text, p.page, p.start) for p in pieces] == [("a b\nc d", 0, 0), ("e f", 1, 0)]
    assert verbatim_pieces("a b e f", pages) is None
    assert verbatim_pieces("c  d", pages) is None
    assert squeezed_pieces("c\n d\n\ne", pages) is not None
    assert verbatim_pieces("", pages) is None


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("What does the document say about Arvo?", "the document"),
        ("What is shown on this page?", "this page"),
        ("Who put out the fire in the paper store of Arvo?", ""),
        ("In the table, what is Arvo's revenue?", "In the table"),
        ("According to the report of Arvo for 2020, what fell?", ""),
        ("What does the agreement between Arvo and Bel say?", ""),
        ("根据文档，收入是多少？", "根据文档"),
    ],
)
def test_phrases_that_need_the_document(question: str, phrase: str) -> None:
    assert wording.context_phrase(question) == phrase


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Who leads the company?", False),
        ("Who leads Arvo Mills?", True),
        ("What is the weight of the CP-120?", True),
        ("What is the remedy for 'no power'?", True),
        ("What is the value of $x^2$?", True),
        ("What happens if it rains?", False),
        ("公司的收入是多少？", True),
    ],
)
def test_entities(question: str, named: bool) -> None:
    assert wording.has_entity(question) is named


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("12", True),
        ("-1,234.5", True),
        ("EUR 12.5 million", True),
        ("\\$ 4", True),
        ("40 %", True),
        ("three years", True),
        ("5 to 7", False),
        ("about as many as in the year 2020 before the fire", False),
        ("none of it", True),
        ("many", False),
        ("", False),
    ],
)
def test_numbers(answer: str, number: bool) -> None:
    assert wording.is_number(answer) is number


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("a, b and c", ["a", "b", "c"]),
        ("red; blue", ["red", "blue"]),
        ("1,240 and 3", ["1,240", "3"]),
        ("0.29, 1,240", ["0.29", "1,240"]),
        ("['x', 'y']", ["x", "y"]),
        ("one", ["one"]),
        ("", []),
    ],
)
def test_list_items(answer: str, items: list[str]) -> None:
    assert wording.list_items(answer) == items


ODD = st.lists(
    st.sampled_from([*" \n\t&$\\{}[]|<>,.-é漢\x00\u202e\ud800aA1%", "\\begin{tabular}", "<chart>"]),
    max_size=60,
).map("".join)


@examples(150)
@given(ODD, ODD, ODD, ODD, st.sampled_from(["table", "chart", "formula", "reading_order", "x"]))
def test_nothing_in_the_data_makes_it_fail(
    page: str, text: str, answer: str, evidence: str, source: str
) -> None:
    ref = PageRef("a/b", 0)
    document = Document("a/b", "a", [Page(ref, page)])
    question = asked(
        text=text, answers=(answer,), evidence_text=evidence, evidence_source=source,
        evidence_pages=(ref, PageRef("a/b", 1)), answer_form=answer, doc_id="a/b",
    )  # fmt: skip
    forms = [
        replace(question, qid=form, answer_form=form) for form in ("Numeric", "List", "String")
    ]
    result = verify(Dataset([document], [question, *forms], kind="test"))
    assert len(result.results) == len(CHECKS) + 4
    for finding in result.findings:
        line = one_line(finding.detail)
        assert len(line) <= 90
        assert line.isprintable()
    findings_json(result)


@pytest.mark.slow
def test_unclosed_markup_takes_linear_time() -> None:
    page = SearchablePage("\\begin{tabular}" * 20_000 + "$$" * 20_000)
    assert page.tables == []
    assert page.charts == []
    assert SearchablePage("<chart>" * 20_000).charts == [(0, 140_000)]


def test_a_table_that_is_never_closed_is_one() -> None:
    page = SearchablePage("Text.\n\\begin{tabular}{cc}\na & b \\\\\nc & d\n\nMore text.")
    assert [page.squeezed[slice(*span)] for span in page.tables] == [r"\begin{tabular}{cc}a&b\\c&d"]


def test_prices_are_no_mathematics() -> None:
    assert not has_math("costs $12 (net_income) or $15 each")
    assert has_math("the value $x$")
    assert has_math(r"left is \frac{a}{b}")


# The command


@pytest.fixture
def write_settings(tmp_path):
    write_kb(tmp_path / "gt", {"law/a": ["Fact 1 is answer 1. [bold]x[/bold]"]})

    def write(*entries):
        path = write_questions(tmp_path / "qas.json", entries)
        return ["dataset.kind=ohrbench", f"dataset.path={tmp_path}", f"dataset.questions={path}"]

    return write


def run(arguments):

    return CliRunner().invoke(verify_dataset.main, arguments)


def test_command_clean(write_settings) -> None:
    result = run(write_settings(qa(1, "law/a", 0)))
    assert result.exit_code == 0, result.output
    assert "1 questions, no findings" in result.output


def test_command_with_findings(write_settings, tmp_path) -> None:
    entry = qa(
        1, "law/a", 0, questions="What is [bold]this \x1b[31mdocument[/bold] 1?", answers="7"
    )
    out = tmp_path / "found.json"
    result = run([*write_settings(entry), "--json", str(out)])
    assert result.exit_code == 1, result.output
    assert "\x1b" not in result.output
    assert "1 questions, 1 with findings" in result.output
    content = json.loads(out.read_text("utf-8"))
    assert content["failing"] == 1
    named = {check["name"]: len(check["findings"]) for check in content["checks"]}
    assert named["answer_supported"] == 1


def test_command_errors(tmp_path) -> None:
    result = run(["dataset.kind=ohrbench", f"dataset.path={tmp_path}"])
    assert result.exit_code == 2
