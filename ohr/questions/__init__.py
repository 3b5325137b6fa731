"""Makes question sets from documents: questions with answers and evidence, all checked."""

from ohr.questions.agreed import agreed_texts
from ohr.questions.making import QuestionSet, Rejected, make_question_set

__all__ = ["QuestionSet", "Rejected", "agreed_texts", "make_question_set"]
