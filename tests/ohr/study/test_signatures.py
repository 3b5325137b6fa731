"""Signatures of metrics: in the manifest, and what compare does where they differ."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.analyse_compare import main
from ohr import registry
from ohr.analysis.comparison.table import compare
from ohr.metrics.scores import SCORING
from ohr.study.config import StudyConfig
from ohr.study.metrics import metric_info
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.study.scoring.signatures import clash, differences, normaliser, signature, signature_of
from tests.builders import CliRunner, load_config, write_corpus

SHAPE = re.compile(r"[a-z_0-9@]+\|scoring:(default|reference)(\|[a-z_]+:[^|]*)*\|v:\d+")


METRICS = "metrics=[default,{name: region_f1, params: {kind: text, part: f1}, label: words}]"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("signatures")
    run_study(load_config([*small_study(root), "ks=[5]", METRICS]), root / "run")
    return open_run(root / "run")


def small_study(root):
    return [*write_corpus(root, documents=4, pages=2), "engines=[gt]", "bootstrap=100"]


def changed(run, path, key: str, old: str, new: str):
    """The run in another folder, with another signature."""
    shutil.copytree(run.path, path)
    manifest = json.loads((path / "manifest.json").read_text())
    assert old in manifest["signatures"][key]
    manifest["signatures"][key] = manifest["signatures"][key].replace(old, new)
    (path / "manifest.json").write_text(json.dumps(manifest))
    return open_run(path)


def test_every_metric_of_the_cells_has_one(run):
    keys = {f"{c.stage}:{c.metric}" for c in run.cells.itertuples()}
    assert set(run.manifest["signatures"]) == keys
    assert all(SHAPE.fullmatch(text) for text in run.manifest["signatures"].values())


def test_it_names_what_decides_the_values(run):
    norm = normaliser("default")
    expected = {
        ("retrieval", "lcs"): f"lcs|scoring:default|k:2,5|norm:{norm}|v:5",
        ("retrieval", "hit@5"): "hit@5|scoring:default|k:5|v:1",
        ("ocr", "words"): f"region_f1|scoring:default|norm:{norm}|kind:text|part:f1|v:",
        ("overall", "f1"): f"f1|scoring:default|k:2|norm:{norm}|v:",
        ("generation", "f1_no_context"): f"f1_no_context|scoring:default|norm:{norm}|v:",
    }
    for key, text in expected.items():
        assert signature_of(run.manifest, *key).startswith(text)


def test_the_normaliser_is_that_of_its_tokens(monkeypatch):
    assert re.fullmatch("[0-9a-f]{6}", normaliser("default"))
    assert normaliser("default") != normaliser("reference")
    before = normaliser("default")
    normaliser.cache_clear()
    from dataclasses import replace

    other = replace(SCORING["default"], tokens=lambda text: text.casefold().split())
    monkeypatch.setitem(SCORING, "default", other)
    assert normaliser("default") != before
    normaliser.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), [("v:5", "v:6"), ("norm:", "norm:0")])
def test_a_metric_measured_in_another_way_is_not_compared(run, tmp_path, old, new):
    other = changed(run, tmp_path / "other", "retrieval:lcs", old, new)
    done = CliRunner().invoke(main, [str(run.path), str(other.path)], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    reason = r"retrieval:lcs is not compared: run and other measured it differently "
    reason += r"\((v 5 and 6|norm \w+ and 0\w+)\)"
    assert re.search(reason, done.stdout)
    assert not re.search(r"^other .*retrieval +lcs ", done.stdout, re.MULTILINE)
    assert re.search(r"^other .*answer F1, whole system ", done.stdout, re.MULTILINE)
    table = compare([run, other])
    assert "lcs" not in set(table["metric"])
    assert len(table.attrs["not_compared"]) == 1
    for option in ("--metric", "--fail-if"):
        value = "retrieval:lcs" + " < 0" * (option == "--fail-if")
        done = CliRunner().invoke(main, [str(run.path), str(other.path), option, value])
        assert done.exit_code == 2
        assert "retrieval:lcs is not compared: run and other measured it" in done.stderr


@pytest.mark.slow
def test_what_a_comparison_is_about_may_differ(run, tmp_path):
    other = changed(run, tmp_path / "other", "retrieval:lcs", "k:2,5", "k:3")
    assert "lcs" in set(compare([run, other])["metric"])


def test_protocols_can_be_compared(run, tmp_path):
    run_study(load_config([*small_study(tmp_path), "scoring=reference"]), tmp_path / "other")
    other = open_run(tmp_path / "other")
    before, after = (signature_of(each.manifest, "overall", "f1") for each in (run, other))
    assert before != after
    assert clash(before, after) == ""


def test_two_judges_of_one_plugin_have_two_signatures():
    info = metric_info("overall", "judged")
    metric = registry.create("metric", "judged")
    judges = [{"name": "openai", "params": {"model": name}} for name in "ab"]
    first, second = (
        signature(info, metric, StudyConfig.model_validate({"judge": judge})) for judge in judges
    )
    assert "judge openai" in clash(first, second)


@pytest.mark.slow
def test_a_run_without_signatures_is_compared(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "old")
    manifest = json.loads((tmp_path / "old" / "manifest.json").read_text())
    del manifest["signatures"]
    (tmp_path / "old" / "manifest.json").write_text(json.dumps(manifest))
    assert len(compare([open_run(tmp_path / "old"), run]))


PARTS = st.dictionaries(st.sampled_from(["scoring", "k", "norm", "v"]), st.sampled_from("12"))


@given(PARTS, PARTS)
def test_signatures_clash_in_what_is_no_setting(first, second):
    texts = ["|".join(["f1", *(f"{k}:{v}" for k, v in p.items())]) for p in (first, second)]
    own = ("v",) if first.get("scoring") != second.get("scoring") else ("norm", "v")
    differ = any(first.get(key) != second.get(key) for key in own)
    assert bool(clash(*texts)) == differ == bool(clash(*texts[::-1]))


def test_differences_name_settings_too():
    before, after = "lcs@2|scoring:default|k:2|norm:a|v:5", "lcs@4|scoring:reference|k:4|norm:b|v:5"
    assert clash(before, after) == ""
    assert differences(before, after) == ("scoring default and reference, k 2 and 4, norm a and b")
    assert differences(before, before) == ""
