"""Makes question sets from documents: questions with answers and evidence, all checked.

Each name is imported when it is first used: a study reads only the verdicts of a review.
"""

from typing import TYPE_CHECKING

from ohr.lazy import make_getattr

if TYPE_CHECKING:
    from ohr.questions.agreed import agreed_texts
    from ohr.questions.making import QuestionSet, Rejected, make_question_set
else:
    __getattr__ = make_getattr(
        __name__,
        {
            "ohr.questions.agreed": "agreed_texts",
            "ohr.questions.making": "QuestionSet Rejected make_question_set",
        },
    )

__all__ = ["QuestionSet", "Rejected", "agreed_texts", "make_question_set"]
