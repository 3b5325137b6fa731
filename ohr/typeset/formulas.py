r"""Formulas: LaTeX to Typst by Pandoc, many at once, and what Pandoc refuses as text.

Pandoc is given formulas alone, in its sandbox, and never a page. Its output is checked before
Typst reads it: no code, no name by which Typst reaches files.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from typing import Any

from ohr.errors import MissingDependencyError, StoreError
from ohr.markup.tables.content import Math, Node, Styled, Text

HINT = "pip install 'ohr[typeset]'"
_WALL_S = 600
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CODE = re.compile(r"(?<!\\)(?:\\\\)*#|\bstd\b|//|/\*|(?<!\\)\$")
_BEGIN = re.compile(r"\\(begin|end)[ \t]*\{([a-zA-Z]+\*?)\}(?:[ \t]*\{[^{}]*\})?")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_CELL = re.compile(r"(?<!\\)&|\\\\(?:\[[^\]]{0,20}\])?")
_LAYOUT = re.compile(
    r"#h\(-?\d{1,2}(?:\.\d{1,3})?em\)|#scale\(x: \d{1,3}%, y: \d{1,3}%\)(?=\[)|#none(?!\w)"
)
"""The code that Pandoc writes for spaces and large brackets."""
# What Pandoc does not know -> what it knows and means the same.
_SAME = {
    r"\\S": "\u00a7", r"\\P": "\u00b6", r"\\pounds": "\u00a3", r"\\euro": "\u20ac",
    r"\\degree": "\u00b0", r"\\bullet": "\u2022", r"\\checkmark": "\u2713", r"\\cfrac": r"\frac",
    r"\\intop": r"\int", r"\\pmb": r"\mathbf", r"\\bmod": r"\operatorname{mod}",
}  # fmt: skip
_SAME_SIGN = re.compile("(?:" + "|".join(_SAME) + ")(?![a-zA-Z])")
_SWITCH = re.compile(r"\{[ ]*\\(bf|cal|sf|tt|rm|it)(?![a-zA-Z])[ ]*([^{}]*)\}")
_ALPHABETS = {"bf": "bf", "cal": "cal", "sf": "sf", "tt": "tt", "rm": "rm", "it": "it"}
# Names that Pandoc 3.9 writes and Typst 0.15 no longer has.
_OLD_NAMES = {
    "sect": "\u2229", "sect.big": "\u22c2", "sect.sq": "\u2293", "sect.double": "\u22d2",
    "times.circle": "\u2297", "times.circle.big": "\u2a02", "plus.circle": "\u2295",
    "plus.circle.big": "\u2a01", "minus.circle": "\u2296", "dot.circle": "\u2299",
    "dot.circle.big": "\u2a00", "div.circle": "\u2a38", "gt.tri": "\u25b7", "lt.tri": "\u25c1",
    "gt.tri.eq": "\u22b5", "lt.tri.eq": "\u22b4",
}  # fmt: skip
_OLD_NAME = re.compile(
    r'"(?:[^"\\]|\\.)*"|(?<![a-zA-Z0-9.\\])(?:'
    + "|".join(re.escape(name) for name in sorted(_OLD_NAMES, key=len, reverse=True))
    + r")(?!\.?[a-zA-Z0-9])"
)
_NO_ARGUMENT = re.compile(r'"(?:[^"\\]|\\.)*"|, \)|\bsqrt\(\)')
_CIRCLED = re.compile(r"\\textcircled[ ]*\{[ ]*(\d{1,2})[ ]*\}")
_WORDS = re.compile('[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\u3000-\u303f]+|"')
_TEXT = re.compile(r"\\(?:text|mathrm|mbox|textrm)[ ]*\{[^{}]*\}")
_PLAIN = re.compile(
    r"\\(?:text|textrm|mathrm|textnormal|mbox)[ \t]*\{(?P<text>[^{}$\\^_]*)\}"
    r"|\\(?P<escaped>[%&$#_])|(?P<space>\\[ ,;:!]|\\q?quad(?![a-zA-Z])|~|[ \t\n]+)"
    r"|(?P<script>[\^_])[ \t]*|\{(?P<group>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"
    r"|(?P<words>[0-9]+(?:[.,:][0-9]+)*|[.,:;()\[\]/%*+|?!'\u2019\u2020\u2021\u00a7\u00b0-]+)"
)
_NOTE_MARKS = re.compile(r"(?:\s*\(\s*[a-zA-Z0-9]{1,2}\s*\)[\s,]*)+")
_DEEPEST = 4


@cache
def pandoc() -> str:
    """Path of Pandoc. Raises MissingDependencyError."""
    try:
        import pypandoc
    except ImportError as error:
        raise MissingDependencyError(
            f"pypandoc_binary, which converts formulas, is not installed: {HINT}"
        ) from error
    try:
        return str(pypandoc.get_pandoc_path())
    except OSError as error:
        raise MissingDependencyError(
            f"pypandoc is installed without Pandoc itself: {HINT}"
        ) from error


@cache
def pandoc_version() -> str:
    """The version of the package that brings Pandoc. Raises MissingDependencyError."""
    pandoc()
    for package in ("pypandoc_binary", "pypandoc"):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return "unknown"


def plain_formula(latex: str, depth: int = 0) -> tuple[Node, ...] | None:
    r"""The nodes of a formula in which nothing is mathematics; None for any other.

    OHR-Bench writes prices, percentages and note marks as formulas: ``\$ 57,500``, ``19 \%``,
    ``{ }^{(a)}``. They are text with scripts.
    """
    nodes: list[Node] = []
    position = 0
    script = ""
    while position < len(latex):
        match = _PLAIN.match(latex, position)
        if match is None or depth > _DEEPEST:
            return None
        position = match.end()
        kind = match.lastgroup
        inner: tuple[Node, ...]
        if kind == "script":
            if script:
                return None
            script = match["script"]
            continue
        if kind == "group":
            group: tuple[Node, ...] | None
            if script == "^" and _NOTE_MARKS.fullmatch(match["group"]):
                group = (Text("".join(match["group"].split())),)
            else:
                group = plain_formula(match["group"], depth + 1)
            if group is None:
                return None
            inner = group
        elif kind == "space":
            inner = (Text("" if match["space"] == r"\!" else " "),)
        else:
            inner = (Text(match[kind or 0].replace("~", " ")),)
        if script:
            if kind == "space":
                return None
            inner = (Styled("superscript" if script == "^" else "subscript", inner),)
            script = ""
        nodes += inner
    return None if script else tuple(nodes)


def balanced(latex: str) -> str:
    r"""The formula with its environments and braces in pairs: a ``\begin`` without an ``\end``, as
    in a formula that was cut at a line break, and a stray brace are left out.
    """
    stack: list[re.Match[str]] = []
    single: set[tuple[int, int]] = set()
    for mark in _BEGIN.finditer(latex):
        if mark[1] == "begin":
            stack.append(mark)
        elif stack and stack[-1][2] == mark[2]:
            stack.pop()
        else:
            single.add(mark.span())
    single |= {mark.span() for mark in stack}
    if single:
        latex = _cut(latex, single)
        if "\\begin" not in latex:
            latex = _CELL.sub(" ", latex)
    opened: list[int] = []
    stray: set[tuple[int, int]] = set()
    for mark in _BRACE.finditer(latex):
        if mark[0] == "{":
            opened.append(mark.start())
        elif mark[0] == "}":
            if opened:
                opened.pop()
            else:
                stray.add(mark.span())
    return _cut(latex, stray) + "}" * len(opened)


def repair(latex: str) -> str:
    r"""The formula as Pandoc can read it: in balance, with the commands that it knows; words of
    other scripts as ``\text``, and lines without an environment as lines.
    """
    latex = _SAME_SIGN.sub(lambda sign: _SAME["\\" + sign[0]], latex)
    latex = _SWITCH.sub(lambda m: rf"\math{_ALPHABETS[m[1]]}{{{m[2]}}}", latex)
    latex = _CIRCLED.sub(lambda m: _circled(int(m[1])), latex)
    if _WORDS.search(latex):
        edges = [0, *(edge for text in _TEXT.finditer(latex) for edge in text.span()), len(latex)]
        pieces = [latex[a:b] for a, b in pairwise(edges)]
        pieces[::2] = [_WORDS.sub(lambda m: rf"\text{{{m[0]}}}", piece) for piece in pieces[::2]]
        latex = "".join(pieces)
    latex = balanced(latex)
    if "\\\\" in latex and "\\begin" not in latex:
        latex = rf"\begin{{gathered}}{latex}\end{{gathered}}"
    return latex


def _circled(number: int) -> str:
    return chr(0x2460 + number - 1) if 1 <= number <= 20 else f"({number})"


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + " " + text[end:]
    return text


def convert(formulas: Iterable[str]) -> dict[str, str | None]:
    """LaTeX -> Typst mathematics with its dollars; None for what Pandoc refuses.

    Raises MissingDependencyError, and StoreError if Pandoc cannot be run.
    """
    sources = list(dict.fromkeys(formulas))
    if not sources:
        return {}
    # No formula can contain the digest of all formulas.
    mark = "x" + hashlib.blake2b("\0".join(sources).encode(), digest_size=12).hexdigest()
    blocks: list[dict[str, Any]] = []
    for number, latex in enumerate(sources):
        repaired = repair(latex)
        blocks.append(_paragraph({"t": "Str", "c": f"{mark}n{number}"}))
        blocks.append(_paragraph({"t": "Math", "c": [{"t": "InlineMath"}, repaired]}))
    document = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    command = [pandoc(), "--sandbox", "--from=json", "--to=typst", "--wrap=none"]
    try:
        done = subprocess.run(
            command, input=json.dumps(document).encode(), capture_output=True, timeout=_WALL_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StoreError(f"Pandoc cannot convert formulas: {error}") from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip()
        raise StoreError(f"Pandoc cannot convert formulas: {message[:300]}")
    parts = re.split(rf"^{mark}n(\d+)$", done.stdout.decode(), flags=re.MULTILINE)
    written = {int(n): body.strip() for n, body in zip(parts[1::2], parts[2::2], strict=True)}
    return {latex: _checked(written.get(number, "")) for number, latex in enumerate(sources)}


def _paragraph(inline: Mapping[str, object]) -> dict[str, Any]:
    return {"t": "Para", "c": [inline]}


def _checked(typst: str) -> str | None:
    """Pandoc's output if it is one formula without code in it."""
    if len(typst) < 2 or typst[0] != "$" or typst[-1] != "$":
        return None
    inner = typst[1:-1]
    bare = _LAYOUT.sub("", _STRING.sub('""', inner))
    if not inner.strip() or "\n\n" in inner or '"' in bare.replace('""', "") or _CODE.search(bare):
        return None
    typst = _OLD_NAME.sub(
        lambda name: _OLD_NAMES.get(name[0], name[0]), " ".join(typst.split("\n"))
    )
    return _NO_ARGUMENT.sub(lambda part: _FILLED.get(part[0], part[0]), typst)


_FILLED = {", )": ", zws)", "sqrt()": "sqrt(zws)"}  # Typst wants an argument


def source_of(math: Math) -> str:
    """A formula as text, with its dollars."""
    return f"$${math.source}$$" if math.display else f"${math.source}$"
