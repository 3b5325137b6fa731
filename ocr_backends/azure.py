"""Azure AI Document Intelligence over plain HTTP: a page image in, Markdown out.

Source: Microsoft, Document Intelligence REST API, version 2024-11-30: a page is sent, and its
result fetched from the address that the answer names.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import urlsplit

import numpy as np
from PIL import Image
from pydantic import Field, field_validator

from ocr_backends._page_image import page_image
from ocr_backends.formats.azure import markdown_of
from ocr_backends.normalise import Normalise, finished
from ohr import plugins
from ohr.errors import EngineError, LateError
from ohr.models.chat import plain_address
from ohr.models.http import Endpoint, pause
from ohr.models.key_names import KeyName
from ohr.models.pictures import png
from ohr.models.waits import asked_wait
from ohr.plugins import OcrBackend
from ohr.types import Outcome

API = "2024-11-30"
SHORTEST, LONGEST = 1.0, 10.0
"""Seconds between two requests for a result, unless the service names others."""
_PORTS = {"http": 80, "https": 443}
MOST_PIXELS = 40_000_000
MOST_SIDE = 10_000
_RUNNING = ("notStarted", "running")


class AzureParams(plugins.Params):
    """``base_url``: the address of your resource, ``https://NAME.cognitiveservices.azure.com``.

    ``model``: ``prebuilt-layout`` (Markdown with tables) or ``prebuilt-read`` (text). ``features``:
    further ones, which cost more, such as ``formulas`` or ``ocrHighResolution``. ``api_key_env``:
    the environment variable that holds a key of the resource. ``timeout_s``: seconds that the
    reading of a page may take. ``page_price``: the price of a thousand pages.
    """

    base_url: str
    model: Literal["prebuilt-layout", "prebuilt-read"] = "prebuilt-layout"
    features: tuple[str, ...] = ()
    revision: str = ""
    api_key_env: KeyName = "AZURE_DOCUMENT_INTELLIGENCE_KEY"
    timeout_s: float = Field(300.0, gt=0)
    retries: int = Field(4, ge=0, le=20)
    page_price: float = Field(0.0, ge=0)
    normalise: Normalise = Normalise()

    @field_validator("base_url")
    @classmethod
    def _plain(cls, url: str) -> str:
        return plain_address(url)

    @field_validator("features")
    @classmethod
    def _names(cls, features: tuple[str, ...]) -> tuple[str, ...]:
        for feature in features:
            if not re.fullmatch(r"[A-Za-z]{1,40}", feature):
                raise ValueError(f"{feature!r} is no feature: write such as formulas")
        return features


OUTSIDE_IDENTITY = frozenset({"base_url", "api_key_env", "timeout_s", "retries", "page_price"})
"""A resource does not change what a model reads; its address and key stay out of results."""


class Azure(OcrBackend[AzureParams]):
    """One request per page. The service's models change without notice: name a ``revision``."""

    name = "azure"
    version = "4"
    argument = "base_url"
    license = "Microsoft's terms"
    returns = "markdown"
    install = "export AZURE_DOCUMENT_INTELLIGENCE_KEY=..., and name base_url"

    def __init__(self, params: AzureParams | None = None) -> None:
        super().__init__(params)
        self._taken: dict[str, float] = {}

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Read a page image. Raises EngineError, MissingDependencyError."""
        page = page_image(image, MOST_PIXELS)
        page.thumbnail((MOST_SIDE, MOST_SIDE), Image.Resampling.LANCZOS)
        started = time.perf_counter()
        result = self._analysed(png(page))
        spent = {"answer_s": time.perf_counter() - started, "replies": 1.0}
        if self.params.page_price:
            spent["cost"] = self.params.page_price / 1000
        self._taken = {name: self._taken.get(name, 0.0) + n for name, n in spent.items()}
        furniture = not self.params.normalise.furniture
        return finished(markdown_of(result, furniture=furniture), self.params.normalise)

    def page_cost(self) -> float | None:
        """By ``page_price``; None if none was set."""
        is_set = "page_price" in self.params.model_fields_set
        return self.params.page_price / 1000 if is_set else None

    def usage(self) -> dict[str, float]:
        taken, self._taken = self._taken, {}
        return taken

    def engine_version(self) -> str:
        """The interface's version, and the user's ``revision``."""
        return f"{API} {self.params.revision}".strip()

    def identity(self) -> dict[str, object]:
        params = self.params.model_dump(mode="json", exclude=set(OUTSIDE_IDENTITY))
        return super().identity() | {"params": params}

    def _analysed(self, image: bytes) -> Mapping[str, Any]:
        """The result of one page. Raises EngineError, MissingDependencyError."""
        params = self.params
        query = [f"api-version={API}"]
        query += ["outputContentFormat=markdown"] if params.model == "prebuilt-layout" else []
        query += [f"features={','.join(params.features)}"] if params.features else []
        service = Endpoint(
            f"{params.base_url}/documentintelligence/documentModels/{params.model}:analyze"
            f"?{'&'.join(query)}",
            params.api_key_env,
            params.timeout_s,
            params.retries,
            key_header="Ocp-Apim-Subscription-Key",
        )
        due = time.monotonic() + params.timeout_s
        accepted = service.exchange("POST", image, "image/png")
        where = accepted.headers.get("Operation-Location", "")
        if _server(where) != _server(params.base_url):
            raise EngineError("the answer names a result at another address: it is not followed")
        result = replace(service, url=where)
        wait = SHORTEST
        while True:
            answer = result.exchange("GET", b"", "", json_expected=True)
            content = answer.json()
            status = content.get("status") if isinstance(content, dict) else None
            if status == "succeeded":
                return _result(content)
            if status not in _RUNNING:
                raise EngineError(f"the service did not read the page: {_why(content)}")
            seconds = min(max(asked_wait(answer.headers), wait), LONGEST)
            if time.monotonic() + seconds > due:
                raise LateError(f"no result within {params.timeout_s:g} s: raise timeout_s")
            pause(threading.Event(), seconds)
            wait = min(2 * wait, LONGEST)


def _server(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port of an address, however they are written."""
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:  # no address at all
        return "", None, None


def _result(content: Mapping[str, Any]) -> Mapping[str, Any]:
    result = content.get("analyzeResult")
    if not isinstance(result, dict) or not isinstance(result.get("content"), str):
        raise EngineError("a result without content")
    return result


def _why(content: Any) -> str:
    """The service's own words."""
    error = content.get("error") if isinstance(content, dict) else None
    if not isinstance(error, dict):
        return "no reason given"
    return f"{str(error.get('code'))[:60]} {str(error.get('message'))[:200]}"
