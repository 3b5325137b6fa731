"""Makes questions about captions, headings and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ohr.datasets import wording
from ohr.markup.headings import headings
from ohr.markup.lines import LIST_MARK
from ohr.markup.outline.numbering import caption_of
from ohr.markup.page import read_page
from ohr.markup.strip import strip_markup
from ohr.markup.structure import is_covered
from ohr.questions.agreed import UNSURE
from ohr.questions.candidate import Candidate, Evidence, quoted
from ohr.questions.sentences import Sentence
from ohr.types import PageRef

_CAPTION_WORDS = (4, 30)
_TITLE_WORDS = (2, 10)
_OPENING = 10
"""First words of a sentence, by which a question identifies it."""
_ITEMS = (2, 6)
_ITEM_WORDS = 8
_LEAD_WORDS = (5, 30)
_LINE = re.compile(r"[^\n]+")
_NUMBER = re.compile(r"^[\s#*§]*(?:(?:\d+(?:\.\d+)*|[A-Z]|[IVXLC]+)[.)]?\s+)?")
_TO_A_PAGE = re.compile(r"(?:\.\s?){3,}|\s\d{1,4}$")


def ask_captions(ref: PageRef, text: str) -> Iterator[Candidate]:
    """Questions for the figure or table with a given caption."""
    page = read_page(text)
    inside = sorted([*page.structure.tables, *page.structure.fences])
    for line in _LINE.finditer(text):
        caption = caption_of(line.group())
        if caption is None or is_covered(inside, line.start()) or UNSURE in line.group():
            continue
        title = _plain(line.group()[caption.text_at :])
        if not _CAPTION_WORDS[0] <= len(title.split()) <= _CAPTION_WORDS[1]:
            continue
        if line.group().lstrip(" *#_").casefold().startswith("exhibit"):
            continue  # it may be another document
        if _TO_A_PAGE.search(title) or not title[0].isupper() or ". " in title:
            continue
        kind = "table" if caption.of_table else "figure"
        word = _plain(line.group()[: caption.text_at]).strip(" .:|-\u2013\u2014")
        evidence = Evidence(ref, line.start(), line.end(), line.group())
        question = f"Which {kind} has the caption {quoted(title.rstrip('.'))}?"
        yield Candidate("caption", question, word, (evidence,), "text", "String", title)


def ask_headings(ref: PageRef, text: str, sentences: Sequence[Sentence]) -> Iterator[Candidate]:
    """Questions for the heading above a section's first sentence; headings are those of mark-up."""
    for heading in headings(text):
        title = _NUMBER.sub("", _plain(heading.title))
        words = title.split()
        if not _TITLE_WORDS[0] <= len(words) <= _TITLE_WORDS[1] or UNSURE in heading.title:
            continue
        first = next((sentence for sentence in sentences if sentence.start >= heading.end), None)
        if first is None or text[heading.end : first.start].strip():
            continue
        opening = " ".join(first.plain.split()[:_OPENING])
        question = f"What is the heading of the section that begins with {quoted(opening)}?"
        source = text[heading.start : first.end]
        evidence = Evidence(ref, heading.start, first.end, source)
        yield Candidate("heading", question, title, (evidence,), "text", "String", opening)


def ask_lists(ref: PageRef, text: str) -> Iterator[Candidate]:
    """Questions for the items of a short list, by the line before it."""
    lines = [line for line in _LINE.finditer(text) if line.group().strip()]
    for number, line in enumerate(lines):
        lead = _plain(line.group())
        if not lead.endswith(":") or not _LEAD_WORDS[0] <= len(lead.split()) <= _LEAD_WORDS[1]:
            continue
        if LIST_MARK.match(line.group()) or not lead[0].isupper():
            continue
        items, marks, last = [], set(), line.end()
        for item in lines[number + 1 :]:
            mark = LIST_MARK.match(item.group())
            if mark is None:
                break
            items.append(_plain(item.group()[mark.end() :]).rstrip(" ;.,"))
            marks.add(re.sub(r"\w", "0", mark.group().strip())[:3])
            last = item.end()
        after = text[last:].lstrip("\n").split("\n", 1)[0].strip()
        if not _is_list(items) or len(marks) > 1 or after[:1].islower():
            continue
        source = text[line.start() : last]
        if UNSURE in source:
            continue
        evidence = Evidence(ref, line.start(), last, source)
        question = f"Which items are listed after {quoted(lead.rstrip(':'))}?"
        yield Candidate("list", question, "; ".join(items), (evidence,), "text", "List", lead)


def _is_list(items: Sequence[str]) -> bool:
    if not _ITEMS[0] <= len(items) <= _ITEMS[1] or len(set(items)) < len(items):
        return False
    return all(
        0 < wording.word_count(item) <= _ITEM_WORDS and not re.search(r"[;\\{}|]", item)
        for item in items
    )


def _plain(text: str) -> str:
    return " ".join(strip_markup(text).split())
