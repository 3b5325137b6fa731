"""What the engines on transformers share: loading, devices, batches, greedy decoding.

Neither torch nor transformers is imported before a page is read or the version is asked for.
"""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from PIL import Image
from pydantic import Field

from ocr_backends._checkpoint import checkpoint_digest, find_checkpoint, model_type
from ocr_backends._images import failed
from ocr_backends._page_image import page_image
from ocr_backends.normalise import Normalise, normalise, without_loop
from ohr import plugins
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.plugins import OcrBackend
from ohr.types import Outcome

INSTALL = "pip install torch 'transformers>=5.23' nltk Levenshtein"


class ModelParams(plugins.Params):
    """What every model takes.

    ``model``: a folder with a checkpoint, or a hub name that is in the local cache; nothing is
    downloaded. ``device``: ``auto`` is the first GPU that torch sees, else the CPU. ``dtype``:
    ``auto`` is the checkpoint's own on a GPU and float32 on the CPU. ``max_pixels``: a larger
    page is shrunk to this many before anything else. ``max_new_tokens``: where a page that does
    not end is cut.
    """

    model: str = Field(min_length=1)
    revision: str | None = None
    device: str = Field("auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    batch_size: int = Field(1, ge=1, le=256)
    max_pixels: int = Field(16_000_000, ge=784)
    max_new_tokens: int = Field(4096, ge=1)
    normalise: Normalise = Normalise()


@dataclass(frozen=True)
class Loaded:
    """A model with its processor, ready on its device."""

    model: Any
    processor: Any
    eos: frozenset[int]


@dataclass(frozen=True)
class Generated:
    """What a model wrote about one page; ``cut`` when it had not come to an end."""

    text: str
    tokens: int
    cut: bool


class TransformersEngine(OcrBackend):
    """A model that reads a page image and writes its text, greedily, token by token."""

    argument = "model"
    model_type: ClassVar[str]
    """``model_type`` of the checkpoints that this engine can load."""
    model_class: ClassVar[str]
    """The model's class in transformers."""
    processor_class: ClassVar[str]
    """Its processor's."""
    max_ratio: ClassVar[float] = math.inf
    """A page is padded with white until its sides are within this ratio."""

    @abstractmethod
    def inputs(self, processor: Any, pages: list[Image.Image]) -> Mapping[str, Any]:
        """The model's inputs for a batch of RGB pages, as torch tensors."""

    def processor(self, folder: Path) -> Any:
        """The checkpoint's processor. Raises MissingDependencyError."""
        processor_class = getattr(self._transformers, self.processor_class)
        return processor_of_images(processor_class, folder, self._transformers)

    def finish(self, processor: Any, text: str) -> str:
        """What the engine itself does to a page's text; nothing here."""
        return text

    def generation(self, model: Any, processor: Any) -> dict[str, Any]:
        """What this engine sets in the generation config beyond greedy decoding."""
        return {}

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read page images, ``batch_size`` at a time; what fails in a batch is read alone.

        Raises ConfigError for a PDF and for a checkpoint of another kind, ValueError unless
        there is one number an image, and MissingDependencyError (package, checkpoint, GPU).
        """
        if isinstance(source, Path):
            raise ConfigError(f"{self.name} reads page images: render {source.name} first")
        if len(source) != len(page_nos):
            raise ValueError(f"{len(source)} images and {len(page_nos)} page numbers")
        size = self.params.batch_size
        for start in range(0, len(source), size):
            outcomes = self._read(source[start : start + size])
            yield from zip(page_nos[start : start + size], outcomes, strict=True)

    def engine_version(self) -> str:
        """Versions of transformers and torch, kind of device, dtype, digest of the checkpoint.

        Raises MissingDependencyError and ConfigError.
        """
        try:
            parts = [f"{package} {version(package)}" for package in ("transformers", "torch")]
        except PackageNotFoundError as error:
            raise MissingDependencyError(
                f"{self.name}: {error.name} is not installed: {INSTALL}"
            ) from error
        device = self._device.partition(":")[0]
        parts += [f"{device} {self._dtype}", f"checkpoint {checkpoint_digest(self._folder)}"]
        return ", ".join(parts)

    @cached_property
    def _folder(self) -> Path:
        folder = find_checkpoint(self.name, self.params.model, self.params.revision, INSTALL)
        if (found := model_type(folder)) != self.model_type:
            raise ConfigError(
                f"{self.name} reads checkpoints of model_type {self.model_type!r}; "
                f"{folder} holds {found!r}"
            )
        return folder

    @cached_property
    def _device(self) -> str:
        asked: str = self.params.device
        if asked == "cpu":
            return asked
        count = self._torch.cuda.device_count() if self._torch.cuda.is_available() else 0
        if asked == "auto":
            return "cuda" if count else "cpu"
        if int(asked.partition(":")[2] or 0) >= count:
            raise MissingDependencyError(
                f"{self.name}: device {asked!r} asked for, but torch "
                f"{self._torch.__version__} sees {count} GPUs: take device=cpu, "
                "or install a driver and a torch built for it"
            )
        return asked

    @property
    def _dtype(self) -> str:
        """A dtype's name, or ``auto`` for the checkpoint's own."""
        if self.params.dtype == "auto" and self._device == "cpu":
            return "float32"  # half precision is slower on a CPU, and no more exact
        return str(self.params.dtype)

    @property
    def _torch(self) -> Any:
        return _module("torch", self.name)

    @property
    def _transformers(self) -> Any:
        return _module("transformers", self.name)

    @cached_property
    def _loaded(self) -> Loaded:
        """Model and processor, loaded once. Raises MissingDependencyError and ConfigError."""
        folder, device, dtype = self._folder, self._device, self._dtype
        transformers, _ = self._transformers, self._torch
        try:
            with _quiet(transformers):
                processor = self.processor(folder)
                model, info = getattr(transformers, self.model_class).from_pretrained(
                    folder, dtype=dtype, local_files_only=True, output_loading_info=True
                )
            lost = set(info["missing_keys"]) & {name for name, _ in model.named_parameters()}
            if lost:  # transformers has filled them with random numbers
                raise MissingDependencyError(
                    f"{self.name}: {folder} lacks weights ({len(lost)}, such as {min(lost)}): "
                    "fetch the checkpoint again"
                )
            model = model.to(device).eval()
        except MissingDependencyError:
            raise
        except Exception as error:  # no page's fault
            raise MissingDependencyError(
                " ".join(f"{self.name}: {folder} cannot be loaded: {_problem(error)}".split())[:500]
            ) from error
        model.generation_config = self._decoding(model, processor)
        return Loaded(model, processor, frozenset(model.generation_config.eos_token_id))

    def _decoding(self, model: Any, processor: Any) -> Any:
        """The checkpoint's generation config, made greedy."""
        tokenizer = processor.tokenizer
        tokenizer.padding_side = "left"  # a row's own tokens come last, where it is continued
        config = copy.deepcopy(model.generation_config)
        config.update(
            do_sample=False,
            num_beams=1,
            temperature=None,
            top_p=None,
            top_k=None,
            max_length=None,
            forced_eos_token_id=None,  # it would hide that a page was cut
            max_new_tokens=self.params.max_new_tokens,
        )
        config.update(**self.generation(model, processor))
        eos = config.eos_token_id if config.eos_token_id is not None else tokenizer.eos_token_id
        config.eos_token_id = [eos] if isinstance(eos, int) else eos or []
        if config.pad_token_id is None:
            config.pad_token_id = tokenizer.pad_token_id
        return config

    def _read(self, images: Sequence[np.ndarray]) -> list[Outcome[str]]:
        loaded = self._loaded
        outcomes: list[Outcome[str] | None] = [None] * len(images)
        pages: dict[int, Image.Image] = {}
        for index, image in enumerate(images):
            try:
                pages[index] = page_image(image, self.params.max_pixels, self.max_ratio)
            except EngineError as error:
                outcomes[index] = failed(self.name, error)
        batches = [list(pages)] if pages else []
        while batches:
            batch = batches.pop(0)
            problem = None
            try:
                generated = self._generate(loaded, [pages[index] for index in batch])
                for index, made in zip(batch, generated, strict=True):
                    outcomes[index] = self._outcome(loaded, made)
            except MissingDependencyError:
                raise
            except Exception as error:
                problem = EngineError(_problem(error))
            if problem is not None:  # here, not above: the exception holds the batch's tensors
                if self._device != "cpu":
                    self._torch.cuda.empty_cache()
                if len(batch) == 1:
                    outcomes[batch[0]] = failed(self.name, problem)
                else:
                    batches = [[index] for index in batch]
        return [outcome for outcome in outcomes if outcome is not None]

    def _generate(self, loaded: Loaded, pages: list[Image.Image]) -> list[Generated]:
        torch, model = self._torch, loaded.model
        inputs = {
            name: value.to(model.device, model.dtype if value.is_floating_point() else None)
            for name, value in self.inputs(loaded.processor, pages).items()
        }
        with torch.inference_mode():
            rows = model.generate(**inputs)
        # Decoders alone hand back the prompt too.
        start = inputs["input_ids"].shape[1] if "input_ids" in inputs else 1
        made = []
        for row in rows[:, start:].tolist():
            end = next((at for at, token in enumerate(row) if token in loaded.eos), None)
            text = loaded.processor.tokenizer.decode(row[:end], skip_special_tokens=True)
            made.append(Generated(text, len(row[:end]), end is None))
        return made

    def _outcome(self, loaded: Loaded, made: Generated) -> Outcome[str]:
        steps: Normalise = self.params.normalise
        # First of all: what an engine itself does to a loop hides it.
        text, loop = without_loop(made.text) if steps.loops else (made.text, "")
        text = normalise(self.finish(loaded.processor, text), steps)
        cut = f"cut at {made.tokens} tokens" if made.cut else ""
        return Outcome.of_text(text, "; ".join(filter(None, [cut, loop])))


def _problem(error: Exception) -> str:
    """An exception as one line."""
    if type(error).__name__ == "OutOfMemoryError" or isinstance(error, MemoryError):
        return "out of memory: lower max_pixels or max_new_tokens, or take a smaller dtype"
    return f"{type(error).__name__}: {error}"


def _module(name: str, engine: str) -> Any:
    """torch or transformers. Raises MissingDependencyError."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"{engine}: {name} cannot be imported ({error}): {INSTALL}"
        ) from error


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Without the progress bars of loading."""
    logging = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def processor_of_images(processor_class: Any, folder: Path, transformers: Any) -> Any:
    """A checkpoint's processor, for images alone: PIL works on them, whatever is installed.

    The class's own ``from_pretrained`` may also load a video processor, which needs
    torchvision; no page is a video.
    """

    class ForImages(processor_class):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == "video_processor":
                return None
            return super().check_argument_for_proper_class(argument_name, argument)

    local = {"local_files_only": True}
    settings, _ = processor_class.get_processor_dict(folder, **local)
    images = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil", **local)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
    parts = [images, tokenizer, None][: len(processor_class.get_attributes())]
    return ForImages.from_args_and_dict(parts, settings)
