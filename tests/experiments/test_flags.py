"""The arguments of a command in one form: flags of a study, lists, options that come twice."""

from __future__ import annotations

import pytest

from experiments._flags import Own, flag_name, normalise
from ohr.study.config import DatasetConfig, StudyConfig


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        (["--dpi", "100"], ["dpi=100"]),
        (["--dpi=100", "noise=[]"], ["dpi=100", "noise=[]"]),
        (["--engines", "gt,tesseract"], ["engines=gt,tesseract"]),
        (["--engines", "gt", "--engines", "b"], ["engines=gt", "engines=b"]),
        (["--engines", "[gt]"], ["engines=[gt]"]),
        (
            ["--engines", "{name: gt, params: {a: [1, 2]}}"],
            ["engines={name: gt, params: {a: [1, 2]}}"],
        ),
        (["--dataset.path", "x,y"], ["dataset.path=x,y"]),
        (["--dataset.sources=text,table"], ["dataset.sources=text,table"]),
        (["--ground-truth", "a.yaml"], ["ground_truth=true", "a.yaml"]),
        (["--no-ground-truth"], ["ground_truth=false"]),
        (["--ground-truth=false"], ["ground_truth=false"]),
        (["--top_k", "3", "--out", "x"], ["top_k=3", "--out=x"]),
        (["--axis", "r_noise", "--r-noise", "0.2,0.4"], ["--axis=r_noise", "r_noise=0.2,0.4"]),
        (["--metric", "a,b", "--metric=c"], ["--metric=a", "--metric=b", "--metric=c"]),
        (["--judge", "{name: a, params: {b: 1}}"], ["--judge={name: a, params: {b: 1}}"]),
        (["--arms", "a,b", "x", "--arms", "c"], ["--arms=a,b,c", "x"]),
        (["--run", "a,b"], ["--run=a,b"]),
        (["--", "--dpi", "1"], ["--", "--dpi", "1"]),
    ],
)
def test_flags_of_a_study_stand_for_its_options(flags, settings):
    own = {f"--{name}": Own(f"--{name}", is_switch=False) for name in ("out", "axis")}
    for name in ("metric", "judge", "run"):
        own[f"--{name}"] = Own(name, is_switch=False, is_repeated=True, is_path=name == "run")
    own["--arms"] = Own("--arms", is_switch=False, is_joined=True)
    assert normalise(flags, own, of_study=True) == settings


@pytest.mark.parametrize("key", [*StudyConfig.model_fields, *DatasetConfig.model_fields])
def test_every_option_has_a_flag(key):
    if key == "dataset":
        return
    dotted = key if key in StudyConfig.model_fields else f"dataset.{key}"
    [setting] = normalise([f"{flag_name(dotted)}=true"], {}, of_study=True)
    assert setting == f"{dotted}=true"
