"""A whole system: the documents of a knowledge base in, an answer out."""

import re
from collections.abc import Sequence

import ohr


@ohr.plugins.stage(version="1")
def words_of(text: str) -> list[str]:
    """The words of a text, once each. Systems that share a stage compute it once."""
    return sorted(set(re.findall(r"\w+", text.lower())))


class Grep(ohr.plugins.System):
    """Quotes the line of all documents that has most of the question's words."""

    name = "grep"
    version = "1"

    def answer(self, question: str, documents: Sequence[ohr.Document]) -> ohr.Outcome[ohr.Answer]:
        question_words = set(self.once(words_of, question))
        pages = [page for document in documents for page in document.pages]
        best = max(
            pages, key=lambda page: len(question_words & set(self.once(words_of, page.text)))
        )
        lines = best.text.splitlines()
        line = max(lines, key=lambda line: len(question_words & set(words_of(line))), default="")
        trace = (f"page {best.ref.page_no} of {best.ref.doc_id}",)
        return ohr.Outcome(ohr.Answer(line, quote=line, sources=(best.ref,), trace=trace))
