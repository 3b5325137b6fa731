"""Plain English: phrases and names that must not come back, and the glossary."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

import ohr
from ohr.study.output.cells import CELL_COLUMNS
from tests.conftest import ROOT

PHRASES = {
    "a file a": "one file per",
    "a row a": "one row per",
    "answers to nothing": "closed-book answers",
    "befall": "apply to",
    "befalls": "applies to",
    "held against": "compared with",
    "hold against each other": "compare",
    "how far the reading moves": "instability under mild distortion",
    "how far the processes are": "progress",
    "mended": "fixed",
    "of which none is": "none of which is",
    "one's own": "your",
    "pages are read by OCR": "OCR output",
    "readings": "OCR output",
    "a reading": "OCR output",
    "read so:": "say it directly",
    "say how far": "show",
    "say what": "show",
    "share out": "attribute",
    "shared out": "attributed",
    "stand it best": "are most robust",
    "stands it best": "is most robust",
    "the mend": "the fix",
    "to look into": "interactive",
    "to mend": "to fix",
    "told apart": "distinguished; differ significantly",
    "thereof": "of it",
    "whereof": "of which",
}
"""What is not written, and what is written in its place."""
PYTHON = ("ohr", "experiments", "perturb", "ocr_backends", "rag", "benchmarks", "docs")
"""Folders whose Python files are checked too: docstrings, comments, help and messages."""
VAGUE = frozenset({
    "asked", "found", "here", "kept", "made", "one", "said", "there", "told", "wanted",
})  # fmt: skip
"""Words that name no thing. Neither a variable nor a function is called so."""
FORBIDDEN = re.compile(
    "|".join(rf"(?<!\w){p}(?!\w)" for p in (phrase.replace(" ", r"\s+") for phrase in PHRASES)),
    re.IGNORECASE,
)
ALLOWED = re.compile(r"\b(?:do|does|did)\s+not\s+say\s+what\b", re.IGNORECASE)
"""Usual English that holds one of them: *the paper does not say what it counts*."""
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
"""Of Markdown: commands and names, which are what the code calls them."""
NAMES = re.compile(r"``[^`]*``|:\w+:`[^`]*`|\{[^{}\s]*\}|^\s*#")
"""The same of docstrings and messages, and the sign of a comment."""
SAMPLE = ROOT / "ohr" / "sample"
"""Its files hold the texts of the generated documents."""
GLOSSARY = (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8")


def modules() -> list[Path]:
    """The Python files of the folders that are checked."""
    return sorted(path for folder in PYTHON for path in (ROOT / folder).rglob("*.py"))


def written() -> list[Path]:
    """What a person reads: pages, notebooks and Python files."""
    pages = {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")}
    notebooks = (ROOT / "notebooks").glob("*.ipynb")
    return sorted({*pages, *notebooks, *(p for p in modules() if SAMPLE not in p.parents)})


def offences(paths: list[Path], check: Callable[[Path], Iterable[str]]) -> list[str]:
    """What a check finds in files, each with the file's name."""
    return [f"{path.relative_to(ROOT)}, {fault}" for path in paths for fault in check(path)]


def drop_code(markdown: str) -> str:
    """The prose, on the same lines as before."""
    return CODE.sub(lambda code: "\n" * code[0].count("\n"), markdown)


