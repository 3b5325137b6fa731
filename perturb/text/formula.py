r"""The inside of a formula: where its symbols end, and which of them have an equivalent.

A formula is read as atoms: a symbol, a number, a command with its arguments, a group. Spacing
goes between atoms only, never between ``\frac`` and its arguments, before an index, around
``&`` or ``\\``, or inside a name or a number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ohr.markup.symbols import CHAR_TO_COMMAND, COMMAND_TO_CHAR

TEXT_COMMANDS = frozenset(
    "text textrm textbf textit textsf texttt mbox hbox label tag ref eqref hspace vspace "
    "operatorname color textcolor includegraphics rule href url substack".split()
)
"""Commands whose argument is not mathematics."""
BOLD = ("mathbf", "boldsymbol")
CURSIVE = ("mathbb", "pmb", "mathscr", "mathcal")
"""The paper's cursive family, with ``\\mathscr`` for its two names that LaTeX lacks."""

_NO_ARGUMENT = frozenset(
    (
        *COMMAND_TO_CHAR,
        *"sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln exp lim max min sup "
        "inf det dim ker deg gcd arg hom Pr limsup liminf quad qquad colon".split(),
    )
)
_ARGUMENTS = {
    **dict.fromkeys(
        "frac dfrac tfrac cfrac binom dbinom tbinom overset underset stackrel".split(), 2
    ),
    **dict.fromkeys(
        "mathbf boldsymbol mathbb pmb mathscr mathcal mathfrak mathrm mathit mathsf mathtt sqrt "
        "bar hat tilde vec dot ddot acute grave check breve widehat widetilde overline underline "
        "overbrace underbrace overrightarrow overleftarrow boxed bm text mbox operatorname "
        "textcircled".split(),
        1,
    ),
}
_DELIMITED = re.compile(r"\\(?:left|right|middle|[bB]igg?[lrm]?)")

