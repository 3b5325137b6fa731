"""What is seen of a page beside its reading, and when it is seen anew."""

from __future__ import annotations

from ohr import registry
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.study.pages.observe import REPEATS, Observing
from ohr.study.pages.worker import PageTask
from ohr.types import PageRef
from ohr.workers import Limits
from tests.builders import write_pdf


def test_each_seed_distorts_the_page_anew(tmp_path, log):
    spec = PluginSpec(name="tests.fakes.LoggingEngine")
    store = ArtefactStore(tmp_path / "cache")
    observing = Observing(spec, registry.create("engine", spec), store, Limits(60, 60))
    source = write_pdf(tmp_path / "doc.pdf", 1)
    counts = []
    for seed in (0, 0, 1):
        page = PageTask(PageRef("doc", 0), source, 72, None, 0.0, seed, {"page": "doc"})
        observing.observe([page], lambda *_: None)
        counts.append(len(set(log.read_text().split())))
    assert counts == [1 + len(REPEATS), 1 + len(REPEATS), 1 + 2 * len(REPEATS)]
