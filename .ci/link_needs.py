"""Link what a package needs, and nothing else, from this environment into another that has it.

``python .ci/link_needs.py ENVIRONMENT PACKAGE [EXTRA …]``: the package is installed in the other
environment without what it needs. What its metadata asks for, with these extras, is looked up here.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement


def needs(one: Distribution, extras: frozenset[str]) -> Iterator[Requirement]:
    """The requirements of a distribution with some of its extras, here and now."""
    for text in one.requires or []:
        need = Requirement(text)
        chosen = ({"extra": extra} for extra in extras or {""})
        if need.marker is None or any(map(need.marker.evaluate, chosen)):
            yield need


def link(folder: Path, package: str, extras: frozenset[str]) -> None:
    """Link them into a folder of packages. Raises PackageNotFoundError for what is not here."""
    here = Path(sysconfig.get_path("purelib"))
    (found,) = Distribution.discover(name=package, path=[str(folder)])
    left, seen = list(needs(found, extras)), set()
    while left:
        need = left.pop()
        key = need.name.lower(), frozenset(need.extras)
        if key in seen:
            continue
        seen.add(key)
        needed = distribution(need.name)
        left += needs(needed, key[1])
        for name in {file.parts[0] for file in needed.files or []} - {"..", "__pycache__"}:
            if not (folder / name).is_symlink():
                (folder / name).symlink_to(here / name)


if __name__ == "__main__":
    environment, package, *extras = sys.argv[1:]
    (packages,) = Path(environment).glob("lib/python*/site-packages")
    link(packages.resolve(), package, frozenset(extras))
