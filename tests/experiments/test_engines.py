"""The list of engines, and whether those that are installed read a page."""

import pytest

from experiments.list_engines import main
from ohr import registry
from ohr.errors import MissingDependencyError
from ohr.machine.engines import examine
from ohr.registry import PluginSpec
from tests.builders import CliRunner
from tests.fakes import LoggingEngine

FAKE, TROUBLED = "tests.fakes.LoggingEngine", "tests.fakes.HalfInstalledEngine"
MISSING = "tests.experiments.test_engines.Missing"


class Missing(LoggingEngine):
    """Not installed, and says how to mend it."""

    name = "missing"
    license = "MIT"
    languages = ("en", "zh")
    install = "pip install missing"

    def engine_version(self) -> str:
        raise MissingDependencyError("the program is missing: pip install missing")


class NeedsWord(LoggingEngine):
    """Cannot be made without a parameter."""

    name = "needs_word"

    class Params(LoggingEngine.Params):
        word: str


def engines(*arguments: str):
    return CliRunner().invoke(main, list(arguments))


def test_every_registered_engine_that_reads_pages_is_listed():
    result = engines()
    assert result.exit_code == 0, result.output
    listed = {line.split()[0] for line in result.output.splitlines() if line.strip()}
    assert set(registry.known("engine")) - {"gt", "precomputed"} <= listed
    assert "precomputed" not in listed


def test_what_is_missing_says_what_installs_it():
    found = examine(PluginSpec(name=MISSING))
    assert found is not None
    assert (found.installed, found.state) == (False, "no")
    output = engines(MISSING, FAKE).output
    assert "pip install missing" in output
    assert "en, zh" in output
    found = examine(PluginSpec(name="tests.experiments.test_engines.NeedsWord"))
    assert found is not None
    assert found.state == "needs parameters"
    assert "word" in found.reason


@pytest.mark.slow
def test_check_reads_a_page_with_each_and_survives_the_others():
    result = engines("--check", FAKE, TROUBLED, MISSING)
    assert result.exit_code == 1
    table = result.output[result.output.index("edit distance") :].splitlines()
    (read,) = (line for line in table if FAKE in line)
    distance, first, following = map(float, read.split()[1:4])
    assert 0.5 < distance <= 1
    assert 0 < following <= first + 1
    assert any("no model: pip install half" in " ".join(line.split()) for line in table)


def test_an_unknown_engine_is_an_error():
    result = engines("nosuch")
    assert result.exit_code == 2
    assert "unknown engine 'nosuch'" in result.output
