"""The sample's questions: verified, in the paper's shares, answered by their evidence alone."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from decimal import Decimal
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.papers.dataset_statistics import table as dataset_statistics
from experiments.papers.dataset_statistics.report import statistics_table
from ohr.collection import Dataset, ValidationReport
from ohr.datasets.guessing import guessed
from ohr.datasets.ohrbench import read_questions
from ohr.datasets.verify import verify
from ohr.datasets.wording import numbers
from ohr.errors import ConfigError
from ohr.sample import corpus
from ohr.sample.authors import money
from ohr.sample.authors.all import AUTHORS
from ohr.sample.authors.world import World
from ohr.sample.choices import DIFFICULTY, Difficulty
from ohr.sample.corpus import EDITIONS
from ohr.sample.markdown import page_text
from ohr.sample.questions.asks import Ask, Fact, Link, exact, wrong_number
from ohr.sample.questions.joined import Placed, joined_questions
from ohr.sample.questions.qas import record
from ohr.sample.questions.questions import (
    FORM_SHARES,
    SOURCE_SHARES,
    Answerable,
    GoldQuestion,
    ask,
    place,
)
from ohr.types import Document, Page, PageRef, Question
from tests.examples import examples

GROUPS, A_GROUP = 6, 52


def group_of(seed: int, index: int, difficulty: Difficulty = DIFFICULTY) -> list[Answerable]:
    """The documents of one index, one a domain, whole."""
    numbers = range(index * len(AUTHORS), (index + 1) * len(AUTHORS))
    documents = [corpus.document(seed, number, 9, difficulty=difficulty) for number in numbers]
    return [Answerable(one.doc_id, one.pages) for one in documents]


@pytest.fixture(scope="module")
def groups() -> list[list[Answerable]]:
    return [group_of(7, index) for index in range(GROUPS)]


@pytest.fixture(scope="module")
def gold_questions(groups: list[list[Answerable]]) -> list[GoldQuestion]:
    rngs = (np.random.default_rng(number) for number in range(GROUPS))
    return [
        one for group, rng in zip(groups, rngs, strict=True) for one in ask(group, A_GROUP, rng)
    ]


@pytest.fixture(scope="module")
def dataset(
    groups: list[list[Answerable]],
    gold_questions: list[GoldQuestion],
    tmp_path_factory: pytest.TempPathFactory,
) -> Dataset:
    path = tmp_path_factory.mktemp("qas") / "qas.json"
    path.write_text(
        json.dumps([record(f"q{i}", one) for i, one in enumerate(gold_questions)]), "utf-8"
    )
    documents = [
        Document(
            one.doc_id,
            one.doc_id.split("/")[0],
            [
                Page(PageRef(one.doc_id, number), page_text(page.blocks))
                for number, page in enumerate(one.pages)
            ],
        )
        for group in groups
        for one in group
    ]
    report = ValidationReport()
    return Dataset(documents, read_questions(path, report), kind="sample", report=report)


# What is asked


@pytest.mark.slow
def test_the_verifier_finds_nothing(dataset: Dataset) -> None:
    verification = verify(dataset)
    assert verification.questions == GROUPS * A_GROUP
    assert verification.findings == ()
    judged = {result.name: result.judged for result in verification.results}
    assert judged["multi_page"] > 20
    assert judged["answer_supported"] > 180


def test_shares_are_the_papers(dataset: Dataset) -> None:
    n = len(dataset.questions)
    sources = Counter(question.evidence_source for question in dataset.questions)
    forms = Counter(question.answer_form for question in dataset.questions)
    assert set(sources) == set(SOURCE_SHARES)
    assert set(forms) == set(FORM_SHARES)
    for counted, shares in ((sources, SOURCE_SHARES), (forms, FORM_SHARES)):
        for name, share in shares.items():
            assert counted[name] / n == pytest.approx(share, abs=0.03)
    several = sum(len(question.evidence_pages) > 1 for question in dataset.questions)
    assert several / n == pytest.approx(0.099, abs=0.03)
    reasoning = sum(question.task == "reasoning" for question in dataset.questions)
    assert reasoning / n == pytest.approx(0.281, abs=0.03)


def test_every_domain_and_page_is_asked_about(dataset: Dataset) -> None:
    assert {question.domain for question in dataset.questions} == set(AUTHORS)
    pages = {ref for question in dataset.questions for ref in question.evidence_pages}
    assert len(pages) > 0.8 * len(dataset.pages)


def test_each_yes_no_wording_is_asked_true_and_false_equally_often(
    gold_questions: list[GoldQuestion],
) -> None:
    for start in range(0, len(gold_questions), A_GROUP):
        answers: dict[str, Counter[str]] = defaultdict(Counter)
        for one in gold_questions[start : start + A_GROUP]:
            if one.form == "Yes/No":
                # Two questions of one statement differ in a value: a number, a month, a town.
                words = re.sub(r"[\d.,]+|\b(?:[A-Z]\w+ )*[A-Z]\w+", "#", one.question)
                answers[words][one.answer] += 1
        assert answers
        assert all(each["Yes"] == each["No"] for each in answers.values()), answers


@pytest.mark.slow
def test_yes_and_no_cannot_be_guessed_from_the_words() -> None:
    documents = corpus.documents(11, 126)
    group = [Answerable(one.doc_id, one.pages) for one in documents]
    asks = [
        (content, doc.doc_id)
        for doc in group
        for page in doc.pages
        for candidate in page.candidates
        if isinstance(content := candidate.content, Ask) and content.denied
    ]
    questions = [text for content, _ in asks for text in (content.question, content.denied)]
    right, majority = guessed(
        questions, [True, False] * len(asks), [doc_id for _, doc_id in asks for _ in range(2)]
    )
    assert majority == 0.5
    assert right < 0.55


@pytest.mark.parametrize(
    "difficulty",
    [pytest.param(one, marks=[] if one == DIFFICULTY else pytest.mark.slow) for one in EDITIONS],
)
def test_no_two_documents_are_asked_the_same(difficulty: Difficulty) -> None:
    of: dict[str, tuple[str, str]] = {}
    for index in range(6):
        group = group_of(3, index, difficulty)
        placed = [one for document in group for one in place(document)]
        for one in [*placed, *joined_questions(placed)]:
            if isinstance(one.content, Ask):
                # Of one document, or of those of one group that are joined.
                owner = one.evidence[0].ref.doc_id if len(one.pages) == 1 else f"group {index}"
                for text in filter(None, (one.content.question, one.content.denied)):
                    assert of.setdefault(text, (owner, text))[0] == owner, text
    assert len(of) > 2000


def test_a_company_has_documents_of_as_many_years_as_the_difficulty_says() -> None:
    for difficulty, editions in EDITIONS.items():
        world = World(1, editions)
        names = [world.company(index).name for index in range(4 * editions)]
        assert set(Counter(names).values()) == {editions}
        years = {(name, world.year(index)) for index, name in enumerate(names)}
        assert len(years) == len(names), difficulty
        assert names[:2] == [World(1).company(index).name for index in range(2)]


@given(st.from_regex(r"[1-9]\d{0,5}(\.\d{1,2})?", fullmatch=True))
def test_a_wrong_number_is_near_and_printed_alike(value: str) -> None:
    wrong = wrong_number(value, "Is it {}?")
    assert exact(wrong) != exact(value)
    assert exact(wrong) >= 0
    assert len(wrong.partition(".")[2]) == len(value.partition(".")[2])
    unit = Decimal(1).scaleb(-len(value.partition(".")[2]))
    assert abs(exact(wrong) - exact(value)) <= max(unit, exact(value) / 4)


def test_questions_are_unique(gold_questions: list[GoldQuestion]) -> None:
    assert len({one.question for one in gold_questions}) == len(gold_questions)


def test_sums_and_differences_are_of_numbers_in_the_evidence(
    groups: list[list[Answerable]],
) -> None:
    checked: Counter[int] = Counter()
    placed = [one for document in groups[0] for one in place(document)]
    for one in [*placed, *joined_questions(placed)]:
        if not isinstance(one.content, Ask) or one.content.task != "reasoning":
            continue
        found = [Decimal(n) for passage in one.evidence for n in numbers(passage.text)]
        if one.content.question.startswith("What is the sum"):
            results = {a + b for a, b in combinations(found, 2)}
        elif re.match(r"By how (much|many)\b.* exceed ", one.content.question):
            results = {abs(a - b) for a, b in combinations(found, 2)}
        else:
            continue
        checked[len(one.pages)] += 1
        assert exact(one.content.answer) in results, one
    assert checked[1] > 50
    assert checked[2] > 20


def test_a_question_over_several_pages_needs_each_of_them(
    gold_questions: list[GoldQuestion],
) -> None:
    several = [one for one in gold_questions if len({p.ref for p in one.evidence}) > 1]
    assert several
    for one in several:
        first, second = (passage.text for passage in one.evidence)
        assert first not in second
        if one.source != "reading_order" and one.question.startswith("What is the sum"):
            assert one.answer not in first + second


def test_no_placeholder_is_left(
    groups: list[list[Answerable]], gold_questions: list[GoldQuestion]
) -> None:
    texts = [page_text(page.blocks) for group in groups for one in group for page in one.pages]
    for text in [*texts, *(f"{one.question} {one.answer}" for one in gold_questions)]:
        bare = text.replace("<chart>", "").replace("</chart>", "")
        assert not re.search(r"<\w+>|\[\w+\||====|^[?=>~@] ", bare, re.MULTILINE), text


def test_every_candidate_stands_on_its_pages(groups: list[list[Answerable]]) -> None:
    for one in groups[0]:
        placed = list(place(one))
        assert len(placed) == sum(len(page.candidates) for page in one.pages)


def test_facts_and_links_stand_in_their_evidence(groups: list[list[Answerable]]) -> None:
    kinds: Counter[str] = Counter()
    for document in groups[0]:
        for one in place(document):
            evidence = " ".join(passage.text for passage in one.evidence)
            match one.content:
                case Fact(entity, unit, _, value):
                    assert value in evidence, one
                    assert entity in evidence, one
                    kinds[unit] += 1
                case Link(description, entity):
                    assert entity in evidence, one
                    assert entity not in description
                    kinds["link"] += 1
                case Ask(question, _, form, denied):
                    assert (form == "Yes/No") == bool(denied)
                    assert question != denied
    assert kinds["EUR million"] >= 8
    assert kinds["person"] > 4
    assert kinds["link"] > 5


def test_the_verifier_finds_nothing_in_what_could_be_asked(groups: list[list[Answerable]]) -> None:
    every = [
        GoldQuestion(c.question, c.answer, c.form, one.source, c.task, one.evidence)
        for document in groups[0]
        for one in place(document)
        if isinstance(c := one.content, Ask) and c.form != "Yes/No"
    ]
    pages = [
        Page(PageRef(one.doc_id, number), page_text(page.blocks))
        for one in groups[0]
        for number, page in enumerate(one.pages)
    ]
    document = [
        Document(one.doc_id, "", [p for p in pages if p.ref.doc_id == one.doc_id])
        for one in groups[0]
    ]
    questions = [
        Question(
            f"q{number}", one.question, (one.answer,), one.evidence[0].ref.doc_id, "",
            tuple(dict.fromkeys(passage.ref for passage in one.evidence)),
            "\n".join(passage.text for passage in one.evidence), one.source, one.form, one.task,
        )
        for number, one in enumerate(every)
    ]  # fmt: skip
    assert len(questions) > 600
    assert verify(Dataset(document, questions, kind="sample")).findings == ()


@examples(15)
@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(1, 7))
def test_any_count_of_any_documents(seed: int, count: int, documents: int) -> None:
    group = group_of(World(seed), 0)[:documents]
    chosen = ask(group, min(count, 30 * documents), np.random.default_rng(seed))
    assert len(chosen) == min(count, 30 * documents)
    answers = Counter(one.answer for one in chosen if one.form == "Yes/No")
    assert answers["Yes"] == answers["No"]
    order = [one.evidence[0].ref.doc_id for one in chosen]
    assert list(dict.fromkeys(order)) == [doc.doc_id for doc in group if doc.doc_id in set(order)]


def test_same_generator_same_questions(groups: list[list[Answerable]]) -> None:
    first, again, other = (ask(groups[0], 20, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_more_questions_than_the_pages_answer(groups: list[list[Answerable]]) -> None:
    with pytest.raises(ConfigError, match="3 sample pages answer at most"):
        ask(groups[0][:1], 5000, np.random.default_rng(0))


def test_schema_of_the_second_release(gold_questions: list[GoldQuestion]) -> None:
    fields = {
        "doc_name", "ID", "questions", "answers", "doc_type", "answer_form",
        "evidence_source", "evidence_context", "evidence_page_no", "task",
    }  # fmt: skip
    for one in gold_questions:
        entry = record("q", one)
        assert set(entry) == fields
        several = len(one.evidence) > 1
        assert isinstance(entry["evidence_page_no"], list) == several
        assert isinstance(entry["evidence_context"], list) == several
        documents = {passage.ref.doc_id for passage in one.evidence}
        assert isinstance(entry["doc_name"], list) == (len(documents) > 1)


@given(st.lists(st.integers(1, 10_000), min_size=1), st.sampled_from([100, 1000]))
def test_shares_add_up(values: list[int], whole: int) -> None:
    shares = money.shares_of(values, whole)
    assert sum(shares) == whole
    assert all(abs(s - v * whole / sum(values)) < 1 for s, v in zip(shares, values, strict=True))


def test_the_world_names_enough_for_ten_thousand_pages() -> None:
    world = World(3)
    indices = range(480)
    assert len({world.company(i).name for i in indices}) == 480
    assert len({world.company(i).town for i in indices}) == 480
    assert len({world.person(i) for i in range(-7000, 7000)}) == 14_000
    assert len({world.place(i) for i in range(-1900, 1900)}) == 3800


def test_placed_pages_are_each_named_once(groups: list[list[Answerable]]) -> None:
    placed = [one for one in place(groups[0][0]) if isinstance(one, Placed)]
    assert all(len(set(one.pages)) == len(one.pages) for one in placed)


# Statistics


def test_the_papers_counts_do_not_add_up() -> None:
    *sums, percentages = dataset_statistics.paper_sums()
    assert "103.6" in percentages
    assert [re.findall(r"[\d,]*\d", line)[:2] for line in sums] == [
        ["8,618", "120"],
        ["8,252", "246"],
    ]


def test_statistics_count_every_question_once_in_each_group(dataset: Dataset) -> None:
    totals: Counter[str] = Counter()
    for row in dataset_statistics.counts(dataset.questions):
        totals[row.group] += row.ours
    assert set(totals.values()) == {len(dataset.questions)}
    assert set(dataset_statistics.sizes(dataset)) == set(dataset_statistics.paper_sizes())
    assert statistics_table(dataset).row_count > 20


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("", 0),
        ("Only words.", 1),
        ("It is $x^2$.", 2),
        ("A.\n\n$$\nx = 1\n$$\n\n\\begin{tabular}{l}\na \\\\\n\\end{tabular}", 3),
        ("A.\n\n<chart>\n\\begin{tabular}{l}\na \\\\\n\\end{tabular}\n</chart>", 2),
        ("\\begin{tabular}{l} never closed", 1),
    ],
)
def test_data_types_of_a_page(text: str, types: int) -> None:
    assert dataset_statistics.data_types(text) == types
