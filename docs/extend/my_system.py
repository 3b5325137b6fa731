"""A whole system: documents in, answer out."""

import re
from collections.abc import Sequence

import ohr


def words(text: str) -> set[str]:
    """The words of a text, once each."""
    return set(re.findall(r"\w+", text.lower()))


class Grep(ohr.System):
    """Quotes the line, of all documents, that has most of the question's words."""

    name = "grep"
    version = "1"

    def answer(self, question: str, documents: Sequence[ohr.Document]) -> ohr.Outcome[ohr.Answer]:
        lines = [
            (page.ref, line)
            for document in documents
            for page in document.pages
            for line in page.text.splitlines()
        ]
        if not lines:
            return ohr.Outcome(None)
        ref, line = max(lines, key=lambda pair: len(words(pair[1]) & words(question)))
        return ohr.Outcome(
            ohr.Answer(line, quote=line, sources=(ref,), trace=(f"{len(lines)} lines",))
        )
