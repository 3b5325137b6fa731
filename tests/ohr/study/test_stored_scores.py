from __future__ import annotations

import importlib
import json
import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import ohr.scoring.measuring
from ohr.datasets.floor import truth_floor
from ohr.datasets.ohrbench import question_of
from ohr.errors import StoreError
from ohr.ocr.progress import Progress
from ohr.plugins import Metric
from ohr.scoring.stored_scores import _CODE, KIND, is_storable, stored_floor
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.types import Page, PageRef
from tests.builders import load_config, qa, write_kb, write_questions

LATEX = r"\begin{tabular}{ll} a & 1,200 \\ b & $x^2$ \end{tabular}"


class Vowels(Metric):
    """A metric of a user."""

    name = "vowels"
    of = "page"

    def score(self, prediction: str, reference: str) -> float:
        return sum(char in "aeiou" for char in prediction) / max(1, len(prediction))


def page(number: int) -> str:
    words = random.Random(number).choices("net sales rose by 3.5 % in the year".split(), k=30)
    return f"# Part {number}\n\n{' '.join(words)}\n\n{LATEX if number % 2 else ''}"


def write_study(root, misread="rose") -> list[str]:
    texts = {f"{domain}/d{n}": [page(2 * n), page(2 * n + 1)]
             for n, domain in enumerate(["law", "law", "news"])}  # fmt: skip
    write_kb(root / "base" / "gt", texts)
    read = {doc: [text.replace(misread, "r0se") for text in pages] for doc, pages in texts.items()}
    write_kb(root / "base" / "read", read)
    questions = [
        qa(n, doc, n % 2, evidence_context=" ".join(texts[doc][n % 2].split()[3:20]))
        for n, doc in enumerate(texts)
    ]
    return [
        *("dataset.kind=ohrbench", f"dataset.path={root / 'base'}"),
        f"dataset.questions={write_questions(root / 'qa.json', questions)}",
        *("engines=[gt,precomputed:read]", "retrievers=[bm25]", "stages=[ocr,retrieval]"),
    ]


def run(settings, root, name, *more):
    config = load_config([*settings, f"cache={root / 'cache'}", "workers=1", *more])
    run_study(config, root / name, progress=Progress())
    return (root / name / "rows.parquet").read_bytes(), (root / name / "cells.csv").read_bytes()


@pytest.fixture
def measured(monkeypatch):
    """Labels of the metrics that are measured from here on."""
    labels = []
    real = ohr.scoring.measuring._measured

    def note(label, metric, case):
        labels.append(label)
        return real(label, metric, case)

    monkeypatch.setattr(ohr.scoring.measuring, "_measured", note)
    return labels


@pytest.mark.parametrize("scoring", ["default", "reference"])
def test_equal_texts_are_scored_once_whatever_the_folder(tmp_path, measured, scoring):
    settings = [*write_study(tmp_path), f"scoring={scoring}", "metrics=[default,reading]"]
    if scoring == "reference":
        settings[-1] = "metrics=[default]"
    first = run(settings, tmp_path, "first")
    assert measured
    measured.clear()
    assert run(settings, tmp_path, "second") == first
    assert measured == []


def test_scores_are_measured_again_where_a_text_is_another(tmp_path, measured):
    run(write_study(tmp_path), tmp_path, "first")
    measured.clear()
    other = write_study(tmp_path, misread="sales")
    changed = run(other, tmp_path, "second")
    assert {"edit_distance", "r_noise", "lcs"} <= set(measured)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    assert run([*other], fresh, "third") == changed


def test_a_damaged_artefact_is_replaced(tmp_path, measured):
    settings = write_study(tmp_path)
    first = run(settings, tmp_path, "first")
    paths = sorted((tmp_path / "cache" / KIND).rglob("*.json"))
    for number, path in enumerate(paths):
        place = path.relative_to(tmp_path / "cache").as_posix()
        stored = json.loads(path.read_text().partition("\n")[0])
        label = 0 if isinstance(stored, list) else sorted(stored)[0]  # the floor, or scores
        damages = [[7.5], "x", None, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], {}]
        stored[label] = damages[number % len(damages)]
        body = json.dumps(stored).encode()
        path.write_bytes(body + b"\n" + digest(place.encode() + b"\n" + body).encode())
    measured.clear()
    assert run(settings, tmp_path, "second") == first
    assert measured


