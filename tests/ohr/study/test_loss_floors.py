"""The smallest loss that a study can show is said before it reads."""

from __future__ import annotations

import json

import pytest

from ohr.analysis.planning.pilots import kept_names, kept_pilot
from ohr.analysis.planning.table import reshaped
from ohr.statistics.power import smallest_difference
from ohr.study.loading import load_dataset
from ohr.study.notices.floor import floor_lines
from ohr.study.notices.loss_floors import FILE, pilot_for, smallest_loss
from ohr.study.plan import make_plan
from tests.builders import load_config, write_corpus

NAMES = sorted(json.loads(FILE.read_text()))


@pytest.mark.parametrize("name", NAMES)
def test_more_documents_show_smaller_losses_and_more_comparisons_larger_ones(name):
    counts = (6, 7, 10, 24, 70, 150, 999, 5000)
    for curves, levels in ((1, 1), (4, 4), (50, 3)):
        losses = [smallest_loss(name, count, curves, levels) for count in counts]
        assert losses == sorted(losses, reverse=True)
        assert all(0 < loss <= 1 for loss in losses)
    for count in (8, 60, 200):
        assert smallest_loss(name, count, 4, 4) > smallest_loss(name, count, 1, 1)


def test_the_file_is_of_the_kept_pilots_and_what_they_give():
    assert sorted(kept_names()) == NAMES
    assert {pilot_for(kind) for kind in ("sample", "sroie", "ohrbench", "a plug-in")} == {*NAMES}
    pilot = reshaped(kept_pilot("receipts").curves["retrieval", "lcs"], 1, 1)
    simulated = smallest_difference(pilot, 60, studies=200)
    assert smallest_loss("receipts", 60, 1, 1) == pytest.approx(simulated, abs=0.002)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["noise=[formatting]"], "a loss of retrieval LCS is shown in four of five studies from"),
        (["noise=[formatting]", "levels=[severe]"], "studies from about "),
        (["noise=[formatting]", "intensities=[.1,.2,.3,.4,.5]"], "studies from more than "),
        (["noise=[formatting]", "stages=[generation]"], "times its standard deviation"),
        (["noise=[]", "engines=[gt,tesseract]"], "times its standard deviation"),
    ],
)
def test_a_study_with_noise_and_retrieval_says_the_loss(tmp_path, settings, words):
    corpus = write_corpus(tmp_path, documents=7, pages=1)
    config = load_config([*corpus, "engines=[gt]", *settings])
    [line] = floor_lines(make_plan(config, load_dataset(config)))
    assert line.startswith("7 documents, ")
    assert words in line
