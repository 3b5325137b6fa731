"""Tuning: what is faster and reads no worse is taken, one parameter after another."""

from __future__ import annotations

import time
from types import MappingProxyType

import numpy as np
import pytest

from experiments.list_engines import main
from ohr.machine.tuning import Measured, settings_text, tune_engine
from ohr.plugins import OcrBackend, Params
from ohr.registry import PluginSpec
from tests.builders import CliRunner
from tests.fakes import LoggingEngine


class TunableParams(Params):
    nap_s: float = 0.05
    careless: bool = False


class TunableEngine(OcrBackend[TunableParams]):
    """Sleeps as long as it is told."""

    name = "tunable"
    tunable = MappingProxyType({"nap_s": (0.05, 0.0), "careless": (False, True)})

    def read(self, image: np.ndarray) -> str:
        time.sleep(self.params.nap_s)
        return "careless" if self.params.careless else "careful"


class FailingEngine(LoggingEngine):
    name = "failing"
    tunable = MappingProxyType({"any": (1,)})

    def read(self, image: np.ndarray, page_no: int = 0):
        raise RuntimeError("no paper")


ENGINE = PluginSpec(name="tests.experiments.reports.test_tuning.TunableEngine")


class Bench:
    """Measures nothing: seconds and distances are computed from the parameters."""

    def __init__(self, seconds, distances):
        self.seconds, self.distances, self.asked = seconds, distances, []

    def measure(self, spec, progress, what):
        self.asked.append(dict(spec.params))
        return Measured(spec.params, 1, self.seconds(spec.params), self.distances(spec.params), ())


def test_a_value_is_taken_if_it_is_faster_and_kept_for_the_next():
    bench = Bench(
        lambda params: 1.0 + 10 * params.get("nap_s", 0.05) - 0.5 * params.get("careless", False),
        lambda params: {"clean": 0.1, "severe": 0.2},
    )
    start, tried, best = tune_engine(ENGINE, bench, None)
    assert start.params == {}
    assert bench.asked == [{}, {"nap_s": 0.0}, {"nap_s": 0.0, "careless": True}]
    assert [dict(one.params) for one in tried] == bench.asked[1:]
    assert best.params == {"nap_s": 0.0, "careless": True}


@pytest.mark.parametrize("noise", ["clean", "severe"])
def test_what_reads_worse_at_any_noise_is_not_taken(noise):
    def distances(params):
        worse = 0.01 if params.get("careless") else 0.0
        return {"clean": 0.1, "severe": 0.2} | {noise: 0.3 + worse}

    bench = Bench(lambda params: 0.5 if params.get("careless") else 1.0, distances)
    assert tune_engine(ENGINE, bench, None)[2].params == {}


def test_a_gain_that_is_no_more_than_chance_is_not_taken():
    bench = Bench(lambda params: 0.96 if params else 1.0, lambda params: {"clean": 0.0})
    assert tune_engine(ENGINE, bench, None)[2].params == {}


def test_threads_that_the_machine_has_not_are_not_tried(monkeypatch):
    monkeypatch.setattr(TunableEngine, "tunable", {"nap_s": (0.05,)})
    bench = Bench(lambda params: 1.0, lambda params: {"clean": 0.0})
    tune_engine(ENGINE, bench, None)
    assert bench.asked == [{}]


def test_settings_are_written_as_a_configuration_has_them():
    given = {"runtime": "openvino", "side": None, "batch": 4, "loops": True}
    assert settings_text(given) == "{runtime: openvino, side: null, batch: 4, loops: true}"


@pytest.mark.slow
def test_the_command_measures_and_says_what_to_take():
    result = CliRunner().invoke(main, [ENGINE.name, "--tune", "--pages", "2"])
    assert result.exit_code == 0, result.output
    # Both readings are nonsense: neither is worse, and naps are all that it costs.
    assert "params: {nap_s: 0.0" in result.output
    assert "6/6" in result.output
    assert len([line for line in result.output.splitlines() if line.startswith("{")]) == 3


@pytest.mark.slow
def test_an_engine_that_cannot_read_is_one_line():
    name = "tests.experiments.reports.test_tuning.FailingEngine"
    result = CliRunner().invoke(main, [name, "--tune", "--pages", "1"])
    assert result.exit_code == 2
    assert "no paper" in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tune"], "name the engines"),
        (["tests.fakes.LoggingEngine", "--tune"], "no parameters to tune"),
        ([ENGINE.name, "--tune", "--check"], "name the engines"),
    ],
)
def test_what_cannot_be_tuned_is_one_line(arguments, said):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert said in result.output
