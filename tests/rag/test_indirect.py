"""Polite and indirect forms of a question are answered as the direct one is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.types import Hit, PageRef
from rag.readers._indirect import direct_question
from rag.readers._question_type import QuestionType, question_type
from rag.readers.extractive import Extractive

PAGE = """# The mill of Osterby

The mill of Osterby was built in 1712 by Karin Lund. It ground 4,200 sacks of rye a year. The miller
may not sell flour on Sundays. A sack cost $3 in 1790. The wheel was replaced because the stream was
lowered in 1804. The owner of the mill is Per Holm.

| Year | Sacks | Price |
|:-----|------:|------:|
| 1790 | 3,950 | 3     |
| 1791 | 4,015 | 4     |
"""
CONTEXT = [Hit(PageRef("mills/osterby", 0), PAGE, 1.0, 0)]
QUESTIONS = {
    "When was the mill of Osterby built?": "when the mill of Osterby was built",
    "Who built the mill of Osterby?": "who built the mill of Osterby",
    "Who is the owner of the mill?": "who the owner of the mill is",
    "How many sacks were there in 1791?": "how many sacks there were in 1791",
    "Why was the wheel replaced?": "why the wheel was replaced",
    "In which year was the stream lowered?": "in which year the stream was lowered",
    "What was the price in 1790?": "what the price was in 1790",
    "May the miller sell flour on Sundays?": "whether the miller may sell flour on Sundays",
    "Is Per Holm the owner?": "if Per Holm is the owner",
}
"""Direct question -> the same as a clause."""
DIRECT = [
    "Could you tell me: {}", "Please tell me: {}", "Can you tell me, please: {}", "Do you know: {}",
    "I have a question: {}", "My question is: {}", "Please answer the following question: {}",
    "Excuse me, can you tell me: {}", "I would like to know: {}", "I'd like to ask: {}",
    "Would you please answer this question: {}", "Hello, could you help me: {}",
]  # fmt: skip
INDIRECT = [
    "Can you tell me {}?", "Could you please tell me {}?", "Do you know {}?", "Please tell me {}.",
    "Do you happen to know {}?", "I would like to know {}.", "I was wondering {}.",
    "Would you mind telling me {}?", "May I ask {}?", "Any idea {}?", "I want to know {}",
    "Would it be possible to say {}?", "Excuse me, would you know {}?",
    "I'm trying to find out {}.",
    "Can anyone tell me {}, please?", "Could you let me know {}?", "Tell me {}, if you can.",
]  # fmt: skip
FREE = [
    "Do you by any chance know {}?", "It would be lovely if someone could tell me {}.",
    "I was hoping you could tell me {}.", "Can you determine {}?", "Can you see {}?",
    "You wouldn't happen to know {}, would you?", "Any chance that you know {}?",
    "I'd appreciate knowing {}.", "I am writing to ask {}.", "What I want to know is {}.",
    "Is it okay if I ask {}?", "Can you tell from the text {}?", "Are you aware {}?",
    "Could you shed light on {}?", "Could I trouble you to tell me {}?", "Mind telling me {}?",
    "From the document, can you determine {}?", "Can you tell me, based on the text, {}?",
    "Do you know, perhaps, {}?", "I have no idea {}.", "Good morning! Could you tell me {}?",
    "So, {}?", "Please share {}.",
]  # fmt: skip
"""Forms in which no fixed phrase stands before the clause."""
BEFORE = [
    "Hi! {}", "Hello. {}", "Sorry to bother you, but {}", "So {}", "I have a question. {}",
    "Can you answer the following? {}", "Could you help me? {}", "May I ask you something? {}",
    "Do you know the answer to this: {}", "Could you tell me... {}", "Another question - {}",
    "Thanks for your help so far! {}",
]  # fmt: skip
OWN = [
    "Do I have to tell you if I move?", "Should I tell you if I lose the key?",
    "Can I ask for help if the wheel breaks?", "Will you be told when the lease ends?",
    "Does it state who is liable?", "Does the text mention who built the mill?",
    "Did you receive any information about where the money went?", "Can I see who paid?",
    "What is known about who built the mill?", "How can I find out who owns the mill?",
    "Can it be shown that the wheel broke when the stream was lowered?",
    "Based on Figure 5, how many sacks were sold?", "Who built it, and what did it cost?",
    "According to the document, what is the price of copyrights, know-how, and patents?",
    "If so, what was the price?", "When I move, do I have to tell you?",
    "Can you enter the mill without a ticket?", "Can you give notice by letter?", "Do you know?",
    "Could you sell flour on Mondays?", "Will the wheel be replaced?",
    "Do you need a permit?",
    "If rent is late, can the landlord end the lease?", "Who knows the way?",
    "Is it possible to sell?",
    "Tell me about the mill.", "What is the question of the second part?",
]  # fmt: skip
READER = Extractive()


@given(st.sampled_from(sorted(QUESTIONS)), st.sampled_from(DIRECT))
def test_a_polite_prefix_changes_no_answer(question, form):
    polite = form.format(question)
    assert direct_question(polite) == question
    assert READER.answer(polite, CONTEXT) == READER.answer(question, CONTEXT)


@given(st.sampled_from(sorted(QUESTIONS.items())), st.sampled_from(INDIRECT))
def test_an_indirect_question_has_the_answer_of_the_direct_one(pair, form):
    question, clause = pair
    indirect = form.format(clause)
    assert question_type(indirect) is question_type(question)
    assert READER.answer(indirect, CONTEXT) == READER.answer(question, CONTEXT)


@pytest.mark.parametrize("form", FREE)
def test_a_frame_is_known_by_its_words_not_by_a_list(form):
    for question, clause in QUESTIONS.items():
        assert READER.answer(form.format(clause), CONTEXT) == READER.answer(question, CONTEXT)


@pytest.mark.parametrize("form", BEFORE)
def test_courtesies_before_a_question_change_no_answer(form):
    for question in QUESTIONS:
        assert READER.answer(form.format(question), CONTEXT) == READER.answer(question, CONTEXT)


@pytest.mark.parametrize(
    ("question", "direct"),
    [
        ("Tell me, when the lease ends, who pays?", "When the lease ends, who pays?"),
        ("Can you see how the wheel is turned?", "How is the wheel turned?"),
        ("Please explain how the wheel is turned.", "Please explain how the wheel is turned."),
    ],
)
def test_the_clause_is_put_right_or_stays(question, direct):
    assert direct_question(question) == direct


@pytest.mark.parametrize("question", OWN)
def test_a_question_without_a_frame_stays(question):
    assert direct_question(question) == question


@given(st.text(max_size=200))
def test_any_text_can_be_turned(text):
    assert direct_question(f"Could you tell me: {direct_question(text)}") is not None


def test_a_question_with_a_frame_in_a_frame_is_the_direct_one():
    assert (
        direct_question("Hello, may I ask: do you know who owns the mill?") == "Who owns the mill?"
    )


def test_a_request_and_a_thing_are_questions_too():
    assert direct_question("Can you explain why it fell?") == "Explain why it fell?"
    assert question_type("Can you tell me the price of a sack?") is QuestionType.NUMBER
    assert direct_question("请问磨坊建于何时？") == "磨坊建于何时?"
    assert question_type("你能告诉我磨坊建于何时吗？") is QuestionType.DATE


def test_a_clause_before_the_frame_stays():
    assert (
        direct_question("According to the table, can you tell me what the price was in 1790?")
        == "According to the table, what was the price in 1790?"
    )
