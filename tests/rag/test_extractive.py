"""The offline reader: typed answers from small pages, robustness, and F1 on real questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.reader import groups, load, mean, measure
from ohr.metrics import default
from ohr.types import Hit, PageRef, Status
from rag.readers import _candidates
from rag.readers._question_type import QuestionType, question_type
from rag.readers._text import FORMULA_MARK, split_formulas
from rag.readers.extractive import Extractive
from tests.examples import examples
from tests.patience import ends

READER = Extractive()

HARBOUR = """# The Port of Larvik

The port of Larvik was founded in 1671 by Count Gyldenlove. It handles about 4,250 ships a year,
most of which carry timber. The harbour master is Ingrid Solheim, who took office on 3 May 2018.

Visitors may not enter the grain terminal. Fishing from the eastern pier is permitted at all
times. The mooring fee is \\$ 85 for each night. The rescue service receives $12 \\%$ of all fees.

The pilots were retrained because the new channel is narrower than the old one.
"""

LATEX_TABLE = r"""
Sales of the Brightwater Company by product, in thousands.

\begin{tabular}{|l|r|r|r|}
\hline \multirow{2}{*}{Product} & \multicolumn{3}{|c|}{Sales} \\
\cline{2-4} & 2019 & 2020 & 2021 \\ \hline
Kettles & \$ 310 & \$ 295 & \$ 402 \\
Copper pans & 1,150 & 1,204 & $(87)$ \\
Ladles & 77 & $\mathbf{81}$ & 95 \\ \hline
\end{tabular}
"""

MARKDOWN_TABLE = """
| Planet | Moons | Orbital period |
|:---|---:|---:|
| Vesta Prime | 3 | 412 days |
| Oberlin | 17 | 96 days |
"""

HTML_TABLE = """
<table border="1"><tr><th>Station</th><th>Elevation</th><th>Opened</th></tr>
<tr><td>Hochtal</td><td>1,840 m</td><td>1911</td></tr>
<tr><td>Grauspitz &amp; See</td><td>2,105 m</td><td>1934</td></tr></table>
"""

FORMULAS = r"""
The energy of the string is conserved. The total energy of the string is given by

$$
E = \frac{1}{2}\rho \int_0^L u_t^2 \, dx
$$

