"""The planner without a model: it chooses tools by the words of a question.

"pages 5-7", "the last two pages", "table 3", "the second figure", "section 2.1", 'the section on
"Fees"', "in the introduction"; pages, tables, figures and sections also in German. A question that
names no part of a document becomes a search. Questions about the structure of the whole document
alone ("how many tables are there?") are answered from the metadata, which a model would have in
its prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ohr.markup.outline.tree import FigureNode, Place, Section, TableNode
from ohr.types import PageRef
from rag.systems.triage.library import Shelf
from rag.systems.triage.tools import MOST

_COUNTS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
_GERMAN_COUNTS = "ein zwei drei vier fünf sechs sieben acht neun zehn".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_GERMAN_ORDINALS = "erst zweit dritt viert fünft sechst siebt acht neunt zehnt".split()

_DIGITS = r"\d{1,6}"
_WORDS = "|".join(sorted((*_COUNTS, *_GERMAN_COUNTS[1:]), key=len, reverse=True))
_COUNT = rf"(?:{_DIGITS}|{_WORDS})"
_ORDINAL = (
    rf"(?:{'|'.join(_ORDINALS)}|last|final|{_DIGITS}(?:st|nd|rd|th)"
    rf"|(?:{'|'.join(_GERMAN_ORDINALS)}|letzt)e[nrs]?)"
)
_LABEL = r"[A-Za-z]?\d{1,3}(?:[.-]\d{1,3})*[a-z]?|[IVX]{1,5}\b"
# Possessive (``*+``, ``++``), so no backtracking: each space matches in one place only.
_AND = r"(?:\s*+(?:,|-|–|&|/|to|through|until|and|or|bis|und))++\s*+"
_PAGE = r"(?:pages?|pp?\.|seiten?)"
_TABLE = r"(?:tables?|tab\.|tabellen?|exhibits?)"
_FIGURE = (
    r"(?:figures?|figs?\.?|charts?|graphs?|diagrams?|plots?|images?|pictures?"
    r"|abbildung(?:en)?|abb\.|diagramme?s?)"
)
_SECTION = r"(?:(?:sub)?sections?|sec\.|chapters?|articles?|items?|§|abschnitte?s?|kapitels?)"

_PAGES = re.compile(rf"\b{_PAGE}\s*(?:no\.?|number|nr\.)?\s*({_COUNT}(?:{_AND}{_COUNT})*)\b", re.I)
_SOME_PAGES = re.compile(rf"\b(first|last|ersten|letzten)\s+({_COUNT})\s+{_PAGE}\b", re.I)
_NTH = {
    kind: re.compile(rf"\b({_ORDINAL})\s+{word}(?!\s*(?:no\.?\s*)?\d)", re.I)
    for kind, word in (
        ("page", _PAGE),
        ("table", _TABLE),
        ("figure", _FIGURE),
        ("section", _SECTION),
    )
}
_LABELLED = {
    kind: re.compile(
        rf"(?:\b|(?<=§)|(?=§)){word}\s*(?:no\.?|number|nr\.|#)?\s*"
        rf"((?:{_LABEL})(?:{_AND}(?:{_LABEL})\b)*)",
        re.I,
    )
    for kind, word in (("table", _TABLE), ("figure", _FIGURE), ("section", _SECTION))
}
_QUOTED = re.compile(r"[\"“”„«]([^\"“”„«»]{2,200})[\"“”»]|(?<!\w)'([^']{2,200})'(?!\w)")
_ABOUT = re.compile(
    rf"\b{_SECTION}\s+(?:on|about|called|titled|entitled|named|über|zu[mr]?)\s+(?:the\s+)?"
    r"([^,;?.!]{3,120})",
    re.I,
)
_NAMED = re.compile(
    r"\b(?:the|im|der|den)\s+"
    r"((?:(?!(?:in|with|of|and|or|table|figure|page)\b)[\w'&-]+\s+){1,4}?)"
    rf"{_SECTION}\b(?!\s*\d)",
    re.I,
)
_CAPTIONED = re.compile(
    rf"\b({_TABLE}|{_FIGURE})\s+(?:on|of|about|showing|titled|called|with|that shows)\s+(?:the\s+)?"
    r"([^,;?!]{4,120})",
    re.I,
)
_USUAL = {
    "abstract": ("abstract", "summary", "executive summary", "zusammenfassung"),
    "summary": ("summary", "executive summary", "zusammenfassung", "abstract"),
    "introduction": ("introduction", "overview", "background", "einleitung"),
    "background": ("background", "introduction"),
    "methods": ("methods", "methodology", "materials and methods", "approach", "methoden"),
    "results": ("results", "findings", "ergebnisse"),
    "discussion": ("discussion", "diskussion"),
    "conclusion": ("conclusion", "conclusions", "concluding remarks", "outlook", "fazit"),
    "references": ("references", "bibliography", "literature", "literatur"),
    "appendix": ("appendix", "annex", "anhang"),
}
"""Common parts of documents, with their usual titles."""
_PART = re.compile(
    r"\b(?:the|in|im|der)\s+(abstract|summary|introduction|background|methods?|methodology|results"
    r"|findings|discussion|conclusions?|references|bibliography|appendix)\b(?!\s+of\b)",
    re.I,
)
_WHOLE = re.compile(
    r"\b(?:summar|classif|what (?:kind|type|sort) of (?:document|text|report|publication)"
    r"|(?:this|the) (?:document|report|text|publication|paper|file) (?:a|an|about|concern|belong)"
    r"|zusammenfass)",
    re.I,
)


@dataclass(frozen=True)
class Call:
    """A tool with its arguments."""

    tool: str
    arguments: dict[str, Any]


def plan(question: str, shelf: Shelf | None) -> list[Call]:
    """The calls for a question about one document, in this order: pages, sections, tables, figures;
    a search if the question names no part, or none that the document has. If it names more pages
    or sections than one call may, only the first.

    ``shelf``: the document of the question; None if there is none.
    """
    calls: list[Call] = []
    if shelf is not None:
        pages = [number for number in _pages(question, shelf) if number in shelf.pages]
        named = dict.fromkeys(_sections(question, shelf))
        sections = [title for title in named if shelf.section(title) is not None]
        if pages:
            calls.append(Call("fetch_pages", {"pages": pages[:MOST]}))
        if sections:
            calls.append(Call("fetch_sections", {"sections": sections[:MOST]}))
        for kind in ("table", "figure"):
            calls += [
                Call(f"fetch_{kind}", {kind: label})
                for label in dict.fromkeys(_nodes(question, shelf, kind))
            ]
        if not calls and _WHOLE.search(question) and shelf.pages:
            calls.append(Call("fetch_pages", {"pages": sorted(shelf.pages)[:1]}))
    return calls or [Call("retrieve", {"query": question})]


def _pages(question: str, shelf: Shelf) -> list[int]:
    numbers: dict[int, None] = {}
    existing = sorted(shelf.pages)
    for match in _SOME_PAGES.finditer(question):
        count = _number(match[2])
        from_end = match[1].lower().startswith(("last", "letzt"))
        numbers.update(
            dict.fromkeys((existing[-count:] if from_end else existing[:count]) if count else ())
        )
    for match in _PAGES.finditer(question):
        if not _SOME_PAGES.search(question[max(0, match.start() - 20) : match.end()]):
            numbers.update(dict.fromkeys(_expand(match[1], shelf.last_page)))
    for match in _NTH["page"].finditer(question):
        place = _ordinal(match[1])
        number = shelf.last_page if place < 0 else place
        numbers[number] = None
    return list(numbers)


def _expand(text: str, last_page: int) -> Iterator[int]:
    """The numbers of "3, 5-7 and 9"; a range goes no further than the last page."""
    parts = re.findall(rf"{_COUNT}|-|–|\b(?:to|through|until|bis)\b", text, re.I)
    previous, in_range = 0, False
    for part in parts:
        number = _number(part)
        if not number:
            in_range = True
            continue
        if in_range and previous:
            yield from range(previous + 1, min(number, last_page) + 1)
        else:
            yield number
        previous, in_range = number, False


def _sections(question: str, shelf: Shelf) -> Iterator[str]:
    """Sections of the document that the question names, as arguments of :meth:`Shelf.section`."""
    for match in _LABELLED["section"].finditer(question):
        for label in re.findall(_LABEL, match[1]):
            if shelf.section(label) is not None:
                yield label
    for match in _NTH["section"].finditer(question):
        if (section := _nth(shelf.outermost, match[1])) is not None:
            yield section.title
    names = [match[1] or match[2] for match in _QUOTED.finditer(question)]
    names += [match[1] for match in _ABOUT.finditer(question)]
    names += [match[1] for match in _NAMED.finditer(question) if not _is_ordinal(match[1])]
    for name in names:
        section = shelf.section(name)
        if section is not None and not shelf.is_title(section):
            yield section.title
    for match in _PART.finditer(question):
        word = match[1].lower()
        part = next((usual for usual, titles in _USUAL.items() if word in (usual, *titles)), word)
        part = {"method": "methods", "conclusions": "conclusion"}.get(part, part)
        titles = {section.title.lower().strip(" .:"): section for section in shelf.tree.sections}
        for title in _USUAL.get(part, (word,)):
            matching = [name for name in titles if re.sub(r"^[\divx. ]+", "", name) == title]
            if matching:
                yield titles[matching[0]].title
                break


def _nodes(question: str, shelf: Shelf, kind: str) -> Iterator[str]:
    """Tables or figures that the question names, as arguments of the shelf's methods."""
    find_node: Callable[[str], TableNode | FigureNode | None]
    find_node = shelf.table if kind == "table" else shelf.figure
    for match in _LABELLED[kind].finditer(question):
        for label in re.findall(_LABEL, match[1]):
            if find_node(label) is not None:
                yield label
    for match in _NTH[kind].finditer(question):
        nodes = shelf.tree.tables if kind == "table" else shelf.tree.figures
        if (node := _nth(nodes, match[1])) is not None and (name := node.label or node.caption):
            yield name
    for match in _CAPTIONED.finditer(question):
        is_table = re.fullmatch(_TABLE, match[1], re.I) is not None
        if is_table != (kind == "table"):
            continue
        words = match[2].split()
        for count in range(len(words), 1, -1):
            if (node := find_node(" ".join(words[:count]))) is not None:
                yield node.label or node.caption
                break


