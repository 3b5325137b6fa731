from __future__ import annotations

import pytest
import typer

from experiments._exit import exit_with
from ohr.errors import ConfigError
from ohr.study.config import load_config


def test_defaults_then_yaml_then_arguments(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("seed: 3\ndataset: {kind: ohrbench, path: /data}\nlevels: [mild]\n")
    config = load_config(
        [str(path), "dataset.questions=/q.json", "levels=[mild,severe]"], {"seed": 1, "top_k": 5}
    )
    assert (config.seed, config.top_k, config.levels) == (3, 5, ("mild", "severe"))
    assert config.dataset.kind == "ohrbench"
    assert str(config.dataset.questions) == "/q.json"


@pytest.mark.parametrize(
    ("arguments", "levels", "intensities"),
    [
        ([], None, (0.5, 1.0)),
        (["noise=rotation"], None, (0.5, 1.0)),
        (["levels=[severe]"], ("severe",), ()),
        (["intensities=0.3"], None, (0.3,)),
        (["edit_distance=0.1", "calibration=c.json"], None, ()),
        (["noise=[]"], None, ()),
    ],
)
def test_an_amount_of_noise_replaces_the_default_amounts(arguments, levels, intensities):
    defaults = {"noise": ["semantic"], "intensities": [0.5, 1.0]}
    config = load_config(arguments, defaults)
    assert (config.levels, config.intensities) == (levels, intensities)


def test_plugins_are_named_with_arguments_and_parameters():
    config = load_config(
        ["engines=[gt,precomputed:MinerU]", "retrievers=[{name: bm25, params: {k1: 1.2}}]"]
    )
    assert [spec.label for spec in config.engines] == ["gt", "precomputed:MinerU"]
    assert config.retrievers[0].params == {"k1": 1.2}


def test_a_single_value_stands_for_a_list():
    config = load_config(["engines=tesseract", "intensities=0.5", "stages=ocr"])
    assert config.engines[0].name == "tesseract"
    assert config.intensities == (0.5,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sede=1"], r"unknown option 'sede'; did you mean 'seed'\? known: dataset, dpi"),
        (["dataset.knid=x"], r"'dataset.knid'; did you mean 'dataset.kind'\? known: dataset.kind"),
        (["colour=red"], r"unknown option 'colour'; known: dataset, dpi"),
        (["top_k=0"], r"top_k: .*greater than or equal to 1 \(got 0\)"),
        (["scoring=best"], r"scoring: .*'default' or 'reference'"),
        (["intensities=[0,2]"], r"intensities.1: .*less than or equal to 1"),
        (["engines=[gt"], r"cannot read 'engines=\[gt': the value is not YAML"),
        (["study.yaml"], r"no configuration file study.yaml; options are key=value"),
        (["engines=[{nome: gt}]"], r"not a plug-in"),
        (["engines=[]"], r"engines: .*at least 1"),
        (["stages=[]"], r"stages: .*at least 1"),
        (["seed=12345678901234567890123"], r"seed: .*less than 9223372036854775805"),
        (["bootstrap=1000000000"], r"bootstrap: .*less than or equal to 100000"),
        (["top_k=12345678901234567890123"], r"top_k: .*less than or equal to 1000000"),
        (["seed=" + "9" * 5000], r"cannot read 'seed=9+': the value is not YAML"),
        (["top_k=2", "top_k=3"], r"top_k is given 2 times \(2 and 3\): keep one"),
        (["domains=a,,b"], r"unknown option 'domains'"),
        (["dataset.domains=a,,b"], r"dataset.domains=a,,b: an item of the list is empty"),
        (["engines=" + "[" * 5_000], r"nested too deeply"),
        (["dataset={kind: a, kind: b}"], r"the key 'kind' comes twice \(line 1\): keep one"),
        (["/dev/zero"], r"cannot read /dev/zero: it is a device or a pipe, not a file"),
    ],
)
def test_mistakes_are_one_line_with_the_mend(arguments, message):
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(arguments)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_yaml_is_named(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("a: [1\n")
    with pytest.raises(ConfigError, match=r"bad\.yaml as YAML"):
        load_config([str(path)])
    path.write_text("- 1\n")
    with pytest.raises(ConfigError, match="key: value pairs, not a list"):
        load_config([str(path)])


def test_workers_and_cache_do_not_change_what_a_study_is():
    one, other = load_config(["workers=1", "cache=/a"]), load_config(["workers=7", "cache=/b"])
    assert one.identity() == other.identity()
    assert one.identity() != load_config(["seed=1"]).identity()


LAUGHS = "\n".join(
    ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        "a: &a [*a]",
        LAUGHS.replace("[", "{<<: [").replace("]", "]}").replace("lol", "{x: 1}"),
        "x" * 1_000_001,
    ],
)
def test_yaml_that_stands_for_gigabytes_is_one_short_line(tmp_path, text, capsys):
    path = tmp_path / "laughs.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"laughs\.yaml") as raised:
        load_config([str(path)])
    assert len(str(raised.value)) < 500


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed: 1\nstages: [retrieval]\nseed: 2\n", r"'seed' comes twice \(lines 1 and 3\)"),
        ('seed: 1\n"seed": 2\n', r"'seed' comes twice \(lines 1 and 2\)"),
        ("dataset:\n  kind: a\n  limit: 1\n  kind: b\n",
         r"'dataset\.kind' comes twice \(lines 2 and 4\)"),
        ("engines:\n- name: a\n- {name: b, params: {x: 1, x: 1}}\n",
         r"'engines\.params\.x' comes twice \(line 3\)"),
        ("a: &a {x: 1, x: 2}\nb: *a\n", r"'a\.x' comes twice"),
        ("dataset: {params: {1: a, 1.0: b}}\n", r"'dataset\.params\.1\.0' comes twice"),
    ],
)  # fmt: skip
def test_equal_keys_are_an_error_that_names_key_and_line(tmp_path, text, said):
    path = tmp_path / "twice.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        load_config([str(path)])


def test_keys_may_be_merged_and_replaced(tmp_path):
    path = tmp_path / "study.yaml"
    text = "dataset: {params: {a: &a {x: 1, y: 1}, b: &b {z: 3}, c: {<<: *a, <<: *b, y: 2}}}\n"
    path.write_bytes(text.encode("utf-16"))
    assert load_config([str(path)]).dataset.params["c"] == {"x": 1, "y": 2, "z": 3}


def test_aliases_may_be_used(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("engines: &them [gt]\ndataset: {domains: *them}\n")
    assert load_config([str(path)]).dataset.domains == ("gt",)


@pytest.mark.slow
def test_an_error_is_one_short_line_without_control_characters(capsys):
    def fail() -> int:
        raise ConfigError(f"name\n\x1b[31m\udce9 {'x' * 10_000_000} mend")

    with pytest.raises(typer.Exit) as raised:
        exit_with(fail, debug=False)
    assert raised.value.exit_code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: name ?[31m? xxx")
    assert said.endswith("x mend\n")
    assert len(said) < 2100
