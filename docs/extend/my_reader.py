"""A reader that quotes a sentence."""

import re
from collections.abc import Sequence

import ohr


def words(text: str) -> set[str]:
    """The words of a text, once each."""
    return set(re.findall(r"\w+", text.lower()))


class Quote(ohr.plugins.Reader):
    """Answers with the sentence that has most of the question's words."""

    name = "quote"
    version = "1"
    note = "answers are whole sentences, so extra words lower its F1"

    def answer(self, question: str, context: Sequence[ohr.Hit]) -> ohr.Outcome[str]:
        sentences = [s for hit in context for s in re.split(r"(?<=[.!?])\s+|\n", hit.text)]
        best = max(sentences, key=lambda s: len(words(s) & words(question)), default="")
        return ohr.Outcome.of_text(best)  # "empty" if the context has no text
