"""Questions that a model writes, and what it says of others: with a model of fixed answers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ohr.datasets.locating import SearchablePage
from ohr.errors import EngineError
from ohr.plugins.chat import Chat, Completion
from ohr.questions.agreed import UNSURE
from ohr.questions.candidate import Candidate
from ohr.questions.checks import Examined, first_fault
from ohr.questions.corpus import Corpus
from ohr.questions.making import Candidates, examine, make_question
from ohr.questions.model import Model, read_objects
from ohr.questions.prompts import ANSWERER, CHECKER, WRITER
from ohr.questions.verifying import fault_of, is_right, verify
from ohr.questions.writing import (
    combine_questions,
    join_pages,
    locate,
    sources_of,
    write_candidates,
)
from ohr.store.journal import Journal
from tests.ohr.questions.test_making import FIRST, OTHER, SECOND, TEXTS, make_set

EVIDENCE = "The tenant shall pay a deposit of $12,500 to Crane Estates"


class Scripted(Chat):
    """Answers as it was told for a system's text; counts what it was asked."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    def complete(self, messages, *, temperature=0.0, seed=0, **_):
        self.asked.append((messages[1].text, temperature, seed))
        said = self.answers[messages[0].text]
        text = said(messages[1].text, seed) if callable(said) else said
        if text is None:
            raise EngineError("gone")
        return Completion(text, usage={"prompt_tokens": 10, "completion_tokens": 2, "cost": 0.5})

    def count_tokens(self, text):
        return len(text.split())


def model(tmp_path, answers):
    return Model(Scripted(answers), Journal(tmp_path / "said.jsonl"))


def test_a_written_question_has_its_evidence_on_the_page(tmp_path):
    said = [{"question": "What deposit does the Brill Mill lease ask?", "answer": "$12,500"}]
    said[0]["evidence"] = EVIDENCE.replace(" ", "  ")
    one, *_ = write_candidates(model(tmp_path, {WRITER: json.dumps(said)}), FIRST, TEXTS[FIRST], 0)
    assert one.evidence[0].text == EVIDENCE
    corpus = Corpus(TEXTS)
    pages = {ref: SearchablePage(text) for ref, text in TEXTS.items()}
    one = replace(one, form="Numeric", source="text", task="understanding")
    assert first_fault(Examined(one, make_question(one), corpus, pages)) is None


def test_evidence_has_its_place_on_the_page_whatever_is_unsure_before_it(tmp_path):
    text = f"The {UNSURE} of the council was elected in the spring of that year.\n\n{TEXTS[FIRST]}"
    said = [{"question": "What deposit shall the tenant pay to Crane Estates before moving in?"}]
    said[0] |= {"answer": "$12,500", "evidence": EVIDENCE}
    one, *_ = write_candidates(model(tmp_path, {WRITER: json.dumps(said)}), FIRST, text, 0)
    (evidence,) = one.evidence
    assert text[evidence.start : evidence.end] == evidence.text == EVIDENCE
    one = replace(one, form="Numeric", source="text", task="understanding")
    pages = {FIRST: SearchablePage(text)}
    assert first_fault(Examined(one, make_question(one), Corpus({FIRST: text}), pages)) is None


def test_evidence_around_a_line_that_is_unsure_does_not_quote_it():
    text = f"The mill was sold\nfor {UNSURE} in spring\nto Ada Crane."
    evidence = locate(FIRST, text, "The mill was sold to Ada Crane.")
    assert (evidence.start, evidence.end) == (0, len(text))
    assert evidence.text == "The mill was sold\nto Ada Crane."
    beside = locate(FIRST, text, "in  spring")
    assert text[beside.start : beside.end] == beside.text == "in spring"


def test_evidence_that_the_page_does_not_have_is_rejected(tmp_path):
    said = [{"question": "What deposit does the Brill Mill ask?", "answer": "1", "evidence": "No"}]
    one, *_ = write_candidates(model(tmp_path, {WRITER: json.dumps(said)}), FIRST, TEXTS[FIRST], 0)
    pages = {ref: SearchablePage(text) for ref, text in TEXTS.items()}
    check, _ = first_fault(Examined(one, make_question(one), Corpus(TEXTS), pages))
    assert check == "evidence_verbatim"


@pytest.mark.slow
@pytest.mark.parametrize("said", ["none", "[", "[1, 2]", '{"question": 3}', "[" * 10_000, ""])
def test_whatever_a_model_says_is_no_error(tmp_path, said):
    assert list(write_candidates(model(tmp_path, {WRITER: said}), FIRST, TEXTS[FIRST], 0)) == []


def test_objects_are_found_in_what_a_model_says_around_them():
    assert read_objects('Here: ```json\n[{"a": 1}]\n``` done') == [{"a": 1}]
    assert read_objects('{"a": true} and more') == [{"a": True}]
    assert read_objects('By [1] and [2]: [{"a": 1}]') == [{"a": 1}]
    assert read_objects('None: [], or [{"a": 1}]') == read_objects("[1]") == []


def test_sources_are_those_that_the_page_has():
    assert sources_of(TEXTS[SECOND]) == ["text", "table"]
    assert sources_of("The area is $a^2$.") == ["text", "formula"]


def test_answers_are_kept_counted_and_not_asked_again(tmp_path):
    first = model(tmp_path, {ANSWERER: "Ada Crane"})
    assert first.say(ANSWERER, "Who?") == first.say(ANSWERER, "Who?") == "Ada Crane"
    again = model(tmp_path, {})
    assert again.say(ANSWERER, "Who?") == "Ada Crane"
    assert len(first.chat.asked) == 1
    assert (again.cost.calls, again.cost.prompt_tokens, again.cost.money) == (1, 10, 0.5)


