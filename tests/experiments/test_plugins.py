"""Every registered plug-in is listed, whatever is installed."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, Field

from experiments import list_plugins as plugins
from ohr import registry
from ohr.errors import MissingDependencyError
from ohr.machine.plugins import _parameters, examine
from tests.builders import CliRunner


@pytest.mark.slow
@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_plugin_of_a_kind_is_listed(kind):
    done = CliRunner().invoke(plugins.main, [kind])
    assert done.exit_code == 0, done.output
    names = [line.split()[0].rstrip(":") for line in done.output.splitlines() if line[:3].strip()]
    assert [name for name in names if name != kind] == registry.known(kind)


def test_what_a_plugin_is_and_takes():
    lines = CliRunner().invoke(plugins.main, ["chunker"]).output.splitlines()
    index = next(index for index, line in enumerate(lines) if line.startswith("  words: "))
    assert lines[index].removeprefix("  words: ").strip()
    assert "size=" in lines[index + 1]


def test_a_plugin_that_is_not_installed_says_what_installs_it(monkeypatch):
    def missing(*_):
        raise MissingDependencyError("bm25s is not installed: pip install bm25s")

    monkeypatch.setattr(registry, "create", missing)
    listed = examine("retriever", "bm25")
    assert (listed.state, listed.reason) == ("no", "bm25s is not installed: pip install bm25s")
    assert listed.what


def test_an_unknown_kind_is_named():
    done = CliRunner().invoke(plugins.main, ["readers"])
    assert done.exit_code == 2
    assert (
        "unknown kind 'readers'; did you mean 'reader'? known: perturbation, engine" in done.stderr
    )


@pytest.mark.slow
def test_other_programs_get_a_list_of_objects():
    done = CliRunner().invoke(plugins.main, ["retriever", "engine", "--json"])
    entries = json.loads(done.stdout)
    assert {entry["kind"] for entry in entries} == {"retriever", "engine"}
    bm25 = next(entry for entry in entries if entry["name"] == "bm25")
    assert bm25["state"] == "yes"
    assert bm25["parameters"]["k1"] == registry.create("retriever", "bm25").params.k1
    assert all(entry["reason"] for entry in entries if entry["state"] != "yes")


class Given(BaseModel):
    size: int = 3


class Options(BaseModel):
    model: str
    names: list[str] = Field(default_factory=lambda: ["a"])
    given: Given = Given()


def test_parameters_are_shown_with_their_defaults():
    assert _parameters(Options) == "model (required), names=['a'], given={'size': 3}"
