"""Looking after a cache: sizes, damage, and what no run needs."""

from __future__ import annotations

import pytest

from experiments.cache import main
from experiments.noise_curve import main as noise_curve
from ohr.store.artefacts import ArtefactStore
from ohr.store.leases import Leases
from ohr.study.loading import load_dataset
from tests.builders import CliRunner, load_config, write_corpus

pytestmark = pytest.mark.slow

NOISE = ["engines=[tests.fakes.LoggingEngine]", "noise=[rotation]", "stages=ocr"]


def store(*arguments):
    return CliRunner().invoke(main, ["--trust-code", *map(str, arguments)])


def run(settings, out):
    done = CliRunner().invoke(noise_curve, [*settings, "--out", str(out)])
    assert done.exit_code == 0, done.output


def files(cache):
    return {path for path in cache.rglob("*.json*") if path.is_file()}


@pytest.fixture
def settings(tmp_path):
    return [*write_corpus(tmp_path, documents=2, pages=2), *NOISE]


def test_what_no_named_run_needs_goes_and_no_more(settings, tmp_path):
    cache = tmp_path / "cache"
    run([*settings, "levels=[mild]"], tmp_path / "mild")
    needed = files(cache)
    run([*settings, "levels=[mild,severe]"], tmp_path / "both")
    everything = files(cache)
    (tmp_path / "both" / "manifest.json").unlink()
    done = store(cache, "--remove-unused", tmp_path / "mild")
    assert done.exit_code == 0, done.output
    assert f"{len(everything - needed)} files" in done.output
    assert files(cache) == everything
    done = store(cache, "--remove-unused", tmp_path / "mild", "--yes")
    assert done.exit_code == 0, done.output
    assert files(cache) == needed
    assert "every artefact is whole" in store(cache, "--verify").output


def test_a_cache_that_is_not_the_runs_loses_nothing(settings, tmp_path):
    run([*settings, "levels=[mild]"], tmp_path / "run")
    ArtefactStore(tmp_path / "other").put("reading", "a", {"text": ""})
    before = files(tmp_path / "other")
    done = store(tmp_path / "other", "--remove-unused", tmp_path / "run", "--yes")
    assert (done.exit_code, files(tmp_path / "other")) == (2, before)
    assert "has no OCR output of " in done.output


def test_nothing_is_removed_while_pages_are_read(settings, tmp_path):
    run([*settings, "levels=[mild]"], tmp_path / "run")
    with Leases(tmp_path / "cache" / "leases"):
        done = store(tmp_path / "cache", "--remove-unused", tmp_path / "run", "--yes")
    assert done.exit_code == 2
    assert "is reading pages into" in done.output


def test_damage_is_named(tmp_path):
    cache = ArtefactStore(tmp_path)
    for number in range(3):
        cache.put("ocr", number, {"text": str(number)})
    cache.journal("answers", "a").put("q", 1)
    assert store(tmp_path, "--verify").exit_code == 0
    path = cache.path("ocr", 1)
    path.write_bytes(path.read_bytes().replace(b"1", b"7", 1))
    cache.path("ocr", 2).rename(tmp_path / "ocr" / "aa.part")
    journal = cache.journal("answers", "a").path
    journal.write_bytes(journal.read_bytes() + b'["q",2')
    done = store(tmp_path, "--verify")
    assert done.exit_code == 1
    assert f"damaged: {path}: its checksum is wrong" in done.output
    assert "1 damaged lines" in done.output
    assert "left by a process that was killed" in done.output
    assert "3 are damaged" in done.output


def test_a_generated_sample_is_no_damage(tmp_path):
    options = ["engines=[gt]", "stages=[ocr]", "dataset.params.n_pages=2", f"cache={tmp_path}"]
    load_dataset(load_config(options))
    assert list((tmp_path / "sample").rglob("*.json"))
    done = store(tmp_path, "--verify")
    assert (done.exit_code, "every artefact is whole" in done.output) == (0, True), done.output


def test_no_cache_is_one_line(tmp_path):
    done = store(tmp_path / "none")
    assert done.exit_code == 2
    assert done.output.startswith("error: no folder ")


def test_a_run_goes_on_where_a_cache_was_carried_to(settings, tmp_path):
    pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'ohr[fsspec]'")
    run([*settings, "levels=[mild]"], tmp_path / "first")
    place = tmp_path / "bucket" / "study"
    assert "0 packs" not in store(tmp_path / "cache", "--push", place).output
    settings = [one for one in settings if not one.startswith("cache=")]
    other = tmp_path / "elsewhere"
    done = store(other, "--pull", place, "--verify")
    assert done.exit_code == 0, done.output
    before = files(other)
    run([*settings, f"cache={other}", "levels=[mild]"], tmp_path / "second")
    assert {path for path in files(other) if "ocr" in path.parts} == {
        path for path in before if "ocr" in path.parts
    }
    for name in ("rows.parquet", "cells.csv"):
        first, second = (tmp_path / of / name for of in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()
    [pack] = place.glob("*.zip")
    pack.write_bytes(b"broken")
    assert store(tmp_path / "third", "--pull", place).exit_code == 1
