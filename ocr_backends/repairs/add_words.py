"""Adds words that only another engine has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ocr_backends.repairs.alignment import gaps, rewritten
from ohr.plugins import Params, TextFusion


class AddWords(TextFusion[Params]):
    """The main engine's text, with words that only the others have, where they have them.

    A word is added as often as another text has it more often. It is for search: the main engine's
    misreadings stay, beside the other engine's words. So what another engine invents is added too;
    the page's note says how many words are.
    """

    name = "add_words"
    version = "2"

    def fuse(self, texts: Sequence[str]) -> str:
        text = texts[0]
        for other in texts[1:]:
            text = _insert_words(text, other)
        return text

    def note(self, texts: Sequence[str], fused: str) -> str:
        total = len(fused.split())
        added = total - len(texts[0].split())
        be = "is" if added == 1 else "are"
        return f"{added} of {total} words {be} another engine's alone" if added else ""


def _insert_words(text: str, other: str) -> str:
    words, rest = text.split(), other.split()
    missing = Counter(rest) - Counter(words)
    added: list[list[str]] = [[] for _ in range(len(words) + 1)]
    for gap in gaps(words, rest):
        for word in rest[gap.other_start : gap.other_end]:
            if missing[word] > 0:
                missing[word] -= 1
                added[gap.end].append(word)
    first, *after = added
    longer = [" ".join([word, *more]) for word, more in zip(words, after, strict=True)]
    body = rewritten(text, longer)
    start = " ".join(first)
    return f"{start} {body}" if start and body else start or body
