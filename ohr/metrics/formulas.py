r"""Formulas of a page, their canonical tokens, and the distance between two pages' formulas.

One formula can be written in many ways, so formulas are compared by canonical tokens: white
space, spacing commands, delimiter sizes and fonts are dropped, synonyms (``\le``, ``\leq``,
``≤``) become one command, arguments are always braced and other braces never are, subscripts come
before superscripts. Everything is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ohr.markup.page import formulas_of, read_page
from ohr.markup.scanner import MarkupKind
from ohr.markup.structure import Span, is_covered
from ohr.markup.symbols import CHAR_TO_COMMAND, COMMAND_TO_CHAR
from ohr.markup.tables import TableFormat
from ohr.metrics.matching import assign, encode


@dataclass(frozen=True, slots=True)
class Formula:
    """``page[start:end]``, delimiters included, and the LaTeX between them."""

    start: int
    end: int
    latex: str
    display: bool


def find_formulas(text: str) -> list[Formula]:
    """The formulas of a page in order, as in :func:`ohr.markup.page.read_page`.

    Signs that tables escape (``&lt;`` in HTML, a bar as ``\\|`` in Markdown) are unescaped in the
    LaTeX.
    """
    plain = _unescaped(text)
    bars = _spans(text, "markdown") if "\\|" in text else []
    formulas = []
    for region in formulas_of(plain):
        # An environment stays whole: its name says how the lines are set.
        whole = plain.startswith("\\begin", region.start)
        inner = (region.inner_start, region.inner_end)
        latex = plain[region.start : region.end] if whole else plain[slice(*inner)]
        if is_covered(bars, region.start):
            latex = _ESCAPED_BAR.sub("|", latex)
        display = region.kind is MarkupKind.DISPLAY
        formulas.append(Formula(region.start, region.end, latex, display))
    return formulas


_ENTITY = re.compile(r"&(?:(lt|#60)|(gt|#62)|(?:amp|#38));")
_ESCAPED_BAR = re.compile(r"(?<!\\)\\\|")


def _unescaped(text: str) -> str:
    """The page with the entities in its HTML tables as signs; its length does not change."""
    pieces: list[str] = []
    done = 0
    for start, end in _spans(text, "html") if _ENTITY.search(text) else ():
        pieces += (text[done:start], _ENTITY.sub(_sign, text[start:end]))
        done = end
    return "".join([*pieces, text[done:]])


def _sign(entity: re.Match[str]) -> str:
    """The sign, padded with spaces, which do not matter in formulas and prevent a tag."""
    sign = "<" if entity[1] else ">" if entity[2] else "&"
    return sign.ljust(len(entity[0]))


def _spans(text: str, written: TableFormat) -> list[Span]:
    """The spans of a page's tables in a format."""
    return [table.span for table in read_page(text).tables if table.format == written]


