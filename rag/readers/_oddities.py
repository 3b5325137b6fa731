"""What a language model wrote in place of an answer, told from the text alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

LOOPS = 4
"""A phrase so many times in a row, at the end of what was written, is a loop ..."""
PHRASE = 12
"""... if it has at most so many words."""
ECHO = 4
"""A question of fewer words that stands in an answer says nothing."""
FOREIGN = 0.5
"""More than this share of an answer's letters is in a script that was not there before ..."""
STRAY = 0.01
"""... where less than this share of the letters of question and context is there in passing."""

_WORD = re.compile(r"\w+")


def oddities(written: str, question: str, context: str) -> list[str]:
    """Names of what is odd: ``looping``, ``echoing`` (the question), ``in_another_script``."""
    words, asked = _words(written), _words(question)
    found = ["looping"] if _loops(words) else []
    if len(asked) >= ECHO and f" {' '.join(asked)} " in f" {' '.join(words)} ":
        found.append("echoing")
    if _foreign(written, question + context):
        found.append("in_another_script")
    return found


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _loops(words: list[str]) -> bool:
    for length in range(1, PHRASE + 1):
        phrase, whole = words[-length:], length * LOOPS
        if len(words) >= whole and words[-whole:] == phrase * LOOPS:
            return True
    return False


def _foreign(written: str, before: str) -> bool:
    scripts, known = _scripts(written), _scripts(before)
    if not known:
        return False
    least = STRAY * known.total()
    foreign = sum(count for script, count in scripts.items() if known[script] <= least)
    return foreign > FOREIGN * max(scripts.total(), 1)


def _scripts(text: str) -> Counter[str]:
    """How many letters of each script a text has."""
    letters = Counter(char for char in text if char.isalpha())
    scripts: Counter[str] = Counter()
    for letter, count in letters.items():
        scripts[unicodedata.name(letter, "?").split()[0]] += count
    return scripts