The tension is denoted by $T_0$ and never vanishes.
"""

CHINESE = """临江市位于长江下游,总面积为1234平方公里。2021年末,全市常住人口为356万人。
市长李明于2019年5月上任。该市不生产汽车!主要产业包括纺织、造船和旅游。"""


def ask(question: str, *texts: str) -> str:
    hits = [Hit(PageRef("d/x", number), text, 1.0, number) for number, text in enumerate(texts)]
    outcome = READER.answer(question, hits)
    assert outcome.status in (Status.OK, Status.EMPTY)
    return outcome.value or ""


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        ("How many ships does the port handle a year?", HARBOUR, "4,250"),
        ("What is the mooring fee for each night?", HARBOUR, "$85"),
        ("What percentage of all fees does the rescue service receive?", HARBOUR, "12%"),
        ("What year was the port of Larvik founded?", HARBOUR, "1671"),
        ("When did the harbour master take office?", HARBOUR, "3 May 2018"),
        ("Who is the harbour master?", HARBOUR, "Ingrid Solheim"),
        ("What were the sales of Kettles in 2021?", LATEX_TABLE, "$402"),
        ("What were the sales of Copper pans in 2021?", LATEX_TABLE, "(87)"),
        ("What were the sales of Ladles in 2020?", LATEX_TABLE, "81"),
        ("How many moons does Oberlin have?", MARKDOWN_TABLE, "17"),
        ("What is the orbital period of Vesta Prime?", MARKDOWN_TABLE, "412 days"),
        ("What is the elevation of Hochtal?", HTML_TABLE, "1,840 m"),
        ("What year was Grauspitz opened?", HTML_TABLE, "1934"),
        ("临江市的总面积是多少?", CHINESE, "1234"),
        ("市长什么时候上任?", CHINESE, "2019年5月"),
    ],
)
def test_short_answers_are_found(question: str, page: str, answer: str) -> None:
    assert default.f1(ask(question, page), answer) >= 0.65


def test_a_number_from_a_table_is_the_cell_and_nothing_else() -> None:
    assert ask("What were the sales of Kettles in 2021?", LATEX_TABLE) == "$402"
    assert ask("How many moons does Oberlin have?", MARKDOWN_TABLE) == "17"


def test_a_formula_is_given_as_it_is_written() -> None:
    answer = ask("What is the formula for the total energy of the string?", FORMULAS)
    assert r"E = \frac{1}{2}\rho \int_0^L u_t^2 \, dx" in answer


def test_style_commands_do_not_reach_the_answer() -> None:
    page = r"The \textbf{chief engineer} of the dam is **Maria \emph{Lund}**, as of 2020."
    answer = ask("Who is the chief engineer of the dam?", page)
    assert "Maria Lund" in answer
    assert not set(answer) & set("\\{}*")


@pytest.mark.parametrize(
    ("question", "page", "answer"),
    [
        ("May visitors enter the grain terminal?", HARBOUR, "No"),
        ("Is fishing from the eastern pier permitted?", HARBOUR, "Yes"),
        ("According to the guide, may visitors enter the grain terminal?", HARBOUR, "No"),
        ("Does the tension of the string ever vanish?", FORMULAS, "No"),
        ("临江市是否生产汽车?", CHINESE, "No"),
        ("临江市位于长江下游吗?", CHINESE, "Yes"),
    ],
)
def test_verdicts_follow_the_polarity_of_the_evidence(
    question: str, page: str, answer: str
) -> None:
    assert ask(question, page) == answer


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Does the lease end in May?", QuestionType.YES_NO),
        ("If rent is late, can the landlord end the lease?", QuestionType.YES_NO),
        ("Is a deposit due, and if so, how much is it?", QuestionType.NUMBER),
        ("Did profit increase or decrease in 2020?", QuestionType.SPAN),
        ("What is the total amount of the deposit?", QuestionType.NUMBER),
        ("What is the purpose of the deposit amount?", QuestionType.EXPLANATION),
        ("When was the lease signed?", QuestionType.DATE),
        ("Which company signed the lease?", QuestionType.NAME),
        ("What is the equation of the line?", QuestionType.EQUATION),
        ("What are the duties of the tenant?", QuestionType.LIST),
        ("Why was the lease ended?", QuestionType.EXPLANATION),
        ("What colour is the door?", QuestionType.SPAN),
        ("Was the lease signed in May?", QuestionType.YES_NO),
        ("According to the lease, was rent due?", QuestionType.YES_NO),
        ("Was ist der Preis?", QuestionType.SPAN),
        ("Was kostet es?", QuestionType.SPAN),
        ("Was heißt das?", QuestionType.SPAN),
        ("Laut Vertrag, was fu\u0308r ein Schaden ist gedeckt?", QuestionType.SPAN),
        ("谁签了合同?", QuestionType.NAME),
        ("为什么终止合同?", QuestionType.EXPLANATION),
    ],
)
def test_the_question_says_what_kind_of_answer_it_wants(question: str, kind: QuestionType) -> None:
    assert question_type(question) is kind


def test_without_anything_to_read_it_guesses_only_verdicts() -> None:
    for context in ((), (Hit(PageRef("d/x", 0), " \n", 1.0, 0),)):
        assert READER.answer("Is the port open?", context).value == "Yes"
        outcome = READER.answer("Who is the harbour master?", context)
        assert outcome.status is Status.EMPTY


def test_the_best_of_several_hits_answers() -> None:
    assert "Solheim" in ask("Who is the harbour master?", FORMULAS, MARKDOWN_TABLE, HARBOUR)


def test_ocr_errors_stay_in_the_answer() -> None:
    noisy = HARBOUR.replace("4,250", "4,Z5O")
    assert "4,250" not in ask("How many ships does the port handle a year?", noisy)


def test_the_same_input_gives_the_same_answer_after_other_work() -> None:
    question = "Who is the harbour master?"
    first = ask(question, HARBOUR)
    ask("What were the sales of Ladles in 2020?", LATEX_TABLE)
    _candidates._parse_long.cache_clear()
    _candidates._parse_short.cache_clear()
    assert Extractive().answer(question, [Hit(PageRef("e/y", 9), HARBOUR, 0.1, 3)]).value == first


MARKUP = ["$", "$$", "\\(", "\\begin{tabular}{l}", "\\end{tabular}", "\\\\", "&", "{", "}", "|"]
MARKUP += ["\n", "<tr><td>", "<table>", "|-|", "**", "\ue000", "no", "What", "7%", ". ", "。", "表"]


@examples(150)
@given(
    st.one_of(st.text(max_size=60), st.lists(st.sampled_from(MARKUP), max_size=12).map(" ".join)),
    st.lists(
        st.one_of(st.text(max_size=300), st.lists(st.sampled_from(MARKUP)).map("".join)),
        max_size=3,
    ),
)
def test_no_text_raises(question: str, texts: list[str]) -> None:
    ask(question, *texts)


NONSENSE = ["a", "$", "$a", "\\(", "| a |\n", "<table>", "<tr><td>1", "中", "a. ", "1,", "(", "{"]
NONSENSE += ["no ", "What is ", "\\begin{tabular}{l}a&b\\\\", "\\multicolumn{2}{", "^{", " \n", "-"]


@pytest.mark.slow
@pytest.mark.parametrize("piece", NONSENSE)
def test_a_megabyte_of_nonsense_comes_to_an_end(piece: str) -> None:
    text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    with ends(cpu_s=30):
        assert len(ask("What is a no 1 中 of it?", text)) < len(text)
        assert len(ask(text, HARBOUR)) < len(HARBOUR)


@pytest.mark.slow
def test_f1_on_real_questions(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = load(data_dir)
    read, seconds = measure(items)
    guessed, _ = measure(items, with_context=False)
    parts = groups(read)
    with capsys.disabled():
        print(f"\nF1 of {len(items)} questions: gold pages {mean(read, 'default'):.3f}", end=", ")
        print(
            f"no context {mean(guessed, 'default'):.3f}, {1e3 * seconds / len(items):.1f} ms each"
        )
    assert len(read) == len(items) > 3000
    for protocol in ("default", "reference"):
        assert mean(parts["all"], protocol) >= 0.26
        assert mean(parts["not yes/no"], protocol) >= 0.15


def test_no_formula_is_part_of_a_tag():
    text, formulas = split_formulas(r"If p <q $\frac{a}{b}$ and r> s then $\frac{c}{d}$ holds.")
    assert text.count(FORMULA_MARK) == len(formulas) == 2
