"""The files of the site's section Extend: each keeps its hook's laws, and runs in a study."""

from __future__ import annotations

import re
import shutil
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohr
from ohr import Chunk, PageRef, registry
from ohr.study.output.cases import read_cases
from ohr.study.run import run_study
from tests.builders import load_config
from tests.conftest import ROOT
from tests.test_readme import FEW, give, working_in

EXTEND = ROOT / "docs" / "extend"
STUDIES = {
    page.stem: command
    for page in sorted(EXTEND.glob("*.md"))
    for block in re.findall(r"```bash\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    for command in block.replace("\\\n", " ").splitlines()[:1]
}
SMALLER = {
    "perturbation": ["levels=[severe]", *FEW],
    "metric": ["levels=[severe]", *FEW],
    "engine": FEW,
    "system": FEW,
    "mitigation": ["levels=[severe]", *FEW],
}
"""What makes a study take seconds."""


@cache
def plugin(kind: str, name: str) -> Any:
    """A plug-in of these files, made where they lie in the folder that one works in."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXTEND)
        return registry.create(kind, name)


def test_there_is_a_page_and_a_file_for_every_hook():
    for kind in registry.KINDS:
        assert f'--8<-- "extend/my_{kind}.py"' in (EXTEND / f"{kind}.md").read_text("utf-8")
    assert set(STUDIES) == set(registry.KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("page", STUDIES)
def test_a_study_uses_the_plugin_by_its_dotted_path(page, documents_folder):
    tmp_path = documents_folder
    if "tesseract" in STUDIES[page] and not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    for path in EXTEND.glob("my_*"):
        shutil.copy(path, tmp_path)
    give(STUDIES[page], tmp_path, *SMALLER.get(page, []))
    cells = pd.read_csv(tmp_path / STUDIES[page].split("--out ")[1].strip() / "cells.csv")
    if page == "mitigation":
        assert "tesseract + my_mitigation.Specks" in cells["engine"].to_list()
    elif page != "dataset":
        for name in re.findall(r"my_\w+\.\w+", STUDIES[page]):
            assert (name.split(".")[1] if page == "metric" else name) in cells[page].to_list()
    assert not cells[["n_error", "n_timeout"]].to_numpy().any()


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32))
def test_the_distortion_keeps_the_laws(low, high, seed):
    low, high = sorted((low, high))
    spots = plugin("perturbation", "my_perturbation.InkSpots")
    page = np.full((60, 40), 255, np.uint8)
    none, some, more = (
        spots.apply(page, intensity=intensity, rng=np.random.default_rng(seed))
        for intensity in (0.0, low, high)
    )
    assert (none.value == page).all()
    assert (spots.replay(page, more.record) == more.value).all()
    assert (more.value[some.value == 0] == 0).all()


@settings(deadline=None)
@given(st.text("aB. \n", max_size=40), st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32))
def test_the_noise_on_text_keeps_the_laws(text, low, high, seed):
    low, high = sorted((low, high))
    capitals = plugin("perturbation", "my_text_noise.Capitals")
    none, some, more = (
        capitals.apply(text, intensity=intensity, rng=np.random.default_rng(seed))
        for intensity in (0.0, low, high)
    )
    assert none.value == text
    assert set(some.record) <= set(more.record)
    assert capitals.replay(text, more.record) == more.value
    assert capitals.undo(more.value, more.record) == text


@settings(deadline=None)
@given(st.text("ab. \n", max_size=40))
def test_the_chunker_cuts_in_order_and_loses_only_white_space(text):
    chunker = plugin("chunker", "my_chunker.Paragraphs")
    ends = [end for span in chunker.spans(text) for end in span]
    assert ends == sorted(ends)
    kept = "".join(text[start:end] for start, end in chunker.spans(text))
    assert "".join(kept.split()) == "".join(text.split())


def test_the_retriever_breaks_ties_in_index_order():
    retriever = plugin("retriever", "my_retriever.Overlap")
    texts = ["roof", "the roof cost", "roof"]
    retriever.index([Chunk(PageRef("a", i), 0, len(t), t) for i, t in enumerate(texts)])
    hits = retriever.search("What did the roof cost?", 3)
    assert [hit.ref.page_no for hit in hits] == [1, 0, 2]
    assert [hit.rank for hit in hits] == [0, 1, 2]


def test_the_retriever_of_images_breaks_ties_in_index_order_and_says_what_failed():
    class Drawn:
        def draw(self, refs):
            pages = {0: 255, 1: 0, 2: 255}
            return [
                ohr.Outcome(np.full((4, 4, 3), pages[ref.page_no], np.uint8))
                if ref.page_no in pages
                else ohr.Outcome.error("no such page")
                for ref in refs
            ]

    ink = plugin("retriever", "my_image_retriever.Ink")
    pages = [ohr.PageImage(PageRef("a", n), str(n), Drawn()) for n in range(4)]
    assert ink.index_images(pages) == {PageRef("a", 3): "no such page"}
    assert [hit.ref.page_no for hit in ink.search("?", 3)] == [1, 0, 2]


def test_the_metric_counts_numbers():
    metric = plugin("metric", "my_metric.number_recall")
    assert metric.score("1,200 euros", "1200 of 1500") == 0.5
    assert metric.score("", "no number") == 1.0


ALL = [
    "engines=[gt,my_engine.BlackAndWhite]",
    *("retrievers=[my_retriever.Overlap]", "readers=[my_reader.Quote]", "scope=document"),
    *("systems=[rag,my_system.Grep]", "metrics=[default,my_metric.number_recall]"),
    *FEW,
]
EDITS = {
    "my_engine.py": ("image_to_string(page)", "image_to_string(page).upper()"),
    "my_retriever.py": ("np.argsort(-np.array(scores)", "np.argsort(np.array(scores)"),
    "my_reader.py": ("return ohr.Outcome.of_text(best)", "return ohr.Outcome.of_text(best[:9])"),
    "my_system.py": ("ohr.Answer(line,", "ohr.Answer(line.lower(),"),
    "my_metric.py": ("if expected else 1.0", "if expected else 0.5"),
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_one_study_uses_them_all_and_an_edited_one_gives_what_it_now_does(documents_folder):
    tmp_path = documents_folder
    for name in EDITS:
        shutil.copy(EXTEND / name, tmp_path)
        assert len((EXTEND / name).read_text().splitlines()) < 40

    def study(name: str) -> dict[str, pd.Series]:
        with working_in(tmp_path):
            run_study(load_config(ALL), tmp_path / name)
        cells = ohr.open_run(tmp_path / name).cells
        assert not cells[["n_error", "n_timeout"]].to_numpy().any()
        rows = pd.read_parquet(tmp_path / name / "rows.parquet")
        answers = read_cases(tmp_path / name, "answers").to_pandas()
        truth = answers[answers["knowledge_base"] == "gt, clean"]
        return {
            "my_engine.py": read_cases(tmp_path / name, "pages").to_pandas()["text"],
            "my_retriever.py": read_cases(tmp_path / name, "hits").to_pandas()["score"],
            "my_reader.py": truth[truth["stage"] == "generation"]["text"],
            "my_system.py": truth[truth["system"] == "my_system.Grep"]["text"],
            "my_metric.py": rows[rows["metric"] == "number_recall"]["value"],
        }

    def edit(name: str) -> None:
        source = (tmp_path / name).read_text("utf-8")
        old, new = EDITS[name]
        assert old in source
        (tmp_path / name).write_text(source.replace(old, new), "utf-8")

    before = study("first")
    edit("my_metric.py")
    measured = study("second")
    for name in set(EDITS) - {"my_metric.py"}:
        edit(name)
        assert measured[name].equals(before[name])
    after = study("third")
    assert not measured["my_metric.py"].equals(before["my_metric.py"])
    for name in set(EDITS) - {"my_metric.py"}:
        assert not after[name].equals(before[name]), name
