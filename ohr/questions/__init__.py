"""Questions made from documents, each with its answer, its evidence and the checks it passed."""

from ohr.questions.agreed import agreed
from ohr.questions.making import Exam, Rejected, make_exam

__all__ = ["Exam", "Rejected", "agreed", "make_exam"]