def test_a_metric_from_outside_is_measured_in_each_study(tmp_path, measured):
    settings = [*write_study(tmp_path), f"metrics=[default,{__name__}.Vowels]"]
    first = run(settings, tmp_path, "first")
    measured.clear()
    assert run(settings, tmp_path, "second") == first
    assert set(measured) == {"vowels"}
    assert not is_storable(Vowels())


@pytest.mark.slow
def test_a_metric_that_is_added_changes_no_other(tmp_path):
    settings = write_study(tmp_path)
    run(settings, tmp_path, "first", "metrics=[edit_distance,lcs]")
    run(settings, tmp_path, "second", "metrics=[default]")
    few, many = (open_run(tmp_path / name).rows for name in ("first", "second"))
    key = ["engine", "stage", "metric", "qid", "doc_id", "page_no"]
    both = few.merge(many, on=key, suffixes=("", "_of_many"))
    assert len(both) == len(few)
    assert np.array_equal(both["value"], both["value_of_many"], equal_nan=True)


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        (["scoring=default"], {"r_noise", "r_noise_reference"}),
        (["scoring=reference"], {"r_noise"}),
        (
            ["metrics=[default,edit_distance]"],
            {"r_noise", "r_noise_reference", "edit_distance"},
        ),
        (
            ["stages=[ocr,retrieval]"],
            {"r_noise", "r_noise_content", "r_noise_reference", "edit_distance"},
        ),
    ],
)
def test_without_the_stage_ocr_only_the_axis_of_noise_is_measured(
    tmp_path, measured, options, columns
):
    run(write_study(tmp_path), tmp_path, "run", "stages=[retrieval]", *options)
    noise = {"r_noise", "r_noise_content", "r_noise_reference", "edit_distance"}
    assert noise & set(measured) == columns
    cells = open_run(tmp_path / "run").cells
    assert {name for name in noise if cells[name].notna().any()} == columns


def test_where_the_truth_leaves_an_axis_no_room_all_are_measured(tmp_path, measured):
    settings = write_study(tmp_path)
    entries = json.loads((tmp_path / "qa.json").read_text())
    for entry in entries:
        entry["evidence_context"] = "words that are nowhere at all"
    write_questions(tmp_path / "qa.json", entries)
    run(settings, tmp_path, "run", "stages=[retrieval]")
    assert {"r_noise", "r_noise_content", "r_noise_reference", "edit_distance"} <= set(measured)


def test_scores_that_cannot_be_kept_are_measured_all_the_same(tmp_path, measured, monkeypatch):
    settings = write_study(tmp_path)
    first = run(settings, tmp_path, "first")
    shutil.rmtree(tmp_path / "cache" / KIND)
    put = ArtefactStore.put

    def refuse(self, kind, key, value):
        if kind == KIND:
            raise StoreError("cannot write: read-only file system")
        put(self, kind, key, value)

    monkeypatch.setattr(ArtefactStore, "put", refuse)
    measured.clear()
    assert run(settings, tmp_path, "second") == first
    assert measured


def test_a_stored_floor_is_what_was_measured(tmp_path):
    store = ArtefactStore(tmp_path)
    refs = [PageRef("law/a", 0), PageRef("academic/b", 0)]
    questions = [
        question_of(qa(n, ref.doc_id, 0, evidence_context="net sales rose"))
        for n, ref in enumerate(refs)
    ]
    whole = {refs[0]: Page(refs[0], "net sales rose")}
    for pages in (whole, whole | {refs[1]: Page(refs[1], "")}):  # a page is missing, or empty
        floor = truth_floor(questions, pages)
        for _ in range(2):
            assert list(stored_floor(store, questions, pages).items()) == list(floor.items())


@pytest.mark.slow
def test_scores_of_another_protocol_are_not_taken(tmp_path):
    settings = write_study(tmp_path)
    run(settings, tmp_path, "first")
    reference = run(settings, tmp_path, "second", "scoring=reference")
    (tmp_path / "fresh").mkdir()
    assert run(settings, tmp_path / "fresh", "third", "scoring=reference") == reference


def test_all_code_that_scores_is_part_of_the_key():
    hashed = (*_CODE, "ohr.types", "ohr.files", "ohr.errors", "ohr.registry", "ohr.lazy")
    for package in ("ohr.metrics", "ohr.markup"):
        folder = Path(importlib.import_module(package).__file__).parent
        for path in folder.rglob("*.py"):
            for name in re.findall(
                r"^(?:from|import) (ohr\.[\w.]+)", path.read_text(), re.MULTILINE
            ):
                assert name.startswith(hashed), f"{path} imports {name}"
