"""RapidOCR: PP-OCR's detector and recogniser on ONNX Runtime or OpenVINO, offline, one thread."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from pydantic import Field

from ocr_backends._text_height import set_by_text_height
from ocr_backends.normalise import Normalise, finished
from ohr import plugins
from ohr.documents.rapidocr_models import (
    FETCH_TINY,
    INSTALL,
    ModelFiles,
    Models,
    characters_of,
    find_models,
)
from ohr.documents.reading_order import page_text
from ohr.errors import ConfigError, MissingDependencyError
from ohr.plugins import OcrBackend
from ohr.store.identity import file_digest
from ohr.types import Outcome, Word

Runtime = Literal["onnxruntime", "openvino"]
MAX_RATIO = 8
LINE_HEIGHT = 48
"""Pixels to which the recogniser scales a line."""
USUAL = MappingProxyType({"threads": 1, "batch": 1, "side": None, "pad": 320})
"""Parameters that are left out of the identity at these values."""
READS = MappingProxyType({"small": ("zh", "en", "ja"), "tiny": ("zh", "en")})
"""Languages by models. Tiny has no Japanese syllables among its 6,904 characters."""


class RapidOcrParams(plugins.Params):
    """``text_score``: lines recognised with less confidence are dropped.

    ``runtime``: what computes the models. ``openvino`` rounds to bfloat16 on processors that
    multiply in it: 1 character of 2,000 differs. Elsewhere it computes in float32, with the same
    output. ``threads``: those of each worker. ``batch``: lines that are recognised at a time, in
    order of their width, each padded to the widest of them. ``pad``: the width in pixels to which
    narrower lines are padded, of a height of 48. ``side``: the longer side in pixels of the page
    that the detector sees, at most; by default that of the page (up to 2,000); ``text`` chooses it
    by the height of the page's smaller letters, which keep 14 pixels. Which of these is faster
    depends on the processor and the pages: ``ohr list engines rapidocr --tune`` measures.
    ``models``: ``small`` (PP-OCRv6 small, of the wheel), ``tiny`` (PP-OCRv6 tiny, which
    ``ohr dev fetch-models rapidocr-tiny`` fetches), ``{detector: FILE, recogniser: FILE, keys:
    FILE}``, or a folder with a detector ``*det*.onnx`` and a recogniser ``*rec*.onnx`` of PP-OCR.
    ``keys`` lists the characters, one per line, of a recogniser whose metadata do not.
    """

    text_score: float = Field(0.5, ge=0, le=1)
    runtime: Runtime = "onnxruntime"
    threads: int = Field(1, ge=1, le=256)
    batch: int = Field(1, ge=1, le=256)
    pad: int = Field(320, ge=LINE_HEIGHT, le=320)
    side: Annotated[int, Field(ge=320, le=2000)] | Literal["text"] | None = None
    models: Models = "small"
    normalise: Normalise = Normalise()


class RapidOcr(OcrBackend[RapidOcrParams]):
    """PP-OCRv6 small, as it comes in RapidOCR's wheel. It writes plain text lines."""

    name = "rapidocr"
    version = "4"
    license = "Apache-2.0"
    languages = READS["small"]
    returns = "text"
    has_confidence = True
    install = INSTALL
    self_contained = True
    tunable = MappingProxyType(
        {
            "runtime": ("onnxruntime", "openvino"),
            "threads": (1, 2, 4),
            "batch": (1, 4, 16),
            "pad": (320, 160, 48),
            "side": (None, "text", 1600, 1280, 960),
        }
    )

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Read a page image. Raises MissingDependencyError (package or model)."""
        engine = self._engine(words=False)
        return finished(_read(engine, image), self.params.normalise)

    def words(self, image: np.ndarray) -> tuple[Word, ...]:
        """The words of a page image. Raises MissingDependencyError (package or model)."""
        return _words(detected(self._engine(words=True), image))

    def read_with_words(self, image: np.ndarray) -> tuple[Outcome[str], tuple[Word, ...]]:
        """The text and the words of a page image. Raises what :meth:`read` does."""
        result = detected(self._engine(words=True), image)
        return finished(_text(result), self.params.normalise), _words(result)

    def identity(self) -> dict[str, object]:
        # The runtime and the models are part of the version, with its own and their digests.
        params = self.params.model_dump(mode="json", exclude={"runtime", "models"})
        for name, usual in USUAL.items():
            if params[name] == usual:
                del params[name]
        return super().identity() | {"params": params}

    def engine_version(self) -> str:
        """Versions of RapidOCR and the runtime, and digests of the models used.

        Raises MissingDependencyError, and ConfigError for ``models``.
        """
        return models_version(self.params.runtime, self._files)

    def install_command(self) -> str:
        return FETCH_TINY if self.params.models == "tiny" else self.install

    def describe(self) -> str:
        """Which files ``models: tiny`` uses here, or the command that fetches them."""
        try:
            folder = find_models("tiny").detector.parent
        except MissingDependencyError as error:
            return f"models: tiny (faster, less accurate on scans) cannot be used: {error}"
        return f"models: tiny (faster, less accurate on scans) is in {folder}"

    def reads(self) -> tuple[str, ...]:
        models = self.params.models
        return READS.get(models, ()) if isinstance(models, str) else ()

    def alphabet(self) -> frozenset[str]:
        """The characters of the recogniser. Raises MissingDependencyError and ConfigError."""
        return characters_of(self._files)

    @cached_property
    def _files(self) -> ModelFiles:
        return find_models(self.params.models)

    def _engine(self, *, words: bool) -> Any:
        params = self.params
        return load_engine(
            params.text_score,
            params.runtime,
            words=words,
            threads=params.threads,
            batch=params.batch,
            pad=params.pad,
            side=params.side,
            files=self._files,
        )


def _read(engine: Any, image: np.ndarray) -> str:
    return _text(detected(engine, image))


def _text(result: Any) -> str:
    """The page text of a result of :func:`detected`."""
    return "" if result is None else page_text(np.asarray(result.boxes), result.txts)


def _words(result: Any) -> tuple[Word, ...]:
    """The words of a result of :func:`detected`, by an engine with words."""
    lines = [] if result is None else result.word_results or []
    return tuple(_word(*word) for line in lines for word in line if word[0].strip())


def _word(text: str, confidence: float, corners: Any) -> Word:
    """A word in its upright box."""
    left_edge, top = np.min(corners, axis=0)
    right, bottom = np.max(corners, axis=0)
    sure = min(1.0, max(0.0, float(confidence)))
    return Word(text, sure, (int(left_edge), int(top), int(right), int(bottom)))


def detected(engine: Any, image: np.ndarray) -> Any:
    """RapidOCR's result for a page image, grey or RGB: ``boxes``, ``txts`` and, of an engine with
    words, ``word_results``; None where nothing is read.
    """
    bgr = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR if image.ndim == 2 else cv2.COLOR_RGB2BGR)
    # RapidOCR pads flat images to this ratio; a narrow one it enlarges without bound.
    narrow = math.ceil(bgr.shape[0] / MAX_RATIO) - bgr.shape[1]
    if narrow > 0:
        bgr = cv2.copyMakeBorder(bgr, 0, 0, 0, narrow, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    result = engine(bgr)
    # A blank page has no boxes; boxes without a readable line have no texts.
    boxes, texts = getattr(result, "boxes", None), getattr(result, "txts", None)
    return None if boxes is None or texts is None else result


@cache
def models_version(runtime: Runtime, files: ModelFiles | None = None) -> str:
    """Versions of RapidOCR and the runtime, and digests of the files; by default of the wheel's.

    Raises MissingDependencyError.
    """
    try:
        parts = [f"{package} {version(package)}" for package in ("rapidocr", runtime)]
    except PackageNotFoundError as error:
        install = _install(runtime)
        raise MissingDependencyError(f"{error.name} is not installed: {install}") from error
    if runtime == "openvino":
        from openvino import Core

        parts.append(Core().get_property("CPU", "INFERENCE_PRECISION_HINT").get_type_name())
    paths = (files or find_models()).paths()
    parts += [f"{path.name} {file_digest(path)}" for path in paths]
    return ", ".join(parts)


def _install(runtime: Runtime) -> str:
    return INSTALL if runtime == "onnxruntime" else "pip install 'ohr[openvino]'"


@cache
def load_engine(
    text_score: float,
    runtime: Runtime,
    *,
    words: bool = False,
    threads: int = 1,
    batch: int = 1,
    pad: int = 320,
    side: int | Literal["text"] | None = None,
    files: ModelFiles | None = None,
) -> Any:
    """The engine with its models, loaded once in a process; ``words``: with a box for each word.

    Without ``files``, with the models of the wheel. Raises MissingDependencyError, and ConfigError
    for ``keys`` that do not fit the recogniser.
    """
    files = files or find_models()
    models_version(runtime, files)
    try:
        with _files_parsed_once():
            from rapidocr import EngineType, RapidOCR
    except ImportError as error:
        raise MissingDependencyError(f"RapidOCR cannot be imported ({error}): {INSTALL}") from error
    sized_by_text = side == "text"
    at_most = (
        {}
        if side is None or sized_by_text
        else {"Det.limit_type": "max", "Det.limit_side_len": side}
    )
    engine = RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": text_score,
            # The angle classifier turns upright lines over: .137 edit distance on a clean page.
            "Global.use_cls": False,
            "Global.return_word_box": words,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            "EngineConfig.openvino.inference_num_threads": threads,
            # Each worker would be held to the same core.
            "EngineConfig.openvino.enable_cpu_pinning": False,
            "Det.engine_type": EngineType(runtime),
            "Det.model_path": str(files.detector),
            "Rec.engine_type": EngineType(runtime),
            "Rec.model_path": str(files.recogniser),
            "Rec.rec_keys_path": None if files.keys is None else str(files.keys),
            "Rec.rec_batch_num": batch,
            "Rec.rec_img_shape": [3, LINE_HEIGHT, pad],
        }
        | at_most
    )
    if files.keys is not None:
        _check_keys(engine, files.keys)
    if sized_by_text:
        set_by_text_height(engine)
    return engine


def _check_keys(engine: Any, keys: Path) -> None:
    """Raise ConfigError unless there are as many characters as the recogniser knows."""
    recogniser = engine._load_rec_model()
    blank = np.zeros((1, 3, LINE_HEIGHT, LINE_HEIGHT), np.float32)
    # Besides the characters: the space, which RapidOCR adds, and no character.
    expected = recogniser.session(blank).shape[-1] - 2
    listed = len(recogniser.postprocess_op.character) - 2
    if listed != expected:
        raise ConfigError(
            f"rapidocr: keys {keys} has {listed} characters; the recogniser knows {expected}"
        )


@contextmanager
def _files_parsed_once() -> Iterator[None]:
    """While RapidOCR is imported, parse its list of models once.

    Two of its modules parse the 1,600 lines for themselves, half a CPU second each in every worker
    before its first page. They only look things up in it.
    """
    from omegaconf import OmegaConf

    parser: Any = OmegaConf
    load = parser.load
    loaded: dict[str, Any] = {}

    def load_once(file: Any) -> Any:
        if not isinstance(file, str | Path):
            return load(file)
        if str(file) not in loaded:
            loaded[str(file)] = load(file)
        return loaded[str(file)]

    parser.load = staticmethod(load_once)
    try:
        yield
    finally:
        parser.load = staticmethod(load)
