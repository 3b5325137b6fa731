"""Shared by vision-language models in process: a page and a prompt, as one chat turn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image
from typing_extensions import TypeVar

from ocr_backends._transformers import ModelParams, TransformersEngine
from ocr_backends.prompts import Prompt, prompt_text
from ohr.errors import MissingDependencyError
from ohr.store.identity import digest


class VisionLanguageParams(ModelParams):
    """``prompt``: ``simple``, ``detailed``, or a prompt of your own."""

    prompt: Prompt = "detailed"


P = TypeVar("P", bound=VisionLanguageParams, covariant=True, default=VisionLanguageParams)


class VisionLanguageEngine(TransformersEngine[P], abstract=True):
    """A chat model that is shown a page and asked for its text."""

    @abstractmethod
    def image_options(self) -> dict[str, Any]:
        """How the processor scales or cuts a page."""

    def processor(self, folder: Path) -> Any:
        processor = super().processor(folder)
        if processor.chat_template is None:
            processor.chat_template = processor.tokenizer.chat_template
        if processor.chat_template is None:
            raise MissingDependencyError(
                f"{self.name}: {folder} has no chat template: fetch the checkpoint again"
            )
        return processor

    def inputs(self, processor: Any, pages: list[Image.Image]) -> Mapping[str, Any]:
        content = [{"type": "image"}, {"type": "text", "text": prompt_text(self.params.prompt)}]
        turn = processor.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
        )
        inputs: Mapping[str, Any] = processor(
            images=pages,
            text=[turn] * len(pages),
            images_kwargs=self.image_options(),
            text_kwargs={"padding": True},
            return_tensors="pt",
        )
        return inputs

    def identity(self) -> dict[str, object]:
        return super().identity() | {"prompt": digest(prompt_text(self.params.prompt))}
