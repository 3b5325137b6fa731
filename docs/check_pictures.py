"""Checks that each picture of the docs is what its recipe makes: ``make pictures``.

``docs/pictures/recipes.yaml`` names for each picture the command that makes it and the code that
draws it. Two digests are recorded there: of the picture, and of that code (without comments and
docstrings) when it was drawn. Pixels differ from machine to machine, so pictures are not drawn
anew here: a picture whose code has changed since fails, unless it is marked ``older``, and one that
was replaced without its recipe fails too. After a picture is drawn anew:
``python docs/check_pictures.py --record NAME``.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
RECIPES = PICTURES / "recipes.yaml"
SUFFIXES = (".png", ".jpg", ".svg")
Recipes = Mapping[str, dict[str, Any]]


def main() -> None:
    """Print what is wrong; exit with 1 if a picture and its recipe differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", nargs="+", metavar="NAME", help="pictures drawn just now")
    named = parser.parse_args().record or []
    recipes = read_recipes(RECIPES)
    if unknown := sorted(set(named) - set(recipes)):
        parser.error(f"no recipe for {unknown[0]}: add it to {RECIPES.relative_to(ROOT)}")
    if named:
        record(recipes, named, PICTURES, ROOT)
        write_recipes(RECIPES, recipes)
    faults = list(check(recipes, PICTURES, ROOT))
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    older = sorted(name for name, recipe in recipes.items() if recipe.get("older"))
    if older:
        print(f"drawn by older code, to be drawn anew: {', '.join(older)}")
    sys.exit(bool(faults))


def read_recipes(path: Path) -> dict[str, dict[str, Any]]:
    """Picture -> its recipe: ``command``, ``code``, ``picture`` and ``drawn_by`` (digests)."""
    return dict(yaml.safe_load(path.read_text("utf-8")))


def write_recipes(path: Path, recipes: Recipes) -> None:
    """Write the recipes, by name."""
    path.write_text(yaml.safe_dump(dict(recipes), width=100, allow_unicode=True), "utf-8")


def record(recipes: Recipes, names: list[str], pictures: Path, root: Path) -> None:
    """Note that pictures were drawn by the code as it is."""
    for name in names:
        recipe = recipes[name]
        recipe["picture"] = digest((pictures / name).read_bytes())
        recipe["drawn_by"] = code_digest(recipe["code"], root)
        recipe.pop("older", None)


def check(recipes: Recipes, pictures: Path, root: Path) -> Iterator[str]:
    """What is wrong with pictures and recipes, one line each."""
    files = {path.name for path in pictures.iterdir() if path.suffix in SUFFIXES}
    for name in sorted(files - set(recipes)):
        yield f"{name} has no recipe"
    for name in sorted(set(recipes) - files):
        yield f"{name} has a recipe and is not there"
    for name in sorted(set(recipes) & files):
        recipe = recipes[name]
        if recipe["picture"] != digest((pictures / name).read_bytes()):
            yield f"{name} was replaced: draw it with `{recipe['command']}`, then --record {name}"
        elif not recipe.get("older") and recipe["drawn_by"] != code_digest(recipe["code"], root):
            yield (
                f"{name}: its code has changed since it was drawn: `{recipe['command']}`, then "
                f"--record {name} (or mark it older: true)"
            )


def code_digest(paths: list[str], root: Path) -> str:
    """The digest of the files and folders that draw a picture. Raises OSError if one is missing."""
    parts = []
    for path in paths:
        place = root / path
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        parts += [
            code_of(file) for file in files if "__pycache__" not in file.parts and file.suffix
        ]
    return digest("\n".join(parts).encode())


def code_of(file: Path) -> str:
    """What a file does: Python without comments, docstrings and layout; other files as they are."""
    text = file.read_text("utf-8")
    if file.suffix != ".py":
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return ast.dump(tree)


def digest(content: bytes) -> str:
    """The first sixteen digits of SHA-256."""
    return hashlib.sha256(content).hexdigest()[:16]


if __name__ == "__main__":
    main()
