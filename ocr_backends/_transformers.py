"""Shared by the engines on transformers: they turn batches of page images into text.

Neither torch nor transformers is imported before a page is read or the version is asked for.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image
from pydantic import Field
from typing_extensions import TypeVar

from ocr_backends._page_image import page_image
from ocr_backends.loops import LOOP
from ocr_backends.normalise import Normalise, normalise, unlooped
from ocr_backends.wrappers import unwrapped
from ohr.errors import ConfigError, EngineError, MissingDependencyError, StoreError
from ohr.models.checkpoints import model_type
from ohr.models.local import LocalModel, LocalModelParams, problem
from ohr.models.processors import processor_of_images
from ohr.plugins import OcrBackend
from ohr.plugins.engine import failed_page
from ohr.types import Outcome

REMEDY = "lower max_pixels or max_new_tokens, or take a smaller dtype"
INSTALL = "pip install torch 'transformers>=5.23' nltk Levenshtein"


class ModelParams(LocalModelParams):
    """Parameters of every model.

    ``max_pixels``: a larger page is shrunk to this many before anything else.
    """

    max_pixels: int = Field(16_000_000, ge=784)
    normalise: Normalise = Normalise()


@dataclass(frozen=True)
class Loaded:
    """A model with its processor, ready on its device."""

    model: Any
    processor: Any
    eos: frozenset[int]


@dataclass(frozen=True)
class Generated:
    """A model's output for one page; ``cut`` if the limit of tokens ended it."""

    text: str
    tokens: int
    cut: bool


P = TypeVar("P", bound=ModelParams, covariant=True, default=ModelParams)


class TransformersEngine(LocalModel[P], OcrBackend[P], abstract=True):
    """A model that reads a page image and writes its text, greedily, token by token."""

    version = "4"
    generative = True
    install = INSTALL
    model_type: ClassVar[str]
    """``model_type`` of the checkpoints that this engine can load."""
    model_class: ClassVar[str]
    """The model's class in transformers."""
    processor_class: ClassVar[str]
    """Its processor's."""
    max_ratio: ClassVar[float] = math.inf
    """A page is padded with white until its sides are within this ratio."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self._taken: dict[str, float] = {}

    @abstractmethod
    def inputs(self, processor: Any, pages: list[Image.Image]) -> Mapping[str, Any]:
        """The model's inputs for a batch of RGB pages, as torch tensors."""

    def processor(self, folder: Path) -> Any:
        """The checkpoint's processor. Raises MissingDependencyError."""
        processor_class = getattr(self._transformers, self.processor_class)
        return processor_of_images(processor_class, folder, self._transformers)

    def finish(self, processor: Any, text: str) -> str:
        """The engine's own post-processing of a page's text; by default none."""
        return text

    def generation(self, model: Any, processor: Any) -> dict[str, Any]:
        """What this engine sets in the generation config beyond greedy decoding."""
        return {}

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read page images, ``batch_size`` at a time; the pages of a failed batch are read one by
        one.

        Raises ConfigError for a PDF and for a checkpoint of another kind, ValueError unless there
        is one number per image, and MissingDependencyError (package, checkpoint, GPU).
        """
        if isinstance(source, Path):
            raise ConfigError(f"{self.name} reads page images: render {source.name} first")
        if len(source) != len(page_nos):
            raise ValueError(f"{len(source)} images and {len(page_nos)} page numbers")
        size = self.params.batch_size
        for start in range(0, len(source), size):
            outcomes = self._read(source[start : start + size])
            yield from zip(page_nos[start : start + size], outcomes, strict=True)

    def usage(self) -> dict[str, float]:
        """Replies, and how many were cut at the limit, repeated themselves or had wrappers."""
        taken, self._taken = self._taken, {}
        return taken

    def pages_together(self) -> int:
        return int(self.params.batch_size)

    def engine_version(self) -> str:
        """Packages, device, dtype and checkpoint. Raises MissingDependencyError, ConfigError."""
        return self.model_version()

    @cached_property
    def _folder(self) -> Path:
        folder = super()._folder
        if (stored := model_type(folder)) != self.model_type:
            raise ConfigError(
                f"{self.name} reads checkpoints of model_type {self.model_type!r}; "
                f"{folder} holds {stored!r}"
            )
        return folder

    @cached_property
    def _loaded(self) -> Loaded:
        """Model and processor, loaded once. Raises MissingDependencyError and ConfigError."""
        folder = self._folder
        with self._loading():
            processor = self.processor(folder)
            model = self._load(self.model_class)
        tokenizer = processor.tokenizer
        tokenizer.padding_side = "left"  # a row's own tokens come last, where it is continued
        length = {"max_new_tokens": self.params.max_new_tokens}
        config = self._greedy(model, tokenizer, **length | self.generation(model, processor))
        model.generation_config = config
        return Loaded(model, processor, frozenset(config.eos_token_id))

    def _read(self, images: Sequence[np.ndarray]) -> list[Outcome[str]]:
        loaded = self._loaded
        outcomes: list[Outcome[str] | None] = [None] * len(images)
        pages: dict[int, Image.Image] = {}
        for index, image in enumerate(images):
            try:
                pages[index] = page_image(image, self.params.max_pixels, self.max_ratio)
            except EngineError as error:
                outcomes[index] = failed_page(self.name, error)
        batches = [list(pages)] if pages else []
        while batches:
            batch = batches.pop(0)
            failure = None
            try:
                generated = self._generate(loaded, [pages[index] for index in batch])
                for index, output in zip(batch, generated, strict=True):
                    outcomes[index] = self._outcome(loaded, output)
            except (ConfigError, MissingDependencyError, StoreError):
                raise
            except Exception as error:  # torch and each model raise their own on a page
                failure = EngineError(problem(error, REMEDY))
            if failure is not None:  # here, not above: the exception holds the batch's tensors
                if self._device != "cpu":
                    self._torch.cuda.empty_cache()
                if len(batch) == 1:
                    outcomes[batch[0]] = failed_page(self.name, failure)
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
        outputs = []
        for row in rows[:, start:].tolist():
            end = next((index for index, token in enumerate(row) if token in loaded.eos), None)
            text = loaded.processor.tokenizer.decode(row[:end], skip_special_tokens=True)
            outputs.append(Generated(text, len(row[:end]), end is None))
        return outputs

    def _outcome(self, loaded: Loaded, output: Generated) -> Outcome[str]:
        steps: Normalise = self.params.normalise
        page = unwrapped(output.text)
        # First of all: an engine's own post-processing may hide a loop.
        text, loop = unlooped(page.text, steps, generative=self.generative)
        text = normalise(self.finish(loaded.processor, text), steps)
        cut = f"cut at {output.tokens} tokens" if output.cut else ""
        odd = {"cut": output.cut, "repeated": loop.startswith(LOOP), "wrapped": bool(page.removed)}
        for name in ("replies", *(name for name, holds in odd.items() if holds)):
            self._taken[name] = self._taken.get(name, 0.0) + 1
        return Outcome.of_text(text, "; ".join(filter(None, [cut, loop, page.detail])))