def prose(path: Path) -> str:
    """What a person reads of a file; line numbers stay those of the file, but for notebooks."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        return drop_code(text)
    if path.suffix == ".ipynb":
        cells = (cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
        return drop_code("\n\n".join("".join(cell["source"]) for cell in cells))
    return python_prose(text)


def python_prose(source: str) -> str:
    """Strings and comments, each on its line; a string without a space is a name, and left out.

    Nothing of a source without any forbidden phrase: to take it apart is most of the work.
    """
    if not FORBIDDEN.search("\n".join(NAMES.sub(" ", line) for line in source.splitlines())):
        return ""
    lines = [""] * (source.count("\n") + 2)
    kinds = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", None)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds and re.search(r"\s", token.string):
            for offset, line in enumerate(token.string.splitlines()):
                lines[token.start[0] - 1 + offset] += f" {line}"
    return "\n".join(NAMES.sub(" ", line) for line in lines)


def faults(text: str) -> Iterator[str]:
    """Each forbidden phrase, with its line and what to write in its place."""
    text = ALLOWED.sub(lambda allowed: "\n" * allowed[0].count("\n"), text)
    for match in FORBIDDEN.finditer(text):
        phrase = " ".join(match[0].split())
        line = text.count("\n", 0, match.start()) + 1
        yield f"line {line}: {phrase!r}; write {PHRASES[known(phrase)]!r}"


def known(phrase: str) -> str:
    """The phrase as the table has it."""
    return next(entry for entry in PHRASES if entry.lower() == phrase.lower())


def test_everything_is_plain_english():
    paths = written()
    assert {".md", ".ipynb", ".py"} == {path.suffix for path in paths}
    assert offences(paths, lambda path: faults(prose(path))) == []


def bound_names(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of each variable, argument, function, class and attribute that is set."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case (
                ast.arg(arg=str(name))
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.alias(asname=str(name))
            ):
                yield node.lineno, name


def vague_names(source: str) -> list[str]:
    """The names that are one of :data:`VAGUE`, whatever their case and underscores."""
    return [
        f"line {line}: {name}"
        for line, name in bound_names(source)
        if name.strip("_").lower() in VAGUE
    ]


def test_names_name_a_thing():
    assert offences(modules(), lambda path: vague_names(path.read_text("utf-8"))) == []


def test_an_offence_is_listed_with_its_file():
    paths = modules()[:2]
    names = [str(path.relative_to(ROOT)) for path in paths]
    assert offences(paths, lambda path: ["line 1: a", "line 2: b"]) == [
        f"{name}, {fault}" for name in names for fault in ("line 1: a", "line 2: b")
    ]


@pytest.mark.parametrize(
    "source",
    [
        "found = 1", "_kept: int = 1", "KEPT = 1", "for one in x: pass", "(made := 1)",
        "x.told = 1", "def said(): pass", "async def asked(): pass", "class Kept: pass",
        "def f(*, wanted): pass", "lambda one: 1", "[one for one in x]", "with x as there: pass",
        "import x as here", "try: pass\nexcept E as told: pass", "match x:\n case [1, *one]: pass",
    ],
)  # fmt: skip
def test_a_vague_name_is_noticed(source):
    assert len(vague_names(source)) == 1


def test_what_others_call_so_and_longer_names_are_allowed():
    assert vague_names("kept_share = found[one].made + f(wanted=here)") == []


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_is_found_in_any_case_and_over_the_end_of_a_line(phrase):
    text = f"One line.\nIt is: {phrase.upper().replace(' ', chr(10), 1)}, as before."
    assert [fault[:7] for fault in faults(text)] == ["line 2:"]
    assert not list(faults(f"un{phrase}ly"))


def test_usual_english_is_allowed():
    assert not list(faults("The paper does not\nsay what it counts."))
    assert list(faults("Tests say what it counts."))


def test_code_is_no_prose_and_comments_are():
    assert not list(faults(drop_code("`applies_to`\n```python\nbefalls\n```\n")))
    source = 'befalls = """It\nbefalls."""  # told apart\nx = f"{befalls} the mend"\n'
    assert [fault[:7] for fault in faults(python_prose(source))] == [
        "line 2:",
        "line 2:",
        "line 3:",
    ]


def terms() -> dict[str, str]:
    """Term -> the rest of its row."""
    rows = re.findall(r"^\| \*\*(.+?)\*\* \|(.*)$", GLOSSARY, re.MULTILINE)
    return dict(rows)


def test_the_glossary_is_in_alphabetical_order():
    assert len(terms()) >= 40
    assert list(terms()) == sorted(terms(), key=str.lower)


def test_what_the_glossary_names_of_the_package_is_there():
    names = re.findall(r"`ohr\.(plugins\.)?([A-Z]\w+)((?:\.\w+)*)", GLOSSARY)
    assert len(names) >= 20
    for hook, name, _ in names:
        assert name in (ohr.plugins if hook else ohr).__all__, name


def test_columns_that_the_glossary_names_are_those_of_cells():
    named = [
        column
        for row in terms().values()
        for part in re.findall(r"columns? ((?:`\w+`(?:, | and )?)+)", row)
        for column in re.findall(r"`(\w+)`", part)
    ]
    assert len(named) >= 15
    assert set(named) - {"status"} <= set(CELL_COLUMNS)
