"""One page at a time: read it, distort it, compare it with its truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
from PIL import Image

from ohr.api.plugins import engine as load_engine
from ohr.api.plugins import page_image
from ohr.api.plugins import perturbation as load_perturbation
from ohr.errors import ConfigError, EngineError
from ohr.metrics.protocol import Protocol
from ohr.metrics.scores import R_NOISE_THRESHOLD, SCORING
from ohr.plugins import TextPerturbation
from ohr.plugins.metric import Scoring
from ohr.registry import PluginValue
from ohr.types import FAILED

AnyImage = np.ndarray | Image.Image
P = TypeVar("P", str, np.ndarray, Image.Image)


def lcs(a: str, b: str, *, scoring: Protocol = "default") -> float:
    """The share of the words of ``b`` that ``a`` has in the same order, in [0, 1].

    It is the longest common subsequence of words over the words of ``b``, the metric ``lcs`` of a
    study: ``a`` is what was retrieved or read, ``b`` the evidence. It is not symmetric. Raises
    ConfigError for anything but texts.

    Args:
        a: Text in which words are looked for.
        b: Text whose words are looked for.
        scoring: The tokens: ``default``, or ``reference`` for the published evaluation.
    """
    return _scoring(scoring).lcs(_text("a", a), _text("b", b))


def r_noise(
    page: str | Sequence[str], truth: str | Sequence[str], *, scoring: Protocol = "default"
) -> float:
    """The share of texts that noise damaged: whose LCS with their page is 0.95 or less.

    For two texts it is 0 or 1, for two lists of equal length the share of the pairs, in [0, 1]. In
    a study, ``truth`` is the evidence of a question. Raises ConfigError for anything else.

    Args:
        page: Text of a page, or of several.
        truth: Text that should be on it, or one for each page.
        scoring: The tokens: ``default``, or ``reference`` for the published evaluation.
    """
    if isinstance(page, str) or isinstance(truth, str):
        return float(lcs(page, truth, scoring=scoring) <= R_NOISE_THRESHOLD)  # type: ignore[arg-type]
    if not page or len(page) != len(truth):
        raise ConfigError(
            f"r_noise: {len(page)} pages and {len(truth)} truths: give one truth for each page"
        )
    return sum(r_noise(*pair, scoring=scoring) for pair in zip(page, truth, strict=True)) / len(
        page
    )


@overload
def perturb(
    page: Path, noise: PluginValue, amount: float | str, *, seed: int = 0
) -> np.ndarray: ...
@overload
def perturb(page: P, noise: PluginValue, amount: float | str, *, seed: int = 0) -> P: ...
def perturb(page: Any, noise: PluginValue, amount: float | str, *, seed: int = 0) -> Any:
    """A page with noise: an image for an image, a text for a text.

    Equal arguments give equal pages. ``ohr.perturbation`` also gives the record of the noise.
    Raises ConfigError for an unknown noise, level or intensity, or noise of the other kind, and
    EngineError for a file that cannot be opened.

    Args:
        page: An array (uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB), a PIL image, the path of an
            image file, or, for noise in text, a text. A path gives an array.
        noise: Name of the noise, such as ``camera`` or ``formatting``.
        amount: Intensity in [0, 1], or the name of a level: ``mild``, ``moderate``, ``severe``.
        seed: Seed of the random numbers.
    """
    loaded = load_perturbation(noise)
    name = loaded.perturbation.name
    strength = {"level": amount} if isinstance(amount, str) else {"intensity": amount}
    is_text = isinstance(loaded.perturbation, TextPerturbation)
    if is_text and not isinstance(page, str):
        raise ConfigError(f"noise {name!r} rewrites text: give a text, not {type(page).__name__}")
    clean = page if is_text else _pixels(page)
    try:
        noisy: Any = loaded(clean, seed=seed, **strength).value
    except ValueError as error:  # an intensity outside [0, 1], or a page that is too small
        raise ConfigError(f"noise {name!r}: {error}") from error
    return Image.fromarray(noisy) if isinstance(page, Image.Image) else noisy


def read(
    page: Path | str | AnyImage, engine: PluginValue, page_no: int = 0, *, dpi: int = 150
) -> str:
    """The text of a page as an OCR engine reads it; empty for a page without text.

    ``ohr.engine`` gives the outcome instead of an error. Raises EngineError for a page that cannot
    be read, MissingDependencyError for an engine that is not installed, and ConfigError for an
    unknown engine or one that reads no such page.

    Args:
        page: The path of a PDF or an image, a PIL image, or an array as of :func:`perturb`.
        engine: Name of an engine, such as ``tesseract``, or one with parameters.
        page_no: Page of a PDF, from 0.
        dpi: Dots per inch at which a PDF is drawn.
    """
    loaded = load_engine(engine)
    given = page if isinstance(page, str | Path) else _pixels(page)
    outcome = loaded.read(given, page_no, dpi=dpi)
    if outcome.status in FAILED:
        raise EngineError(f"engine {loaded.backend.name!r}: {outcome.detail or outcome.status}")
    return outcome.value or ""


def _scoring(name: Protocol) -> Scoring:
    if name not in SCORING:
        raise ConfigError(f"unknown scoring {name!r}; known: {', '.join(SCORING)}")
    return SCORING[name]


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{name} is {type(value).__name__}, not a text")
    return value


def _pixels(page: object) -> np.ndarray:
    """The pixels of an image: uint8, grey or RGB. Raises ConfigError, EngineError."""
    if isinstance(page, str | Path):
        if Path(page).suffix.lower() == ".pdf":
            raise ConfigError(
                f"{page} is a PDF: give a page of it, ohr.page_image({str(page)!r}, 0)"
            )
        return page_image(page)
    if isinstance(page, np.ndarray):
        if page.dtype != np.uint8 or not (page.ndim == 2 or page.shape[2:] == (3,)):
            raise ConfigError(
                f"an array of {page.dtype} {page.shape} is no page: give uint8, (h, w) grey or "
                "(h, w, 3) RGB"
            )
        return page
    if isinstance(page, Image.Image):
        return np.asarray(page if page.mode in ("L", "RGB") else page.convert("RGB"))
    raise ConfigError(f"{type(page).__name__} is no page: give an image or the path of one")
