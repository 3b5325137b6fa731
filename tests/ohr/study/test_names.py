"""Names in the study and below it say the thing, not the grammar of a sentence."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT

ROOMS = ("study", "scoring", "api")
PREPOSITIONS = set(
    "about above across after against along among around as at before behind below beneath beside "
    "between beyond by down during for in inside into like near of off on onto out outside over "
    "per since than through toward under until up upon via with within without".split()
)
VAGUE = {"at", "left", "known", "others", "of_metric"}


def bindings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


FILES = [path for room in ROOMS for path in sorted((ROOT / "ohr" / room).rglob("*.py"))]


@pytest.mark.parametrize("room", ROOMS)
def test_no_function_begins_with_a_preposition_and_no_binding_is_vague(room):
    for path in FILES:
        if path.relative_to(ROOT / "ohr").parts[0] != room:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        names = [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        starts = {name for name in names if name.lstrip("_").split("_")[0] in PREPOSITIONS}
        assert not starts, f"{path}: {starts}"
        assert not VAGUE.intersection(bindings(tree)), path


PROJECT = ("ohr", "perturb", "ocr_backends", "rag", "experiments", "benchmarks")
PUBLIC = {"at_once", "of_text"}
"""Names that plug-ins call."""


@pytest.mark.slow
def test_no_function_of_the_project_begins_with_a_preposition():
    found = []
    for room in PROJECT:
        for path in (ROOT / room).rglob("*.py"):
            tree = ast.parse(path.read_text("utf-8"))
            names = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)} - PUBLIC
            found += [n for n in names if n.lstrip("_").split("_")[0] in PREPOSITIONS]
    assert found == []


@pytest.mark.slow
def test_one_class_is_called_run_and_one_verdict():
    classes = [
        f"{path.relative_to(ROOT)}:{node.name}"
        for room in PROJECT
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and node.name in ("Run", "Verdict")
    ]
    assert sorted(classes) == ["ohr/analysis/comparison/gate.py:Verdict", "ohr/api/run.py:Run"]
