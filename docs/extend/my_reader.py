"""A reader that quotes a sentence."""

import re
from collections.abc import Sequence

from ohr import Hit, Outcome
from ohr.plugins import Reader


def words(text: str) -> set[str]:
    """The words of a text, once each."""
    return set(re.findall(r"\w+", text.lower()))


class Quote(Reader):
    """Answers with the sentence that has most of the question's words."""

    name = "quote"
    version = "1"
    note = "whole sentences: its F1 is low by what they say beside the answer"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        sentences = [s for hit in context for s in re.split(r"(?<=[.!?])\s+|\n", hit.text)]
        best = max(sentences, key=lambda s: len(words(s) & words(question)), default="")
        return Outcome.of_text(best)  # "empty" where there is nothing to read
