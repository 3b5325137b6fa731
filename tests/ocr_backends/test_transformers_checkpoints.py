"""Checkpoints of engines on transformers: missing, broken, of another kind, told apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ohr.errors import ConfigError, MissingDependencyError
from ohr.models import checkpoints
from tests.ocr_backends.checkpoints import needs_torch, written
from tests.ocr_backends.test_transformers import ENGINES, engine, every_engine, page, read


@every_engine
def test_checkpoint_that_is_nowhere_names_the_command(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        MissingDependencyError, match="no checkpoint folder or file '/no/such/folder'"
    ):
        read(engine(name, "/no/such/folder"), page(60, 60))
    with pytest.raises(MissingDependencyError, match=r"has no config.json.*hf download"):
        read(engine(name, tmp_path), page(60, 60))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(MissingDependencyError, match=r"has no weights.*hf download"):
        read(engine(name, tmp_path), page(60, 60))


@needs_torch
@every_engine
@pytest.mark.parametrize(
    "file", ["preprocessor_config.json", "tokenizer.json", "model.safetensors", "config.json"]
)
def test_broken_checkpoint_is_no_pages_fault(name: str, file: str, tmp_path: Path) -> None:
    folder = shutil.copytree(written(name), tmp_path / "broken")
    (folder / file).write_bytes(b"{broken")
    with pytest.raises((MissingDependencyError, ConfigError), match=r"cannot be (loaded|read)"):
        read(engine(name, folder), page(60, 60))


@needs_torch
@every_engine
def test_hub_name_is_taken_from_the_cache_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        MissingDependencyError,
        match="'owner/name' is neither a folder nor in the local cache: hf download owner/name",
    ):
        read(engine(name, "owner/name"), page(60, 60))
    commit = "0123456789abcdef" * 2 + "01234567"
    home = tmp_path / "models--owner--name"
    shutil.copytree(written(name), home / "snapshots" / commit)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    expected = read(engine(name, written(name)), page(60, 60))
    assert read(engine(name, "owner/name"), page(60, 60)) == expected
    assert read(engine(name, "owner/name", revision=commit), page(60, 60)) == expected
    with pytest.raises(MissingDependencyError, match="hf download owner/name --revision v2"):
        engine(name, "owner/name", revision="v2").identity()


@needs_torch
@every_engine
def test_checkpoint_of_another_kind_is_refused(name: str) -> None:
    other = ENGINES[ENGINES.index(name) - 1]
    with pytest.raises(ConfigError, match=f"{name} reads checkpoints of model_type"):
        engine(name, written(other)).identity()


@needs_torch
@every_engine
def test_checkpoint_without_some_weights_is_refused(name: str, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(written(name), tmp_path / "damaged")
    weights = load_file(folder / "model.safetensors")
    lost = next(key for key in weights if key.endswith("fc1.weight") or "mlp" in key)
    del weights[lost]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(MissingDependencyError, match="lacks weights \\(1, such as"):
        read(engine(name, folder), page(60, 60))


@needs_torch
@every_engine
def test_identity_follows_the_checkpoint(name: str, tmp_path: Path) -> None:
    plain = engine(name, written(name)).identity()
    assert engine(name, written(name)).identity() == plain
    json.dumps(plain)
    assert "transformers 5" in str(plain["engine_version"])
    assert engine(name, written(name, seed=1)).identity() != plain
    copied = shutil.copytree(written(name), tmp_path / "copy")
    version = engine(name, copied).engine_version()
    assert version == plain["engine_version"]  # by content, wherever it lies
    settings = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(settings | {"extra": 1}))
    assert engine(name, copied).engine_version() != version


def test_large_weights_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "WHOLE_BYTES", 1000)
    monkeypatch.setattr(checkpoints, "SAMPLE_BYTES", 8)
    weights = tmp_path / "model.safetensors"
    digests = []
    for head, length in ((b"a", 4000), (b"a", 4000), (b"a", 4001), (b"b", 4000)):
        weights.write_bytes(head + bytes(length - 2) + b"z")
        digests.append(checkpoints.checkpoint_digest(tmp_path))
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
