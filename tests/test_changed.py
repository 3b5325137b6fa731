"""CI runs the slow tests that a change concerns, and the core where it cannot tell."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

_spec = importlib.util.spec_from_file_location("changed", ROOT / ".ci" / "changed.py")
assert _spec is not None
assert _spec.loader is not None
changed = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(changed)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of two commits on main, of which the second changes the store."""
    monkeypatch.delenv("BASE", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git(tmp_path, "init", "-q", "-b", "main")
    for file in ("ohr/store/lease.py", "rag/prompt.py"):
        write(tmp_path, file)
        git(tmp_path, "add", ".")
        git(tmp_path, *AUTHOR, "commit", "-q", "-m", file)
    return tmp_path


AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@b.invalid")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def write(folder: Path, file: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text("x = 1\n")


def test_on_main_the_change_is_unknown_unless_its_base_is_named(repository, monkeypatch):
    assert changed.changed_files(repository) is None
    monkeypatch.setenv("BASE", "HEAD~1")
    (repository / "ohr/store/lease.py").write_text("x = 2\n")
    assert changed.changed_files(repository) == ["ohr/store/lease.py", "rag/prompt.py"]


def test_on_a_branch_the_change_is_all_of_its_commits(repository):
    git(repository, "checkout", "-q", "-b", "topic")
    for file in ("perturb/a.py", "perturb/b.py"):
        write(repository, file)
        git(repository, "add", ".")
        git(repository, *AUTHOR, "commit", "-q", "-m", file)
    assert changed.changed_files(repository) == ["perturb/a.py", "perturb/b.py"]


def test_a_base_may_be_named(repository, monkeypatch):
    monkeypatch.setenv("BASE", "HEAD")
    assert changed.changed_files(repository) == []
    monkeypatch.setenv("BASE", "no-such-commit")
    assert changed.changed_files(repository) is None


def test_without_history_the_change_is_unknown(repository, tmp_path_factory):
    shallow = tmp_path_factory.mktemp("clones") / "shallow"
    git(repository, "clone", "-q", "--depth", "1", f"file://{repository}", str(shallow))
    assert changed.changed_files(shallow) is None
    inside = shallow / "copy"
    inside.mkdir()
    assert changed.changed_files(inside) is None
    assert changed.changed_files(tmp_path_factory.mktemp("plain")) is None
    assert changed.concerned(None) == list(changed.CORE)
    assert changed.needs_guard(None)


@pytest.mark.parametrize(
    ("files", "tests"),
    [
        ([], []),
        (
            ["CHANGELOG.md", "docs/site.css"],
            [
                "tests/browser/test_site_search.py",
                "tests/test_extend.py",
                "tests/test_readme.py",
            ],
        ),
        (["ohr/metrics/ranking.py"], ["tests/ohr/metrics"]),
        (["ohr/markup/tables/parse.py", "ohr/markup/strip.py"], ["tests/ohr/markup"]),
        (["ohr/workers/pool.py"], ["tests/faults", "tests/ohr/workers"]),
        (["experiments/board.py"], ["tests/experiments/test_board.py"]),
        (["rag/chunking/words.py"], ["tests/rag"]),
        (["rag/systems/p0.py"], ["tests/rag/systems"]),
        (["tests/rag/test_bm25.py"], ["tests/rag/test_bm25.py"]),
        (["tests/rag/no_longer_there.py"], []),
        (["tests/ocr_backends/programs.py"], ["tests/ocr_backends"]),
        (["tests/builders.py"], list(changed.CORE)),
        (["pyproject.toml"], list(changed.CORE)),
        (["ohr/no_test_has_this_name.py"], list(changed.CORE)),
    ],
)
def test_tests_of_a_change(files, tests):
    assert changed.concerned(files) == tests


def test_every_python_file_of_a_package_has_tests_and_all_of_them_exist():
    for package in changed.PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            tests = changed.concerned([path.relative_to(ROOT).as_posix()])
            assert tests, path
            assert all((ROOT / test).exists() for test in tests), path
    watched = {test for tests in changed.WATCHED.values() for test in tests}
    assert all((ROOT / test).exists() for test in (*changed.CORE, *watched))


def test_a_wide_change_runs_the_core(capsys):
    wide = [f"tests/{path.name}" for path in sorted((ROOT / "tests").glob("test_*.py"))]
    wide += ["ohr/metrics/ranking.py", "ohr/markup/strip.py", "ohr/ocr/files.py", "rag/a.py"]
    assert changed.concerned(wide) == list(changed.CORE)
    assert "the core alone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("files", "needed"),
    [(["docs/start.md"], False), (["rag/prompt.py"], True), (["benchmarks/guard.json"], True)],
)
def test_speed_is_measured_where_code_changed(files, needed):
    assert changed.needs_guard(files) is needed


def test_ci_and_the_nightly_run_call_targets_that_are_there():
    script = (ROOT / ".ci" / "run").read_text()
    targets = {line.split(":")[0] for line in (ROOT / "Makefile").read_text().splitlines()}
    for target in ("lint", "docs", "test-wheel", "test", "test-slow", "test-all", "guard"):
        assert target in targets
        assert target in script
    nightly = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text())
    assert nightly["jobs"]["all"]["steps"][-1] == {"run": ".ci/run all"}


def test_hooks_before_a_commit_are_what_lint_runs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    lint = (ROOT / "Makefile").read_text().split("\nlint:")[1].split("\n\n")[0]
    for program in ("ruff format", "ruff check", "typos", "mypy", "lint-imports"):
        assert any(hook["entry"].startswith(program) for hook in hooks)
        assert f"/{program}" in lint
