"""A command names its files on one line (``say_files``), not one line for each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from ohr.display.terminal import MOST_FIGURES, files_line, say_files
from tests.conftest import ROOT

SOURCES = sorted(path for room in ("ohr", "experiments") for path in (ROOT / room).rglob("*.py"))
PRINTS = ("print", "_print", "say", "print_caption")
LOOPS = (ast.For, ast.ListComp, ast.GeneratorExp)
NAMES = ("path", "file", "figure", "picture", "out", "target", "folder", "written")


def is_path(node: ast.expr) -> bool:
    """Whether an expression is a path, by its form: ``out / FILE``, ``path``, ``str(path)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("str", "plain") and bool(node.args) and is_path(node.args[0])
    is_joined = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    return is_joined or (isinstance(node, ast.Name) and node.id in NAMES)


def is_bare(node: ast.AST) -> bool:
    """Whether a text is a path after a word at most: ``f"table: {path}"``; ``print(path)``."""
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        is_printed = name in PRINTS and len(node.args) == 1
        return is_printed and not isinstance(node.args[0], ast.JoinedStr) and is_path(node.args[0])
    if not isinstance(node, ast.JoinedStr):
        return False
    values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    texts = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
    label = str(node.values[0].value) if isinstance(node.values[0], ast.Constant) else ""
    rest = "".join(texts).removeprefix(label)
    is_label = not label or (label.endswith(": ") and len(label.split()) <= 3)
    return len(values) == 1 and is_label and rest[:1] in ("", ".") and is_path(values[0].value)


def bare_lines(function: ast.AST, in_loop: bool = False) -> Iterator[tuple[int, bool]]:
    """The lines of a function's bare paths in labels or prints, and whether each is in a loop."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, (ast.Raise, ast.FunctionDef)):
            continue  # an error names a path; another function is looked at by itself
        is_labelled = isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant)
        if is_bare(node) and (is_labelled or isinstance(node, ast.Call)):
            yield node.lineno, in_loop
        yield from bare_lines(node, in_loop or isinstance(node, LOOPS))


def faults(source: str) -> list[int]:
    """The lines of a module that name files one by one."""
    tree = ast.parse(source)
    lines = []
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        bare = list(bare_lines(function))
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        says = any(isinstance(c.func, ast.Name) and c.func.id == "say_files" for c in calls)
        if says or len(bare) > 1:
            lines += [line for line, _ in bare]
        else:
            lines += [line for line, in_loop in bare if in_loop]
    return sorted(set(lines))


def test_no_module_prints_its_files_one_by_one() -> None:
    found = {path: faults(path.read_text("utf-8")) for path in SOURCES}
    assert len(found) > 400
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "body",
    [
        'for path in paths: print(f"table: {path}")',
        "for path in draw(out): print(path)",
        "for path in draw(out): say(str(path))",
        'print(f"means: {out / FILE}")\n print(plain(f"counts: {out / COUNTS}.csv"))',
        'say_files(figures)\n print(f"losses: {folder / FILE}")',
        "return [f\"table: {out / 'a.csv'}\", f\"board: {out / 'index.html'}\"]",
        'return [f"figure: {path}" for path in paths]',
    ],
)
def test_files_one_by_one_are_found(body: str) -> None:
    assert faults(f"def report(out):\n {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        'print(f"run: {out}")',
        'for path in paths: print(f"{path}: {count} pages")',
        'for path in paths: raise OhrError(f"no such file: {path}")',
        "say_files([out / FILE, *draw(out)])",
    ],
)
def test_one_file_and_what_says_more_may_be_printed(body: str) -> None:
    assert not faults(f"def report(out):\n {body}\n")


def test_a_table_is_named_once_and_of_many_figures_the_first() -> None:
    run = Path("runs/first")
    table = [run / f"costs.{suffix}" for suffix in ("csv", "md", "tex")]
    own = [run / f"dots.{suffix}" for suffix in ("png", "svg", "txt")]
    assert files_line([*table, *own, run / "trust.md", run / "trust.csv"]) == (
        "files in runs/first: costs.csv (.md, .tex), trust.md, trust.csv, dots.png"
    )
    figures = [
        run / f"figures/f{place}.{suffix}"
        for place in range(MOST_FIGURES + 2)
        for suffix in ("png", "svg", "txt")
    ]
    more = f"figures/f0 and {MOST_FIGURES + 1} more figures"
    assert files_line([*figures, *table]) == f"files in runs/first: costs.csv (.md, .tex), {more}"


def test_without_files_no_line_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    say_files([])
    assert not capsys.readouterr().out
