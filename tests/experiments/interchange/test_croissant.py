"""Export of a dataset in Croissant: mlcroissant accepts the description and loads the records."""

from __future__ import annotations

import hashlib
import json
import logging
import warnings

import pytest

from experiments import convert_export as export
from experiments.convert.croissant import FIELDS
from ohr.study.loading import load_dataset
from tests.builders import CliRunner, load_config, write_corpus

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    mlcroissant = pytest.importorskip("mlcroissant")


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("croissant"), documents=3, pages=2)


@pytest.fixture(scope="module")
def exported(settings, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    done = CliRunner().invoke(export.main, [*settings, "--format", "croissant", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "3 documents, 6 pages, 12 questions, 12 evidence" in done.stdout
    assert "names no licence" in done.stdout
    return out


@pytest.fixture(scope="module")
def loaded(exported):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.getLogger("absl").setLevel(logging.ERROR)
        return mlcroissant.Dataset(jsonld=str(exported / "croissant.json"))


def test_the_validator_finds_no_error(loaded):
    assert list(loaded.metadata.ctx.issues.errors) == []
    missing = " ".join(loaded.metadata.ctx.issues.warnings)
    for known_values in ("description", "version"):
        assert f"schema.org/{known_values}" not in missing


@pytest.mark.parametrize("name", FIELDS)
def test_its_records_are_those_of_the_dataset(loaded, settings, name):
    dataset = load_dataset(load_config(settings))
    records = list(loaded.records(name))
    assert {key.removeprefix(f"{name}/") for key in records[0]} == set(FIELDS[name])

    def values(field: str) -> list[object]:
        values = (record[f"{name}/{field}"] for record in records)
        return [value.decode() if isinstance(value, bytes) else value for value in values]

    if name == "pages":
        assert values("text") == [page.text for page in dataset.pages.values()]
        assert values("number") == [ref.page_no for ref in dataset.pages]
    elif name == "questions":
        assert values("question") == [one.qid for one in dataset.questions]
        answers = [[text.decode() for text in one] for one in values("answers")]
        assert answers == [list(one.answers) for one in dataset.questions]
    elif name == "documents":
        digests = [
            hashlib.sha256(one.source.read_bytes()).hexdigest()
            for one in dataset.documents.values()
        ]
        assert values("source_sha256") == digests
    else:
        assert values("page")[0] == "manual/doc0#0"


def test_files_have_the_digests_that_the_description_names(exported):
    description = json.loads((exported / "croissant.json").read_text("utf-8"))
    files = {one["contentUrl"]: one["sha256"] for one in description["distribution"]}
    assert set(files) == {f"{name}.jsonl" for name in FIELDS}
    for name, digest in files.items():
        assert hashlib.sha256((exported / name).read_bytes()).hexdigest() == digest


def test_equal_datasets_give_equal_bytes(settings, exported, tmp_path):
    CliRunner().invoke(export.main, [*settings, "--format", "croissant", "--out", str(tmp_path)])
    for path in exported.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_a_run_is_no_dataset(tmp_path):
    (tmp_path / "manifest.json").write_text("{}")
    arguments = [str(tmp_path), "--format", "croissant", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(export.main, arguments)
    assert done.exit_code == 2
    assert "croissant describes a dataset" in done.stderr