_TOKEN = re.compile(
    r"\\(?:begin|end)\s*\{\s*([a-zA-Z]+)\*?\s*\}(?:\s*\{[|lcr\s@{}.!]{0,100}\})?"
    r"|\\sqrt\s*\[([^\[\]{}]{0,40})\]|(?:\\cdot\s*){3}(?![a-zA-Z])|\\operatorname\*?|\\q?quad"
    r"|\\[a-zA-Z]+|\\.|[^\s]",
    re.DOTALL,
)
_DROPPED_WITH_ARGUMENT = re.compile(r"\\(?:label|hspace|vspace|hskip|kern|phantom)\*?\s*\{[^{}]*\}")
_DROPPED = frozenset(
    r"""\, \; \: \! \> ~ \quad \qquad \enspace \thinspace \displaystyle \textstyle \scriptstyle
    \scriptscriptstyle \limits \nolimits \left \right \middle \big \Big \bigg \Bigg \bigl \bigr
    \Bigl \Bigr \biggl \biggr \Biggl \Biggr \bigm \Bigm \nonumber \notag \strut \relax
    \mathrm \mathbf \mathit \mathsf \mathtt \mathcal \mathbb \mathfrak \mathscr \mathnormal
    \boldsymbol \bm \pmb \bf \rm \it \sf \tt \cal \text \textbf \textit \textrm \textsf \texttt
    \textnormal \mbox \hbox \operatorname \operatorname* \lefteqn \mathop
    \mathbin \mathrel \mathord \mathopen \mathclose
    \unboldmath \boldmath \normalsize \small \large \ """.split()
) | {"\\ ", "\\\n"}
_SYNONYMS = {
    r"\le": r"\leq", r"\ge": r"\geq", r"\ne": r"\neq", r"\to": r"\rightarrow",
    r"\gets": r"\leftarrow", r"\land": r"\wedge", r"\lor": r"\vee", r"\lnot": r"\neg",
    r"\dfrac": r"\frac", r"\tfrac": r"\frac", r"\cfrac": r"\frac", r"\lbrace": r"\{",
    r"\rbrace": r"\}", r"\vert": "|", r"\mid": "|", r"\lvert": "|", r"\rvert": "|",
    r"\Vert": r"\|", r"\lVert": r"\|", r"\rVert": r"\|", r"\parallel": r"\|",
    r"\dots": r"\ldots", r"\cdots": r"\ldots", r"\dotsc": r"\ldots", r"\dotsb": r"\ldots",
    r"\colon": ":", r"\ast": "*", r"\lt": "<", r"\gt": ">", r"\slash": "/", r"\leqslant": r"\leq",
    r"\geqslant": r"\geq", r"\epsilon": r"\varepsilon", r"\phi": r"\varphi",
    r"\widehat": r"\hat", r"\widetilde": r"\tilde", r"\overline": r"\bar", r"\lbrack": "[",
    r"\rbrack": "]", r"\%": "%", r"\cr": r"\\", r"\newline": r"\\", r"\tbinom": r"\binom",
    r"\dbinom": r"\binom", r"\iff": r"\Leftrightarrow", r"\implies": r"\Rightarrow",
    "−": "-", "∗": "*", "…": r"\ldots", "·": r"\cdot", "•": r"\bullet",
}  # fmt: skip
_SYNONYMS |= {
    rf"\up{name}": rf"\{name}"
    for name in "alpha beta gamma delta lambda mu pi rho sigma tau theta psi omega".split()
}
# A character is one with its command, and so are two commands for one character.
_SYNONYMS |= {
    char: _SYNONYMS.get(f"\\{command}", f"\\{command}")
    for char, command in CHAR_TO_COMMAND.items()
    if char not in _SYNONYMS
}
_SYNONYMS |= {
    f"\\{command}": _SYNONYMS[char]
    for command, char in COMMAND_TO_CHAR.items()
    if f"\\{command}" not in _SYNONYMS
}
_LINES = frozenset(
    "aligned align alignat alignedat split gathered gather eqnarray multline".split()
)
_WRAPPERS = frozenset("equation displaymath math center".split())
_ARGUMENTS = {"^": 1, "_": 1, r"\frac": 2, r"\sqrt": 1, r"\root": 2, r"\binom": 2}
_OPERATORS = frozenset("^_=<>+/")
STRUCTURE = frozenset({*_ARGUMENTS, "{", "}", "&", r"\\", "begin", "end"})
"""Tokens of a formula's structure; all others are its content."""


def formula_tokens(latex: str) -> list[str]:
    """Canonical tokens of a formula without its ``$``: equal meaning gives equal tokens.

    Unbalanced braces are fixed: what is open at the end is closed there.
    """
    canonical = _Canonical()
    for token in _plain_tokens(latex):
        canonical.add(token)
    return canonical.finished()


def _plain_tokens(latex: str) -> list[str]:
    """Tokens without style, under one name each."""
    tokens: list[str] = []
    broken_label = 0
    for match in _TOKEN.finditer(_DROPPED_WITH_ARGUMENT.sub(" ", latex)):
        token = match.group()
        if match[1] is not None:
            begins = token.startswith(r"\begin")
            if match[1] in _LINES:
                broken_label = max(0, broken_label + (1 if begins else -1))
            elif match[1] not in _WRAPPERS:
                if not begins:
                    _drop_line_breaks(tokens)
                tokens.append("begin" if begins else "end")
        elif match[2] is not None:
            tokens += [r"\root", "{", *match[2].replace(" ", ""), "}"]
        elif token in "'′":
            tokens += ["^", "{", r"\prime", "}"]
        elif token == "&" and broken_label:
            continue  # alignment is only a matter of looks
        elif token.startswith(r"\cdot") and token.count(r"\cdot") == 3:
            tokens.append(r"\ldots")
        elif token not in _DROPPED:
            tokens.append(_SYNONYMS.get(token, token))
    _drop_line_breaks(tokens)
    return tokens