def _nth(items: Sequence[Any], ordinal: str) -> Any:
    place = _ordinal(ordinal)
    if place < 0:
        return items[-1] if items else None
    return items[place - 1] if 1 <= place <= len(items) else None


def _is_ordinal(text: str) -> bool:
    return re.fullmatch(_ORDINAL, text.split()[-1], re.I) is not None


def _number(text: str) -> int:
    """The number that a text stands for; 0 for none."""
    text = text.lower()
    if text.isdigit():
        return int(text)
    for words in (_COUNTS, _GERMAN_COUNTS):
        if text in words:
            return words.index(text) + 1
    return 0


def _ordinal(text: str) -> int:
    """1 for "first", -1 for "last"."""
    text = text.lower()
    if text.startswith(("last", "final", "letzt")):
        return -1
    if text[0].isdigit():
        return int(re.sub(r"\D", "", text))
    if text in _ORDINALS:
        return _ORDINALS.index(text) + 1
    stem = re.sub(r"e[nrs]?$", "", text)
    return _GERMAN_ORDINALS.index(stem) + 1 if stem in _GERMAN_ORDINALS else 0


_HOW_MANY = re.compile(
    r"\b(?:how many|what is the number of|wie viele)\s+(?:numbered\s+|top-level\s+|main\s+)?"
    r"(pages?|sections?|chapters?|tables?|figures?|charts?|seiten|abschnitte|kapitel|tabellen"
    r"|abbildungen)\s+"
    r"(?:are there|are in|does|do|is|has|the|this|gibt|hat|in|there|make|can be found)\b",
    re.I,
)
_A_PART = re.compile(
    rf"(?<![\w-])(?:{_PAGE}|(?:sub)?sections?|sec\.|chapters?|§|abschnitte?s?|kapitels?)(?!\w)",
    re.I,
)
"""Words for parts, except article and item, which may be the document."""
_TITLE_OF = re.compile(
    rf"\b(?:title|heading|name|titel|überschrift|caption)\s+(?:of|has|does|des|von|der)\s+"
    rf"(?:(?:the|this|that|its|der|die|das|des|dem|den)\s+)?(?:[\w'-]+\s+)?"
    rf"({_SECTION}|{_TABLE}|{_FIGURE})(?![^\W\d_])",
    re.I,
)
"""A question for the title of a part itself, not for a name inside it."""
_TITLES = re.compile(
    r"\b(?:titles|headings|names|überschriften) (?:of|der) (?:all |its |the |their )*"
    r"(?:main )?(?:sections|chapters|abschnitte|kapitel)\b"
    r"|\b(?:which|what) (?:sections|chapters) "
    r"(?:are there|has|does\b[^?.]{1,60}\b(?:have|contain|include|comprise))\b",
    re.I,
)
_WHERE = re.compile(r"\b(?:on|at) (?:which|what) page\b|\bauf welcher seite\b", re.I)


