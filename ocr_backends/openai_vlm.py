"""A vision-language model behind an OpenAI-compatible server (vLLM, llama.cpp, LMDeploy ...)."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image
from pydantic import Field, field_validator

from ocr_backends._http import Endpoint
from ocr_backends._images import failed
from ocr_backends._page_image import page_image
from ocr_backends.normalise import Normalise, finished
from ocr_backends.prompts import Prompt, prompt_text, unfenced
from ohr import plugins
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.identity import digest
from ohr.plugins import OcrBackend
from ohr.types import Outcome

TRANSPORT = frozenset({"api_key_env", "timeout_s", "retries"})
"""Parameters that do not change what is read, and so are not part of the identity."""


class OpenAiVlmParams(plugins.Params):
    """``base_url``: up to and with ``/v1``. ``model``: its name on the server. ``revision``:
    whatever tells apart two checkpoints served under one name; it is not sent. ``api_key_env``:
    the environment variable that holds the API key, where the server wants one. ``max_pixels``:
    a larger page is shrunk to this many. ``timeout_s``: seconds without a byte from the server.
    """

    model: str = Field(min_length=1)
    base_url: str = "http://localhost:8000/v1"
    revision: str = ""
    prompt: Prompt = "detailed"
    max_tokens: int = Field(4096, ge=1)
    max_pixels: int = Field(4_000_000, ge=784)
    normalise: Normalise = Normalise()
    api_key_env: str | None = Field(None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    timeout_s: float = Field(300.0, gt=0)
    retries: int = Field(4, ge=0, le=20)

    @field_validator("base_url")
    @classmethod
    def _plain(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            fine = False
        if not fine:
            raise ValueError("not an http or https address")
        if parts.username is not None or parts.password is not None or parts.query:
            raise ValueError("no password or key in an address: name api_key_env")
        return url.rstrip("/")


class OpenAiVlm(OcrBackend):
    """One page a request, at temperature 0. What it reads and how well is the model's affair."""

    name = "openai_vlm"
    argument = "model"
    license = "the served model's"
    languages = ()
    returns = "markdown"
    install = "vllm serve MODEL"
    Params = OpenAiVlmParams

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
                yield page_no, failed(self.name, error)
            except MissingDependencyError as error:
                raise MissingDependencyError(f"{self.name}: {error}") from error

    def engine_version(self) -> str:
        """The user's ``revision``: a server does not tell which checkpoint it runs."""
        return str(self.params.revision)

    def identity(self) -> dict[str, object]:
        params = self.params.model_dump(mode="json", exclude=TRANSPORT)
        prompt = digest(prompt_text(self.params.prompt))
        return super().identity() | {"params": params, "prompt": prompt}

    def _read(self, image: np.ndarray) -> Outcome[str]:
        params = self.params
        page = page_image(image, params.max_pixels)
        endpoint = Endpoint(
            f"{params.base_url}/chat/completions",
            params.api_key_env,
            params.timeout_s,
            params.retries,
        )
        content = [
            {"type": "image_url", "image_url": {"url": data_url(page)}},
            {"type": "text", "text": prompt_text(params.prompt)},
        ]
        answer = endpoint.post(
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


def completion(answer: Any) -> tuple[str, str]:
    """Text and finish reason of a chat completion. Raises EngineError."""
    try:
        choice = answer["choices"][0]
        content = choice["message"].get("content")
        if isinstance(content, list):
            content = "".join(part["text"] for part in content if part.get("type") == "text")
        if content is not None and not isinstance(content, str):
            raise TypeError(f"content is a {type(content).__name__}")
        # Half a surrogate pair, which JSON can hold and UTF-8 cannot.
        text = (content or "").encode("utf-8", "replace").decode()
        return text, str(choice.get("finish_reason"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise EngineError(f"an answer that is no chat completion ({error!r})") from error