def _drop_line_breaks(tokens: list[str]) -> None:
    """Remove line breaks at the end, which break no line."""
    while tokens and tokens[-1] == r"\\":
        tokens.pop()


class _Canonical:
    """Braces arguments, drops other braces, puts subscripts before superscripts."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.arguments_left = 0
        """Number of arguments that the last command still needs."""
        self.script = ""
        """``^`` or ``_`` while its argument is read at this level; it begins at ``start``."""
        self.start = 0
        self.superscript: tuple[int, int] | None = None
        self.levels: list[tuple[bool, int, str, int, tuple[int, int] | None]] = []

    def add(self, token: str) -> None:
        if token == "{":
            is_argument = self.arguments_left > 0
            if is_argument:
                self.arguments_left -= 1
                self.out.append("{")
            self.levels.append(
                (is_argument, self.arguments_left, self.script, self.start, self.superscript)
            )
            self.arguments_left, self.script, self.superscript = 0, "", None
        elif token == "}":
            if self.levels:
                self._close()
        elif token in _ARGUMENTS:
            self.arguments_left = max(0, self.arguments_left - 1) + _ARGUMENTS[token]
            self.script = token if token in "^_" else ""
            self.start = len(self.out)
            self.out.append(token)
        elif self.arguments_left:
            self.arguments_left -= 1
            self.out += ["{", token, "}"]
            self._argument_done()
        else:
            self.out.append(token)

    def _close(self) -> None:
        is_argument, self.arguments_left, self.script, self.start, self.superscript = (
            self.levels.pop()
        )
        if is_argument:
            self.out.append("}")
            self._argument_done()

    def _argument_done(self) -> None:
        if self.arguments_left or not self.script:
            return
        span = (self.start, len(self.out))
        if self.script == "^":
            self.superscript = span
        elif self.superscript is not None and self.superscript[1] == self.start:
            first, second = self.out[slice(*self.superscript)], self.out[slice(*span)]
            self.out[self.superscript[0] :] = second + first
            self.superscript = None
        self.script = ""

    def finished(self) -> list[str]:
        while self.levels:
            self._close()
        return self.out


def formula_distance(prediction: str, reference: str) -> float:
    """The distance of two formulas (LaTeX without ``$``): 0 if equal, 1 if nothing is shared.

    Levenshtein distance of the canonical tokens over the longer formula; 0 for two empty ones.
    """
    return Levenshtein.normalized_distance(formula_tokens(prediction), formula_tokens(reference))


def page_formula_distance(prediction: str, reference: str) -> float:
    """Distance in [0, 1] of two pages' formulas, matched by content, not by place.

    Every formula of :func:`page_formulas` counts by its number of tokens; a formula without a
    partner is all wrong. 0 for two pages without formulas. Symmetric.
    """
    predicted = page_formulas(prediction)
    expected = page_formulas(reference)
    if not predicted or not expected:
        return float(bool(predicted or expected))
    codes, gold_codes = encode(predicted, expected)
    pairs = assign(codes, gold_codes)
    wrong = whole = 0
    for i, j in pairs:
        wrong += Levenshtein.distance(codes[i], gold_codes[j])
        whole += max(len(codes[i]), len(gold_codes[j]))
    alone = sum(map(len, codes)) + sum(map(len, gold_codes))
    alone -= sum(len(codes[i]) + len(gold_codes[j]) for i, j in pairs)
    return (wrong + alone) / (whole + alone)


def page_formulas(text: str) -> list[list[str]]:
    """Canonical tokens of a page's formulas, in order.

    Amounts (``$(32)$``), dates, single signs and note marks (``${ }^{(a)}$``) are left out:
    engines differ in whether they write them as formulas, and neither way is wrong.
    """
    formulas = (formula_tokens(formula.latex) for formula in find_formulas(text))
    return [tokens for tokens in formulas if _is_mathematics(tokens)]


def _is_mathematics(tokens: list[str]) -> bool:
    """Whether the tokens have both an operator or command, and a letter or digit."""
    if len(tokens) < 3 or tokens[0] == "^":
        return False
    return any(token.isalnum() for token in tokens) and any(
        token in _OPERATORS or (token[0] == "\\" and token[1:].isalpha()) for token in tokens
    )
