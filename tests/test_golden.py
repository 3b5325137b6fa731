"""No built-in changes its output without a new version."""

from __future__ import annotations

from typing import Any

import pytest

from ohr import registry
from ohr.errors import MissingDependencyError
from tests.golden import __main__ as command
from tests.golden.digests import FILE, forgotten, read
from tests.golden.identities import portable_identity
from tests.golden.outputs import LEFT_OUT, entry, names

KEPT = read()
RENEW = "python -m tests.golden renews the digests"
SLOW = {
    *(("engine", name) for name in ("rapidocr", "structured", "fused")),
    ("mitigation", "correct"),
    ("dataset", "sample"),
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(*pair, marks=pytest.mark.slow if pair in SLOW else (), id="/".join(pair))
        for pair in names()
    ],
)
def test_the_output_is_that_of_the_version(kind: str, name: str) -> None:
    kept = KEPT.get(f"{kind}/{name}")
    assert kept is not None, f"new: {RENEW}"
    try:
        now = entry(kind, name)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    if kept.get("with") != now.get("with"):
        pytest.skip(f"made with {kept.get('with')}; here {now.get('with')}")
    assert not forgotten(kept, now)
    assert now == kept, RENEW


def test_there_is_a_digest_of_everything_that_can_run_without_extras() -> None:
    assert set(KEPT) == {f"{kind}/{name}" for kind, name in names()}
    for kind, left_out in LEFT_OUT.items():
        assert left_out < set(registry.known(kind))


def test_no_part_of_an_identity_names_the_machine() -> None:
    """Tesseract's data for French are in the identity of a repair that an engine has."""
    made_with: dict[str, str] = {}
    inner = {"name": "upright", "version": "3", "tesseract": "5.3.0, fra 12"}
    whole = {"name": "repaired", "engine_version": "5", "steps": [{"name": "a"}, inner]}
    assert portable_identity(whole, made_with) == {
        "name": "repaired",
        "steps": [{"name": "a"}, {"name": "upright", "version": "3"}],
    }
    assert made_with == {"engine_version": "5", "steps/1/tesseract": "5.3.0, fra 12"}


OLD: dict[str, Any] = {"version": "2", "identity": "i", "output": "o"}


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (OLD, ""),
        (OLD | {"output": "p"}, 'output changed and its version did not: give it version "3"'),
        (OLD | {"output": "p", "version": "3"}, ""),
        (OLD | {"output": "p", "identity": "j"}, ""),
        (OLD | {"output": "p", "with": {"engine_version": "6"}}, ""),
        (OLD | {"version": "1"}, "fell from 2 to 1"),
    ],
)
def test_an_output_is_renewed_with_its_version_alone(now: dict[str, Any], reason: str) -> None:
    assert reason in forgotten(OLD, now)
    assert bool(reason) == bool(forgotten(OLD, now))
    assert not forgotten(None, now)


def test_the_command_refuses_a_change_without_a_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = FILE.read_bytes()
    changed = {name: entry | {"output": "another"} for name, entry in KEPT.items()}
    monkeypatch.setattr(command, "entries", lambda names: changed)
    assert command.main() == 1
    assert len(capsys.readouterr().err.splitlines()) == len(KEPT)
    assert FILE.read_bytes() == before
