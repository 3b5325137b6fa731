"""A frozen task runs with open parts alone, on its data, noises and metrics, or not at all."""

from __future__ import annotations

import json

import pytest
import yaml

from experiments import task_freeze, task_list, task_run
from ohr.errors import ConfigError
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.tasks.card import load_card, task_names
from ohr.tasks.freezing import freeze, write_card
from ohr.tasks.places import machine_places
from ohr.tasks.running import run_task
from tests.builders import CliRunner, load_config, write_corpus
from tests.loopback import said

STUDY = (
    *("engines=[gt]", "noise=[formatting]", "levels=[severe]", "seeds=[0]", "workers=1"),
    "metrics=[lcs,f1,r_noise_reference,edit_distance]",
)
METRICS = ("retrieval:lcs", "overall:f1")


@pytest.fixture
def finished(tmp_path):
    """A finished study of a corpus in ``tmp_path``."""
    settings = [*write_corpus(tmp_path, documents=3, pages=2), *STUDY]
    run_study(load_config(settings), tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def card_file(finished, tmp_path):
    """The card of that study, written by the command."""
    path = tmp_path / "card.yaml"
    done = CliRunner().invoke(
        task_freeze.main,
        [
            *(str(finished), "--name", "mine/formatting@1", "--open", "retrievers,readers"),
            *("--metric", METRICS[0], "--metric", METRICS[1], "--out", str(path)),
        ],
    )
    assert done.exit_code == 0, done.output
    return path


def run(card_file, tmp_path, *settings: str, data=None):
    data = data or tmp_path
    options = ["--data", str(data), "--cache", str(tmp_path / "cache"), "--workers", "1"]
    out = ["--out", str(tmp_path / "again")]
    return CliRunner().invoke(task_run.main, [str(card_file), *settings, *options, *out])


def change(card_file, **parts):
    content = yaml.safe_load(card_file.read_text())
    for key, value in parts.items():
        place = content
        *parents, last = key.split("__")
        for parent in parents:
            place = place[parent]
        assert place[last] != value
        place[last] = value
    card_file.write_text(yaml.safe_dump(content))


def test_a_task_gives_the_scores_of_the_run_that_it_was_made_of(finished, card_file, tmp_path):
    done = run(card_file, tmp_path)
    assert done.exit_code == 0, done.output
    entry = json.loads((tmp_path / "again" / "task.json").read_text())
    cells = open_run(finished).cells
    lcs_cells = cells[(cells["metric"] == "lcs") & (cells["group"] == "all")]
    means = [score["mean"] for score in entry["scores"] if score["metric"] == "retrieval:lcs"]
    assert means == pytest.approx(lcs_cells["mean"].tolist(), abs=1e-6)
    assert entry["card"] == load_card(str(card_file)).digest
    assert f"mine/formatting@1 (card {entry['card'][:8]}, data " in done.stdout


def test_open_parts_may_change_and_frozen_ones_may_not(card_file, tmp_path):
    done = run(card_file, tmp_path, "retrievers=[bm25,bm25_reference]")
    assert done.exit_code == 0, done.output
    entry = json.loads((tmp_path / "again" / "task.json").read_text())
    assert {score["retriever"] for score in entry["scores"]} == {"bm25", "bm25_reference"}
    assert run(card_file, tmp_path, "workers=2").exit_code == 2
    refused = run(card_file, tmp_path, "top_k=5")
    assert refused.exit_code == 2
    assert "mine/formatting@1 freezes 'top_k'; open: retrievers, readers" in refused.stderr


def test_the_card_travels_with_the_data_in_another_folder(card_file, tmp_path):
    assert str(tmp_path) not in card_file.read_text()
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in list(tmp_path.iterdir()):
        if path.name not in ("card.yaml", "run", "cache", "moved"):
            path.rename(moved / path.name)
    done = run(card_file, tmp_path, data=moved)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("change_of", "words"),
    [
        ({"data__digest": "0" * 32}, "these are other data (3 documents"),
        ({"noises__formatting__version": "1"}, "a noise has another version"),
        ({"signatures__overall:f1": "f1|scoring:default|k:2|v:1"}, "overall:f1 is measured other"),
        ({"study__top_k": 3}, "is measured otherwise here (k 2 and 3)"),
        ({"name": "no version"}, "a name and a version"),
        ({"headline": ["retrieval:nope"]}, "no signature of retrieval:nope"),
        ({"study__dataset": "sample"}, "the study has no dataset"),
        ({"open": []}, "open: Tuple should have at least 1 item"),
    ],
)
def test_whatever_differs_from_the_card_is_refused_before_reading(
    card_file, tmp_path, change_of, words
):
    change(card_file, **change_of)
    done = run(card_file, tmp_path)
    assert done.exit_code == 2
    assert words in done.stderr
    assert not (tmp_path / "again").exists()