_TOKEN = re.compile(
    r"\\(?:begin|end)[ \t]*\{[a-zA-Z]+\*?\}(?:[ \t]*(?:\{[^{}]*\}|\[[^\[\]]*\]))*"
    r"|\\[a-zA-Z]+\*?|\\.|\s+|\d+(?:[.,]\d+)*|[a-zA-Z]+|.",
    re.DOTALL,
)
_NUMERIC = frozenset("0123456789.,")
_NO_GAP_BEFORE_CHAR = frozenset("^_'&}[")
_NO_GAP_AFTER = (
    "&", "[", "\\begin", "\\\\", "\\hline", "\\cline", "\\not", "\\limits", "\\nolimits"
)  # fmt: skip
_NO_GAP_BEFORE = (
    "\\\\", "\\end", "\\limits", "\\nolimits", "\\hline", "\\cline", "\\right", "\\middle",
    "\\tag", "\\label", "\\nonumber", "\\notag", "\\over", "\\atop", "\\choose",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Formula:
    """Tokens of a formula's content; ``starts[i]`` is where token i begins in the page."""

    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    groups: dict[int, int]
    """Opening brace -> closing brace, as token numbers."""


def read_formula(text: str, start: int, end: int) -> Formula | None:
    r"""The formula ``text[start:end]``, or None if braces, ``\left`` or ``\begin`` do not match."""
    tokens: list[str] = []
    starts: list[int] = []
    groups: dict[int, int] = {}
    stack: list[int] = []
    depth = {"left": 0, "begin": 0}
    for match in _TOKEN.finditer(text, start, end):
        token = match.group()
        if token == "{":
            stack.append(len(tokens))
        elif token == "}":
            if not stack:
                return None
            groups[stack.pop()] = len(tokens)
        elif token[0] == "\\":
            if token == "\\":
                return None
            for name, step in (("\\left", 1), ("\\right", -1)):
                depth["left"] += step * (token == name)
            for name, step in (("\\begin", 1), ("\\end", -1)):
                depth["begin"] += step * token.startswith(name)
            if min(depth.values()) < 0:
                return None
        elif token == "$" or token == "%":
            # Nested formulas and comments: left as they are.
            return None
        tokens.append(token)
        starts.append(match.start())
    if stack or any(depth.values()):
        return None
    return Formula(tuple(tokens), tuple(starts), groups)


def gaps(formula: Formula) -> list[int]:
    """Positions in the page where a spacing command may stand, outside every group."""
    tokens, positions = formula.tokens, []
    position, last, closed = _skip_space(tokens, 0), "", False
    while position < len(tokens):
        if closed and _may_part(
            last, tokens[position], touching=not tokens[position - 1].isspace()
        ):
            positions.append(formula.starts[position])
        end, closed = _skip_atom(formula, position)
        closed = closed and not tokens[position].startswith(_NO_GAP_AFTER)
        last = tokens[end - 1]
        position = _skip_space(tokens, end)
    return positions


def _may_part(before: str, after: str, *, touching: bool) -> bool:
    if after[0] in _NO_GAP_BEFORE_CHAR or after.startswith(_NO_GAP_BEFORE):
        return False
    if before[-1] in _NUMERIC and after[0] in _NUMERIC:
        return False  # "1 5 , 9 1 0" is one number
    # Two letters or digits that touch may be one name.
    return not (touching and before[0] != "\\" and _is_plain(before[-1]) and _is_plain(after[0]))


def _is_plain(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _skip_atom(formula: Formula, position: int) -> tuple[int, bool]:
    """The token after the atom at ``at``, and whether the atom has all its arguments."""
    tokens = formula.tokens
    token = tokens[position]
    if token == "{":
        return formula.groups[position] + 1, True
    if token in ("^", "_"):
        return _skip_arguments(formula, position + 1, 1)
    if token[0] != "\\" or len(token) < 2 or not token[1].isalpha():
        return position + 1, True
    name = token[1:].rstrip("*")
    if _DELIMITED.fullmatch(token):
        following = _skip_space(tokens, position + 1)
        return min(following + 1, len(tokens)), True
    if name in _NO_ARGUMENT or token.startswith(("\\begin", "\\end")):
        return position + 1, True
    if name in _ARGUMENTS:
        following = _skip_space(tokens, position + 1)
        if following < len(tokens) and tokens[following] == "[":
            while following < len(tokens) and tokens[following] != "]":
                following = formula.groups.get(following, following) + 1
            following = min(following + 1, len(tokens))
        return _skip_arguments(formula, following, _ARGUMENTS[name])
    # An unknown command: what groups follow are its arguments; without any, more may.
    following, has_arguments = position + 1, False
    while True:
        following_group = _skip_space(tokens, following)
        if following_group < len(tokens) and tokens[following_group] == "{":
            following, has_arguments = formula.groups[following_group] + 1, True
        else:
            return following, has_arguments


def _skip_arguments(formula: Formula, position: int, count: int) -> tuple[int, bool]:
    for _ in range(count):
        position = _skip_space(formula.tokens, position)
        if position >= len(formula.tokens):
            return position, False
        token = formula.tokens[position]
        if token == "{":
            position = formula.groups[position] + 1
        elif token[0] == "\\":
            position, closed = _skip_atom(formula, position)
            if not closed:
                return position, False
        elif len(token) > 1:
            # "\frac12x": the argument is one character of a longer token.
            return position + 1, False
        else:
            position += 1
    return position, True


def _skip_space(tokens: tuple[str, ...], position: int) -> int:
    while position < len(tokens) and tokens[position].isspace():
        position += 1
    return position


@dataclass(frozen=True, slots=True)
class Symbol:
    """A token with equals: ``text[start:end]`` may become any of ``equals``."""

    start: int
    end: int
    equals: tuple[str, ...]


def symbols(formula: Formula) -> list[Symbol]:
    """The commands and characters of a formula that have equal commands or characters."""
    replaceable: list[Symbol] = []
    tokens, position, before = formula.tokens, 0, ""
    while position < len(tokens):
        token, start = tokens[position], formula.starts[position]
        if token[0] == "\\" and token[1:].rstrip("*") in TEXT_COMMANDS:
            position = _skip_atom(formula, position)[0]
            before = ""
            continue
        equals = _equals(token, before, tokens[position + 1] if position + 1 < len(tokens) else "")
        if equals:
            replaceable.append(Symbol(start, start + len(token), equals))
        before = token
        position += 1
    return replaceable


def _equals(token: str, before: str, after: str) -> tuple[str, ...]:
    if before == "\\not" or _DELIMITED.fullmatch(before):
        return ()
    # A letter right after a command's name would read as part of the name.
    touches = before[:1] == "\\" and before[-1:].isalpha()
    if token[0] == "\\":
        name = token[1:]
        for family in (BOLD, CURSIVE):
            if name in family:
                return tuple("\\" + other for other in family if other != name)
        if after in ("\\limits", "\\nolimits") or name not in COMMAND_TO_CHAR:
            return ()
        char = COMMAND_TO_CHAR[name]
        return ("{" + char + "}",) if touches else (char,)
    if token not in CHAR_TO_COMMAND:
        return ()
    command = "\\" + CHAR_TO_COMMAND[token]
    return ("{" + command + "}",) if _is_plain(after[:1]) and after[0].isalpha() else (command,)
