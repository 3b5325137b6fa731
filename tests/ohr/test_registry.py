from __future__ import annotations

import importlib
import os
import sys
from importlib.metadata import entry_points

import pytest

from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError, PluginError, UnknownPluginError
from ohr.plugins import Plugin
from ohr.registry import KINDS, PluginSpec


def test_every_registered_plugin_loads_under_its_own_name():
    found = 0
    for kind in KINDS:
        for name in registry.known(kind):
            cls = registry.plugin_class(kind, name)
            assert issubclass(cls, Plugin)
            assert cls.name == name
            assert cls.Params.model_config.get("frozen"), f"{name}: parameters can be changed"
            found += 1
    assert found >= 15


def test_an_unknown_name_lists_the_known_and_guesses():
    with pytest.raises(UnknownPluginError, match=r"retriever 'bm52'.*'bm25'.*known: .*bm25, "):
        registry.create("retriever", "bm52")


def test_bad_parameters_name_the_plugin_and_the_field():
    with pytest.raises(ConfigError, match="retriever 'bm25': k1"):
        registry.create("retriever", {"name": "bm25", "params": {"k1": -1}})
    with pytest.raises(ConfigError, match="takes no argument"):
        registry.create("retriever", "bm25:x")
    with pytest.raises(ConfigError, match="not a plug-in"):
        PluginSpec.parse({"nome": "bm25"})


def test_a_label_tells_the_same_plugin_apart():
    assert PluginSpec.parse("precomputed:MinerU").label == "precomputed:MinerU"
    spec = PluginSpec.parse({"name": "bm25", "params": {"b": 0}, "label": "flat"})
    assert (spec.name, spec.label) == ("bm25", "flat")


def test_a_dotted_path_names_a_class_without_packaging():
    engine = registry.create("engine", "tests.fakes.ParamsEngine:hello")
    assert engine.params.word == "hello"
    with pytest.raises(UnknownPluginError, match="no module"):
        registry.create("engine", "tests.nowhere.Engine")
    with pytest.raises(UnknownPluginError, match="Nothing"):
        registry.create("engine", "tests.fakes.Nothing")


@pytest.mark.parametrize(
    ("kind", "name", "wanted"),
    [
        ("engine", "os.path", "OcrBackend or ohr.plugins.KnowledgeBaseSource"),
        ("engine", "pathlib.Path", "OcrBackend"),
        ("engine", "rag.retrievers.bm25.Bm25", "OcrBackend"),
        ("retriever", "ocr_backends.gt.GroundTruth", "Retriever or ohr.plugins.Oracle"),
        ("dataset", "ohr.collection.Dataset", "ohr.plugins.DatasetSource"),
    ],
)
def test_what_is_no_plugin_of_that_kind_is_refused(kind, name, wanted):
    with pytest.raises(ConfigError, match=rf"{kind} '{name}' .*{wanted}"):
        registry.create(kind, name)


def test_parameters_are_finite():
    for k1 in (float("inf"), float("nan")):
        with pytest.raises(ConfigError, match=r"retriever 'bm25': k1.*finite"):
            registry.create("retriever", {"name": "bm25", "params": {"k1": k1}})


def test_a_missing_package_names_the_mend(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError("no", name="rapidfuzz_of_the_moon")

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingDependencyError, match="pip install rapidfuzz_of_the_moon"):
        registry.create("reader", "extractive")


def test_identity_is_plain_json_of_name_version_parameters():
    one = registry.create("retriever", {"name": "bm25", "params": {"k1": 1.2}})
    defaults = {"b": 0.75, "delta": 0.5, "variant": "lucene", "terms": "english", "n": 4}
    assert one.identity()["params"] == {"k1": 1.2} | defaults
    assert one.identity() != registry.create("retriever", "bm25").identity()


def test_groups_are_those_of_the_package_metadata():
    assert {"gt", "precomputed"} <= {point.name for point in entry_points(group="ohr.engines")}


def test_an_edited_plugin_of_ones_own_is_another_one(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    source = "from tests.fakes import FactReader\nclass Own(FactReader):\n    name = 'own'\n"
    identities = []
    for number, text in enumerate([source, source, source + "# edited\n"]):
        (tmp_path / "own_plugins.py").write_text(text)
        os.utime(tmp_path / "own_plugins.py", (number, number))
        sys.modules.pop("own_plugins", None)
        identities.append(registry.create("reader", "own_plugins.Own").identity())
    assert identities[0] == identities[1] != identities[2]
    assert set(registry.create("chunker", "page").identity()) == {"name", "version", "params"}


def test_a_plugin_whose_module_is_broken_is_one_line(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_plugins.py").write_text("def f(:\n")
    with pytest.raises(PluginError, match=r"reader 'broken_plugins.R': its module .* SyntaxError"):
        registry.create("reader", "broken_plugins.R")


def test_a_plugin_that_lacks_a_method_is_one_line(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    source = "from ohr.plugins import Reader\nclass Half(Reader):\n    name = 'half'\n"
    (tmp_path / "half_plugins.py").write_text(source)
    with pytest.raises(PluginError, match=r"half_plugins.Half lacks a method: def answer\(self"):
        registry.create("reader", "half_plugins.Half")


def test_what_is_made_by_kind_is_of_that_kind_or_says_so():
    assert registry.ocr_engine("pdf_text").name == "pdf_text"
    with pytest.raises(ConfigError, match="engine 'gt' reads no pages"):
        registry.ocr_engine("gt")
    with pytest.raises(ConfigError, match="noise 'titles' rewrites text"):
        registry.image_perturbation("titles")
    with pytest.raises(ConfigError, match="noise 'rotation' distorts page images"):
        registry.text_perturbation("rotation")
