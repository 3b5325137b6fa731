"""Where a page text has invented words and silently changed numbers, for display."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from ohr.metrics.changed_numbers import changed_places
from ohr.metrics.invented_text import find_invented
from ohr.metrics.matching import encode
from ohr.metrics.placement import page_content
from ohr.metrics.word_keys import keyed_words, word_key


def made_up_spans(text: str, truth: str) -> list[tuple[int, int]]:
    """Starts and ends, in a page text, of the words that no part of the page supports and of the
    numbers in whose place the truth has another; sorted.

    They are found without mark-up; words of the text that mark-up changes may be missed.
    """
    content = page_content(text)
    spans = {*find_invented(text, truth).spans, *changed_places(text, truth)}
    if not spans:
        return []
    source = keyed_words(text)
    words = [
        (word_key(content.text[word.start : word.end]), (word.start, word.end) in spans)
        for word in content.words
    ]
    [[first], [second]] = encode([[key for key, _ in words]], [[word.key for word in source]])
    in_source = []
    for code in Levenshtein.opcodes(first, second):
        # A number and its sign or unit may be one word of the text.
        for step in range(min(code.src_end - code.src_start, code.dest_end - code.dest_start)):
            if words[code.src_start + step][1]:
                word = source[code.dest_start + step]
                in_source.append((word.start, word.end))
    return in_source
