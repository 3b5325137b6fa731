"""Signs in a text alone that a language model wrote something other than an answer."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

LOOPS = 4
"""A phrase repeated so many times in a row at the end of the text is a loop ..."""
PHRASE = 12
"""... if the phrase has at most so many words."""
ECHO = 4
"""A question of fewer words may be in an answer by chance."""
FOREIGN = 0.5
"""An answer is in another script if more than this share of its letters is in scripts ..."""
STRAY = 0.01
"""... that at most this share of the letters of question and context is in."""

_WORD = re.compile(r"\w+")


def oddities(written: str, question: str, context: str) -> list[str]:
    """Names of what is odd: ``looping``, ``echoing`` (the question), ``in_another_script``."""
    words, question_words = _words(written), _words(question)
    names = ["looping"] if _is_looping(words) else []
    if len(question_words) >= ECHO and f" {' '.join(question_words)} " in f" {' '.join(words)} ":
        names.append("echoing")
    if _is_in_another_script(written, question + context):
        names.append("in_another_script")
    return names


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _is_looping(words: list[str]) -> bool:
    for length in range(1, PHRASE + 1):
        phrase, loop_length = words[-length:], length * LOOPS
        if len(words) >= loop_length and words[-loop_length:] == phrase * LOOPS:
            return True
    return False


def _is_in_another_script(written: str, before: str) -> bool:
    written_scripts, expected = _scripts(written), _scripts(before)
    if not expected:
        return False
    threshold = STRAY * expected.total()
    foreign = sum(
        count for script, count in written_scripts.items() if expected[script] <= threshold
    )
    return foreign > FOREIGN * max(written_scripts.total(), 1)


def _scripts(text: str) -> Counter[str]:
    """How many letters of each script a text has."""
    letters = Counter(char for char in text if char.isalpha())
    scripts: Counter[str] = Counter()
    for letter, count in letters.items():
        scripts[unicodedata.name(letter, "?").split()[0]] += count
    return scripts
