"""The source of a page: headings, lines with styles, rows and columns, in plain markup.

A file of `texts/` holds the pages of one script. `@ name language` starts a page, `# ` a heading,
`| ` a row of cells, `[[`, `||` and `]]` enclose two columns; every other line is a line of the
page. In lines: `**bold**`, `//italic//`, `~~small caps~~`, `^^raised^^`, `,,lowered,,`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

TEXTS = Path(__file__).parent / "texts"
SCRIPTS = tuple(sorted(path.stem for path in TEXTS.glob("*.txt")))
RIGHT_TO_LEFT = ("arabic", "hebrew")
NARROW = {"chinese": 17, "japanese": 17, "korean": 18, "tamil": 24}  # letters in a column
CLOSING = "。，、」”：？"  # never first in a line
MARKS = {"**": "bold", "//": "italic", "~~": "small_caps", "^^": "raised", ",,": "lowered"}
_MARK = re.compile(r"(\*\*|//|~~|\^\^|,,)(.+?)\1")


@dataclass(frozen=True)
class TextRun:
    """Letters of one style."""

    text: str
    style: str = ""


Line = tuple[TextRun, ...]


@dataclass(frozen=True)
class Block:
    """A heading, a line, a row (a line a cell), or two columns (a list of lines each)."""

    kind: str
    lines: tuple[Line, ...]
    right: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page to set: `tracking` (em) spaces its letters; `fault` is what setting it so plants.

    A page of another `turn` is set in another family.
    """

    script: str
    name: str
    language: str
    blocks: tuple[Block, ...]
    tracking: float = 0.0
    fault: str = ""
    variant: str = ""
    turn: int = 0

    @property
    def key(self) -> str:
        return f"{self.script}_{self.name}" + (f"_{self.turn + 1}" if self.turn else "")

    @property
    def size(self) -> float:
        """Points: less for spaced letters, so that lines stay on the page."""
        return 11.0 if not self.tracking else 9.5 - 6 * self.tracking

    @property
    def right_to_left(self) -> bool:
        return self.script in RIGHT_TO_LEFT

    @property
    def text(self) -> str:
        """What a person reads, in reading order: a line a line, cells and words by a blank."""
        return "\n".join(self._read())

    @property
    def same(self) -> list[tuple[str, str]]:
        """Other ways to write what is raised or lowered, and what `text` has for them."""
        pairs = []
        for block in self.blocks:
            for line in block.lines:
                pairs += _other_forms(line)
        return pairs

    @property
    def styles(self) -> set[str]:
        lines = [line for block in self.blocks for line in (*block.lines, *block.right)]
        return {run.style for line in lines for run in line} - {""}

    def _read(self) -> Iterator[str]:
        for block in self.blocks:
            if block.kind == "row":
                yield " ".join(read(line) for line in block.lines)
            else:
                yield from (read(line) for line in (*block.lines, *block.right))


def read(line: Line) -> str:
    """The line as read: a raised number after a number stands apart, all else is joined."""
    text = ""
    for run in line:
        apart = run.style == "raised" and text[-1:].isdigit() and run.text[0].isdigit()
        text += " " * apart + run.text
    return text


def _other_forms(line: Line) -> list[tuple[str, str]]:
    """`Smith 12` for `Smith12`: a joined raised or lowered run, apart from its word."""
    pairs = []
    for before, run, after in zip(line, line[1:], (*line[2:], TextRun("")), strict=False):
        if run.style not in ("raised", "lowered"):
            continue
        head = re.split(r"\s", before.text)[-1]
        tail = re.split(r"\s", after.text)[0]
        if head and not (head[-1].isdigit() and run.text[0].isdigit()) and head[-1] != "/":
            whole = head + run.text + tail
            pairs.append((f"{head} {run.text} {tail}".strip(), whole))
            pairs.append((f"{head}{run.text} {tail}".strip(), whole))
            pairs.append((f"{head} {run.text}{tail}".strip(), whole))
    return [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]


def parse_line(text: str) -> Line:
    """The runs of a marked-up line."""
    runs, end = [], 0
    for match in _MARK.finditer(text):
        runs += [TextRun(text[end : match.start()]), TextRun(match[2], MARKS[match[1]])]
        end = match.end()
    return tuple(run for run in (*runs, TextRun(text[end:])) if run.text)


def _blocks(lines: list[str]) -> Iterator[Block]:
    columns: list[list[Line]] = []
    for line in lines:
        if line == "[[" or line == "||":
            columns.append([])
        elif line == "]]":
            yield Block("columns", tuple(columns[0]), tuple(columns[1]))
            columns = []
        elif columns:
            columns[-1].append(parse_line(line))
        elif line.startswith("# "):
            yield Block("heading", (parse_line(line[2:]),))
        elif line.startswith("| "):
            yield Block("row", tuple(parse_line(cell) for cell in line[2:].split(" | ")))
        else:
            yield Block("line", (parse_line(line),))


def pages(script: str) -> list[Page]:
    """The pages of a script, as its file has them."""
    matches = []
    for part in (TEXTS / f"{script}.txt").read_text(encoding="utf-8").split("@ ")[1:]:
        first, *lines = part.strip("\n").split("\n")
        name, language, *options = first.split()
        page = Page(script, name, language, tuple(_blocks(lines)))
        if options:
            page = replace(page, fault=options[0], variant=options[1])
        matches.append(page)
    return matches


def set_in_columns(page: Page) -> Page:
    """The page's lines, set again as short ones in two columns; the rows are left out."""
    lines = [read(block.lines[0]) for block in page.blocks if block.kind == "line"]
    blank = "" if page.script in ("chinese", "japanese") else " "
    half = (len(lines) + 1) // 2
    sides = []
    for side in (lines[:half], lines[half:]):
        words = list("".join(side)) if not blank else " ".join(side).split()
        most = NARROW.get(page.script, 28)
        sides.append(tuple((TextRun(line),) for line in _filled(words, blank, most)))
    return replace(page, name="columns", blocks=(page.blocks[0], Block("columns", *sides)))


def _filled(words: list[str], blank: str, most: int) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + len(blank) + len(word) > most and word not in CLOSING:
            yield line
            line = ""
        line += blank * bool(line) + word
    yield line