def test_what_cannot_be_frozen_is_refused(finished, card_file, tmp_path):
    run_of = open_run(finished)
    with pytest.raises(ConfigError, match="did not measure 'overall:em'"):
        freeze(run_of, "a@1", ["readers"], ["overall:em"], "", "")
    with pytest.raises(ConfigError, match="open"):
        freeze(run_of, "a@1", ["dpi"], ["overall:f1"], "", "")
    before = card_file.read_bytes()
    with pytest.raises(ConfigError, match="a task does not change"):
        write_card(load_card(str(card_file)), card_file)
    assert card_file.read_bytes() == before
    with pytest.raises(ConfigError, match="needs --data"):
        run_task(str(card_file), {}, None, tmp_path / "x", tmp_path / "cache", 1)
    with pytest.raises(ConfigError, match="unknown task 'sample/formating@1'"):
        load_card("sample/formating@1")


def test_the_tasks_of_the_toolkit_are_listed_and_whole():
    done = CliRunner().invoke(task_list.main, [])
    assert done.exit_code == 0
    assert task_names()
    for name in task_names():
        assert name in done.stdout
        assert load_card(name).name == name


@pytest.mark.slow
@pytest.mark.parametrize("name", task_names())
def test_a_task_of_the_toolkit_can_be_run(name, sample_cache, tmp_path):
    assert run_task(name, {}, None, tmp_path / "run", sample_cache, 1) == 0


def test_a_card_loads_no_code_of_the_working_folder(card_file, tmp_path, monkeypatch):
    (tmp_path / "unasked.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    change(card_file, study__readers=["unasked.Reader"])
    done = run(card_file, tmp_path)
    assert done.exit_code == 2
    assert "--trust-code" in done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("place", "is_local"),
    [
        ({"base_url": "http://localhost:8000/v1"}, True),
        ({"base_url": "http://10.1.2.3/v1"}, True),
        ({"base_url": "http://[::1]:8000/v1"}, True),
        ({"base_url": "http://gpu7:8000/v1"}, True),
        ({"base_url": "http://[::1"}, True),
        ({"model": "https://models.lan/v1#m"}, True),
        ({"model": "/models/qwen"}, True),
        ({"model": "~/qwen"}, True),
        ({"reader": {"name": "openai", "params": {"base_url": "http://127.0.0.1/v1"}}}, True),
        ({"base_url": "https://api.example.org/v1", "model": "org/qwen"}, False),
        ({"prompt": "answer", "size": 3}, False),
    ],
)
def test_places_of_a_machine_are_found(place, is_local):
    spec = [{"name": "x", "argument": None, "params": place, "label": "/x"}]
    assert bool(list(machine_places(spec))) == is_local


def test_a_card_has_no_place_of_a_machine(server, tmp_path):
    server.answer = lambda request: said("answer 1")
    params = {"model": "m", "base_url": server.url}
    reader = f"readers=[{json.dumps({'name': 'openai', 'params': params})}]"
    run_study(
        load_config([*write_corpus(tmp_path, documents=3, pages=2), *STUDY, reader]),
        tmp_path / "run",
    )
    finished = open_run(tmp_path / "run")
    with pytest.raises(ConfigError, match=r"readers names a place of this machine, base_url http"):
        freeze(finished, "a@1", ["retrievers"], ["overall:f1"], "", "")
    card = freeze(finished, "a@1", ["retrievers", "readers"], ["overall:f1"], "", "")
    write_card(card, tmp_path / "card.yaml")
    assert "127.0.0.1" not in (tmp_path / "card.yaml").read_text()
    done = run(tmp_path / "card.yaml", tmp_path)
    assert done.exit_code == 2
    assert "a@1 names no readers of its own: give readers=…" in done.stderr
    done = run(tmp_path / "card.yaml", tmp_path, "readers=[extractive]")
    assert done.exit_code == 0, done.output
