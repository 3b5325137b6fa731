"""Pin the dependencies at the lowest versions that ``pyproject.toml`` allows.

``python .ci/lowest.py [EXTRA …]`` prints one pin per line, for pip, of the dependencies and those
of the extras.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement


def lowest(requirement: str) -> str:
    """The pin of a requirement at its lower bound. Raises ValueError if it has none."""
    parsed = Requirement(requirement)
    for bound in parsed.specifier:
        if bound.operator == ">=":
            return f"{parsed.name}=={bound.version}"
    raise ValueError(f"{requirement}: no lower bound; write {parsed.name}>=VERSION")


def pins(project: Path, extras: Sequence[str]) -> list[str]:
    """The pins of a project's dependencies and of some of its extras."""
    table = tomllib.loads(project.read_text("utf-8"))["project"]
    optional = (table["optional-dependencies"][extra] for extra in extras)
    return [lowest(line) for lines in (table["dependencies"], *optional) for line in lines]


if __name__ == "__main__":
    print(*pins(Path("pyproject.toml"), sys.argv[1:]), sep="\n")
