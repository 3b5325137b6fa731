"""Models that are here are listed by what their files state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ohr.machine.models import models_in
from tests.experiments.test_commands import invoke


@pytest.fixture
def models(tmp_path: Path) -> Path:
    def write(name: str, config: dict[str, object] | None, *files: str, readme: str = "") -> None:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        if config is not None:
            (folder / "config.json").write_text(json.dumps(config))
        for file in files:
            (folder / file).write_text("[]")
        if readme:
            (folder / "README.md").write_text(readme)

    write("b/talker", {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"],
          "hidden_size": 896}, readme="---\nlicense: apache-2.0\n---\n")  # fmt: skip
    write("a-encoder", {"model_type": "bert", "hidden_size": 384}, "modules.json", "LICENSE")
    write("ocr", None, "det.onnx")
    write("broken", {}, "x.gguf")
    (tmp_path / "broken" / "config.json").write_text("{")
    write("empty", None)
    return tmp_path


def test_each_model_has_its_use_dimensions_and_licence(models):
    entries = {entry.name: entry for entry in models_in(models)}
    assert list(entries) == ["a-encoder", "b/talker", "broken", "ocr"]
    encoder, talker = entries["a-encoder"], entries["b/talker"]
    assert (encoder.use, encoder.needs) == ("retriever sentence_transformers", "dense")
    assert (encoder.dimensions, encoder.licence) == ("384", "see LICENSE")
    assert (talker.use, talker.needs, talker.licence) == (
        "reader transformers",
        "llm",
        "apache-2.0",
    )
    assert entries["broken"].kind == "GGUF file"
    assert entries["ocr"].use == "engine rapidocr"


def test_the_command_lists_a_folder_and_names_an_empty_one(models):
    done = invoke("list_models", str(models), str(models / "empty"))
    assert done.exit_code == 0, done.output
    assert "b/talker" in done.output
    assert f"4 models in {models}" in " ".join(done.output.split())
    assert "no model" in done.output


def test_a_folder_that_is_a_model_itself_has_its_own_name(models, monkeypatch):
    monkeypatch.chdir(models / "a-encoder")
    assert [entry.name for entry in models_in(Path())] == ["a-encoder"]


@pytest.mark.parametrize(
    ("config", "use"),
    [
        ({"architectures": ["BertModel"]}, "retriever sentence_transformers"),
        ({"architectures": ["ViTForImageClassification"]}, ""),
        ({"architectures": ["WhisperForConditionalGeneration"], "num_mel_bins": 80}, ""),
        ({"architectures": ["T5ForConditionalGeneration"]}, "reader transformers"),
    ],
)
def test_a_model_of_another_kind_has_no_use(tmp_path, config, use):
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    [entry] = models_in(tmp_path)
    assert entry.use == use
