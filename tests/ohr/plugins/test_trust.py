"""Code that a file names is loaded only where it is installed, or trusted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import ohr
from ohr import registry
from ohr.errors import UntrustedCodeError
from ohr.ocr.routes import read_routes
from ohr.plugins.trust import leave_folder, named_by_run, trusting
from ohr.store.identity import file_digest
from tests.builders import load_config

LEAVES_A_MARK = """
import pathlib
import ohr

pathlib.Path(__file__).with_suffix(".ran").touch()


class Echo(ohr.Reader):
    name = "echo"
    version = "1"

    def answer(self, question, hits):
        return ohr.Outcome(ohr.Answer(question))
"""


@pytest.fixture
def code(tmp_path, monkeypatch):
    """A module that leaves a mark when it runs, in the working folder, which is on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / f"module_{abs(hash(str(tmp_path)))}.py"
    path.write_text(LEAVES_A_MARK)
    yield path
    sys.modules.pop(path.stem, None)


@pytest.fixture
def work_elsewhere(tmp_path_factory, monkeypatch):
    """Makes another folder the working folder: the code counts as installed then."""
    return lambda: monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))


def ran(code: Path) -> bool:
    return code.with_suffix(".ran").exists()


def test_a_name_that_a_user_types_is_loaded(code):
    assert registry.create("reader", f"{code.stem}.Echo").name == "echo"
    assert ran(code)


@pytest.mark.parametrize("folder", ["working folder", "installed"])
def test_a_run_loads_no_code_without_its_digest(code, work_elsewhere, folder):
    if folder == "installed":
        work_elsewhere()
    for sources in ({}, {code.stem: "0" * 32}, {"another": file_digest(code)}, None, ["odd"]):
        with named_by_run(Path("run"), sources), pytest.raises(UntrustedCodeError, match="run "):
            registry.plugin_class("reader", f"{code.stem}.Echo")
    assert not ran(code)


def test_a_run_loads_the_code_that_is_installed_as_it_used_it(code, work_elsewhere):
    sources = {code.stem: file_digest(code)}
    with named_by_run(Path("run"), sources), pytest.raises(UntrustedCodeError):
        registry.plugin_class("reader", f"{code.stem}.Echo")  # still in the working folder
    assert not ran(code)
    work_elsewhere()
    with named_by_run(Path("run"), sources):
        assert registry.plugin_class("reader", f"{code.stem}.Echo")


def test_an_edited_part_of_a_plug_in_is_not_what_the_run_used(code, work_elsewhere):
    package = code.parent / f"{code.stem}_parts"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "plain.py").write_text(LEAVES_A_MARK)
    work_elsewhere()
    name, files = f"{package.name}.plain", ("__init__", "plain")
    digests = [file_digest(package / f"{file}.py") for file in files]
    sources = dict(zip((package.name, name), digests, strict=True))
    (package / "__init__.py").write_text("print('edited')")
    with named_by_run(Path("run"), sources), pytest.raises(UntrustedCodeError):
        registry.plugin_class("reader", f"{name}.Echo")
    assert not ran(package / "plain.py")


def test_the_working_folder_may_not_hide_what_is_installed(code, tmp_path_factory, monkeypatch):
    installed = tmp_path_factory.mktemp("installed")
    (installed / code.name).write_text(LEAVES_A_MARK + "# as the run used it")
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed)])
    sources = {code.stem: file_digest(installed / code.name)}
    with named_by_run(Path("run"), sources), pytest.raises(UntrustedCodeError):
        registry.plugin_class("reader", f"{code.stem}.Echo")
    assert not ran(code)


def test_what_is_trusted_is_loaded(code):
    with trusting(), named_by_run(Path("run"), {}):
        assert registry.plugin_class("reader", f"{code.stem}.Echo")
    with trusting(False), named_by_run(Path("run"), {}), pytest.raises(UntrustedCodeError):
        registry.plugin_class("reader", f"{code.stem}.Echo")


def test_a_run_loads_what_is_registered_and_what_is_ours():
    with named_by_run(Path("run"), {}):
        assert registry.plugin_class("retriever", "bm25")
        assert registry.plugin_class("retriever", "rag.retrievers.bm25.Bm25")


NESTED = [
    "readers: [{stem}.Echo]",
    "judge: {{name: {stem}.Echo}}",
    "retrievers: [{{name: hybrid, params: {{parts: [bm25, {stem}.Echo]}}}}]",
    "dataset: {{kind: {stem}.Echo}}",
    "engines: ['{stem}.Echo:an argument']",
]


@pytest.mark.parametrize("option", NESTED)
def test_a_yaml_file_names_no_code_of_its_folder(code, option):
    path = code.with_name("study.yaml")
    path.write_text(option.format(stem=code.stem))
    with pytest.raises(UntrustedCodeError, match="--trust-code"):
        load_config([str(path)])
    with pytest.raises(UntrustedCodeError):
        ohr.Study.from_file(path)
    assert ohr.Study.from_file(path, trust_code=True).config
    assert not ran(code)


def test_code_in_folders_without_an_init_file_is_code_too(code):
    nested = code.parent / "deep" / "deeper"
    nested.mkdir(parents=True)
    (nested / code.name).write_text(LEAVES_A_MARK)
    path = code.with_name("study.yaml")
    path.write_text(f"readers: [deep.deeper.{code.stem}.Echo]")
    with pytest.raises(UntrustedCodeError):
        load_config([str(path)])
    assert not ran(nested / code.name)


def test_a_yaml_file_may_name_installed_code_and_files_with_dots(code, work_elsewhere):
    path = code.with_name("study.yaml")
    path.write_text(
        f"readers: [{code.stem}.Echo]\ndataset: {{path: notes.v2.json, questions: qa.json}}"
    )
    work_elsewhere()
    assert [spec.name for spec in load_config([str(path)]).readers] == [f"{code.stem}.Echo"]


def test_options_that_are_typed_may_name_code(code):
    config = load_config([f"readers=[{code.stem}.Echo]"])
    assert registry.create("reader", config.readers[0]).name == "echo"


def test_routes_name_no_code_of_the_folder(code):
    table = code.with_name("routes.csv")
    table.write_text("document,page,route\na,1,fast\n")
    engines = {"fast": {"name": f"{code.stem}.Echo"}}
    table.with_suffix(".json").write_text(json.dumps({"engines": engines}))
    with pytest.raises(UntrustedCodeError):
        read_routes(table)
    table.write_text(f"document,page,route\na,1,{code.stem}.Echo\n")
    table.with_suffix(".json").unlink()
    with pytest.raises(UntrustedCodeError):
        read_routes(table)
    with trusting():
        assert list(read_routes(table).engines) == [f"{code.stem}.Echo"]
    assert not ran(code)


def test_the_working_folder_is_left(code, monkeypatch):
    monkeypatch.setattr(sys, "path", ["", str(code.parent), str(code.parent / "."), *sys.path])
    leave_folder()
    assert all(Path(place or ".").resolve() != code.parent.resolve() for place in sys.path)
    assert sys.path
