"""What holds for every engine on transformers, on tiny checkpoints with random weights."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ocr_backends._page_image import page_image
from ocr_backends._transformers import Generated, TransformersEngine
from ocr_backends.prompts import prompt_text
from ohr import registry
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.ocr.failures import stop_if_not_the_page
from ohr.ocr.worker import PageReader, PageTask, read_page
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.types import Outcome, PageRef, Status
from ohr.workers import WorkerPool
from tests.ocr_backends.checkpoints import WRITERS, needs_torch, written

ENGINES = list(WRITERS)
every_engine = pytest.mark.parametrize("name", ENGINES)


def page(height: int, width: int, seed: int = 0) -> np.ndarray:
    """A white RGB page with a margin around random strokes."""
    image = np.full((height, width, 3), 255, np.uint8)
    ink = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    top, left_edge = height // 8, width // 8
    image[top : height - top, left_edge : width - left_edge] = ink[
        top : height - top, left_edge : width - left_edge
    ]
    return image


def engine(name: str, folder: Path | str, **params: Any) -> Any:
    settings = {"model": str(folder), "device": "cpu", "max_new_tokens": 8} | params
    return registry.create("engine", {"name": name, "params": settings})


def read(made: TransformersEngine, *images: np.ndarray) -> list[Outcome[str]]:
    numbers = list(range(3, 3 + len(images)))
    found = list(made.transcribe(images, numbers))
    assert [number for number, _ in found] == numbers
    return [outcome for _, outcome in found]


# Reading


@needs_torch
@every_engine
def test_the_same_text_twice_and_in_a_new_engine(name: str) -> None:
    made = engine(name, written(name))
    pages = [page(200, 150), page(200, 150, seed=1)]
    first = read(made, *pages)
    assert read(made, *pages) == first
    assert read(engine(name, written(name)), *pages) == first
    assert all(outcome.status is Status.OK for outcome in first)
    assert first[0].value != first[1].value  # it looks at the page


@needs_torch
@every_engine
def test_grey_reads_as_rgb(name: str) -> None:
    rgb = np.repeat(page(90, 120)[:, :, :1], 3, axis=2)
    outcomes = read(engine(name, written(name)), rgb, rgb[:, :, 0].copy(), rgb[:, :, :1])
    assert len({outcome.value for outcome in outcomes}) == 1


@needs_torch
@every_engine
@pytest.mark.parametrize("size", [2, 3, 8])
def test_batches_read_as_single_pages(name: str, size: int) -> None:
    pages = [page(200, 150), page(90, 260, 1), page(64, 64, 2), page(300, 90, 3), page(150, 150, 4)]
    singly = read(engine(name, written(name)), *pages)
    assert read(engine(name, written(name), batch_size=size), *pages) == singly


@needs_torch
@every_engine
def test_pages_of_any_shape(name: str) -> None:
    shapes = [(32, 32), (40, 10_000), (10_000, 40), (1, 1), (1, 3), (3, 500)]
    for outcome in read(engine(name, written(name)), *(page(*shape) for shape in shapes)):
        assert outcome.status in (Status.OK, Status.EMPTY), outcome.detail


@needs_torch
@every_engine
def test_blank_page_and_large_page(name: str) -> None:
    made = engine(name, written(name), max_pixels=40_000)
    blank = np.full((300, 200), 255, np.uint8)
    for outcome in read(made, blank, blank * 0, page(1754, 1240)):
        assert outcome.status in (Status.OK, Status.EMPTY), outcome.detail


@needs_torch
@every_engine
def test_nothing_written_is_an_empty_page(name: str) -> None:
    made = engine(name, written(name, "nothing"), batch_size=2)
    assert read(made, page(90, 120), page(60, 60)) == [Outcome("", Status.EMPTY)] * 2


@needs_torch
@every_engine
def test_page_without_end_is_cut_and_flagged(name: str) -> None:
    params = {"no_repeat_ngram": 0} if name == "got" else {}
    [outcome] = read(engine(name, written(name, "loop"), max_new_tokens=5, **params), page(90, 120))
    assert outcome.detail == "cut at 5 tokens"
    assert (outcome.value or "").split() == ["loop"] * 5


@needs_torch
@every_engine
def test_loop_is_cut_and_flagged(name: str) -> None:
    params: dict[str, Any] = {"max_new_tokens": 63}  # as many as Nougat's checkpoint can write
    if name == "got":
        params["no_repeat_ngram"] = 0
    [outcome] = read(engine(name, written(name, "loop"), **params), page(90, 120))
    assert outcome.detail == "cut at 63 tokens; repeats itself: 5 characters 62 times, cut to one"
    assert (outcome.value or "").strip() == "loop"
    params["normalise"] = {"loops": False}
    if name == "nougat":
        params["postprocess"] = False
    [outcome] = read(engine(name, written(name, "loop"), **params), page(90, 120))
    assert outcome.detail == "cut at 63 tokens"
    assert (outcome.value or "").split() == ["loop"] * 63


@needs_torch
@every_engine
def test_wrappers_are_taken_off_and_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = "<think>a page</think>\n```markdown\n# A title\n\nand text\n```"
    made = engine(name, written(name))
    monkeypatch.setattr(type(made), "_generate", lambda *_: [Generated(reply, 9, cut=False)])
    [outcome] = read(made, page(90, 120))
    assert outcome == Outcome("# A title\n\nand text", detail="taken off: thought, code fence")
    assert made.usage() == {"replies": 1, "wrapped": 1}
    assert made.usage() == {}


@needs_torch
@every_engine
def test_text_goes_through_the_normaliser(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, plain = (engine(name, written(name), normalise={"formulas": on}) for on in (True, False))
    monkeypatch.setattr(type(made), "finish", lambda self, processor, text: r"so \(x\) is")
    assert read(made, page(60, 60))[0].value == "so $x$ is"
    assert read(plain, page(60, 60))[0].value == r"so \(x\) is"
    assert made.identity() != plain.identity()


@needs_torch
@every_engine
def test_half_precision_reads_too(name: str) -> None:
    made = engine(name, written(name), dtype="bfloat16")
    assert read(made, page(90, 120))[0].status in (Status.OK, Status.EMPTY)
    assert "cpu bfloat16" in made.engine_version()


@needs_torch
@every_engine
def test_random_state_is_left_alone(name: str) -> None:
    import torch

    made = engine(name, written(name))
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    read(made, page(60, 60))
    assert (torch.rand(3) == expected).all()


@needs_torch
@every_engine
def test_network_is_not_touched(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **named: object) -> None:
        raise AssertionError("the network was touched")

    folder = written(name)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    made = engine(name, folder)
    made.identity()
    assert read(made, page(60, 60))[0].status is Status.OK


# Trouble


@needs_torch
@every_engine
def test_what_is_no_page_is_an_error_beside_good_pages(name: str) -> None:
    good = page(90, 120)
    bad = [np.zeros((0, 5), np.uint8), good.astype(float), np.zeros((9, 9, 4), np.uint8)]
    outcomes = read(engine(name, written(name), batch_size=4), *bad, good)
    assert [outcome.status for outcome in outcomes] == [Status.ERROR] * 3 + [Status.OK]
    assert outcomes[0].detail.startswith(f"{name}: not a page image")


@needs_torch
@every_engine
def test_page_that_fails_in_a_batch_fails_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [page(90, 120), page(77, 77), page(60, 60)]
    made = engine(name, written(name), batch_size=3)
    expected = read(made, *pages)
    inputs = type(made).inputs

    def stumble(self: Any, processor: Any, images: list[Image.Image]) -> Any:
        if any(image.size == (77, 77) for image in images):
            raise RuntimeError("a bad\npage")
        return inputs(self, processor, images)

    monkeypatch.setattr(type(made), "inputs", stumble)
    bad = Outcome[str].error(f"{name}: RuntimeError: a bad page")
    assert read(made, *pages) == [expected[0], bad, expected[2]]


@needs_torch
@every_engine
def test_batch_too_large_for_memory_is_read_singly(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    pages = [page(90, 120), page(60, 60)]
    made = engine(name, written(name), batch_size=2)
    expected = read(made, *pages)
    generate, most = type(made._loaded.model).generate, 1

    def small(self: Any, *args: Any, **named: Any) -> Any:
        rows = generate(self, *args, **named)
        if len(rows) > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return rows

    monkeypatch.setattr(type(made._loaded.model), "generate", small)
    assert read(made, *pages) == expected
    most = 0
    outcome = read(made, pages[0])[0]
    assert outcome.status is Status.ERROR
    assert outcome.detail.startswith(f"{name}: out of memory: lower max_pixels")


@every_engine
def test_pdf_and_miscounted_pages_are_refused(name: str) -> None:
    made = engine(name, "anywhere")
    with pytest.raises(ConfigError, match=f"{name} reads page images: render a.pdf first"):
        list(made.transcribe(Path("a.pdf"), [0]))
    with pytest.raises(ValueError, match="2 images and 1 page numbers"):
        list(made.transcribe([page(9, 9), page(9, 9)], [0]))


@pytest.mark.slow
@needs_torch
def test_framework_counts_a_bad_page_and_stops_for_a_missing_model(tmp_path: Path) -> None:
    Image.fromarray(page(90, 120)).save(tmp_path / "good.png")
    (tmp_path / "bad.png").write_bytes((tmp_path / "good.png").read_bytes()[:100])
    store = ArtefactStore(tmp_path / "cache")

    def outcomes(folder: Path) -> list[Outcome[None]]:
        spec = PluginSpec(
            name="got", params={"model": str(folder), "device": "cpu", "max_new_tokens": 4}
        )
        tasks = [
            PageTask(PageRef("d", index), tmp_path / name, 150, None, 0.0, 0, {"page": name})
            for index, name in enumerate(["good.png", "bad.png"])
        ]
        reader = PageReader(spec, {"engine": str(folder)}, store)
        with WorkerPool[None](read_page, setup=reader, workers=1) as pool:
            return [outcome for _, outcome in sorted(pool.run(tasks))]

    good, bad = outcomes(written("got"))
    assert good.status is Status.OK
    assert bad.status is Status.ERROR
    stop_if_not_the_page(bad.detail)
    missing, _ = outcomes(tmp_path / "nowhere")
    with pytest.raises(MissingDependencyError, match="no checkpoint folder"):
        stop_if_not_the_page(missing.detail)


# Devices and packages


@needs_torch
@every_engine
@pytest.mark.parametrize("device", ["cuda", "cuda:7"])
def test_gpu_that_is_not_there_is_named(
    name: str, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    made = engine(name, written(name), device=device)
    for ask in (made.identity, lambda: read(made, page(60, 60))):
        with pytest.raises(MissingDependencyError, match=f"'{device}' asked for.*device=cpu"):
            ask()
    assert "cpu float32" in engine(name, written(name), device="auto").engine_version()


@needs_torch
@pytest.mark.gpu
@every_engine
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_gpu_reads(name: str, dtype: str) -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    pages = [page(200, 150), page(90, 260, 1)]
    made = engine(name, written(name), device="cuda", dtype=dtype, batch_size=2)
    first = read(made, *pages)
    assert {outcome.status for outcome in first} <= {Status.OK, Status.EMPTY}
    assert read(engine(name, written(name), device="cuda", dtype=dtype), *pages) == first
    assert f"cuda {dtype}" in made.engine_version()


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys\n"
        "from ohr import registry\n"
        f"for name in {ENGINES!r}: registry.create('engine', name + ':somewhere')\n"
        "print([name for name in ('torch', 'transformers', 'huggingface_hub') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@every_engine
@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_missing_package_names_the_command(
    name: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": registry.plugin_class("engine", name).model_type})  # type: ignore[attr-defined]
    )
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=f"{name}: .*: pip install torch"):
        read(engine(name, tmp_path), page(60, 60))


# Pages and prompts


def test_page_image_keeps_the_pixels_or_shrinks_them() -> None:
    image = page(50, 70)
    assert (np.asarray(page_image(image, 3500)) == image).all()
    assert (np.asarray(page_image(image[:, :, 0], 3500)) == image[:, :, :1]).all()
    width, height = page_image(image, 875).size
    assert (width, height) == (35, 25)
    strip = np.asarray(page_image(page(4, 1000), 10**6, max_ratio=10))
    assert strip.shape == (100, 1000, 3)
    assert (strip[4:] == 255).all()
    with pytest.raises(EngineError, match="not a page image"):
        page_image(image.astype(float), 3500)


def test_prompts_say_what_is_wanted() -> None:
    for name in ("simple", "detailed"):
        text = prompt_text(name)
        for word in ("Markdown", "LaTeX", "formulas", "tables", "charts"):
            assert word.lower() in text.lower()
    assert prompt_text("Read this.") == "Read this."
    with pytest.raises(ConfigError, match="unknown prompt 'simpel'"):
        engine("qwen_vl", "anywhere", prompt="simpel")