def test_what_a_model_thinks_is_not_what_it_says(tmp_path):
    thinking = model(tmp_path, {WRITER: '<think>[{"a": 0}]?</think>[{"a": 1}]'})
    assert thinking.objects(WRITER, "Ask.") == [{"a": 1}]
    assert thinking.say(WRITER, "Ask.") == '[{"a": 1}]'


def test_a_failed_answer_is_counted_and_asked_again(tmp_path):
    failing = model(tmp_path, {ANSWERER: lambda *_: None})
    assert failing.say(ANSWERER, "Who?") == ""
    assert (failing.cost.calls, failing.cost.failed) == (1, 1)
    assert model(tmp_path, {ANSWERER: "Ada"}).say(ANSWERER, "Who?") == "Ada"


def amount():
    found = make_set({FIRST: TEXTS[FIRST]})
    return next(one for one in found.accepted if one.answers == ("$12,500",))


SOUND = '{"task": true, "evidence": true, "clear": true}'


def test_a_question_answered_without_context_is_rejected(tmp_path):
    check, _ = fault_of(amount(), (), model(tmp_path, {ANSWERER: "$ 12,500"}))
    assert check == "needs_context"


@pytest.mark.parametrize("said", ["", "I do not know."])
def test_a_number_in_words_is_not_said_by_what_has_no_number(said):
    one = replace(amount(), answers=("thirty days",))
    assert not is_right(said, one)
    assert is_right("Thirty days.", one)


@pytest.mark.parametrize(
    ("judged", "every", "check"),
    [
        (SOUND, 1, None),
        (SOUND.replace("true}", "false}"), 1, "verified"),
        ("I think so", 1, "verified"),
        (SOUND, 2, None),
        (SOUND, 5, "samples_agree"),
    ],
)
def test_the_model_must_confirm_and_agree_with_itself(tmp_path, judged, every, check):
    one = amount()

    def said(text, seed):
        if text.startswith("Question"):
            return "no idea"
        return "12,500" if seed % every == 0 else f"no idea {seed}"

    fault = fault_of(one, (), model(tmp_path, {ANSWERER: said, CHECKER: judged}))
    assert (fault[0] if fault else None) == check


def candidate_of_two_pages():
    """A question of two pages, and their passages, each of two lines."""
    texts = {
        FIRST: "Ada Crane signed the lease.\nShe paid $12,500.",
        OTHER: "The wheel went to the museum.\nIt was glad.",
    }
    evidence = tuple(locate(ref, text, text) for ref, text in texts.items())
    kind = "model:multi-page"
    one = Candidate(kind, "Who paid?", "Ada Crane", evidence, "text", "String", "Who paid?")
    found = examine(Candidates({FIRST: [one]}, Corpus(texts)), 0, None)
    return replace(found, accepted=(make_question(one),), rejected=()), list(texts.values())


def test_several_pages_must_be_needed(tmp_path):
    found, passages = candidate_of_two_pages()

    def said(text, _):
        return "Ada Crane" if passages[0] in text else "no idea"

    (one,) = verify(found, model(tmp_path, {ANSWERER: said, CHECKER: SOUND})).rejected
    assert one.check == "needs_every_page"
    assert one.reason == f"one passage is enough: {passages[0]}"


def test_each_page_is_asked_about_once_by_its_whole_passage(tmp_path):
    found, passages = candidate_of_two_pages()
    asked = model(tmp_path, {ANSWERER: "no idea", CHECKER: "{}"})
    verify(found, asked)
    assert [text.split("\n\n")[0] for text, *_ in asked.chat.asked[1:-1]] == passages


def test_those_that_fail_are_rejected_with_their_reason(tmp_path):
    found = make_set({FIRST: TEXTS[FIRST]})
    after = verify(found, model(tmp_path, {ANSWERER: "no idea", CHECKER: "{}"}))
    assert after.accepted == ()
    assert len(after.rejected) == len(found.rejected) + len(found.accepted)


def test_two_pages_that_share_a_name_are_joined(tmp_path):
    texts = {
        FIRST: "The Brill Mill lease was signed by the Crane Estates in the old town hall.",
        OTHER: "The wheel of the mill was sold by the Crane Estates to the museum in spring.",
    }
    said = [{"question": "Who signed the lease and sold the wheel of the Brill Mill?"}]
    said[0] |= {"answer": "the Crane Estates", "evidence_a": texts[OTHER]}
    said[0] |= {"evidence_b": texts[FIRST]}
    (one,) = join_pages(model(tmp_path, {WRITER: json.dumps(said)}), list(texts), texts, 5)
    assert set(make_question(one).evidence_pages) == {FIRST, OTHER}
    assert one.task == "multi-page reasoning"


def test_two_questions_of_which_one_names_the_others_answer_are_combined(tmp_path):
    first = replace(amount(), answers=("Ada Crane",), text="Who signed the Brill Mill lease?")
    second = replace(
        amount(), evidence_pages=(OTHER,), text="What did Ada Crane sell?", answers=("a wheel",)
    )
    second = replace(second, evidence_text=TEXTS[OTHER][15:])
    said = '[{"question": "What did the person sell who signed the Brill Mill lease?"}]'
    (one,) = combine_questions(model(tmp_path, {WRITER: said}), [first, second], TEXTS, 5)
    assert one.answer == "a wheel"
    for evidence in one.evidence:
        assert TEXTS[evidence.ref][evidence.start : evidence.end] == evidence.text != ""
    assert make_question(one).evidence_pages == (FIRST, OTHER)
    leaking = '[{"question": "What did Ada Crane sell, who signed the lease?"}]'
    (tmp_path / "said.jsonl").unlink()
    assert (
        list(combine_questions(model(tmp_path, {WRITER: leaking}), [first, second], TEXTS, 5)) == []
    )
