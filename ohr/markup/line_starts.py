"""Text at the start of a Markdown line that must not begin a block there.

Source: CommonMark 0.31, sections 4 and 5, and the tables of GitHub Flavored Markdown.
"""

from __future__ import annotations

import re

_BLOCK = re.compile(
    r"""
    \d{1,9}(?=[.)](?:[ \t]|$))   # a numbered list: the mark after it is escaped
    | (?=
        \#{1,6}(?:[ \t]|$)                   # a heading
      | [-+*](?:[ \t]|$)                     # a list
      | >                                    # a quotation
      | ~{3} | `{3}                          # a fence
      | (?:-[ \t]*){2,}$ | (?:_[ \t]*){3,}$ | (?:\*[ \t]*){3,}$ | =+[ \t]*$   # rules, underlines
      | [|:]                                 # a row or rule of a table
      | \[[^\]]*\]:                          # where a link goes to
      | <                                    # HTML
      )
    """,
    re.VERBOSE,
)


def escape_line_starts(text: str) -> str:
    """A paragraph of Markdown of which no line begins a block.

    White space at the start of lines goes (four columns of it begin code), and so do empty lines,
    which end a paragraph.
    """
    lines = (line.strip(" \t") for line in text.splitlines())
    return "\n".join(_escaped(line) for line in lines if line)


def _escaped(line: str) -> str:
    match = _BLOCK.match(line)
    return line if match is None else f"{line[: match.end()]}\\{line[match.end() :]}"
