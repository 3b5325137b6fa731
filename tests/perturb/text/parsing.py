"""What independent parsers see of a page: its Markdown skeleton, and whether LaTeX can read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pylatexenc.latexwalker import LatexWalker, LatexWalkerParseError

from ohr.markup.tables import parse_tables
from ohr.plugins import Applied

MARKDOWN = MarkdownIt("commonmark").enable("table")
KEPT = (
    "bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open", "hr",
    "table_open", "tr_open", "td_open", "th_open", "fence", "code_block", "code_inline",
    "link_open", "image", "html_block",
)  # fmt: skip


def tokens(text: str) -> Iterator[Token]:
    """Block and inline tokens of a page, in order."""
    for token in MARKDOWN.parse(text):
        yield token
        yield from token.children or ()


def skeleton(text: str) -> Counter[tuple[str, str]]:
    """Constructs that formatting noise leaves alone, with the code and the addresses in them."""
    for table in reversed(parse_tables(text)):
        if table.format == "latex":  # Markdown would take "1." in a cell for a list
            text = text[: table.span[0]] + "table" + text[table.span[1] :]
    found: Counter[tuple[str, str]] = Counter()
    for token in tokens(text):
        if token.type in KEPT:
            held = token.content if token.type in ("fence", "code_block", "code_inline") else ""
            held += str(token.attrGet("href") or token.attrGet("src") or "")
            found[token.type, held] += 1
    return found


def count(text: str, kind: str) -> int:
    """How many tokens of a kind a page has."""
    return sum(token.type == kind for token in tokens(text))


def latex_problem(text: str) -> str | None:
    """What a strict LaTeX parser says against a text, or None."""
    try:
        LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    except LatexWalkerParseError as error:
        return str(error)
    return None


def check_styles(page: str, applied: Applied[str]) -> None:
    """Each style that noise added or removed is read as one."""
    added = Counter(edit[2] for edit in applied.record["edits"] if not edit[1])
    removed = Counter(edit[1] for edit in applied.record["edits"] if edit[1])
    strong = added["**"] // 2 - removed["**"] // 2
    slanted = (added["*"] + added["_"]) // 2 - (removed["*"] + removed["_"]) // 2
    assert count(applied.value, "strong_open") == count(page, "strong_open") + strong
    assert count(applied.value, "em_open") == count(page, "em_open") + slanted


def check_titles(page: str, applied: Applied[str]) -> None:
    """Each title that noise added or removed is read as one."""
    added = sum("# " in edit[2] for edit in applied.record["edits"])
    removed = sum(edit[1].startswith("#") for edit in applied.record["edits"])
    headings = count(page, "heading_open")
    assert count(applied.value, "heading_open") == headings + added - removed
