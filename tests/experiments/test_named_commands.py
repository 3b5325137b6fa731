"""Every command that texts name exists: in the docs, in help, in messages and in docstrings."""

from __future__ import annotations

import re
from pathlib import Path

from experiments._commands import EARLIER, GROUPS, NAMES, OTHER_PATHS, SINGLE

ROOT = Path(__file__).parents[2]
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
    *(
        path
        for folder in ("ohr", "perturb", "ocr_backends", "rag", "experiments", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.name != "versions.py"  # lists packages, the first of which is ohr
    ),
]
# After a word, "ohr" is part of a name or a sentence: "import ohr as", "uses ohr and".
_COMMAND = re.compile(
    r"(?:^|[`(\"'>]|\$ ?|: )ohr[ ]+([a-z][a-z0-9-]*)(?:[ ]+([a-z][a-z0-9-]*))?", re.MULTILINE
)
_MODULE = re.compile(r"python -m experiments\.([a-z_0-9]+)")
PLACEHOLDERS = {"command", "--help"}


def unknown_commands(text: str) -> list[str]:
    """Commands of a text that do not exist."""
    wrong = []
    for match in _COMMAND.finditer(text):
        first, second = match[1], match[2]
        if first in SINGLE or first in PLACEHOLDERS or (first, second) in OTHER_PATHS:
            continue
        if first not in GROUPS or (second is not None and second not in GROUPS[first][1]):
            wrong.append(f"ohr {first} {second or ''}".strip())
    modules = _MODULE.findall(text)
    return wrong + [name for name in modules if name not in NAMES and name not in EARLIER]


def test_every_named_command_exists():
    wrong = {
        str(path.relative_to(ROOT)): names
        for path in TEXTS
        if (names := unknown_commands(path.read_text("utf-8")))
    }
    assert wrong == {}


def test_a_command_that_does_not_exist_is_seen():
    text = "Run `ohr run noise-curve`, `ohr analyse curve RUN`, `ohr noise_curve`.\n$ ohr boards"
    assert unknown_commands(text) == ["ohr analyse curve", "ohr noise", "ohr boards"]
    assert unknown_commands("python -m experiments.noise_curves") == ["noise_curves"]
    assert unknown_commands("import ohr as o; the ohr toolkit") == []
