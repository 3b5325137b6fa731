"""A dataset that takes long to load is not loaded in silence."""

from __future__ import annotations

import time

import pytest

from ohr.datasets.sroie import Sroie
from ohr.errors import DatasetError
from ohr.ocr import progress as progress_module
from ohr.study.config import StudyConfig
from ohr.study.loading import load_dataset


def test_what_is_done_is_said_while_a_dataset_is_loaded(monkeypatch, capsys):
    monkeypatch.setattr(progress_module, "SILENCE_S", 0.02)
    monkeypatch.setattr(progress_module, "_LOOK_S", 0.01)

    def load(source):
        said = ""
        for _ in range(500):
            if "loading the dataset" in said and not hasattr(source, "seen"):
                source.seen = True
                source.progress("text layers", 1, 3)
            if "checking text layers: 1/3 pages" in said:
                raise DatasetError("seen")
            time.sleep(0.01)
            said += capsys.readouterr().err
        raise AssertionError(said)

    monkeypatch.setattr(Sroie, "load", load)
    config = StudyConfig(dataset={"kind": "sroie", "path": "."}, engines=["gt"])
    with pytest.raises(DatasetError, match="seen"):
        load_dataset(config)
