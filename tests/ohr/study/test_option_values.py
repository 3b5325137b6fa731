"""Options read as they are typed, and written so that they are read again."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import ConfigError
from ohr.files.typed_lists import split_list
from ohr.study.commands import Command, command_entry, option_texts, running, typed_command
from ohr.study.config import StudyConfig, config_of, given_options, load_config
from ohr.study.presets import preset, preset_names
from tests.examples import examples


@pytest.mark.parametrize(
    "name",
    ["2024", "[draft] reports", "#inbox", "Reports: final", "no", "1e3", "a, b", "'x'", "{y"],
)
def test_a_path_is_what_was_typed(name):
    assert load_config([f"dataset.path={name}"]).dataset.path == Path(name)


@pytest.mark.parametrize(
    ("arguments", "domains"),
    [
        (["dataset.domains=2023"], ("2023",)),
        (["dataset.domains=no,2023"], ("no", "2023")),
        (["dataset.domains=[no, 2023]", "dataset.domains=true"], ("no", "2023", "true")),
        (["dataset.domains=[]"], ()),
        (["dataset.domains=[draft] law"], ("[draft] law",)),
    ],
)
def test_names_are_what_was_typed(arguments, domains):
    assert load_config(arguments).dataset.domains == domains


def test_names_in_a_file_are_what_was_written(tmp_path):
    (tmp_path / "study.yaml").write_text(
        "dataset: {path: 2024, domains: [no, 2023-01-02], params: {n_pages: 5}}\nlevels: 1.50\n"
    )
    config = load_config([str(tmp_path / "study.yaml")])
    assert config.dataset.path == Path("2024")
    assert config.dataset.domains == ("no", "2023-01-02")
    assert config.dataset.params == {"n_pages": 5}
    assert config.levels == ("1.50",)


def test_lists_add_up_and_replace_those_of_files_and_defaults(tmp_path):
    (tmp_path / "study.yaml").write_text("engines: [rapidocr]\nks: [7]\n")
    more = ["engines=a,b", "engines={name: c, params: {x: [1, 2]}}", "ks=[2]", "ks=3"]
    config = load_config([str(tmp_path / "study.yaml"), *more], {"engines": ["gt"]})
    assert [spec.name for spec in config.engines] == ["a", "b", "c"]
    assert config.engines[2].params == {"x": [1, 2]}
    assert config.ks == (2, 3)


@pytest.mark.parametrize(
    "arguments", [["dpi=100", "dpi=100"], ["dataset.path=a", "dataset.path=b"]]
)
def test_another_option_comes_once(arguments):
    with pytest.raises(ConfigError, match=r"is given 2 times .*: keep one"):
        load_config(arguments)


def test_the_home_of_the_user_is_found_in_paths(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "/home/ada")
    (tmp_path / "study.yaml").write_text("cache: ~/cache\n")
    config = load_config(["dataset.path=~/data", str(tmp_path / "study.yaml")])
    assert config.dataset.path == Path("/home/ada/data")
    assert config.cache == Path("/home/ada/cache")
    assert StudyConfig(dataset={"path": "~/data"}).dataset.path == Path("/home/ada/data")


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a,b", ["a", "b"]),
        (" a , b ", ["a", "b"]),
        ("{name: a, x: 1},b", ["{name: a, x: 1}", "b"]),
        ("{a: 'x}, y'},b", ["{a: 'x}, y'}", "b"]),
        ("{a: it's},b's", ["{a: it's}", "b's"]),
        ("", [""]),
    ],
)
def test_a_list_is_split_where_a_reader_would(text, items):
    assert split_list(text) == items


TEXTS = st.text(st.sampled_from("ab19 ,:#'\"[]{}~é-.=no"), min_size=1, max_size=8).filter(
    lambda text: text == text.strip()
)
SPECS = st.one_of(
    TEXTS.filter(lambda text: not text.startswith("{")),
    st.fixed_dictionaries(
        {"name": TEXTS, "params": st.dictionaries(st.just("k"), TEXTS | st.integers(), min_size=1)}
    ),
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "dataset": st.fixed_dictionaries(
            {},
            optional={
                "path": TEXTS,
                "domains": st.lists(TEXTS, max_size=3),
                "limit": st.integers(1, 99) | st.none(),
                "even": st.booleans(),
                "params": st.dictionaries(st.sampled_from("pq"), TEXTS | st.floats(0, 1)),
            },
        ),
        "engines": st.lists(SPECS, min_size=1, max_size=3),
        "judge": SPECS | st.none(),
        "levels": st.lists(TEXTS, max_size=3) | st.none(),
        "intensities": st.lists(st.floats(0, 1), max_size=3),
        "seeds": st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True) | st.none(),
        "ground_truth": st.booleans(),
        "stages": st.lists(st.sampled_from(["ocr", "overall"]), min_size=1, unique=True),
    },
)


@examples(300)
@given(OPTIONS)
def test_options_as_they_are_typed_are_read_as_they_were(options):
    assert config_of(given_options(option_texts(options))) == config_of(options)


@pytest.mark.parametrize("name", preset_names())
def test_a_study_from_python_has_a_command_that_makes_the_same(name):
    config = config_of({"dataset": {"limit": 3}, "seeds": [1]}, preset(name))
    entry = command_entry(config, Path("run"))
    command = typed_command(entry, Path("/x/run"))
    ohr, group, study, *options = shlex.split(command)
    assert (ohr, group, options[-2:]) == ("ohr", "run", ["--out", "run"])
    assert load_config(options[:-2], preset(study)).identity() == config.identity()


def test_the_running_command_is_kept_without_keys_and_with_its_part():
    key = "sk-" + 40 * "a1"
    command = Command(
        "paper drc", (f"judge={{name: openai, params: {{api_key: {key}}}}}",), Path("o")
    )
    with running(command):
        entry = command_entry(StudyConfig(), Path("o/part/one"))
    assert entry["name"] == "paper drc"
    assert entry["part"] == "part/one"
    assert key not in str(entry)
    assert typed_command(entry, Path("/r/o/part/one")).endswith(" --out o")
    assert command_entry(StudyConfig(), Path("o"))["name"] == "run ocr-benchmark"


def test_a_study_that_cannot_be_typed_has_no_command_and_does_not_end_by_it(monkeypatch):
    def refuse(texts):
        raise ConfigError("cannot be read")

    monkeypatch.setattr("ohr.study.commands.given_options", refuse)
    assert command_entry(StudyConfig(), Path("run")) is None
