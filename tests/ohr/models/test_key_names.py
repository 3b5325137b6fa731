"""An API key typed where the name of its variable belongs is shown nowhere."""

from __future__ import annotations

import string
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.files.keys import hide_keys, is_plain_name
from ohr.models.error_bodies import quoted
from ohr.models.http import Endpoint
from ohr.models.key_names import key_name
from tests.builders import load_config

KEYS = [
    "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",
    "sk-proj-9d8f7g6h5j4k3l2m1n0b9v8c7x6z",
    "9c0ffee09c0ffee09c0ffee09c0ffee0",
    "qwertzuiopasdfghjklyxcvbnmqwertz",
    "xai-Zq81bYh2Kx93Lm47Pw65",
    "AIzaSyB-7QkqkqZqZqZqZqZqZqZqZqZqZqZqZ",
    "a1B2c3D4e5F6g7H8i9J0k1L2",
]
SERVED = [("reader", "openai", {}), ("engine", "openai_vlm", {}),
          ("retriever", "openai_embeddings", {}), ("retriever", "late_interaction_server", {}),
          ("engine", "azure", {"base_url": "https://x.invalid"})]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("kind", "name", "more"), SERVED)
def test_a_key_in_place_of_its_name(kind: str, name: str, more: dict[str, str], key: str) -> None:
    params = more or {"model": "m"}
    with pytest.raises(ConfigError, match=r"looks like a key .*not shown") as caught:
        registry.create(kind, {"name": name, "params": {**params, "api_key_env": key}})
    assert key not in f"{caught.value} {caught.value.__cause__}"
    assert key not in quoted(f"You sent {key}")


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "MY_KEY", "K", "key", "my_openai_key",
                                  "OpenAiKey2", "AZURE_DOCUMENT_INTELLIGENCE_KEY", "_x",
                                  "SOMECOMPANYSINTERNALGATEWAY", "TEAM_42_TOKEN"])  # fmt: skip
def test_a_name_is_a_name(name: str) -> None:
    assert key_name(name) == name
    params = {"model": "m", "api_key_env": name}
    assert registry.create("reader", {"name": "openai", "params": params})


def test_an_odd_name_of_a_variable_that_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEYS[0], "x")
    assert key_name(KEYS[0]) == KEYS[0]


def test_a_key_in_capitals_is_not_shown_either() -> None:
    key = "SOMEVERYLONGRANDOMKEYINCAPITALS"
    with pytest.raises(MissingDependencyError, match="that api_key_env names is not set") as caught:
        Endpoint("http://x.invalid", key, 1.0, 0).key()
    assert key not in str(caught.value)


@given(st.text(string.ascii_letters + string.digits, min_size=24, max_size=64))
def test_random_text_is_no_plain_name(text: str) -> None:
    mixed = sum(map(str.isdigit, text)) >= 4 and any(map(str.isalpha, text))
    assert not (mixed and is_plain_name(text))


@given(st.text())
def test_masking_any_text_masks_it_once(text: str) -> None:
    assert hide_keys(hide_keys(text)) == hide_keys(text)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "setting",
    [
        "readers=[{{name: openai, model: m, api_key_env: {}}}]",
        "readers=[{{name: openai, params: {{model: m, api_key_env: {}}}}}",
        "readers={{name: openai, params: 7, api_key_env: '{}'}}",
        "readers.x.api_key_env={}",
        "judge={{name: openai, api_key: {}}}",
    ],
)
def test_a_configuration_that_cannot_be_read_shows_no_key(setting: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(["dataset.kind=ohrbench", setting.format(key)])
    for end in range(0, len(key) - 8, 8):
        assert key[end : end + 12] not in str(caught.value)


def test_what_is_no_key_stays(tmp_path: Path) -> None:
    for text in (
        "unknown retriever 'bm52'; known: bm25",
        "/data/Filings_2024/Report-Q3_final.pdf page 3",
        "digest 85b85ac54230c6d3391599f644a28720",
        "{'name': 'openai', 'params': {'api_key_env': 'OPENAI_API_KEY'}}",
        "ClassNotFoundErrorInSomeVeryLongModuleName",
    ):
        assert hide_keys(text) == text


@pytest.mark.slow
def test_the_command_shows_no_key(tmp_path: Path) -> None:
    key = KEYS[0]
    setting = f"readers=[{{name: openai, params: {{model: m, api_key_env: {key}}}}}]"
    command = [sys.executable, "-m", "experiments", "run", "ocr-benchmark", setting, "--debug"]
    made = subprocess.run(
        [*command, "--out", str(tmp_path / "run")], capture_output=True, text=True, check=False
    )
    assert made.returncode
    assert key not in made.stdout + made.stderr
