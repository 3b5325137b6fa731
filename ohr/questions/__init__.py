"""Questions made from documents, each with its answer, its evidence and the checks it passed."""

from ohr.questions.agreed import agreed
from ohr.questions.making import QuestionSet, Rejected, make_question_set

__all__ = ["QuestionSet", "Rejected", "agreed", "make_question_set"]
