"""Whatever happened to the cache, a study gives the results of an undamaged one."""

from __future__ import annotations

import json
import random

import pandas as pd
import pytest

from ohr.errors import OhrError, StoreError
from ohr.store.identity import digest
from ohr.study import run as studies
from ohr.study.output.rows import read_rows
from ohr.study.results import open_run
from ohr.study.run import run_study
from tests.builders import load_config, write_corpus
from tests.fakes import LOG

pytestmark = pytest.mark.slow


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study of one document, to be run once and again; what it read is logged."""
    corpus = write_corpus(tmp_path, documents=1, pages=2)
    plugins = ["engines=[tests.fakes.LoggingEngine]", "readers=[tests.fakes.FactReader]"]
    config = load_config([*corpus, *plugins, "workers=1", "bootstrap=100"])
    log = tmp_path / "log"
    monkeypatch.setenv(LOG, str(log))

    def run():
        log.write_text("")
        run_study(config, tmp_path / "run")
        results = ("rows.parquet", "cells.csv", "cases.zip")
        return [(tmp_path / "run" / name).read_bytes() for name in results], len(
            log.read_text().split()
        )

    return run


def entries(tmp_path, kind):
    return sorted(path for path in (tmp_path / "cache" / kind).rglob("*.json*") if path.is_file())


@pytest.mark.parametrize("kinds", [("ocr", "answers"), ("reading", "retrieval")])
def test_a_flipped_bit_changes_no_result(study, tmp_path, kinds):
    results, pages = study()
    assert pages == 2
    rng = random.Random(0)
    for path in [path for kind in kinds for path in entries(tmp_path, kind)]:
        data = bytearray(path.read_bytes())
        for _ in range(3):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
    assert study()[0] == results


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(1, marks=pytest.mark.slow),
        pytest.param([], marks=pytest.mark.slow),
        [[1]],
        {"status": "ok", "pixels": 1},
    ],
)
@pytest.mark.parametrize("kinds", [("ocr", "answers"), ("reading", "retrieval")])
def test_an_entry_of_another_shape_counts_as_none(study, tmp_path, kinds, value):
    results, _ = study()
    for path in [path for kind in kinds for path in entries(tmp_path, kind)]:
        if path.suffix == ".jsonl":
            keys = [json.loads(line)[0] for line in path.read_text().splitlines() if line]
            path.write_text("".join(_line([key, value]) for key in keys))
        else:
            path.write_text(json.dumps(value))  # as of before checksums
    assert study()[0] == results


def _line(entry):
    text = json.dumps(entry, separators=(",", ":"))
    return f'{text[:-1]},"{digest(text)}"]\n'


def test_readings_of_before_checksums_are_read_no_second_time(study, tmp_path):
    results, _ = study()
    for kind in ("ocr", "reading", "retrieval"):
        for path in entries(tmp_path, kind):
            path.write_bytes(path.read_bytes().partition(b"\n")[0])
    assert study() == (results, 0)
    assert all(b"\n" in path.read_bytes() for path in entries(tmp_path, "ocr"))


def test_damaged_rows_are_an_error_and_never_other_rows(study, tmp_path):
    study()
    path = tmp_path / "run" / "rows.parquet"
    whole = path.read_bytes()
    rows = read_rows(path.parent)
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    for place in range(4, len(whole) - footer, (len(whole) - footer) // 400):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            read = read_rows(path.parent)
        except OhrError:
            continue
        pd.testing.assert_frame_equal(read, rows)


def test_results_of_two_runs_are_never_read_as_one(study, tmp_path, monkeypatch):
    study()
    open_run(tmp_path / "run")
    with monkeypatch.context() as full_disk:
        full_disk.setattr(studies, "write_csv", _no_space)
        with pytest.raises(StoreError, match="no space"):
            study()
    with pytest.raises(OhrError, match="finished run"):
        open_run(tmp_path / "run")
    study()
    open_run(tmp_path / "run")


def _no_space(path, table):
    raise StoreError(f"cannot write {path}: no space left on device")
