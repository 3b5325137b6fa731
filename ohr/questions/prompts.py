"""The prompts for a model that writes or checks questions.

The tasks, sources and forms are those of OHR-Bench (tables S9 to S11 and S15), in other words.
"""

from __future__ import annotations

WRITER = (
    "You write questions for a test of systems that search documents and answer from what they "
    "find. You answer with JSON alone."
)
WRITE = """\
Write up to {number} pairs of a question and its answer about the page below, of rising difficulty.

{task}
{source}
The answers are of this form: {form}.

Rules:
- A question names the thing, person or place that it is about; so does the passage that it rests
  on.
- Whoever reads the question has thousands of documents and not this page: never say "the document",
  "the table", "the text" or the like, and use no pronoun without its noun.
- Only what the page says counts, and the question has one right answer.
- The answer is as short as it can be.
- "evidence" is copied from the page to the letter: the shortest passage from which the answer
  follows.

Answer with a JSON list of objects with "question", "answer" and "evidence"; with [] if the page
gives nothing of the kind.

Page:
{page}
"""
TASKS = {
    "understanding": "The answer stands on the page and is found by reading, without reckoning.",
    "reasoning": "The answer does not stand on the page: it follows by reckoning, comparing, "
    "finding the largest or smallest, or putting several places together.",
}
SOURCES = {
    "text": "Ask about the running text, not about tables, formulas or charts.",
    "table": "Ask about a table of the page.",
    "formula": "Ask about a formula of the page.",
    "chart": "Ask about a chart, whose data stand between <chart> and </chart>.",
}
FORMS = {
    "Yes/No": "yes or no",
    "Numeric": "one number, with its unit if it has one",
    "String": "a few words",
    "List": "several items, parted by commas",
}
JOIN = """\
Here are passages of two pages that both speak of {entity}. Write one pair of a question and its
answer for which both are needed: from either passage alone it cannot be answered.

The question names {entity} or what leads to it, never the passages or documents, and is one
question, not two joined by "and". The answer is as short as it can be.

Answer with a JSON list of one object with "question", "answer", "evidence_a" and "evidence_b", the
last two copied from the passages to the letter; with [] if there is no such question.

Passage A:
{a}

Passage B:
{b}
"""
COMBINE = """\
Two questions with their answers:

1. {q1}
   Answer: {a1}
2. {q2}
   Answer: {a2}

The second names the answer of the first. Word one question whose answer is that of the second, and
which says what the first asks in place of its answer: whoever answers it must answer the first
before. It must not contain "{a1}".

Answer with a JSON list of one object with "question"; with [] if it cannot be done.
"""
CHECKER = "You check pairs of a question and its answer. You answer with JSON alone."
CHECK = """\
Question: {question}
Answer: {answer}
Task: {task}
Evidence:
{evidence}

Judge three things:
- "task": is the question of the kind that the task describes, and understood without seeing the
  document?
- "evidence": does the answer follow from the evidence, with nothing added?
- "clear": has the question one meaning, and does the answer answer all of it, and briefly?

Answer with one JSON object with "task", "evidence" and "clear", each true or false.
"""
ANSWERER = "You answer questions in as few words as possible. Say only the answer."
ANSWER = """\
{evidence}

Question: {question}
"""
ANSWER_ALONE = "Question: {question}\n"
