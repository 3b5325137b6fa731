"""Each picture of the docs has a recipe, and is drawn by the code as it is or marked as older."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import check_pictures

CODE = '"""About."""\nSIZE = 3  # inches\n\n\ndef draw():\n    """Draw."""\n    return SIZE\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "figure.py").write_text(CODE)
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(b"a picture")
    return tmp_path


def recorded(folder: Path) -> dict[str, dict[str, object]]:
    recipes: dict[str, dict[str, object]] = {"a.png": {"command": "draw", "code": ["figure.py"]}}
    check_pictures.record(recipes, ["a.png"], folder / "pictures", folder)
    return recipes


def faults(recipes: dict[str, dict[str, object]], folder: Path) -> list[str]:
    return list(check_pictures.check(recipes, folder / "pictures", folder))


def test_a_recorded_picture_is_right_until_its_code_or_its_file_changes(folder):
    recipes = recorded(folder)
    assert faults(recipes, folder) == []
    (folder / "figure.py").write_text(CODE.replace("  # inches", "").replace("About", "On"))
    assert faults(recipes, folder) == []  # comments and docstrings draw nothing
    (folder / "figure.py").write_text(CODE.replace("3", "4"))
    [fault] = faults(recipes, folder)
    assert fault.startswith("a.png: its code has changed since it was drawn: `draw`")
    recipes["a.png"]["older"] = True
    assert faults(recipes, folder) == []
    (folder / "pictures" / "a.png").write_bytes(b"another")
    [fault] = faults(recipes, folder)
    assert fault.startswith("a.png was replaced")


def test_pictures_and_recipes_belong_together(folder):
    (folder / "pictures" / "b.jpg").write_bytes(b"b")
    recipes = recorded(folder)
    recipes["c.png"] = dict(recipes["a.png"])
    assert faults(recipes, folder) == [
        "b.jpg has no recipe", "c.png has a recipe and is not there"
    ]  # fmt: skip


def test_the_pictures_of_the_docs_are_what_their_recipes_make():
    recipes = check_pictures.read_recipes(check_pictures.RECIPES)
    assert len(recipes) >= 20
    assert list(check_pictures.check(recipes, check_pictures.PICTURES, ROOT)) == []
