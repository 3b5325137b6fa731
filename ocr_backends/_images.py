"""What every engine of page images does alike: refuse PDFs, and turn failures into outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ocr_backends.normalise import Normalise, finished
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.types import Outcome


def read_images(
    engine: str,
    read: Callable[[np.ndarray], str],
    source: Path | Sequence[np.ndarray],
    page_nos: Sequence[int],
    steps: Normalise,
) -> Iterator[tuple[int, Outcome[str]]]:
    """Read page images with ``read``, and take the text through the steps of the normaliser.

    An exception on a page is that page's error outcome.

    Raises ConfigError for a PDF, ValueError unless there is one number an image, and
    MissingDependencyError, which is no page's fault.
    """
    if isinstance(source, Path):
        raise ConfigError(f"{engine} reads page images: render {source.name} to images first")
    for page_no, image in zip(page_nos, source, strict=True):
        try:
            outcome = finished(read(checked(image)), steps)
        except MissingDependencyError:
            raise
        except Exception as error:
            outcome = failed(engine, error)
        yield page_no, outcome


def failed(engine: str, error: Exception) -> Outcome[str]:
    """The error outcome of a page on which an engine failed."""
    kind = "" if isinstance(error, EngineError) else f"{type(error).__name__}: "
    return Outcome.error(" ".join(f"{engine}: {kind}{error}".split())[:500])


def checked(image: np.ndarray) -> np.ndarray:
    """The image as ``(h, w)`` grey or ``(h, w, 3)`` RGB uint8. Raises EngineError."""
    if image.ndim == 3 and image.shape[2] == 1:
        image = image[:, :, 0]
    grey_or_rgb = image.ndim == 2 or (image.ndim == 3 and image.shape[2] == 3)
    if image.dtype != np.uint8 or not grey_or_rgb or image.size == 0:
        raise EngineError(f"not a page image: shape {image.shape}, {image.dtype}")
    return np.ascontiguousarray(image)
