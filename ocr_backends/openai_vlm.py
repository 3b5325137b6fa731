"""A vision-language model behind an OpenAI-compatible server (vLLM, llama.cpp, LMDeploy ...)."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image
from pydantic import Field

from ocr_backends._page_image import page_image
from ocr_backends.normalise import Normalise, finished
from ocr_backends.prompts import Prompt, prompt_text, unfenced
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.models.chat import TRANSPORT, ServerParams, completion
from ohr.plugins import OcrBackend
from ohr.plugins.engine import failed_page
from ohr.store.identity import digest
from ohr.types import Outcome


class OpenAiVlmParams(ServerParams):
    """``max_pixels``: a larger page is shrunk to this many."""

    prompt: Prompt = "detailed"
    max_tokens: int = Field(4096, ge=1)
    max_pixels: int = Field(4_000_000, ge=784)
    normalise: Normalise = Normalise()


class OpenAiVlm(OcrBackend[OpenAiVlmParams]):
    """One page a request, at temperature 0. What it reads and how well is the model's affair."""

    name = "openai_vlm"
    argument = "model"
    license = "the served model's"
    languages = ()
    returns = "markdown"
    install = "vllm serve MODEL"

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read page images.

        Raises ConfigError for a PDF, ValueError unless there is one number an image, and
        MissingDependencyError (no server, no key, no such model).
        """
        if isinstance(source, Path):
            raise ConfigError(f"{self.name} reads page images: render {source.name} first")
        for page_no, image in zip(page_nos, source, strict=True):
            try:
                yield page_no, self._read(image)
            except EngineError as error:
                yield page_no, failed_page(self.name, error)
            except MissingDependencyError as error:
                raise MissingDependencyError(f"{self.name}: {error}") from error

    def engine_version(self) -> str:
        """The user's ``revision``: a server does not tell which checkpoint it runs."""
        return str(self.params.revision)

    def identity(self) -> dict[str, object]:
        params = self.params.model_dump(mode="json", exclude=set(TRANSPORT))
        prompt = digest(prompt_text(self.params.prompt))
        return super().identity() | {"params": params, "prompt": prompt}

    def _read(self, image: np.ndarray) -> Outcome[str]:
        params = self.params
        page = page_image(image, params.max_pixels)
        content = [
            {"type": "image_url", "image_url": {"url": data_url(page)}},
            {"type": "text", "text": prompt_text(params.prompt)},
        ]
        answer = params.endpoint().post(
            {
                "model": params.model,
                "messages": [{"role": "user", "content": content}],
                "temperature": 0,
                "seed": 0,
                "max_tokens": params.max_tokens,
                "stream": False,
            }
        )
        text, reason = completion(answer)
        outcome = finished(unfenced(text), params.normalise)
        cut = {"length": f"cut at {params.max_tokens} tokens", "content_filter": "filtered"}
        return replace(outcome, detail="; ".join(filter(None, [cut.get(reason), outcome.detail])))


def data_url(page: Image.Image) -> str:
    """The page as a PNG in a ``data:`` address."""
    stream = io.BytesIO()
    page.save(stream, "PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode("ascii")
