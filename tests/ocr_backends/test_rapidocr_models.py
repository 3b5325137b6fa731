"""RapidOCR's models: by name, by file, as a folder; their characters; where tiny is found."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import onnxruntime
import pytest
from PIL import Image

from experiments.list_engines import main as list_engines
from ocr_backends.rapidocr import RapidOcr
from ohr import registry
from ohr.documents import rapidocr_models
from ohr.documents.rapidocr_models import (
    DETECTOR,
    FETCH_TINY,
    RECOGNISER,
    TINY,
    TINY_DETECTOR,
    TINY_RECOGNISER,
    find_models,
    model_path,
)
from ohr.errors import ConfigError, MissingDependencyError
from ohr.machine.engines import LIMITS, CheckTask, read_twice
from ohr.registry import PluginSpec
from ohr.store.identity import file_digest
from ohr.study.commands import option_texts
from ohr.study.config import StudyConfig, config_of, given_options
from ohr.workers import WorkerPool
from tests.builders import CliRunner
from tests.ocr_backends.test_engines import LINES, draw

PLACES = ("named", ".ohr-cache/models", "package")


def make_engine(**params: object) -> RapidOcr:
    engine = registry.create("engine", {"name": "rapidocr", "params": params})
    assert isinstance(engine, RapidOcr)
    return engine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the models of the wheel."""
    for name in (DETECTOR, RECOGNISER):
        shutil.copy(model_path(name), tmp_path)
    return tmp_path


@pytest.fixture
def with_keys(folder: Path) -> dict[str, str]:
    """The wheel's models, with the recogniser's characters in a file and not in its metadata."""
    recogniser = folder / RECOGNISER
    session = onnxruntime.InferenceSession(recogniser, providers=["CPUExecutionProvider"])
    characters = session.get_modelmeta().custom_metadata_map["character"].splitlines()
    model = recogniser.read_bytes()
    recogniser.write_bytes(model.replace(b"\x09character\x12", b"\x09characteR\x12"))
    keys = folder / "keys.txt"
    keys.write_bytes("".join(f"{character}\n" for character in characters).encode())
    return {
        "detector": str(folder / DETECTOR),
        "recogniser": str(recogniser),
        "keys": str(keys),
    }


