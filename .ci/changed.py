"""Which slow tests a change concerns, and whether it may have made something slower.

``python .ci/changed.py tests`` prints files and folders of tests, for ``make test-slow``, or
nothing. ``python .ci/changed.py guard`` prints ``guard`` if a package
changed. The change is what differs from ``$BASE``, or else from where the branch left ``main``.
Where that is not known (on ``main`` itself, in a folder without history, in a clone of one commit),
and where most of the project changed, these are the tests of :data:`CORE`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("ohr", "perturb", "ocr_backends", "rag", "experiments")
LARGE = ("ohr", "experiments")
"""Packages whose tests are too many to run all for a file of no folder."""
CORE = (
    "tests/experiments/test_reproduce.py",
    "tests/faults/test_study_faults.py",
    "tests/ohr/study",
    "tests/parity",
    "tests/test_extend.py",
    "tests/test_readme.py",
)
"""What is run when the change is not known, or is too wide to run all that it concerns."""
MOST = 12
"""Most entries before a change counts as wide. The nightly run has everything."""
WATCHED = {
    ".ci": ("tests/test_changed.py",),
    "README.md": ("tests/test_readme.py",),
    "docs": ("tests/test_readme.py", "tests/test_extend.py", "tests/browser/test_site_search.py"),
    "docs/guides": ("tests/test_loaders.py",),
    "notebooks": ("tests/notebooks",),
    "ohr/ocr": ("tests/faults", "tests/experiments/test_ocr.py"),
    "ohr/report": ("tests/browser",),
    "ohr/sample": ("tests/test_readme.py",),
    "ohr/store": ("tests/faults",),
    "ohr/study": ("tests/faults", "tests/ohr/study"),
    "ohr/workers": ("tests/faults", "tests/ohr/workers"),
    "perturb": ("tests/test_golden.py",),
}
"""Tests in other places than the folder that mirrors what changed."""


def git(root: Path, *arguments: str) -> list[str] | None:
    """The lines that git prints, or None if it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.splitlines()


def base_commit(root: Path) -> str | None:
    """The commit to compare with, or None where it is not known.

    On ``main`` it is not: any number of commits may have come at once.
    """
    if given := os.environ.get("BASE"):
        return given
    head = git(root, "rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        fork = git(root, "merge-base", "HEAD", main)
        if fork and fork != head:
            return fork[0]
    return None


def changed_files(root: Path = ROOT) -> list[str] | None:
    """The files that changed, committed or not; None if that cannot be told."""
    if git(root, "rev-parse", "--show-toplevel") != [str(root)]:
        return None  # a copy without history inside another repository
    base = base_commit(root)
    return None if base is None else git(root, "diff", "--name-only", base)


def tests_of(file: str, root: Path) -> Iterator[str]:
    """Files and folders with tests of a file."""
    path = PurePosixPath(file)
    for folder in (path, *path.parents):
        yield from WATCHED.get(str(folder), ())
    if path.parts[0] == "tests":
        if len(path.parts) == 2 and not path.name.startswith("test_"):
            yield from CORE  # a helper that all share
        elif path.suffix == ".py" and (root / path).exists():
            yield str(path if path.name.startswith("test_") else path.parent)
    elif path.parts[0] in PACKAGES and path.suffix != ".md":
        yield from mirrored(path, root)
    elif path.parts[0] == "benchmarks":
        yield "tests/benchmarks"
    elif len(path.parts) == 1 and path.suffix not in (".md", ".cff"):
        yield from CORE  # what is installed, and how tests run


def mirrored(path: PurePosixPath, root: Path) -> list[str]:
    """The folder of tests that mirrors a file's; else test files of its name, or its folders'."""
    for folder in list(path.parents)[:-2]:
        if (root / "tests" / folder).is_dir():
            return [f"tests/{folder}"]
    package = root / "tests" / path.parts[0]
    if path.parts[0] not in LARGE:
        return [package.relative_to(root).as_posix()]
    for name in (path.stem, *(folder.name for folder in list(path.parents)[:-2])):
        if files := sorted(package.rglob(f"test_{name.strip('_')}*.py")):
            return [file.relative_to(root).as_posix() for file in files]
    return list(CORE)


def concerned(files: Sequence[str] | None, root: Path = ROOT) -> list[str]:
    """Files and folders of the tests that a change concerns, without those inside another one."""
    if files is None:
        return list(CORE)
    entries = {test for file in files for test in tests_of(file, root)}
    outer = sorted(
        entry
        for entry in entries
        if not any(str(folder) in entries for folder in PurePosixPath(entry).parents)
    )
    if len(outer) > MOST:
        print(f"{len(outer)} folders and files of tests: the core alone", file=sys.stderr)
        return list(CORE)
    return outer


def needs_guard(files: Sequence[str] | None) -> bool:
    """Whether speed may have changed: a package did, or what it is measured by."""
    if files is None:
        return True
    return any(file.split("/")[0] in (*PACKAGES, "benchmarks") for file in files)


def main(question: str = "") -> None:
    """Answer a question: ``tests`` or ``guard``."""
    files = changed_files()
    if question == "tests":
        print("\n".join(concerned(files)))
    elif question == "guard":
        print("guard" if needs_guard(files) else "")
    else:
        raise SystemExit(f"unknown question {question!r}: ask for 'tests' or 'guard'")


if __name__ == "__main__":
    main(*sys.argv[1:])
