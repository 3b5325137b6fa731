"""A run in which one page in ten hangs, crashes, loops or eats memory ends with every page told."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ocr_backends.loops import LOOP as LOOPED
from ohr import registry
from ohr.ocr.files import FileOutputs, file_pages
from ohr.ocr.pools import Runners
from ohr.ocr.sources import find_pages
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Outcome, Status
from ohr.workers import Limits
from tests.faults.engines import CRASH, EAT, EMPTY, FINE, FLOOD, HANG, LOOP

ENGINE = PluginSpec(name="tests.faults.engines.PixelEngine")
BATCHING = PluginSpec(name="tests.faults.engines.BatchingEngine")
IN_A_HUNDRED = {HANG: 1, CRASH: 3, LOOP: 3, EAT: 2, FLOOD: 1, EMPTY: 3, FINE: 87}


def write_pages(folder: Path) -> list[int]:
    """A hundred small pages, each with pixels of its own, and the kind of each."""
    rng = np.random.default_rng(0)
    kinds = rng.permutation(np.repeat([*IN_A_HUNDRED], [*IN_A_HUNDRED.values()]))
    for number, kind in enumerate(kinds):
        page = rng.integers(0, 256, (24, 24), np.uint8)
        page.flat[0] = kind
        Image.fromarray(page).save(folder / f"page{number:03d}.png")
    return [int(kind) for kind in kinds]


@pytest.mark.slow
@pytest.mark.parametrize("spec", [ENGINE, BATCHING], ids=["one by one", "together"])
def test_pages_of_which_a_tenth_is_trouble(tmp_path: Path, spec: PluginSpec) -> None:
    (tmp_path / "pages").mkdir()
    kinds = write_pages(tmp_path / "pages")
    engine = registry.create("engine", spec)
    sources = list(find_pages([tmp_path / "pages"], 150))
    pages = file_pages(sources, spec, engine, hand_over_pdfs=False)
    limits = Limits(cpu_s=30, wall_s=3.0, memory_mb=400)
    readings = FileOutputs(
        spec, engine.identity(), ArtefactStore(tmp_path / "cache"), limits, Runners(2)
    )
    told: list[int] = []
    readings.make(pages, told.append)
    assert sum(told) == 100

    found: list[Outcome[str]] = []
    for page in pages:
        reading = readings.stored(page)
        assert reading is not None
        assert reading.is_final(limits, retry=False)
        found.append(reading.outcome)
    by_kind: dict[int, Counter[Status]] = {}
    for kind, outcome in zip(kinds, found, strict=True):
        by_kind.setdefault(kind, Counter())[outcome.status] += 1
    expected = {
        FINE: Status.OK,
        EMPTY: Status.EMPTY,
        HANG: Status.TIMEOUT,
        CRASH: Status.ERROR,
        EAT: Status.ERROR,
        LOOP: Status.OK,
        FLOOD: Status.TIMEOUT,
    }
    assert by_kind == {kind: {status: IN_A_HUNDRED[kind]} for kind, status in expected.items()}
    details = {kind: {o.detail for k, o in zip(kinds, found, strict=True) if k == kind}
               for kind in (HANG, CRASH, EAT, LOOP, FLOOD)}  # fmt: skip
    assert details[HANG] == {"no answer within 3 s"}
    assert details[FLOOD] == {"no answer within 3 s"}
    assert details[CRASH] == {"worker died (exit status 11)"}
    assert details[EAT] == {"used more than 400 MB of memory"}
    assert all(LOOPED in detail for detail in details[LOOP])
    assert sum(LOOPED in outcome.detail for outcome in found) == IN_A_HUNDRED[LOOP]
    # What was read and what failed both stand: nothing is left to do.
    again = FileOutputs(spec, engine.identity(), readings.store, limits, Runners(1))
    stored = [again.stored(page) for page in pages]
    assert [reading and reading.outcome for reading in stored] == found