@pytest.fixture
def tiny_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Each place of PP-OCRv6 tiny, none of which has it; its files are stand-ins."""
    digests = {
        name: hashlib.sha256(name.encode()).hexdigest() for name in (TINY_DETECTOR, TINY_RECOGNISER)
    }
    monkeypatch.setattr(rapidocr_models, "TINY_DIGESTS", digests)
    monkeypatch.setenv("OHR_MODELS", str(tmp_path / "named"))
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "packages" / "tinyocr_stand_in"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise AssertionError('it is never imported')\n")
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setattr(rapidocr_models, "CARRIER", package.name)
    folders = (tmp_path / "named" / TINY, Path(".ohr-cache/models") / TINY, package / "assets")
    return dict(zip(PLACES, folders, strict=True))


def write_tiny(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in (TINY_DETECTOR, TINY_RECOGNISER):
        (folder / name).write_text(name)


def test_small_is_the_default_and_its_version_is_that_of_earlier_caches():
    usual = make_engine().identity()
    assert make_engine(models="small").identity() == usual
    assert usual["engine_version"].partition(f"{DETECTOR} ")[2] == (
        f"b7413b858657f761f26bd1c13da5e41b, {RECOGNISER} fd6c4ce6565ccda1e6531120c8bf82fd"
    )
    assert "models" not in usual["params"]


def test_models_are_known_by_their_digests_however_they_are_named(folder: Path):
    usual, own = make_engine(), make_engine(models=str(folder))
    files = {"detector": str(folder / DETECTOR), "recogniser": str(folder / RECOGNISER)}
    assert own.identity() == make_engine(models=files).identity() == usual.identity()
    assert usual.reads() == ("zh", "en", "ja")
    assert own.reads() == make_engine(models=files).reads() == ()
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    (other / DETECTOR).write_bytes(b"another detector")
    version = str(make_engine(models=str(other)).identity()["engine_version"])
    assert version != usual.engine_version()
    assert version.split(", ")[-1] == usual.engine_version().split(", ")[-1]
    assert make_engine(models=files | {"detector": str(other / DETECTOR)}).identity() == (
        make_engine(models=str(other)).identity()
    )


@pytest.mark.slow
def test_the_same_models_in_a_folder_read_the_same(folder: Path):
    page = draw(LINES)
    usual, own = make_engine(), make_engine(models=str(folder))
    assert own.read_with_words(page) == usual.read_with_words(page)


def test_a_folder_without_models_is_one_line(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"one \*det\*\.onnx and one \*rec\*\.onnx; it has no"):
        make_engine(models=str(tmp_path)).identity()
    for name in ("my_det.onnx", "my_rec.onnx", "old_rec.onnx"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ConfigError, match=r"it has my_det\.onnx, my_rec\.onnx, old_rec\.onnx"):
        next(make_engine(models=str(tmp_path)).transcribe([draw(LINES)], [0]))


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ("tinny", "'tinny' is not small, tiny, or a folder"),
        ({"detector": "a", "recogniser": "b"}, "names a, which is no file"),
        ({"detector": "a"}, r"models\.files\.recogniser: Field required"),
        ({"detector": "a", "recogniser": "b", "key": "c"}, r"models\.files\.key"),
        (5, "models"),
    ],
)
def test_models_that_are_none(models: object, message: str):
    with pytest.raises(ConfigError, match=message):
        make_engine(models=models).identity()


def test_a_recogniser_without_its_characters_is_an_error_not_a_download(folder: Path):
    model = (folder / RECOGNISER).read_bytes()
    assert find_models(folder).paths() == (folder / DETECTOR, folder / RECOGNISER)
    (folder / RECOGNISER).write_bytes(model.replace(b"\x09character", b"\x09characteR"))
    with pytest.raises(ConfigError, match="does not list its characters: name a file of them"):
        find_models(folder)


def test_keys_are_part_of_the_version(with_keys: dict[str, str]):
    version, keys = make_engine(models=with_keys).engine_version(), Path(with_keys["keys"])
    assert version.count(", ") == make_engine().engine_version().count(", ") + 1
    assert ", keys.txt " in version
    keys.write_bytes(keys.read_bytes() + "€€\n".encode())
    changed = make_engine(models=with_keys | {"keys": str(keys.with_name("more.txt"))})
    shutil.copy(keys, keys.with_name("more.txt"))
    assert changed.engine_version().split()[:-2] == version.split()[:-2]
    assert changed.engine_version().split()[-1] != version.split()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["onnxruntime", "openvino"])
def test_a_recogniser_with_keys_reads_as_one_that_lists_its_characters(
    with_keys: dict[str, str], runtime: str
):
    pytest.importorskip(runtime)
    own, usual = make_engine(models=with_keys, runtime=runtime), make_engine(runtime=runtime)
    assert own.read_with_words(draw(LINES)) == usual.read_with_words(draw(LINES))


@pytest.mark.slow
def test_too_few_characters_are_an_error_and_not_a_wrong_text(with_keys: dict[str, str]):
    keys = Path(with_keys["keys"])
    keys.write_bytes(keys.read_bytes().removesuffix(b"\n").rpartition(b"\n")[0] + b"\n")
    with pytest.raises(ConfigError, match="has 18707 characters; the recogniser knows 18708"):
        next(make_engine(models=with_keys).transcribe([draw(LINES)], [0]))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbfa\nb\n", "begins with a byte-order mark"),
        (b"a\n\xff\n", "is not UTF-8"),
        (None, "keys.txt, which is no file"),
    ],
)
def test_keys_that_are_none(with_keys: dict[str, str], data: bytes | None, message: str):
    keys = Path(with_keys["keys"])
    keys.unlink()
    if data is not None:
        keys.write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        make_engine(models=with_keys).identity()


def test_keys_that_would_not_be_used_are_an_error(with_keys: dict[str, str]):
    with pytest.raises(ConfigError, match="lists its characters itself: leave out keys"):
        make_engine(models=with_keys | {"recogniser": str(model_path(RECOGNISER))}).identity()


def test_tiny_is_looked_for_in_order_and_never_imported(tiny_in: dict[str, Path]):
    for place in reversed(PLACES):
        write_tiny(tiny_in[place])
        files = find_models("tiny")
        assert files.detector.resolve() == (tiny_in[place] / TINY_DETECTOR).resolve()
    engine = make_engine(models="tiny")
    detector = f"{TINY_DETECTOR} {file_digest(tiny_in['named'] / TINY_DETECTOR)}, "
    assert detector in engine.engine_version()
    assert engine.reads() == ("zh", "en")
    assert engine.describe().endswith(f"is in {tiny_in['named']}")


def test_tiny_that_is_missing_says_how_to_get_it(tiny_in: dict[str, Path]):
    with pytest.raises(MissingDependencyError, match=FETCH_TINY) as raised:
        make_engine(models="tiny").identity()
    assert all(str(folder) in str(raised.value) for folder in tiny_in.values())
    assert make_engine().describe().endswith(FETCH_TINY)
    write_tiny(tiny_in["named"])
    (tiny_in["named"] / TINY_RECOGNISER).unlink()
    write_tiny(tiny_in["package"])  # what was named is not passed over
    with pytest.raises(MissingDependencyError, match=f"no file .*{TINY_RECOGNISER}: {FETCH_TINY}"):
        find_models("tiny")


def test_tiny_is_believed_only_by_its_digest(tiny_in: dict[str, Path]):
    write_tiny(tiny_in["named"])
    (tiny_in["named"] / TINY_DETECTOR).write_text("another")
    with pytest.raises(
        MissingDependencyError, match=f"{TINY_DETECTOR} is not the file of PP-OCRv6"
    ):
        make_engine(models="tiny").identity()


def test_the_list_of_engines_says_whether_tiny_is_here(tiny_in: dict[str, Path]):
    tiny = "{name: rapidocr, params: {models: tiny}, label: small-one}"
    result = CliRunner().invoke(list_engines, ["rapidocr", tiny])
    output = " ".join(result.output.split())
    assert "rapidocr: models: tiny (faster, less accurate on scans) cannot be used" in output
    assert output.count(FETCH_TINY) == 2
    assert "install it with" not in output  # RapidOCR is installed
    write_tiny(tiny_in["package"])
    result = CliRunner().invoke(list_engines, [tiny])
    assert [line.split()[:2] for line in result.output.splitlines()[1:2]] == [["small-one", "yes"]]
    assert "zh, en " in result.output


def test_files_of_models_are_typed_and_read_back(with_keys: dict[str, str]):
    engine = {"name": "rapidocr", "params": {"models": with_keys}, "label": "own"}
    (text,) = option_texts({"engines": [engine]})
    spec = config_of(given_options([text])).engines[0]
    assert spec == PluginSpec.parse(engine)
    config = StudyConfig(engines=(spec,))
    again = StudyConfig.model_validate_json(config.model_dump_json()).engines[0]
    first, second = (registry.create("engine", each) for each in (spec, again))
    assert first.identity() == second.identity() == make_engine(models=with_keys).identity()


def read_in_a_worker(spec: PluginSpec, folder: Path) -> list[str]:
    """The words of a page that a process of its own reads."""
    Image.fromarray(draw(LINES)).save(folder / "page.png")
    task = CheckTask(spec, folder / "page.png", folder / "none.pdf", 0)
    with WorkerPool[dict[str, Any]](read_twice, workers=1, limits=LIMITS) as pool:
        ((_, outcome),) = pool.run([task])
    assert outcome.value is not None, outcome
    text: str = outcome.value["text"]
    return text.split()


@pytest.mark.slow
@pytest.mark.workers
def test_workers_read_with_files_of_models(with_keys: dict[str, str], tmp_path: Path):
    spec = PluginSpec(name="rapidocr", params={"models": with_keys})
    assert read_in_a_worker(spec, tmp_path) == " ".join(LINES).split()


def has_tiny() -> bool:
    try:
        return bool(find_models("tiny").paths())
    except MissingDependencyError:
        return False


@pytest.mark.slow
@pytest.mark.workers
@pytest.mark.skipif(not has_tiny(), reason=f"no PP-OCRv6 tiny: {FETCH_TINY}")
def test_workers_read_with_tiny(tmp_path: Path):
    spec = PluginSpec(name="rapidocr", params={"models": "tiny"})
    assert read_in_a_worker(spec, tmp_path) == " ".join(LINES).split()
