"""A vision-language model behind an OpenAI-compatible server (vLLM, llama.cpp, LMDeploy ...)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from pydantic import Field, field_validator, model_validator

from ocr_backends._page_image import page_image
from ocr_backends.document_models import DOCUMENT_MODELS, DocumentModel
from ocr_backends.document_replies import plain_markdown, refuses
from ocr_backends.loops import LOOP
from ocr_backends.normalise import Normalise, finished
from ocr_backends.prompts import Prompt, prompt_text
from ocr_backends.wrappers import unwrapped
from ohr.errors import ConfigError, EngineError, LateError, MissingDependencyError, did_you_mean
from ohr.models.chat import (
    NO_TEXT,
    TRANSPORT,
    ChatParams,
    completion,
    plain_address,
)
from ohr.models.ends import CUT, FILTERED, is_known
from ohr.models.error_bodies import quoted
from ohr.models.origins import origin_of
from ohr.models.pictures import data_url
from ohr.models.servers import Servers
from ohr.models.token_counts import tokens_used
from ohr.plugins import OcrBackend
from ohr.plugins.engine import failed_page
from ohr.store.identity import digest
from ohr.types import Outcome, Status

OUTSIDE_IDENTITY = TRANSPORT | {"mirrors", "at_once", "prompt_price", "completion_price"}


class OpenAiVlmParams(ChatParams):
    """``max_pixels``: a larger page is shrunk to this many. ``profile``: a document model, which
    sets the prompt, the limits and the form of the reply; options that you set yourself take
    precedence. ``mirrors``: further base URLs of the same model. ``at_once``: how many requests all
    workers of a run together send to each server at a time (by default as many as there are
    workers). ``prompt_price``, ``completion_price``: the price of a million tokens, in any
    currency.
    """

    profile: str = ""
    prompt: Prompt = "detailed"
    max_tokens: int = Field(4096, ge=1)
    max_pixels: int = Field(4_000_000, ge=784)
    mirrors: tuple[str, ...] = ()
    at_once: int | None = Field(None, ge=1, le=1024)
    prompt_price: float = Field(0.0, ge=0)
    completion_price: float = Field(0.0, ge=0)
    normalise: Normalise = Normalise()

    @model_validator(mode="before")
    @classmethod
    def _apply_profile(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or not given.get("profile"):
            return given
        model = _model(str(given["profile"]))
        brought = {
            "prompt": model.prompt,
            "max_tokens": model.max_tokens,
            "max_pixels": model.max_pixels,
        }
        return brought | dict(given)

    @field_validator("mirrors")
    @classmethod
    def _plain_mirrors(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(plain_address, urls))


def _model(profile: str) -> DocumentModel:
    if profile not in DOCUMENT_MODELS:
        known_values = did_you_mean(profile, sorted(DOCUMENT_MODELS))
        raise ValueError(f"unknown profile {profile!r}; {known_values}")
    return DOCUMENT_MODELS[profile]


class OpenAiVlm(OcrBackend[OpenAiVlmParams]):
    """One request per page, at temperature 0. The served model decides what it can read, and how
    well.

    Replies that repeat themselves, refuse, break off, are empty, had wrappers or have another
    form than was asked for are counted (``usage``). With a profile, a refusal is an ``empty`` page.
    """

    name = "openai_vlm"
    version = "5"
    argument = "model"
    generative = True
    license = "the served model's"
    languages = ()
    returns = "markdown"
    install = "vllm serve MODEL"

    def __init__(self, params: OpenAiVlmParams | None = None) -> None:
        super().__init__(params)
        self._taken: dict[str, float] = {}

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read page images.

        Raises ConfigError for a PDF, ValueError unless there is one number per image, and
        MissingDependencyError (no server, no key, no such model).
        """
        if isinstance(source, Path):
            raise ConfigError(f"{self.name} reads page images: render {source.name} first")
        for page_no, image in zip(page_nos, source, strict=True):
            try:
                yield page_no, self._read(image)
            except EngineError as error:
                self._count(**{"late" if isinstance(error, LateError) else "failed": 1})
                yield page_no, failed_page(self.name, error)
            except MissingDependencyError as error:
                raise MissingDependencyError(f"{self.name}: {error}") from error

    def usage(self) -> dict[str, float]:
        taken, self._taken = self._taken, {}
        return taken

    def _count(self, **numbers: float) -> None:
        for name, number in numbers.items():
            self._taken[name] = self._taken.get(name, 0.0) + number

    def engine_version(self) -> str:
        """The user's ``revision``: a server does not tell which checkpoint it runs."""
        return str(self.params.revision)

    def identity(self) -> dict[str, object]:
        outside = OUTSIDE_IDENTITY if self.params.profile else OUTSIDE_IDENTITY | {"profile"}
        params = self.params.model_dump(mode="json", exclude=set(outside))
        prompt = digest(prompt_text(self.params.prompt))
        model = DOCUMENT_MODELS.get(self.params.profile)
        profile = {} if model is None else {"profile_version": model.version}
        return super().identity() | {"params": params, "prompt": prompt} | profile

    def servers(self) -> Servers:
        """The servers that read the pages."""
        urls = dict.fromkeys([self.params.base_url, *self.params.mirrors])
        endpoint = self.params.endpoint()
        endpoints = (replace(endpoint, url=f"{url}/chat/completions") for url in urls)
        return Servers(tuple(endpoints), self.params.at_once)

    def _read(self, image: np.ndarray) -> Outcome[str]:
        params = self.params
        model = DOCUMENT_MODELS.get(params.profile)
        page = page_image(image, params.max_pixels)
        if model is not None and model.max_side:
            page.thumbnail((model.max_side, model.max_side), Image.Resampling.LANCZOS)
        body = self._request(page, model)
        started = time.perf_counter()
        answer = self.servers().post(body)
        self._count(answer_s=time.perf_counter() - started)
        self._count(**origin_of(answer))
        written = completion(answer)
        self._count(**tokens_used(answer, params.prompt_price, params.completion_price))
        outcome = self._outcome(written.text, written.finish_reason, model)
        if outcome.status is Status.EMPTY and written.why_empty not in ("", NO_TEXT):
            detail = "; ".join(filter(None, [outcome.detail, written.why_empty]))
            return replace(outcome, detail=detail)
        return outcome

    def _request(self, page: Image.Image, model: DocumentModel | None) -> dict[str, Any]:
        """The body of a request for a page."""
        params = self.params
        before = "" if model is None else model.before
        content = [
            {"type": "image_url", "image_url": {"url": data_url(page)}},
            {"type": "text", "text": before + prompt_text(params.prompt)},
        ]
        body: dict[str, Any] = {
            "model": params.model,
            "messages": [{"role": "user", "content": content}],
            "temperature": 0,
            "seed": 0,
            "max_tokens": params.max_tokens,
            "stream": False,
        }
        if model is None:
            return body
        if model.system:
            system = {"role": "system", "content": model.system}
            body["messages"] = params.turns([system, *body["messages"]])
        if model.stop:
            body["stop"] = list(model.stop)
        return body | dict(model.request)

    def _outcome(self, text: str, reason: str, model: DocumentModel | None) -> Outcome[str]:
        """The page that a reply is, and what is odd about it."""
        self._count(replies=1)
        page = unwrapped(text, () if model is None else model.form)
        if page.removed:
            self._count(wrapped=1)
        refused = ""
        if refuses(page.text):
            self._count(refused=1)
            refused = f"refused: {' '.join(page.text.split())[:100]}"
            if model is not None:
                return Outcome("", Status.EMPTY, refused)
        parsed = (plain_markdown if model is None else model.parse)(page.text)
        drops = self.params.normalise.furniture and parsed.body is not None
        written = (parsed.body or "") if drops else parsed.text
        outcome = finished(written, self.params.normalise, generative=self.generative)
        ends = {CUT: f"cut at {self.params.max_tokens} tokens", FILTERED: "filtered"}
        unknown = "" if is_known(reason) else f"finish_reason {quoted(reason)[:40]}"
        malformed = parsed.malformed and f"malformed: {parsed.malformed}"
        odd = {
            "cut": reason == CUT,
            "filtered": reason == FILTERED,
            "unknown_ends": bool(unknown),
            "malformed": malformed,
            "repeated": outcome.detail.startswith(LOOP),
            "empty": outcome.status is Status.EMPTY,
        }
        self._count(**{name: 1 for name, holds in odd.items() if holds})
        details = filter(
            None, [ends.get(reason, unknown), malformed, refused, outcome.detail, page.detail]
        )
        return replace(outcome, detail="; ".join(details))
