"""Makes question sets from documents: questions with answers and evidence, all checked."""

from ohr.questions.agreed import agreed
from ohr.questions.making import QuestionSet, Rejected, make_question_set

__all__ = ["QuestionSet", "Rejected", "agreed", "make_question_set"]
