"""A study that is given again after a plug-in of one's own was edited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from ohr import registry
from ohr.errors import ConfigError
from ohr.ocr.worker import PageReader, PageTask, read_page
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import PageRef
from tests.builders import RUN_STUDY, write_corpus
from tests.conftest import ROOT

LOGGED = "import os\ndef log(what):\n    open('log', 'a').write(what + '\\n')\n"
FILES = {
    "helpers/__init__.py": "",
    "helpers/log.py": LOGGED,
    "helpers/words.py": "ANSWER = 'nothing'\n",
    "my_engine.py": """
import ohr
from helpers.log import log
class Mine(ohr.Engine):
    name = "mine"
    def read(self, image):
        log("engine")
        return "Fact " * ((image < 128).sum() // 50)
""",
    "my_noise.py": """
import ohr
class Mine(ohr.Distortion[ohr.PageRecord]):
    name = "mine"
    def plan(self, head, rng):
        return head
    def render(self, page, record):
        noisy = page.copy()
        noisy[:15] = 255
        return noisy if record.intensity else page
""",
    "my_retriever.py": """
import ohr
class Mine(ohr.Retriever):
    name = "mine"
    def index(self, chunks):
        self.chunks = chunks
    def search(self, query, k):
        best = enumerate(self.chunks[:k])
        return [ohr.Hit(c.ref, c.text, 1.0, i, (c.start, c.end)) for i, c in best]
""",
    "my_reader.py": """
import ohr
class Mine(ohr.Reader):
    name = "mine"
    def answer(self, question, context):
        from helpers import words
        return ohr.Outcome.of_text(words.ANSWER)
""",
}
SETTINGS = [
    "engines=[my_engine.Mine]", "noise=[my_noise.Mine]", "intensities=[0.5]", "ground_truth=true",
    "retrievers=[bm25,my_retriever.Mine]", "readers=[extractive,my_reader.Mine]",
]  # fmt: skip
PAGES = 4


@dataclass
class Study:
    """Runs in processes of their own, in one folder with one cache."""

    folder: Path
    settings: list[str]
    runs: int = 0
    cells: list[pd.DataFrame] = field(default_factory=list)
    manifest: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)

    def run(self) -> int:
        """The pages that the engine read."""
        (self.folder / "log").write_text("")
        out = self.folder / f"run{self.runs}"
        done = subprocess.run(
            [sys.executable, "-c", RUN_STUDY, str(out), *self.settings],
            capture_output=True, text=True, cwd=self.folder, check=False,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        self.runs += 1
        self.cells.append(pd.read_csv(out / "cells.csv", keep_default_na=False))
        self.manifest = json.loads((out / "manifest.json").read_text("utf-8"))
        return len((self.folder / "log").read_text().split())

    def edit(self, name: str, before: str, after: str) -> None:
        text = (self.folder / name).read_text()
        assert before in text
        (self.folder / name).write_text(text.replace(before, after))

    def changed(self, **which: object) -> bool:
        """Whether a mean of these cells is another than in the run before."""
        two = []
        for cells in self.cells[-2:]:
            for column, value in which.items():
                cells = cells[cells[column] == value]
            two.append(cells["mean"].tolist())
        assert two[0]
        return two[0] != two[1]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("edited")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    made = Study(folder, [*write_corpus(folder, 1, PAGES), *SETTINGS])
    assert made.run() == 2 * PAGES
    return made


@pytest.mark.slow
def test_the_manifest_has_the_sources(study: Study) -> None:
    sources = study.manifest["sources"]
    modules = ["helpers", "helpers.log", "helpers.words"]
    assert list(sources) == [*modules, "my_engine", "my_noise", "my_reader", "my_retriever"]
    assert not [text for text in sources.values() if "/" in str(text)]


@pytest.mark.slow
def test_an_edited_engine_reads_again(study: Study) -> None:
    study.edit("my_engine.py", "Fact ", "Costs ")
    assert study.run() == 2 * PAGES
    assert study.changed(stage="ocr", metric="edit_distance", engine="my_engine.Mine")
    assert not study.changed(engine="gt")


@pytest.mark.slow
def test_an_edited_noise_draws_again(study: Study) -> None:
    study.edit("my_noise.py", "noisy[:15] = 255", "noisy[:25] = 255")
    assert study.run() == PAGES  # the clean pages stay read
    assert study.changed(stage="ocr", metric="edit_distance", noise="semantic")
    assert not study.changed(noise="none")


@pytest.mark.slow
def test_an_edited_retriever_and_readers_helper_are_asked_again(study: Study) -> None:
    study.edit("my_retriever.py", "self.chunks[:k]", "self.chunks[:1]")
    study.edit("helpers/words.py", "nothing", "answer 10")
    assert study.run() == 0
    assert study.changed(stage="retrieval", retriever="my_retriever.Mine")
    assert study.changed(stage="generation", metric="f1", reader="my_reader.Mine")
    assert not study.changed(stage="retrieval", retriever="bm25")
    assert not study.changed(stage="generation", reader="extractive")
    assert not study.changed(stage="ocr")


@pytest.mark.parametrize("edited", ["engine", "noise"])
def test_a_worker_refuses_what_was_edited_since_the_plan(
    edited: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("my_engine.py", "my_noise.py"):
        (tmp_path / name).write_text(
            FILES[name].replace("from helpers.log import log", "log = len")
        )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("my_engine", "my_noise"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    Image.new("L", (60, 80), 255).save(tmp_path / "page.png")
    operator = PluginSpec.parse("my_noise.Mine")
    engine = PluginSpec.parse("my_engine.Mine")
    identities = {
        "engine": registry.create("engine", engine).identity(),
        "noise": registry.create("perturbation", operator).identity(),
    }
    identities[edited] |= {"sources": {f"my_{edited}": "of another text"}}
    key = {"noise": [identities["noise"], 0.5]}
    task = PageTask(PageRef("d", 0), tmp_path / "page.png", 72, operator, 0.5, 0, key)
    reader = PageReader(engine, identities["engine"], ArtefactStore(tmp_path / "cache"))
    with pytest.raises(ConfigError, match=f"my_{edited} was edited while the study ran"):
        read_page(task, reader)