def answer_from_metadata(question: str, shelf: Shelf) -> tuple[str, tuple[PageRef, ...]]:
    """The answer to a question about the structure alone, and the pages of the parts it is about.

    Empty for any other question.
    """
    text, places = _metadata_answer(question, shelf)
    refs = dict.fromkeys(shelf.tree.pages[place.page].ref for place in places if text)
    return text, tuple(refs)


def _metadata_answer(question: str, shelf: Shelf) -> tuple[str, list[Place]]:
    if match := _HOW_MANY.search(question):
        bare = _QUOTED.sub(" ", question)  # a document's title may hold any word
        of_a_part = (
            _A_PART.search(_HOW_MANY.sub(" ", bare))
            or _PART.search(bare)
            or _LABELLED["section"].search(bare)
        )
        return ("", []) if of_a_part else _how_many(match[1].lower(), shelf)
    if _TITLES.search(question):
        titles = [_bare_title(section) for section in shelf.outermost]
        return ", ".join(titles), [section.start for section in shelf.outermost]
    asks_title, asks_place = _TITLE_OF.search(question), _WHERE.search(question)
    if not asks_title and not asks_place:
        return "", []
    sections = list(map(shelf.section, _sections(question, shelf)))
    tables = list(map(shelf.table, _nodes(question, shelf, "table")))
    figures = list(map(shelf.figure, _nodes(question, shelf, "figure")))
    if asks_title:
        named = [(_bare_title(section), section.start) for section in sections if section]
        named += [(_bare_caption(node.caption), node.start) for node in (*tables, *figures) if node]
        return next(((title, [start]) for title, start in named if title), ("", []))
    places = [node.start for node in (*sections, *tables, *figures) if node][:1]
    return (str(shelf.tree.page_number(places[0])) if places else ""), places


def _how_many(kind: str, shelf: Shelf) -> tuple[str, list[Place]]:
    tree = shelf.tree
    if kind.startswith(("page", "seite")):
        return str(shelf.last_page), [Place(len(tree.pages) - 1, 0)] if tree.pages else []
    nodes: Sequence[Section | TableNode | FigureNode] = shelf.outermost
    if kind.startswith(("table", "tabelle")):
        nodes = tree.tables
    if kind.startswith(("figure", "chart", "abbildung")):
        nodes = tree.figures
    return str(len(nodes)), [node.start for node in nodes]


def _bare_title(section: Section) -> str:
    """A title without its number."""
    return re.sub(r"^(?:\d+(?:\.\d+)*|[IVX]+)[.):]?\s+", "", section.title)


def _bare_caption(caption: str) -> str:
    """A caption without its number."""
    return re.sub(r"^\s*\w+\.?\s+[A-Za-z]?[\d.-]+\s*[:.|—–-]?\s*", "", caption)
